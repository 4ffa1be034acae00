//! Tests of the commands `solve`, `analyze`, `bench`, `match` and `sprt`.

use crate::harness::PARLOR;
use parlor_testkit::temp_folder;
use std::{
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

fn parlor(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(PARLOR);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // The program may end before it has read all input, which is no error.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    told(&parlor(arguments, b""))
}

fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

/// The value of a field of a line of JSON, as it is written.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let from = line.find(&format!("\"{name}\":"))? + name.len() + 3;
    let rest = &line[from..];
    let end = match rest.as_bytes().first()? {
        b'[' => rest.find(']')? + 1,
        b'"' => rest[1..].find('"')? + 2,
        _ => rest.find([',', '}'])?,
    };
    Some(&rest[..end])
}

#[test]
fn small_games_have_their_known_values() {
    for (game, value) in [
        ("kalah:2,4", "value -10 "),
        ("kalah:3,2", "value 4 "),
        ("kalah:4,3", "value 6 "),
        ("connect:4,4", "value 0 "),
        ("connect:5,4", "value 0 "),
        ("amazons:4", "value -1 "),
        ("kalah:3,0", "value 0 "),
    ] {
        let (code, out, _) = run(&["solve", game]);
        assert_eq!(code, 0, "{game}");
        assert!(out.starts_with(value), "{game}: {out}");
    }
    assert!(!run(&["solve", "amazons:4"]).1.contains("hash"), "up to 30 squares keys are exact");
    let large = "Q*q***/1*1***/******/******/******/****** w";
    let (_, out, _) = run(&["solve", "amazons:6", "--position", large]);
    assert!(out.starts_with("value -1 ") && out.contains("proven up to hash collisions"), "{out}");
    assert!(!run(&["solve", "kalah:3,2"]).1.contains("hash"));
}

#[test]
fn the_json_of_solve_has_the_promised_fields() {
    let (code, out, _) = run(&["solve", "connect:4,4", "--moves", "2 2", "--json"]);
    assert_eq!((code, out.lines().count()), (0, 1));
    for (name, want) in [
        ("game", "\"connect:4,4,4\""),
        ("turn", "\"first\""),
        ("value", "0"),
        ("outcome", "\"draw\""),
        ("exact", "true"),
    ] {
        assert_eq!(field(&out, name), Some(want), "{out}");
    }
    for name in ["position", "best", "line", "nodes", "seconds"] {
        assert!(field(&out, name).is_some(), "{name}: {out}");
    }
}

#[test]
fn when_the_time_runs_out_there_are_bounds_and_exit_code_1() {
    let (code, out, err) = run(&["solve", "kalah:6,6", "--time", "30ms"]);
    assert_eq!(code, 1, "{err}");
    assert!(out.starts_with("value between "), "{out}");
    assert!(err.lines().last().is_some_and(|line| line.contains("the value is between")), "{err}");
    let (code, out, _) = run(&["solve", "oware", "--time", "30ms", "--json"]);
    assert_eq!((code, field(&out, "exact"), field(&out, "value")), (1, Some("false"), None), "{out}");
    assert!(field(&out, "lo").is_some() && field(&out, "hi").is_some(), "{out}");
}

#[test]
fn solve_as_a_filter_reports_bad_lines_and_continues() {
    let (code, out, err) = told(&parlor(&["solve", "connect:4,4", "--stdin"], b"1122\n55\n1\r\n\n12x\n"));
    assert_eq!(code, 2);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].starts_with("1122 ") && lines[0].split(' ').count() == 4, "{out}");
    assert!(err.starts_with("parlor: line 2: move 1 '5' is illegal"), "{err}");
    assert!(err.contains("\nparlor: line 5: move 3 'x' is illegal"), "{err}");
    let (code, _, err) = told(&parlor(&["solve", "kalah:6,6", "--stdin", "--time", "5ms"], b"1\n"));
    assert_eq!(code, 1, "{err}");
    let (code, out, _) = told(&parlor(&["solve", "connect:4,4", "--stdin"], b""));
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn analysis_lists_every_move_as_proven_or_estimated() {
    let (code, out, _) = run(&["analyze", "kalah:3,2", "--time", "2s"]);
    assert_eq!(code, 0);
    assert_eq!(
        out.lines().filter(|line| line.contains("proven") && !line.contains("estimated")).count(),
        3,
        "{out}"
    );
    let (_, out, _) = run(&["analyze", "kalah:6,6", "--time", "60ms"]);
    assert!(out.lines().any(|line| line.contains("estimated")), "{out}");
    let (_, json, _) = run(&["analyze", "kalah:3,2", "--time", "2s", "--json"]);
    assert_eq!(json.lines().count(), 3);
    for name in
        ["game", "position", "turn", "move", "value", "outcome", "exact", "best", "line", "nodes", "seconds"]
    {
        assert!(json.lines().all(|line| field(line, name).is_some()), "{name}: {json}");
    }
    let (code, out, _) = run(&["analyze", "kalah:3,0"]);
    assert_eq!((code, out.contains("there are no legal moves")), (0, true));
    assert_eq!(run(&["analyze"]).0, 2);
}

