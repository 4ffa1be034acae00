//! A program uses the processors in its own turns only: it is frozen from its answer to its next message, with all processes
//! that it started. The small thief keeps six processes busy, two of them in sessions of their own; `cargo xtask nightly
//! fair-time` plays against one with 60 processes.
#![cfg(target_os = "linux")]

use crate::{
    bots::{GAME, LONG, plays, tested},
    harness::{misbehaving, parlor, run},
};
use parlor_catalog::game;
use parlor_core::{Cause, Ending, Player, Side};
use parlor_protocol::BotOptions;
use parlor_session::TimeControl;
use parlor_testkit::{Process, eventually, is_running, send_signal, temp_folder};
use std::{
    fs,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The states of all recorded processes from `/proc`: `R` runs, `S` sleeps, `T` is stopped.
fn states(file: &Path) -> Vec<char> {
    let noted = fs::read_to_string(file).expect("process ids");
    let state = |id: &str| {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        text.rsplit_once(')')?.1.trim().chars().next()
    };
    noted.lines().filter_map(state).collect()
}

/// The number of stopped processes. `D` waits for a stopped child after vfork, so it counts, too.
fn stopped(file: &Path) -> usize {
    states(file).into_iter().filter(|state| "TD".contains(*state)).count()
}

/// The thief and the processes that it keeps busy.
const WHOLE: usize = 7;

/// Lets one test run at a time, because a running thief slows down the others.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn no_process_of_a_bot_runs_between_its_turns() {
    let _alone = alone();
    for dialect in ["bot", "ugi"] {
        let mut thief = tested(dialect, "small-thief", BotOptions::default());
        assert!(thief.first(LONG).is_ok());
        assert_eq!(states(&thief.file), vec!['T'; WHOLE], "{dialect}");
        assert!(thief.ask(LONG).is_ok(), "it goes on with the next question");
        assert_eq!(states(&thief.file), vec!['T'; WHOLE], "{dialect}");
        thief.part();
    }
}

#[test]
fn a_bot_that_may_ponder_is_not_stopped() {
    let _alone = alone();
    let mut thief = tested("bot", "small-thief", BotOptions { ponder: true, ..BotOptions::default() });
    assert!(thief.first(LONG).is_ok());
    assert_eq!((stopped(&thief.file), states(&thief.file).len()), (0, WHOLE));
    thief.part();
}

#[test]
fn a_bot_that_keeps_working_after_a_game_is_frozen() {
    let _alone = alone();
    let mut thief = tested("bot", "small-thief", BotOptions::default());
    assert!(thief.first(LONG).is_ok());
    thief.bot.end(&Ending::lost_by(Side::Second, Cause::Resigned));
    assert_eq!(stopped(&thief.file), WHOLE);
    thief.part();
}

#[test]
fn a_frozen_bot_exits_by_itself_after_quit() {
    let _alone = alone();
    let mut thief = tested("bot", "small-thief", BotOptions::default());
    assert!(thief.first(LONG).is_ok());
    assert_eq!(thief.bot.quit(), Some(true));
    eventually("nothing that it started is left, stopped or not", || thief.has_gone());
}

#[test]
fn a_bot_that_was_never_stopped_leaves_no_process_behind() {
    let _alone = alone();
    let mut thief = tested("bot", "small-thief", BotOptions { ponder: true, ..BotOptions::default() });
    thief.bot.ready(GAME).expect("it starts");
    assert_eq!(thief.bot.quit(), Some(true));
    eventually("nothing that it started is left", || thief.has_gone());
}

#[test]
fn the_opponent_of_a_thief_plays_to_the_end() {
    let _alone = alone();
    let game = game(GAME).expect("a game");
    let mut thief = tested("bot", "small-thief", BotOptions::default());
    let mut honest = tested("bot", "good", BotOptions::default());
    let players: [&mut dyn Player; 2] = [&mut thief.bot, &mut honest.bot];
    let (cause, violation) = plays(game.as_ref(), players, TimeControl::Move(LONG));
    assert_eq!((cause, violation), (Cause::Normal, None));
    thief.part();
    honest.part();
}

#[test]
fn too_much_processor_time_loses_a_match() {
    let _alone = alone();
    let [thief, honest] =
        ["small-thief", "good"].map(|how| format!("bot:'{}' {how}", misbehaving().display()));
    let players = ["match", &thief, &honest, "--first-name", "one", "--second-name", "two", "--game", GAME];
    let limits = ["--time", "move=20s", "--cpu-limit", "1ms", "--rounds", "1", "--no-sandbox", "--json"];
    let (code, out, err) = run(&[&players[..], &limits].concat());
    assert_eq!(code, 0, "{err}");
    let lost = out.lines().find(|line| line.contains("used too much CPU time (")).expect(&out);
    assert!(lost.contains(" ms; 1 ms allowed)") && lost.contains(r#""kind":"timeout""#), "{lost}");
    assert!(lost.contains(r#""cpu_seconds":["#), "{lost}");
}

#[test]
fn a_match_records_the_processor_time_of_each_move() {
    let _alone = alone();
    let folder = temp_folder();
    let saved = folder.join("games.parlor");
    let bot = format!("bot:'{}' busy", misbehaving().display());
    let limits = ["--time", "move=800ms", "--rounds", "1", "--opening", "0", "--no-sandbox", "--save"];
    let players = ["match", &bot, "random", "--first-name", "one", "--game", GAME];
    let (code, _, err) = run(&[&players[..], &limits, &[saved.to_str().expect("text")]].concat());
    assert_eq!(code, 0, "{err}");
    let text = fs::read_to_string(saved).expect("records");
    let records = parlor_core::Record::parse_many(&text).expect("records");
    let times = records[0].comments.values().filter_map(|text| parlor_core::MoveTime::in_comment(text));
    let times: Vec<_> = times.collect();
    assert_eq!(times.len(), records[0].moves.len(), "{text}");
    let measured: Vec<Duration> = times.iter().filter_map(|time| time.cpu).collect();
    let needed = Duration::from_millis(200)..Duration::from_millis(300);
    assert!(!measured.is_empty() && measured.iter().all(|cpu| needed.contains(cpu)), "{text}");
}

#[test]
fn stopped_bots_end_with_a_referee_that_is_killed() {
    let _alone = alone();
    let folder = temp_folder();
    let file = folder.join("processes");
    let waiting = format!("bot:'{}' children '{}'", misbehaving().display(), file.display());
    let other = folder.join("opponent");
    let thinking = format!("bot:'{}' stall '{}'", misbehaving().display(), other.display());
    let players = ["match", &waiting, &thinking, "--first-name", "one", "--second-name", "two"];
    let settings = ["--game", GAME, "--time", "move=60s", "--opening", "0", "--no-sandbox"];
    let mut referee = Process::start(&mut parlor(&[&players[..], &settings].concat()));
    eventually("the bot and its child are stopped", || file.exists() && stopped(&file) >= 2);
    let noted = fs::read_to_string(&file).expect("process ids");
    referee.kill();
    eventually("all processes have ended", || {
        !noted.lines().any(|id| is_running(id.parse().expect("a process id")))
    });
    // The opponent is not frozen, because it waits for its first question.
    let opponent = fs::read_to_string(&other).expect("process ids");
    opponent.lines().filter_map(|id| id.parse().ok()).filter(|&id| is_running(id)).for_each(|id| {
        send_signal(id, "KILL");
    });
}
