//! Whole conversations with programs that are none: a script says what the other end hears, says and how time passes there, so
//! that deadlines are tested to the millisecond without a process and without waiting.

#[cfg(test)]
mod tests {
    use crate::{
        Bot, Dialect, Terms,
        link::{Life, Running},
    };
    use parlor_core::{Answer, Cause, Ending, Failure, Game, Limits, Match, Player, Record, Side};
    use parlor_engine::Manual;
    use parlor_games::kalah::Kalah;
    use std::{
        io::{self, ErrorKind, Read, Write},
        sync::{
            Arc, Condvar, Mutex,
            atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        },
        time::Duration,
    };

    const GRACE: Duration = Duration::from_millis(20);

    /// An action of the program; actions run in order.
    #[derive(Clone, Copy)]
    enum Step {
        /// Waits for a line with this prefix.
        Hears(&'static str),
        Says(&'static str),
        /// The clock advances by this many milliseconds.
        Passes(u64),
        /// Uses a processor for this many milliseconds.
        Computes(u64),
        /// Stays silent until it is killed.
        Stays,
    }
    use Step::{Computes, Hears, Passes, Says, Stays};

    /// State shared by both ends.
    #[derive(Default)]
    struct Shared {
        sent: Mutex<(String, bool)>,
        news: Condvar,
        kills: AtomicUsize,
        is_frozen: AtomicBool,
        /// How often the program was frozen.
        freezes: AtomicUsize,
        /// Time of a thaw in milliseconds.
        thaw: AtomicU64,
        /// Processor time in milliseconds.
        cpu: AtomicU64,
    }

    impl Shared {
        fn close(&self) {
            self.sent.lock().expect("no panic").1 = true;
            self.news.notify_all();
        }

        /// Waits for a line after the first `from` bytes; where it ends, or none if the program was ended.
        fn wait(&self, from: usize, word: &str) -> Option<usize> {
            let mut sent = self.sent.lock().expect("no panic");
            loop {
                let mut at = from;
                for line in sent.0[from..].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
                    at += line.len();
                    if line.starts_with(word) {
                        return Some(at);
                    }
                }
                if sent.1 {
                    return None;
                }
                sent = self.news.wait(sent).expect("no panic");
            }
        }
    }

    struct Ear(Arc<Shared>);

    impl Write for Ear {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.sent.lock().expect("no panic").0.push_str(std::str::from_utf8(bytes).expect("text"));
            self.0.news.notify_all();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Mouth {
        steps: std::vec::IntoIter<Step>,
        shared: Arc<Shared>,
        clock: Arc<Manual>,
        heard: usize,
    }

    impl Read for Mouth {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            for step in self.steps.by_ref() {
                match step {
                    Hears(word) => match self.shared.wait(self.heard, word) {
                        Some(at) => self.heard = at,
                        None => return Ok(0),
                    },
                    Passes(millis) => self.clock.advance(Duration::from_millis(millis)),
                    Computes(millis) => drop(self.shared.cpu.fetch_add(millis, Ordering::Relaxed)),
                    Stays => drop(self.shared.wait(self.heard, "\0")),
                    Says(text) => {
                        bytes[..text.len()].copy_from_slice(text.as_bytes());
                        return Ok(text.len());
                    }
                }
            }
            Ok(0)
        }
    }

    struct Fate(Arc<Shared>, Arc<Manual>);

    impl Life for Fate {
        fn ended(&mut self) -> Option<String> {
            self.0.sent.lock().expect("no panic").1.then(|| "exit code 3".to_string())
        }

        fn kill(&mut self) {
            self.0.kills.fetch_add(1, Ordering::Relaxed);
            self.0.is_frozen.store(false, Ordering::Relaxed);
            self.0.close();
        }

        fn part(&mut self) -> bool {
            assert!(!self.0.is_frozen.load(Ordering::Relaxed), "a frozen program cannot go");
            self.0.close();
            true
        }

