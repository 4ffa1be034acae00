//! External programs as players, with real processes: the referee's reaction to every kind of misbehaviour, and that no process
//! is left behind. The tests of the crate `protocol` check deadlines to the millisecond with a manual clock.
#![cfg(unix)]

use crate::harness::{PARLOR, misbehaving, run};
use parlor_catalog::{Hosted, Monotonic, Resources, game};
use parlor_core::{Answer, BadRecord, Cause, Failure, Limits, Player, Record, Side};
use parlor_protocol::{Bot, Program, Terms, dialects::ugi};
use parlor_session::{Micros, Policy, Session, TimeControl, Violation};
use parlor_testkit::{Folder, eventually, is_running, temp_folder};
use parlor_tournament::Referee;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

pub const GAME: &str = "kalah:3,2";
pub const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(150);

/// A bot, and the file with the ids of its processes.
pub struct Tested {
    pub bot: Bot,
    pub file: PathBuf,
    _folder: Folder,
}

fn bot(spec: &str, terms: Terms) -> Bot {
    let replay = |record: &Record| game(&record.game).map_err(|e| BadRecord(e.0))?.replay(record);
    Bot::new(Program::parse(spec, Path::new(".")).expect(spec), Arc::new(replay), terms)
}

pub fn tested(dialect: &str, how: &str, terms: Terms) -> Tested {
    let folder = temp_folder();
    let file = folder.join("processes");
    let flag = if dialect == "ugi" { "--ugi " } else { "" };
    let spec = format!("{dialect}:'{}' {flag}{how} '{}'", misbehaving().display(), file.display());
    Tested { bot: bot(&spec, terms), file, _folder: folder }
}

impl Tested {
    pub fn ask(&mut self, time: Duration) -> Result<Answer, Failure> {
        let board = game(GAME).expect("a game").board();
        let limits = Limits { time: Some(time), ..Limits::default() };
        self.bot.choose(board.as_ref(), &limits, &AtomicBool::new(false), &mut |_| ())
    }

    /// The answer to the first question of a game.
    pub fn first(&mut self, time: Duration) -> Result<Answer, Failure> {
        self.bot.ready(GAME).expect("it starts");
        self.bot.begin(GAME, Side::First);
        self.ask(time)
    }

    /// Whether all recorded processes have ended.
    pub fn has_gone(&self) -> bool {
        let noted = fs::read_to_string(&self.file).expect("numbers");
        noted.lines().all(|number| !lives(number))
    }

    /// Drops it and waits until none of its processes is left.
    pub fn part(self) {
        drop(self.bot);
        let noted = fs::read_to_string(&self.file).expect("process ids");
        // The process that adopts orphans may take a moment to reap them.
        eventually("all processes have ended", || !noted.lines().any(lives));
    }
}

fn lives(id: &str) -> bool {
    is_running(id.parse().expect("a process id"))
}

/// The failure of a bot of each dialect that misbehaves, after which it has gone at once.
fn fails(how: &str, time: Duration, is: impl Fn(&Failure) -> bool) {
    for dialect in ["bot", "ugi"] {
        let mut tested = tested(dialect, how, Terms::default());
        let failure = tested.first(time).expect_err(how);
        assert!(is(&failure), "{dialect} {how}: {failure:?}");
        assert!(tested.has_gone(), "{dialect} {how}");
        assert_eq!(tested.ask(time), Err(failure), "no second chance in the same game");
        tested.bot.ready(GAME).expect("but in the next");
        tested.part();
    }
}

#[test]
fn a_bot_that_stalls_loses_on_time() {
    fails("stall", SHORT, |failure| matches!(failure, Failure::Timeout(taken) if *taken > SHORT));
}

#[test]
fn a_bot_that_exits_has_crashed_with_its_code_and_its_last_words() {
    fails("exit", LONG, |failure| {
        *failure == Failure::Crash("exit code 3; stderr: I leave / in anger".to_string())
    });
}

#[test]
fn a_bot_that_aborts_has_crashed_with_its_signal() {
    fails(
        "abort",
        LONG,
        |failure| matches!(failure, Failure::Crash(why) if why.starts_with("signal 6 (SIGABRT)")),
    );
}

