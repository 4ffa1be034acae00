//! `parlor check` with bots that misbehave: each is refused with the right sentence, and good ones pass.

use crate::harness::{PARLOR, misbehaving, run};

/// `time` is the limit per move.
fn check(bot: &str, time: &str) -> (i32, String, String) {
    let time = format!("move={time}");
    let arguments = ["check", bot, "--game", "kalah:3,2", "--positions", "12", "--time", &time];
    run(&arguments)
}

#[test]
fn a_good_bot_passes_in_both_dialects() {
    for spec in [
        format!("bot:'{}' good", misbehaving().display()),
        format!("ugi:'{}' --ugi good", misbehaving().display()),
    ] {
        let (code, out, err) = check(&spec, "5s");
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert_eq!(out.lines().filter(|line| line.starts_with("ok ")).count(), 5, "{out}");
        assert!(!out.contains("WRONG"), "{out}");
        assert!(out.starts_with("sandbox: ") || out.starts_with("no sandbox"), "{out}");
    }
}

#[test]
fn our_own_engine_passes() {
    let (code, out, err) = check(&format!("ugi:'{PARLOR}' engine kalah"), "2s");
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn each_misbehaving_bot_is_refused_with_the_right_sentence() {
    for (how, time, part) in [
        (
            "illegal",
            "5s",
            "it answered 'zz': 'zz' is not a number; holes are numbered from 1 to 3; legal: 1 2 3 (illegal, after 0 moves)",
        ),
        ("stall", "200ms", "it took too long ("),
        ("deaf", "200ms", "it took too long ("),
        ("exit", "5s", "it crashed: exit code 3; it said: I leave / in anger (crash, after 0 moves)"),
        ("abort", "5s", "it crashed: signal 6 (SIGABRT)"),
        ("close", "5s", "it crashed: it closed its output (crash"),
        ("flood", "5s", "it was not understood: it wrote far more than anybody asked for (garbage"),
        ("nonewline", "200ms", "it was not understood: it began an answer and did not end the line (garbage"),
        ("latin1", "5s", "it was not understood: it wrote bytes that are not UTF-8 (garbage"),
        ("longline", "5s", "it was not understood: it wrote a line of more than 64 KiB (garbage"),
    ] {
        let (code, out, err) = check(&format!("bot:'{}' {how}", misbehaving().display()), time);
        assert_eq!(code, 1, "{how}: {out}{err}");
        assert!(out.contains("ok     it starts, for kalah:3,2"), "{how}: {out}");
        assert!(
            out.contains(&format!("WRONG  it plays kalah:3,2 to the end with the first side: {part}")),
            "{how}: {out}"
        );
        assert!(err.contains("things are wrong with the bot") && err.lines().count() == 1, "{how}: {err}");
    }
}

#[test]
fn what_is_no_program_or_cannot_be_started_is_said() {
    let (code, out, err) = check("bot:./no-such-bot", "1s");
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("WRONG  it starts, for kalah:3,2: could not be started: "), "{out}");
    let (code, out, err) = check("engine:level=3", "1s");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("a program is checked, like bot:python3 bot.py"), "{err}");
}
