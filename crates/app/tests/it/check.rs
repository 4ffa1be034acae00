//! Tests of `parlor check`: each misbehaving bot fails with the right sentence, and good bots pass.

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
        assert!(!out.contains("FAIL"), "{out}");
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
            "it played 'zz': 'zz' is not a number; holes are numbered from 1 to 3; legal: 1 2 3 (illegal, after 0 moves)",
        ),
        ("stall", "200ms", "it took too long ("),
        ("deaf", "200ms", "it took too long ("),
        ("exit", "5s", "it crashed: exit code 3; stderr: I leave / in anger (crash, after 0 moves)"),
        ("abort", "5s", "it crashed: signal 6 (SIGABRT)"),
        ("close", "5s", "it crashed: it closed its output (crash"),
        ("flood", "5s", "it broke the protocol: it wrote too much output (garbage"),
        ("nonewline", "200ms", "it broke the protocol: its answer has no line end (garbage"),
        ("latin1", "5s", "it broke the protocol: it wrote bytes that are not UTF-8 (garbage"),
        ("longline", "5s", "it broke the protocol: it wrote a line of more than 64 KiB (garbage"),
    ] {
        let (code, out, err) = check(&format!("bot:'{}' {how}", misbehaving().display()), time);
        assert_eq!(code, 1, "{how}: {out}{err}");
        assert!(out.contains("ok    starts and accepts kalah:3,2"), "{how}: {out}");
        assert!(
            out.contains(&format!("FAIL  plays kalah:3,2 to the end as the first player: {part}")),
            "{how}: {out}"
        );
        assert!(err.contains("checks failed") && err.lines().count() == 1, "{how}: {err}");
    }
}

#[test]
fn reports_specs_that_name_no_program_and_programs_that_do_not_start() {
    let (code, out, err) = check("bot:./no-such-bot", "1s");
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("FAIL  starts and accepts kalah:3,2: could not be started: "), "{out}");
    let (code, out, err) = check("engine:level=3", "1s");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("expected bot:COMMAND or ugi:COMMAND"), "{err}");
}