        fn freeze(&mut self) {
            assert!(!self.0.is_frozen.swap(true, Ordering::Relaxed), "it was frozen twice");
            self.0.freezes.fetch_add(1, Ordering::Relaxed);
        }

        fn thaw(&mut self) {
            self.1.advance(Duration::from_millis(self.0.thaw.load(Ordering::Relaxed)));
            assert!(self.0.is_frozen.swap(false, Ordering::Relaxed), "it was not frozen");
        }

        fn cpu_time(&mut self) -> Option<Duration> {
            Some(Duration::from_millis(self.0.cpu.load(Ordering::Relaxed)))
        }
    }

    struct Scene {
        bot: Bot,
        shared: Arc<Shared>,
        clock: Arc<Manual>,
    }

    fn kalah() -> Kalah {
        Kalah::sized(3, 2).expect("a game")
    }

    /// A bot that follows the script whenever it is started. With `deaf` it takes nothing it is told.
    fn scene_with(dialect: Dialect, steps: &[Step], deaf: bool) -> Scene {
        let (shared, clock) = (Arc::new(Shared::default()), Arc::new(Manual::stepping(Duration::ZERO)));
        let (one, script, time) = (shared.clone(), steps.to_vec(), clock.clone());
        let start = move || {
            one.sent.lock().expect("no panic").1 = false;
            let heard = one.sent.lock().expect("no panic").0.len();
            let steps = script.clone().into_iter();
            Ok(Running {
                input: if deaf { Box::new(Wall) } else { Box::new(Ear(one.clone())) },
                output: Box::new(Mouth { steps, shared: one.clone(), clock: time.clone(), heard }),
                error: Box::new(io::empty()),
                life: Box::new(Fate(one.clone(), time.clone())),
            })
        };
        let replay = Arc::new(|record: &Record| Match::replay(kalah(), record).map(|m| Box::new(m) as _));
        let terms = Terms { clock: clock.clone(), ..Terms::default() };
        Scene { bot: Bot::over(dialect, Box::new(start), replay, terms), shared, clock }
    }

    struct Wall;

    impl Write for Wall {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::WouldBlock.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Scene {
        fn ask(&mut self) -> Result<Answer, Failure> {
            self.ask_within(Some(Duration::from_millis(100)), &AtomicBool::new(false))
        }

        /// With this time, and 20 ms more until the deadline.
        fn ask_within(&mut self, time: Option<Duration>, stop: &AtomicBool) -> Result<Answer, Failure> {
            let deadline = time.map(|time| time + GRACE);
            self.ask_by(&Limits { time, deadline, ..Limits::default() }, stop)
        }

        fn ask_by(&mut self, limits: &Limits, stop: &AtomicBool) -> Result<Answer, Failure> {
            self.bot.choose(&Match::new(kalah()), limits, stop, &mut |_| ())
        }

        fn sent(&self) -> String {
            self.shared.sent.lock().expect("no panic").0.clone()
        }
    }

    /// A simple bot that has answered the practice question.
    fn simple(steps: &[Step]) -> Scene {
        let practice = [Hears("turn"), Says("1\n"), Hears("new")];
        let mut scene = scene_with(Dialect::Simple, &[&practice[..], steps].concat(), false);
        scene.bot.ready(&kalah().spec()).expect("it runs");
        scene.bot.begin(&kalah().spec(), Side::First);
        scene
    }

    const HANDSHAKE: [Step; 4] =
        [Hears("ugi"), Says("id name x\nugiok\n"), Hears("isready"), Says("readyok\n")];

    fn engine(steps: &[Step]) -> Scene {
        let mut scene = scene_with(Dialect::Ugi, &[&HANDSHAKE[..], steps].concat(), false);
        scene.bot.ready(&kalah().spec()).expect("it runs");
        scene
    }

    fn timeout(millis: u64) -> Result<Answer, Failure> {
        Err(Failure::Timeout(Duration::from_millis(millis)))
    }

    fn plays(text: &str) -> Result<Answer, Failure> {
        Ok(Answer::Move(text.to_string()))
    }