#[test]
fn a_bot_that_closes_its_output_has_crashed() {
    fails("close", LONG, |failure| *failure == Failure::Crash("it closed its output".to_string()));
}

#[test]
fn a_flood_is_garbage_and_costs_little_memory() {
    let before = memory();
    fails(
        "flood",
        LONG,
        |failure| matches!(failure, Failure::Garbage(why) if why.contains("too much output")),
    );
    if let (Some(before), Some(after)) = (before, memory()) {
        assert!(after < before + (60 << 10), "{before} KiB before, {after} KiB after");
    }
}

/// What this process has used at most, in KiB, where the system tells.
fn memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn answers_without_an_end_in_another_code_or_of_great_length_are_garbage() {
    let garbage = |part: &'static str| move |failure: &Failure| matches!(failure, Failure::Garbage(why) if why.contains(part));
    fails("nonewline", SHORT, garbage("has no line end"));
    fails("latin1", LONG, garbage("not UTF-8"));
    fails("longline", LONG, garbage("64 KiB"));
}

#[test]
fn a_bot_that_says_nothing_at_the_start_cannot_be_started() {
    for dialect in ["bot", "ugi"] {
        let terms = Terms { startup: Duration::from_millis(300), ..Terms::default() };
        let mut tested = tested(dialect, "silent", terms);
        let failure = tested.bot.ready(GAME).expect_err("silence");
        assert!(matches!(&failure, Failure::Start(why) if why.contains("within 0.3 s")), "{failure:?}");
        assert!(tested.has_gone());
        tested.part();
    }
}

#[test]
fn a_program_that_is_not_there_cannot_be_started() {
    for spec in ["bot:./no/such/program", "ugi:no-such-program", "bot:/"] {
        let failure = bot(spec, Terms::default()).ready(GAME).expect_err("nothing there");
        assert!(matches!(&failure, Failure::Start(why) if why.contains(&spec[4..])), "{failure:?}");
    }
    let failure =
        bot("bot:sh -c 'echo oh no >&2; exit 4'", Terms::default()).ready(GAME).expect_err("no bot");
    assert_eq!(failure, Failure::Start("exit code 4; stderr: oh no".to_string()));
}

#[test]
fn a_bot_that_does_not_read_loses_on_time() {
    let mut tested = tested("bot", "deaf", Terms::default());
    assert!(matches!(tested.first(SHORT), Err(Failure::Timeout(_))));
    assert!(tested.has_gone());
    tested.part();
}

#[test]
fn the_last_try_counts_when_time_is_up() {
    let mut tested = tested("bot", "slowtry", Terms::default());
    assert_eq!(tested.first(SHORT), Ok(Answer::Move("1".to_string())));
    assert_eq!(tested.bot.thought(), Some(SHORT));
    tested.part();
}

#[test]
fn children_go_with_their_bot_even_if_they_do_not_listen() {
    for dialect in ["bot", "ugi"] {
        let mut tested = tested(dialect, "children", Terms::default());
        assert!(tested.first(LONG).is_ok());
        assert!(!tested.has_gone());
        tested.part();
    }
}

#[test]
fn a_bot_that_does_not_go_is_made_to() {
    let mut stubborn = bot("bot:sh -c \"trap '' TERM; echo 1; while :; do sleep 1; done\"", Terms::default());
    stubborn.ready(GAME).expect("it says a line");
    let begun = Instant::now();
    drop(stubborn);
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}

#[test]
fn what_a_bot_writes_aside_is_kept_up_to_a_bound() {
    for dialect in ["bot", "ugi"] {
        let mut tested = tested(dialect, "chatty", Terms::default());
        assert!(tested.first(LONG).is_ok());
        eventually("its standard error is read", || {
            let aside = tested.bot.aside();
            assert!(aside.len() <= 64 << 10, "{}", aside.len());
            aside.contains("nothing new")
        });
        tested.part();
    }
}

pub fn plays(
    game: &dyn Hosted,
    players: [&mut dyn Player; 2],
    time: TimeControl,
) -> (Cause, Option<Violation>) {
    let referee = Referee::new(time, Arc::new(Monotonic::start()));
    let played = referee.play(game.board(), players, &AtomicBool::new(false), None);
    (played.record.ending.expect("an end").cause, played.violation)
}