#[test]
fn analysis_of_a_record_draws_the_values_of_the_game() {
    let folder = temp_folder();
    let file = folder.join("analysed.parlor");
    let name = file.to_str().expect("a path");
    let play = [
        "play",
        "kalah:3,2",
        "--first",
        "bad",
        "--second",
        "random",
        "--seed",
        "1",
        "--no-pause",
        "--save",
        name,
    ];
    assert_eq!(run(&play).0, 0);
    let (code, out, err) = run(&["analyze", "--game", name, "--time", "200ms"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.lines().skip(1).all(|line| line.contains('|')) && out.contains('#'), "{out}");
    let (_, json, _) = run(&["analyze", "--game", name, "--time", "200ms", "--json"]);
    assert!(json.lines().all(|line| field(line, "ply").is_some()), "{json}");
    assert_eq!(json.lines().count() + 1, out.lines().count());
}

#[test]
fn node_counts_equal_those_of_bench_txt() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout");
    let kept = root.join("bench.txt");
    let (code, out, err) = run(&["bench", "--compare", kept.to_str().expect("a path")]);
    assert_eq!(code, 0, "{out}{err}");
    let folder = temp_folder();
    let other = folder.write("other-bench.txt", "kalah:6,4 12 1\n");
    let (code, _, err) = run(&["bench", "kalah", "--compare", other.to_str().expect("a path")]);
    assert_eq!(code, 1);
    assert!(
        err.contains("kalah:6,4 12: ") && err.contains(" nodes instead of 1") && err.lines().count() == 1,
        "{err}"
    );
}

#[test]
fn a_match_counts_pairs_and_repeats_with_its_seed() {
    let play =
        ["match", "engine:level=2@Ann", "random@Bob", "--game", "kalah:3,2", "--rounds", "3", "--seed", "5"];
    let (code, out, err) = run(&play);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("Ann against Bob: kalah:3,2, seed 5, no time limit\n6 games: "), "{out}");
    assert_eq!(out, run(&play).1);
    let (_, json, _) = run(&[&play[..], &["--json"]].concat());
    assert_eq!(json.lines().count(), 7, "{json}");
    let last = json.lines().last().expect("a line");
    assert_eq!(
        (field(last, "games"), field(last, "players")),
        (Some("6"), Some("[\"Ann\",\"Bob\"]")),
        "{last}"
    );
    for (arguments, part) in [
        (["match", "human", "random", "--game", "kalah"], "people cannot play in matches"),
        (["match", "engine", "robot", "--game", "kalah"], "there is no player 'robot'"),
        (["match", "engine", "random", "--game", "chess"], "--game: there is no game 'chess'"),
        (
            ["match", "engine:level=11", "random", "--game", "kalah"],
            "level '11' is not a number from 1 to 10",
        ),
    ] {
        let (code, out, err) = run(&arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(part) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn a_match_shows_its_time_control_and_a_bare_time_is_for_the_whole_game() {
    let play = ["match", "random@Ann", "bad@Bob", "--game", "kalah:3,2", "--rounds", "1", "--time"];
    for (given, shown) in
        [("100s", "100s"), ("10s+0s", "10s"), ("move=100s", "move=100s"), ("1m,delay=2s", "1m,delay=2s")]
    {
        let (code, out, err) = run(&[&play[..], &[given]].concat());
        assert!(
            code == 0 && out.lines().next().is_some_and(|line| line.ends_with(&format!(", time {shown}"))),
            "{out}{err}"
        );
        let (_, json, _) = run(&[&play[..], &[given, "--json"]].concat());
        assert_eq!(
            field(json.lines().last().expect("a line"), "time"),
            Some(format!("\"{shown}\"").as_str())
        );
    }
}

#[test]
fn a_text_that_is_not_a_time_control_is_refused_with_examples() {
    for command in [&["match", "random", "bad"][..], &["check", "bot:./bot"]] {
        let (code, _, err) = run(&[command, &["--game", "kalah:3,2", "--time", "quick"]].concat());
        assert_eq!(code, 2);
        let sentence = "'--time <TIME>': 'quick' is not a time control; expected 5m+3s (time for the game";
        assert!(err.contains(sentence) && err.lines().count() == 1, "{err}");
    }
}

#[test]
fn the_statistics_alone_are_finite_for_every_count() {
    let (code, out, _) = run(&["sprt", "60", "40", "20"]);
    assert!(code == 0 && out.contains("Elo +58.5 +/- ") && out.contains("SPRT: not decided yet"), "{out}");
    for counts in
        [["0", "0", "0"], ["0", "1000000", "0"], ["18446744073709551615", "0", "0"], ["0", "0", "1"]]
    {
        let (code, out, err) = run(&[&["sprt"][..], &counts].concat());
        assert_eq!(code, 0, "{err}");
        assert!(!out.contains("NaN") && !out.contains("inf"), "{counts:?}: {out}");
    }
    let (_, out, _) = run(&["sprt", "600", "400", "200", "--elo0", "-5", "--elo1", "5", "--json"]);
    assert_eq!(field(&out, "verdict"), Some("\"taken\""), "{out}");
    for bad in [
        &["sprt", "1", "2"][..],
        &["sprt", "-1", "0", "0"],
        &["sprt", "1", "1", "1", "--alpha", "2"],
        &["sprt", "1", "1", "1", "--elo1", "NaN"],
    ] {
        assert_eq!(run(bad).0, 2, "{bad:?}");
    }
}

#[test]
fn errors_of_sizes_and_times_state_what_is_expected() {
    for (arguments, part) in [
        (&["solve", "kalah", "--time", "5"][..], "expected a time like 500ms, 5s or 2m"),
        (&["solve", "kalah", "--memory", "12"], "expected a size from 1M to 1024G"),
        (&["solve", "kalah", "--stdin", "--json"], "cannot be used with"),
        (&["solve", "kalah", "--moves", "9"], "--moves: move 1 '9' is illegal"),
        (&["bench", "chess"], "there is no game 'chess'"),
        (&["analyze", "--game", "no-such-file"], "cannot read the file"),
    ] {
        let (code, _, err) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(err.contains(part) && err.lines().count() == 1, "{arguments:?}: {err}");
    }
}
