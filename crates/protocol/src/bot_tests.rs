//! Tests of [`crate::Bot`] with scripted programs and a manual clock, so that deadlines are exact to the millisecond and need no
//! process and no waiting.

#[cfg(test)]
mod tests {
    use crate::{
        Bot, BotOptions, Dialect,
        link::{ProcessControl, RunningProgram},
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

    /// An action of the program; steps run in order.
    #[derive(Clone, Copy)]
    enum Action {
        /// Waits for a line with this prefix.
        Reads(&'static str),
        Prints(&'static str),
        /// The clock advances by this many milliseconds.
        Waits(u64),
        /// Uses a processor for this many milliseconds.
        Computes(u64),
        /// Writes nothing until it is killed.
        Hangs,
    }
    use Action::{Computes, Hangs, Prints, Reads, Waits};

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

        /// Waits for a line after the first `from` bytes. Returns where it ends, `None` if the program was ended.
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

    /// Standard input of the scripted program.
    struct ProgramInput(Arc<Shared>);

    impl Write for ProgramInput {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.sent.lock().expect("no panic").0.push_str(std::str::from_utf8(bytes).expect("text"));
            self.0.news.notify_all();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Standard output of the scripted program: each read runs the script up to its next text.
    struct ProgramOutput {
        steps: std::vec::IntoIter<Action>,
        shared: Arc<Shared>,
        clock: Arc<Manual>,
        offset: usize,
    }

    impl Read for ProgramOutput {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            for action in self.steps.by_ref() {
                match action {
                    Reads(word) => match self.shared.wait(self.offset, word) {
                        Some(at) => self.offset = at,
                        None => return Ok(0),
                    },
                    Waits(millis) => self.clock.advance(Duration::from_millis(millis)),
                    Computes(millis) => drop(self.shared.cpu.fetch_add(millis, Ordering::Relaxed)),
                    Hangs => drop(self.shared.wait(self.offset, "\0")),
                    Prints(text) => {
                        bytes[..text.len()].copy_from_slice(text.as_bytes());
                        return Ok(text.len());
                    }
                }
            }
            Ok(0)
        }
    }

    struct FakeProcess(Arc<Shared>, Arc<Manual>);

    impl ProcessControl for FakeProcess {
        fn exit_status(&mut self) -> Option<String> {
            self.0.sent.lock().expect("no panic").1.then(|| "exit code 3".to_string())
        }

        fn kill(&mut self) {
            self.0.kills.fetch_add(1, Ordering::Relaxed);
            self.0.is_frozen.store(false, Ordering::Relaxed);
            self.0.close();
        }

        fn quit(&mut self) -> bool {
            assert!(!self.0.is_frozen.load(Ordering::Relaxed), "a frozen program cannot exit");
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

    struct BotTest {
        bot: Bot,
        shared: Arc<Shared>,
        clock: Arc<Manual>,
    }

    fn kalah() -> Kalah {
        Kalah::sized(3, 2).expect("a game")
    }

    /// A bot that runs the script at each start. With `blocked` it never reads its input.
    fn test_with(dialect: Dialect, steps: &[Action], blocked: bool) -> BotTest {
        let (shared, clock) = (Arc::new(Shared::default()), Arc::new(Manual::stepping(Duration::ZERO)));
        let (one, script, time) = (shared.clone(), steps.to_vec(), clock.clone());
        let start = move || {
            one.sent.lock().expect("no panic").1 = false;
            let offset = one.sent.lock().expect("no panic").0.len();
            let steps = script.clone().into_iter();
            Ok(RunningProgram {
                input: if blocked { Box::new(BlockedPipe) } else { Box::new(ProgramInput(one.clone())) },
                output: Box::new(ProgramOutput { steps, shared: one.clone(), clock: time.clone(), offset }),
                error: Box::new(io::empty()),
                process: Box::new(FakeProcess(one.clone(), time.clone())),
            })
        };
        let replay = Arc::new(|record: &Record| Match::replay(kalah(), record).map(|m| Box::new(m) as _));
        let options = BotOptions { clock: clock.clone(), ..BotOptions::default() };
        BotTest { bot: Bot::with_launcher(dialect, Box::new(start), replay, options), shared, clock }
    }

    struct BlockedPipe;

    impl Write for BlockedPipe {
        fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::WouldBlock.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl BotTest {
        fn ask(&mut self) -> Result<Answer, Failure> {
            self.ask_within(Some(Duration::from_millis(100)), &AtomicBool::new(false))
        }

        /// Asks with this time limit and a deadline 20 ms later.
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
    fn simple(steps: &[Action]) -> BotTest {
        let practice = [Reads("turn"), Prints("1\n"), Reads("new")];
        let mut test = test_with(Dialect::Simple, &[&practice[..], steps].concat(), false);
        test.bot.ready(&kalah().spec()).expect("it runs");
        test.bot.begin(&kalah().spec(), Side::First);
        test
    }

    const HANDSHAKE: [Action; 4] =
        [Reads("ugi"), Prints("id name x\nugiok\n"), Reads("isready"), Prints("readyok\n")];

    fn engine(steps: &[Action]) -> BotTest {
        let mut test = test_with(Dialect::Ugi, &[&HANDSHAKE[..], steps].concat(), false);
        test.bot.ready(&kalah().spec()).expect("it runs");
        test
    }

    fn timeout(millis: u64) -> Result<Answer, Failure> {
        Err(Failure::Timeout(Duration::from_millis(millis)))
    }

    fn plays(text: &str) -> Result<Answer, Failure> {
        Ok(Answer::Move(text.to_string()))
    }

    #[test]
    fn a_simple_bot_gets_one_line_for_each_event() {
        let mut test = simple(&[Reads("turn"), Waits(7), Prints("3\n"), Hangs]);
        assert_eq!(test.ask(), plays("3"));
        assert_eq!(test.bot.thought(), Some(Duration::from_millis(7)));
        let ending = Ending::lost_by(Side::Second, Cause::Resigned);
        test.bot.end(&ending);
        let spec = kalah().spec();
        let turn = format!("turn\t{spec}\t2,2,2/2,2,2 0/0 s\t1 2 3\t\t");
        let practice = format!("new\t{spec}\tfirst\n{turn}1000\n");
        assert_eq!(test.sent(), format!("{practice}new\t{spec}\tfirst\n{turn}100\nend\twin\tresigned\n"));
        let shared = test.shared.clone();
        drop(test);
        assert!(shared.sent.lock().expect("no panic").0.ends_with("\nquit\n"));
        assert_eq!(shared.kills.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_answer_at_the_deadline_counts_and_a_later_one_does_not() {
        for (late, expected) in [(120, plays("3")), (121, timeout(121))] {
            let mut test = simple(&[Reads("turn"), Waits(late), Prints("3\n"), Hangs]);
            assert_eq!(test.ask(), expected);
        }
    }

    #[test]
    fn without_a_deadline_an_answer_after_the_time_is_late() {
        let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
        for (late, expected) in [(100, plays("3")), (101, timeout(101))] {
            let mut test = simple(&[Reads("turn"), Waits(late), Prints("3\n"), Hangs]);
            assert_eq!(test.ask_by(&limits, &AtomicBool::new(false)), expected);
        }
    }

    /// A period of byo-yomi, of which three are left.
    fn byo_yomi() -> Limits {
        let millis = |millis| Some(Duration::from_millis(millis));
        Limits { time: millis(100), deadline: millis(320), ..Limits::default() }
    }

    #[test]
    fn in_byo_yomi_an_answer_after_the_period_counts_until_the_deadline() {
        let mut test = simple(&[Reads("turn"), Waits(290), Prints("3\n"), Hangs]);
        assert_eq!(test.ask_by(&byo_yomi(), &AtomicBool::new(false)), plays("3"));
        assert_eq!(test.bot.thought(), Some(Duration::from_millis(290)));
        assert!(test.sent().contains("\t100\n"), "the question names the period: {}", test.sent());
    }

    #[test]
    fn in_byo_yomi_a_try_saves_the_periods_that_are_left() {
        let steps = [Reads("turn"), Waits(40), Prints("try 2\n"), Waits(61), Prints("3\n"), Hangs];
        let mut test = simple(&steps);
        assert_eq!(test.ask_by(&byo_yomi(), &AtomicBool::new(false)), plays("2"));
        assert_eq!(test.bot.thought(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn a_bot_that_hangs_loses_on_time_and_is_killed() {
        let mut test = simple(&[Reads("turn"), Waits(130), Hangs]);
        assert_eq!(test.ask(), timeout(130));
        assert!(test.shared.kills.load(Ordering::Relaxed) > 0);
        assert_eq!(test.ask(), timeout(130), "it is not started again in the same game");
        test.bot.ready(&kalah().spec()).expect("but for the next");
    }

    #[test]
    fn when_time_is_up_the_last_try_counts() {
        let steps = [Reads("turn"), Waits(40), Prints("try 1\ntry 2\n"), Waits(90), Hangs];
        let mut test = simple(&steps);
        assert_eq!(test.ask(), plays("2"));
        assert_eq!(test.bot.thought(), Some(Duration::from_millis(100)));
    }

    #[test]
    fn an_answer_without_the_end_of_its_line_is_garbage() {
        let mut test = simple(&[Reads("turn"), Prints("3"), Waits(130), Hangs]);
        assert!(matches!(test.ask(), Err(Failure::Garbage(why)) if why.contains("has no line end")));
    }

    #[test]
    fn a_bot_that_closes_its_output_counts_as_crashed() {
        let mut test = simple(&[Reads("turn")]);
        assert!(matches!(test.ask(), Err(Failure::Crash(_))));
        let mut test = simple(&[Reads("turn"), Prints("3\n")]);
        assert_eq!(test.ask(), plays("3"), "what it said before counts");
        assert!(matches!(test.ask(), Err(Failure::Crash(_))));
    }

    #[test]
    fn a_simple_bot_fails_at_once_when_the_stop_flag_is_set() {
        let stop = AtomicBool::new(true);
        let mut test = simple(&[Reads("turn"), Hangs]);
        assert!(matches!(test.ask_within(None, &stop), Err(Failure::Timeout(_))));
    }

    #[test]
    fn resign_and_claim_are_answers() {
        let mut test =
            simple(&[Reads("turn"), Prints("resign\n"), Reads("turn"), Prints(" claim \n"), Hangs]);
        assert_eq!((test.ask(), test.ask()), (Ok(Answer::Resign), Ok(Answer::Claim)));
    }

    #[test]
    fn a_greeting_is_not_taken_for_an_answer() {
        let steps = [
            Prints("hello, I am a bot\n"),
            Reads("turn"),
            Prints("2\n"),
            Reads("turn"),
            Prints("3\n"),
            Hangs,
        ];
        let mut test = test_with(Dialect::Simple, &steps, false);
        test.bot.ready(&kalah().spec()).expect("it runs");
        assert_eq!(test.ask(), plays("3"));
    }

    #[test]
    fn a_program_that_is_silent_at_the_start_fails_with_a_timeout() {
        let mut test = test_with(Dialect::Simple, &[Reads("turn"), Waits(9_999), Waits(1), Hangs], false);
        let failure = test.bot.ready(&kalah().spec()).expect_err("silence");
        assert!(matches!(&failure, Failure::Start(why) if why.contains("within 10 s")), "{failure}");
        let mut test = test_with(Dialect::Ugi, &[Reads("ugi"), Waits(10_000), Hangs], false);
        assert!(matches!(test.bot.ready("x"), Err(Failure::Start(why)) if why.contains("'ugiok'")));
        assert!(test.clock.shown() >= Duration::from_secs(10));
    }

    #[test]
    fn a_bot_that_does_not_read_loses_on_time() {
        let mut test = test_with(Dialect::Simple, &[Prints("1\n"), Hangs], true);
        test.bot.ready(&kalah().spec()).expect("it says something");
        let (clock, over) = (test.clock.clone(), AtomicBool::new(false));
        std::thread::scope(|threads| {
            threads.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                    clock.advance(Duration::from_millis(30));
                }
            });
            assert!(matches!(test.ask(), Err(Failure::Timeout(_))));
            over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn an_engine_gets_the_handshake_the_question_and_a_stop() {
        let steps = [
            Reads("go"),
            Prints("info depth 3 score margin 2 exact pv 1 2\nwhatever\n"),
            Waits(100),
            Reads("stop"),
            Waits(20),
            Prints("bestmove 2\n"),
            Hangs,
        ];
        let mut test = engine(&steps);
        let mut played = Match::new(kalah());
        played.play("1").expect("legal");
        let time = Duration::from_millis(100);
        let limits = Limits { time: Some(time), deadline: Some(time + GRACE), ..Limits::default() };
        let mut depths = Vec::new();
        let answer = test.bot.choose(&played, &limits, &AtomicBool::new(false), &mut |report| {
            depths.push(report.depth);
        });
        assert_eq!((answer, depths), (plays("2"), vec![3]));
        assert_eq!(test.bot.thought(), Some(Duration::from_millis(120)));
        let spec = kalah().spec();
        let greeting = format!("ugi\ngame {spec}\nuginewgame\nisready\n");
        assert_eq!(test.sent(), format!("{greeting}position startpos moves 1\ngo movetime 100\nstop\n"));
    }

    #[test]
    fn an_engine_that_does_not_stop_loses_on_time() {
        let mut test = engine(&[Reads("go"), Waits(100), Reads("stop"), Waits(21), Hangs]);
        assert_eq!(test.ask(), timeout(121));
    }

    #[test]
    fn an_engine_that_refuses_the_game_fails_with_its_reason() {
        let steps =
            [HANDSHAKE[0], HANDSHAKE[1], Reads("game"), Prints("gameno never heard of it\nreadyok\n"), Hangs];
        let mut test = test_with(Dialect::Ugi, &steps, false);
        let failure = test.bot.ready("go:19").expect_err("no such game");
        assert_eq!(failure, Failure::Start("it does not support go:19: never heard of it".to_string()));
    }

    #[test]
    fn an_engine_answers_when_the_stop_flag_is_set() {
        let stop = AtomicBool::new(true);
        let mut test = engine(&[Reads("go"), Reads("stop"), Prints("bestmove 3\n"), Hangs]);
        assert_eq!(test.ask_within(None, &stop), plays("3"));
        let mut test = engine(&[Reads("go"), Reads("stop"), Waits(200), Hangs]);
        assert!(matches!(test.ask_within(None, &stop), Err(Failure::Timeout(_))));
    }

    fn is_frozen(test: &BotTest) -> bool {
        test.shared.is_frozen.load(Ordering::Relaxed)
    }

    #[test]
    fn a_bot_is_frozen_from_its_answer_to_its_next_message() {
        let mut test = simple(&[Reads("turn"), Prints("3\n"), Reads("turn"), Prints("2\n"), Hangs]);
        assert!(is_frozen(&test), "after the practice question");
        assert_eq!(test.ask(), plays("3"));
        assert!(is_frozen(&test), "after its answer");
        assert_eq!(test.ask(), plays("2"));
        assert!(is_frozen(&test));
        assert_eq!(test.bot.quit(), Some(true), "it is thawed so that it can exit");
    }

    #[test]
    fn an_engine_is_frozen_only_when_it_is_ready() {
        let mut test = engine(&[Reads("go"), Prints("bestmove 3\n"), Hangs]);
        assert_eq!(test.shared.freezes.load(Ordering::Relaxed), 1, "not during the handshake");
        assert_eq!(test.ask(), plays("3"));
        assert!(is_frozen(&test));
    }

    #[test]
    fn a_bot_that_may_ponder_is_never_frozen() {
        let steps = [Reads("turn"), Prints("1\n"), Reads("turn"), Prints("3\n"), Reads("end"), Hangs];
        let mut test = test_with(Dialect::Simple, &steps, false);
        test.bot = test.bot.with_ponder(true);
        assert_eq!(test.ask(), plays("3"));
        test.bot.end(&Ending::lost_by(Side::Second, Cause::Resigned));
        assert_eq!(test.shared.freezes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_thaw_is_not_charged() {
        let mut test = simple(&[Reads("turn"), Waits(7), Prints("3\n"), Hangs]);
        test.shared.thaw.store(500, Ordering::Relaxed);
        assert_eq!(test.ask(), plays("3"), "though the thaw alone takes longer than its time");
        assert_eq!(test.bot.thought(), Some(Duration::from_millis(7)));
        test.shared.thaw.store(0, Ordering::Relaxed);
    }

    #[test]
    fn processor_time_is_measured_per_answer() {
        let steps = [Reads("turn"), Computes(9), Waits(10), Prints("3\n"), Hangs];
        let mut test = simple(&steps);
        test.shared.cpu.store(50, Ordering::Relaxed);
        assert_eq!(test.ask(), plays("3"));
        assert_eq!(test.bot.cpu_time(), Some(Duration::from_millis(9)));
    }

    #[test]
    fn a_bot_is_frozen_between_games_after_it_has_handled_the_end() {
        let mut test = simple(&[Reads("turn"), Prints("3\n"), Reads("end"), Computes(5), Hangs]);
        assert_eq!(test.ask(), plays("3"));
        test.bot.end(&Ending::lost_by(Side::Second, Cause::Resigned));
        assert!(is_frozen(&test));
        assert_eq!(test.shared.cpu.load(Ordering::Relaxed), 5, "it had time to handle the end");
    }
}