    #[test]
    fn a_simple_bot_is_told_of_the_game_and_asked_in_a_line() {
        let mut scene = simple(&[Hears("turn"), Passes(7), Says("3\n"), Stays]);
        assert_eq!(scene.ask(), plays("3"));
        assert_eq!(scene.bot.thought(), Some(Duration::from_millis(7)));
        let ending = Ending::lost_by(Side::Second, Cause::Resigned);
        scene.bot.end(&ending);
        let spec = kalah().spec();
        let turn = format!("turn\t{spec}\t2,2,2/2,2,2 0/0 s\t1 2 3\t\t");
        let practice = format!("new\t{spec}\tfirst\n{turn}1000\n");
        assert_eq!(scene.sent(), format!("{practice}new\t{spec}\tfirst\n{turn}100\nend\twin\tresigned\n"));
        let shared = scene.shared.clone();
        drop(scene);
        assert!(shared.sent.lock().expect("no panic").0.ends_with("\nquit\n"));
        assert_eq!(shared.kills.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_answer_at_the_deadline_counts_and_one_after_it_does_not() {
        for (late, wants) in [(120, plays("3")), (121, timeout(121))] {
            let mut scene = simple(&[Hears("turn"), Passes(late), Says("3\n"), Stays]);
            assert_eq!(scene.ask(), wants);
        }
    }

    #[test]
    fn without_a_deadline_an_answer_after_the_time_is_late() {
        let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
        for (late, wants) in [(100, plays("3")), (101, timeout(101))] {
            let mut scene = simple(&[Hears("turn"), Passes(late), Says("3\n"), Stays]);
            assert_eq!(scene.ask_by(&limits, &AtomicBool::new(false)), wants);
        }
    }

    /// A period of byo-yomi, of which three are left.
    fn byo_yomi() -> Limits {
        let millis = |millis| Some(Duration::from_millis(millis));
        Limits { time: millis(100), deadline: millis(320), ..Limits::default() }
    }

    #[test]
    fn in_byo_yomi_an_answer_after_the_period_counts_until_the_deadline() {
        let mut scene = simple(&[Hears("turn"), Passes(290), Says("3\n"), Stays]);
        assert_eq!(scene.ask_by(&byo_yomi(), &AtomicBool::new(false)), plays("3"));
        assert_eq!(scene.bot.thought(), Some(Duration::from_millis(290)));
        assert!(scene.sent().contains("\t100\n"), "the question names the period: {}", scene.sent());
    }

    #[test]
    fn in_byo_yomi_a_try_saves_the_periods_that_are_left() {
        let steps = [Hears("turn"), Passes(40), Says("try 2\n"), Passes(61), Says("3\n"), Stays];
        let mut scene = simple(&steps);
        assert_eq!(scene.ask_by(&byo_yomi(), &AtomicBool::new(false)), plays("2"));
        assert_eq!(scene.bot.thought(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_bot_that_stalls_loses_on_time_and_is_ended() {
        let mut scene = simple(&[Hears("turn"), Passes(130), Stays]);
        assert_eq!(scene.ask(), timeout(130));
        assert!(scene.shared.kills.load(Ordering::Relaxed) > 0);
        assert_eq!(scene.ask(), timeout(130), "it is not started again in the same game");
        scene.bot.ready(&kalah().spec()).expect("but for the next");
    }

    #[test]
    fn when_time_is_up_the_last_try_counts() {
        let steps = [Hears("turn"), Passes(40), Says("try 1\ntry 2\n"), Passes(90), Stays];
        let mut scene = simple(&steps);
        assert_eq!(scene.ask(), plays("2"));
        assert_eq!(scene.bot.thought(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn an_answer_without_the_end_of_its_line_is_garbage() {
        let mut scene = simple(&[Hears("turn"), Says("3"), Passes(130), Stays]);
        assert!(matches!(scene.ask(), Err(Failure::Garbage(why)) if why.contains("has no line end")));
    }

    #[test]
    fn a_bot_that_closes_its_output_has_crashed() {
        let mut scene = simple(&[Hears("turn")]);
        assert!(matches!(scene.ask(), Err(Failure::Crash(_))));
        let mut scene = simple(&[Hears("turn"), Says("3\n")]);
        assert_eq!(scene.ask(), plays("3"), "what it said before counts");
        assert!(matches!(scene.ask(), Err(Failure::Crash(_))));
    }

    #[test]
    fn a_bot_that_is_told_to_stop_gives_what_it_has() {
        let stop = AtomicBool::new(true);
        let mut scene = simple(&[Hears("turn"), Stays]);
        assert!(matches!(scene.ask_within(None, &stop), Err(Failure::Timeout(_))));
    }

    #[test]
    fn words_are_answers_too() {
        let mut scene = simple(&[Hears("turn"), Says("resign\n"), Hears("turn"), Says(" claim \n"), Stays]);
        assert_eq!((scene.ask(), scene.ask()), (Ok(Answer::Resign), Ok(Answer::Claim)));
    }

    #[test]
    fn a_greeting_is_not_taken_for_an_answer() {
        let steps =
            [Says("hello, I am a bot\n"), Hears("turn"), Says("2\n"), Hears("turn"), Says("3\n"), Stays];
        let mut scene = scene_with(Dialect::Simple, &steps, false);
        scene.bot.ready(&kalah().spec()).expect("it runs");
        assert_eq!(scene.ask(), plays("3"));
    }

    #[test]
    fn silence_at_the_start_is_told_as_such() {
        let mut scene = scene_with(Dialect::Simple, &[Hears("turn"), Passes(9_999), Passes(1), Stays], false);
        let failure = scene.bot.ready(&kalah().spec()).expect_err("silence");
        assert!(matches!(&failure, Failure::Start(why) if why.contains("within 10 s")), "{failure}");
        let mut scene = scene_with(Dialect::Ugi, &[Hears("ugi"), Passes(10_000), Stays], false);
        assert!(matches!(scene.bot.ready("x"), Err(Failure::Start(why)) if why.contains("'ugiok'")));
        assert!(scene.clock.shown() >= Duration::from_secs(10));
    }

    #[test]
    fn a_bot_that_does_not_read_loses_on_time() {
        let mut scene = scene_with(Dialect::Simple, &[Says("1\n"), Stays], true);
        scene.bot.ready(&kalah().spec()).expect("it says something");
        let (clock, over) = (scene.clock.clone(), AtomicBool::new(false));
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                    clock.advance(Duration::from_millis(30));
                }
            });
            assert!(matches!(scene.ask(), Err(Failure::Timeout(_))));
            over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn an_engine_is_greeted_asked_and_told_to_stop() {
        let steps = [
            Hears("go"),
            Says("info depth 3 score margin 2 exact pv 1 2\nwhatever\n"),
            Passes(100),
            Hears("stop"),
            Passes(20),
            Says("bestmove 2\n"),
            Stays,
        ];
        let mut scene = engine(&steps);
        let mut played = Match::new(kalah());
        played.play("1").expect("legal");
        let time = Duration::from_millis(100);
        let limits = Limits { time: Some(time), deadline: Some(time + GRACE), ..Limits::default() };
        let mut depths = Vec::new();
        let answer = scene.bot.choose(&played, &limits, &AtomicBool::new(false), &mut |report| {
            depths.push(report.depth);
        });
        assert_eq!((answer, depths), (plays("2"), vec![3]));
        assert_eq!(scene.bot.thought(), Some(Duration::from_millis(120)));
        let spec = kalah().spec();
        let greeting = format!("ugi\ngame {spec}\nuginewgame\nisready\n");
        assert_eq!(scene.sent(), format!("{greeting}position startpos moves 1\ngo movetime 100\nstop\n"));
    }

    #[test]
    fn an_engine_that_does_not_stop_loses_on_time() {
        let mut scene = engine(&[Hears("go"), Passes(100), Hears("stop"), Passes(21), Stays]);
        assert_eq!(scene.ask(), timeout(121));
    }

    #[test]
    fn an_engine_that_does_not_know_the_game_says_why() {
        let steps =
            [HANDSHAKE[0], HANDSHAKE[1], Hears("game"), Says("gameno never heard of it\nreadyok\n"), Stays];
        let mut scene = scene_with(Dialect::Ugi, &steps, false);
        let failure = scene.bot.ready("go:19").expect_err("no such game");
        assert_eq!(failure, Failure::Start("it does not support go:19: never heard of it".to_string()));
    }

    #[test]
    fn an_engine_answers_when_the_flag_is_set() {
        let stop = AtomicBool::new(true);
        let mut scene = engine(&[Hears("go"), Hears("stop"), Says("bestmove 3\n"), Stays]);
        assert_eq!(scene.ask_within(None, &stop), plays("3"));
        let mut scene = engine(&[Hears("go"), Hears("stop"), Passes(200), Stays]);
        assert!(matches!(scene.ask_within(None, &stop), Err(Failure::Timeout(_))));
    }

    fn is_frozen(scene: &Scene) -> bool {
        scene.shared.is_frozen.load(Ordering::Relaxed)
    }

    #[test]
    fn a_bot_is_frozen_from_its_answer_to_its_next_message() {
        let mut scene = simple(&[Hears("turn"), Says("3\n"), Hears("turn"), Says("2\n"), Stays]);
        assert!(is_frozen(&scene), "after the practice question");
        assert_eq!(scene.ask(), plays("3"));
        assert!(is_frozen(&scene), "after its answer");
        assert_eq!(scene.ask(), plays("2"));
        assert!(is_frozen(&scene));
        assert_eq!(scene.bot.quit(), Some(true), "it is thawed to go by itself");
    }

    #[test]
    fn an_engine_is_frozen_only_when_it_is_ready() {
        let mut scene = engine(&[Hears("go"), Says("bestmove 3\n"), Stays]);
        assert_eq!(scene.shared.freezes.load(Ordering::Relaxed), 1, "not during the handshake");
        assert_eq!(scene.ask(), plays("3"));
        assert!(is_frozen(&scene));
    }

    #[test]
    fn a_bot_that_may_ponder_is_never_frozen() {
        let steps = [Hears("turn"), Says("1\n"), Hears("turn"), Says("3\n"), Hears("end"), Stays];
        let mut scene = scene_with(Dialect::Simple, &steps, false);
        scene.bot = scene.bot.with_ponder(true);
        assert_eq!(scene.ask(), plays("3"));
        scene.bot.end(&Ending::lost_by(Side::Second, Cause::Resigned));
        assert_eq!(scene.shared.freezes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_thaw_is_not_charged() {
        let mut scene = simple(&[Hears("turn"), Passes(7), Says("3\n"), Stays]);
        scene.shared.thaw.store(500, Ordering::Relaxed);
        assert_eq!(scene.ask(), plays("3"), "though the thaw alone takes longer than its time");
        assert_eq!(scene.bot.thought(), Some(Duration::from_millis(7)));
        scene.shared.thaw.store(0, Ordering::Relaxed);
    }

    #[test]
    fn processor_time_is_that_of_the_answer() {
        let steps = [Hears("turn"), Computes(9), Passes(10), Says("3\n"), Stays];
        let mut scene = simple(&steps);
        scene.shared.cpu.store(50, Ordering::Relaxed);
        assert_eq!(scene.ask(), plays("3"));
        assert_eq!(scene.bot.cpu_time(), Some(Duration::from_millis(9)));
    }

    #[test]
    fn a_bot_is_frozen_between_games_after_it_has_handled_the_end() {
        let mut scene = simple(&[Hears("turn"), Says("3\n"), Hears("end"), Computes(5), Stays]);
        assert_eq!(scene.ask(), plays("3"));
        scene.bot.end(&Ending::lost_by(Side::Second, Cause::Resigned));
        assert!(is_frozen(&scene));
        assert_eq!(scene.shared.cpu.load(Ordering::Relaxed), 5, "it had time for that");
    }
}