#[test]
fn an_engine_gets_clocks_where_there_are_some_and_else_the_time_for_its_move() {
    let go = |control: &str| {
        let (board, time) = (game(GAME).expect("a game").board(), control.parse().expect("a time control"));
        let session = Session::new(board, [time; 2], Policy::engines(), Micros::ZERO);
        ugi::go(&session.limits(Micros::ZERO))
    };
    assert_eq!(go("10s+1s"), "go p1time 10000 p2time 10000 p1inc 1000 p2inc 1000");
    assert_eq!(go("10s,delay=2s"), "go p1time 12000 p2time 12000 p1inc 2000 p2inc 2000");
    assert_eq!(go("10s,bronstein=2s"), "go p1time 10000 p2time 10000 p1inc 2000 p2inc 2000");
    assert_eq!(go("10s,byoyomi=3x5s"), "go p1time 15000 p2time 15000 p1inc 0 p2inc 0");
    assert_eq!(go("0s,byoyomi=3x5s"), "go movetime 5000");
    assert_eq!(go("move=100ms"), "go movetime 100");
    assert_eq!((go("nodes=900"), go("depth=6")), ("go nodes 900".to_string(), "go depth 6".to_string()));
}

#[test]
fn the_referee_says_what_was_wrong_with_a_bot() {
    let game = game(GAME).expect("a game");
    let mut bad = game.player(&"bad".parse().expect("a spec"), &Resources::seeded(1)).expect("bad");
    for (how, time, cause, part) in [
        ("good", LONG, Cause::Normal, ""),
        ("illegal", LONG, Cause::Illegal, "played 'zz'"),
        ("exit", LONG, Cause::Crash, "exit code 3"),
        ("stall", SHORT, Cause::Timeout, "took too long"),
    ] {
        for dialect in ["bot", "ugi"] {
            let mut tested = tested(dialect, how, Terms::default());
            let control = TimeControl::Move(time);
            let (ended, violation) = plays(game.as_ref(), [&mut tested.bot, bad.as_mut()], control);
            assert_eq!((ended, violation.is_some()), (cause, cause != Cause::Normal), "{dialect} {how}");
            assert!(violation.is_none_or(|it| it.side == Side::First && it.reason.contains(part)));
            tested.part();
        }
    }
}

#[test]
fn our_own_engine_plays_whole_games_for_a_manager() {
    for spec in ["kalah:3,3", "connect:4,4"] {
        let game = game(spec).expect("a game");
        let mut bad = game.player(&"bad".parse().expect("a spec"), &Resources::seeded(1)).expect("bad");
        let mut engine = bot(&format!("ugi:'{PARLOR}' engine oware"), Terms::default());
        for _ in 0..2 {
            let control = TimeControl::Nodes(2000);
            let (cause, violation) = plays(game.as_ref(), [&mut engine, bad.as_mut()], control);
            assert_eq!((cause, violation), (Cause::Normal, None), "{spec}");
        }
    }
}

#[test]
fn a_bot_plays_at_the_terminal() {
    let spec = format!("bot:'{}' good", misbehaving().display());
    let players = ["--first", "bad@Ann", "--second", &spec, "--second-name", "Bob"];
    let (code, out, err) = run(&[&["play", GAME, "--no-pause"][..], &players].concat());
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("Bob plays 1.") && out.contains("Ann plays"), "{out}");
    let (code, out, err) = run(&["play", GAME, "--second", "bot:./no-such-bot"]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(
        err.starts_with("parlor: --second: cannot start the player: ") && err.contains("./no-such-bot"),
        "{err}"
    );
    let (code, _, err) = run(&["play", GAME, "--second", "bot:"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--second: player 'bot:': expected a command after bot:"), "{err}");
}

#[test]
fn the_engine_command_refuses_what_it_cannot_play() {
    for (arguments, part) in [
        (["engine", "chess"].as_slice(), "chess"),
        (&["engine", "kalah", "--player", "engine:levle=3"], "--player: player engine: unknown option"),
        (&["engine", "kalah", "--player", "bot:"], "--player: player 'bot:'"),
    ] {
        let (code, out, err) = run(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(part), "{err}");
    }
}
