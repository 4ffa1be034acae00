//! Tests of the binary: exit codes, one-line errors, closed pipes, files.

use crate::harness::parlor;
use parlor_catalog::{Entry, entries};
use parlor_testkit::{send_signal, temp_folder};
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Output, Stdio},
};

fn run(arguments: &[&str]) -> Output {
    parlor(arguments).output().expect("it starts")
}

fn typed(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = parlor(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The program may end before it has read all input, which is no error.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn bad_input_gets_one_sentence_and_exit_code_2() {
    let folder = temp_folder();
    let missing = folder.join("there-is-no-such-file");
    let missing = missing.to_str().expect("a path");
    for (arguments, part) in [
        (vec!["play", "chess"], "there is no game 'chess'; the games are kalah, connect, oware, amazons"),
        (vec!["play", "kalah:0,4"], "holes '0' is not a number from 1 to 64"),
        (vec!["play", "kalah:6,-1"], "beans '-1' is not a number"),
        (vec!["play", "kalah:6,4,1"], "too many parameters at '1'"),
        (vec!["play", "kalah(6,4"], "missing closing bracket"),
        (vec!["play", "connect:65,10"], "columns '65' is not a number from 1 to 64"),
        (vec!["play", "amazons:3"], "columns '3' is not a number from 4 to 10"),
        (vec!["play", "oware:rules=mine"], "rules 'mine' is not one of abapa, awari"),
        (vec!["play", "oware:6"], "too many parameters at '6'"),
        (vec!["play", "kalah", "--first", "robot"], "--first: there is no player 'robot'"),
        (vec!["play", "kalah", "--second", "human:x=1"], "--second: player human: unknown option 'x'"),
        (vec!["play", "kalah", "--clock", "soon"], "--clock: 'soon' is not a time control; expected 5m+3s"),
        (
            vec!["play", "kalah", "--clock", "nodes=100"],
            "--clock: 'nodes=100' limits the search, not the time;",
        ),
        (vec!["play", "kalah", "--clock", "depth=4"], "--clock: 'depth=4' limits the search, not the time;"),
        (vec!["play", "kalah", "--linger", "4"], "--linger: '4' is not a time"),
        (vec!["play", "kalah", "--seed", "x"], "invalid value 'x' for '--seed <N>'"),
        (
            vec!["play", "kalah", "--seed", "-1"],
            "'--seed <N>': expected a number from 0 to 18446744073709551615; see",
        ),
        (vec!["play", "kalah", "--clock", "-5m"], "--clock: '-5m' is not a time control"),
        (vec!["play", "kalah", "--save", "-"], "--save: - is not a file name"),
        (vec!["play", "kalah", "--save", "/dev/null"], "--save: /dev/null is not a regular file"),
        (vec!["perft", "kalah", "-1"], "'<DEPTH>': expected a number from 0 to 1000; see"),
        (vec!["show", "-", "--ply", "-1"], "'--ply <N>': expected a whole number, like 3; see"),
        (vec!["show", "-"], "standard input: the file contains no game"),
        (
            vec!["perft", "kalah", "--frob", "1"],
            "unexpected argument '--frob' found; see 'parlor perft --help'",
        ),
        (vec!["play", "kalah", "--moves", "3 9"], "--moves: move 2 '9' is illegal: there is no hole 9"),
        (vec!["play", "connect", "--position", "7/7"], "--position: "),
        (vec!["perft", "oware", "3", "--position", "4-4"], "--position: "),
        (vec!["perft", "kalah"], "required arguments were not provided: <DEPTH>; see 'parlor perft --help'"),
        (vec!["perft", "kalah", "many"], "expected a number from 0 to 1000"),
        (vec!["show", missing], "cannot read the file"),
        (vec!["frobnicate"], "unrecognized subcommand 'frobnicate'"),
        (vec!["games", "go"], "there is no game 'go'"),
        (vec!["sprt", "x", "1", "2"], "expected a number of games"),
        (vec!["sprt", "1", "-1", "2"], "expected a number of games"),
        (vec!["match", "bad", "bad", "--game", "kalah", "--rounds", "-3"], "expected a number of games"),
    ] {
        let output = run(&arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.starts_with("parlor: ") && error.contains(part), "{arguments:?}: {error}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn damaged_record_files_get_one_sentence_with_the_place() {
    let game = "[Game \"kalah:3,2\"]\n";
    for (name, text, part) in [
        ("empty", b"".to_vec(), "the file contains no game"),
        ("binary", vec![0xFF, 0xFE, 0x00], "the file is not UTF-8 text"),
        ("noise", b"hello".to_vec(), "line 1: unexpected 'hello'; expected a tag"),
        ("move", format!("{game}\n1 9").into_bytes(), "game 1: move 2 '9': there is no hole 9"),
        ("game", b"[Game \"go:19\"]\n".to_vec(), "there is no game 'go'"),
        (
            "result",
            format!("{game}[Result \"first by 2\"]\n\n1").into_bytes(),
            "but the game is not over after its moves",
        ),
        (
            "margin",
            format!("{game}[Result \"first by 4\"] [Termination \"timeout\"]\n\n1").into_bytes(),
            "the record ends with 'timeout', so its result must be 'first' or 'second' without a margin, not 'first by 4'",
        ),
        ("tag", format!("{game}[First \"a\n").into_bytes(), "line 2: invalid tag"),
        ("cut", format!("{game}\n1 {{a comm").into_bytes(), "line 3: the comment has no closing"),
        ("start", b"[Game \"kalah:3,2\"]\n[Start \"x\"]\n".to_vec(), "the record's start position"),
    ] {
        let folder = temp_folder();
        let file = folder.join(format!("damaged-{name}.parlor"));
        fs::write(&file, text).expect("written");
        let output = run(&["show", file.to_str().expect("a path")]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.lines().count() == 1 && error.contains(part), "{name}: {error}");
    }
}

#[test]
fn perft_counts_equal_the_published_ones() {
    for (game, depth, counts) in [
        ("kalah:6,4", "5", "6 35 185 942 4690"),
        ("kalah(4,3)", "5", "4 15 50 158 488"),
        ("kalah:3,2", "6", "3 8 19 40 81 150"),
        ("connect", "7", "7 49 343 2401 16807 117649 823536"),
        ("oware", "7", "6 36 190 1014 5219 27332 139157"),
        ("amazons", "2", "2176 4307152"),
        ("amazons:8", "2", "1232 1331198"),
        ("amazons:6", "3", "544 238532 91074224"),
        ("amazons:5", "3", "260 50422 7940210"),
        ("amazons:5,6", "3", "410 129436 33443332"),
        ("amazons:6,5", "3", "410 128094 33207636"),
        ("amazons:4,5", "3", "170 18704 1504390"),
        ("amazons:7", "2", "812 560400"),
        ("amazons:9", "2", "1612 2321078"),
    ] {
        let text = out(&run(&["perft", game, depth]));
        let got: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(got.join(" "), counts, "{game}");
        assert!(text.lines().all(|line| line.split(' ').count() == 3), "depth count seconds: {text}");
    }
    assert_eq!(out(&run(&["perft", "kalah", "0"])), "0 1 0.000\n");
    let from = out(&run(&["perft", "connect", "1", "--moves", "444444"]));
    assert!(from.starts_with("1 6 "), "column 4 is full: {from}");
    let json = out(&run(&["perft", "oware", "1", "--json"]));
    assert!(
        json.starts_with(
            "{\"game\":\"oware\",\"position\":\"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\",\"depth\":1,\"count\":6,"
        ),
        "{json}"
    );
}

#[test]
fn each_game_and_each_pair_of_classic_players_ends_with_a_result_and_exit_0() {
    let quick = ["bad", "random", "minimax:depth=1", "minimax:time=2ms", "beam:width=3,depth=2"];
    for (game, own) in
        [("kalah:3,2", None), ("connect:4,4,3", None), ("oware", Some("payoff")), ("amazons:4", None)]
    {
        for first in quick.into_iter().chain(own) {
            for second in quick.into_iter().chain(own) {
                let output =
                    run(&["play", game, "--first", first, "--second", second, "--no-pause", "--seed", "1"]);
                let text = out(&output);
                let last = text.lines().last().unwrap_or_default();
                assert_eq!(output.status.code(), Some(0), "{game} {first} {second}");
                assert!(
                    last.starts_with("The winner is") || last.starts_with("The game is a"),
                    "{game} {first} {second}: {last}"
                );
            }
        }
    }
}

/// A record without its date.
fn undated(text: &str) -> String {
    let (before, rest) = text.split_once("[Date \"").expect("a date");
    let (date, after) = rest.split_once('"').expect("the end of the date");
    assert!(date.len() == 10 && date.split('-').map(str::len).eq([4, 2, 2]), "{date}");
    format!("{before}[Date \"\"{after}")
}

#[test]
fn the_readme_shows_a_record_as_it_is_written() {
    let folder = temp_folder();
    let file = folder.join("readme.parlor");
    let _ = fs::remove_file(&file);
    let position = "0,1,2/2,0,0 0/0 s";
    let arguments = ["play", "kalah:3,2", "--position", position, "--first", "bad", "--second", "bad@Tim"];
    let saved = ["--no-pause", "--seed", "7", "--save", file.to_str().expect("a path")];
    assert_eq!(run(&[&arguments[..], &saved[..]].concat()).status.code(), Some(0));
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).expect("the README");
    let sample = readme.split("```text\n").find(|part| part.starts_with("[Game")).expect("a sample");
    let sample = sample.split("```").next().expect("its end");
    assert_eq!(undated(&fs::read_to_string(&file).expect("kept")), undated(sample));
}

#[test]
fn a_second_game_is_appended_and_other_files_are_refused() {
    let folder = temp_folder();
    let file = folder.join("several.parlor");
    let _ = fs::remove_file(&file);
    let name = file.to_str().expect("a path");
    // Two games from the game's own menu, then one from the command line.
    let text = out(&typed(&["play", "oware", "--save", name, "--linger", "0s"], b"1\nq\ny\n2\na\nq\ny\n0\n"));
    assert_eq!(text.matches("2  Player vs. AI").count(), 3, "{text}");
    let quick = ["play", "connect:3,3,3", "--first", "bad", "--second", "bad", "--no-pause"];
    assert_eq!(run(&[&quick[..], &["--save", name]].concat()).status.code(), Some(0));
    let third = out(&run(&["show", name, "--number", "3"]));
    assert!(third.starts_with("connect:3,3,3 - Red: bad, Black: bad\n"), "{third}");
    assert!(
        out(&run(&["show", name, "--number", "1"]))
            .contains("Player 1 surrenders.\nThe winner is Player 2.\n")
    );
    fs::write(&file, "my letters").expect("written");
    let output = run(&[&quick[..], &["--save", name]].concat());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert_eq!(fs::read_to_string(&file).expect("there"), "my letters");
}

#[test]
fn show_reads_standard_input_and_prints_the_game_like_play() {
    let start = "[Start \"0,1,2/2,0,0 0/0 s\"]\n[First \"human@Anna\"]";
    let record = format!("[Game \"kalah:3,2\"]\n{start} [Result \"first by 3\"]\n\n1 2 2 1\n");
    let text = out(&typed(&["show", "-"], record.as_bytes()));
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}:\n{text}"));
    assert!(text.starts_with("kalah:3,2 - South: human@Anna, North\n"), "{text}");
    assert!(place("1. Anna plays 1.") < place("( 0) ( 1) ( 1)"), "{text}");
    assert!(place("( 0) ( 1) ( 1)") < place("Anna captures 3 beans."), "{text}");
    assert!(text.ends_with("The winner is Anna (4 to 1).\n"), "{text}");
    let last = out(&typed(&["show", "-", "--ply", "4"], record.as_bytes()));
    assert!(last.contains("4. North plays 1.") && last.ends_with("The winner is Anna (4 to 1).\n"), "{last}");
    assert!(!out(&typed(&["show", "-", "--ply", "3"], record.as_bytes())).contains("winner"));
    let cycle = b"[Game \"oware\"]\n[Result \"draw\"] [Termination \"cycle\"]\n";
    let text = out(&typed(&["show", "-"], cycle));
    assert!(
        text.ends_with(
            "The game ended by repetition.\nPlayer 1 collects the remaining 24 seeds.\n\
             Player 2 collects the remaining 24 seeds.\nThe game is a draw (24 each).\n"
        ),
        "{text}"
    );
}

#[test]
fn the_same_seed_plays_the_same_game_and_save_stores_it() {
    let folder = temp_folder();
    let (one, two) = (folder.join("one.parlor"), folder.join("two.parlor"));
    for file in [&one, &two] {
        let _ = fs::remove_file(file);
        let file = file.to_str().expect("a path");
        let output = run(&[
            "play",
            "oware",
            "--first",
            "random",
            "--second",
            "payoff",
            "--no-pause",
            "--seed",
            "7",
            "--save",
            file,
        ]);
        assert_eq!(output.status.code(), Some(0));
    }
    let [text, again] = [&one, &two].map(|file| undated(&fs::read_to_string(file).expect("kept")));
    assert_eq!(text, again);
    assert!(
        text.starts_with(
            "[Game \"oware\"] [Version \"2\"]\n[First \"random\"] [Second \"payoff\"] [Date \"\"] [Seed \"7\"] [Result \""
        ),
        "{text}"
    );
    let shown = run(&["show", one.to_str().expect("a path")]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(out(&shown).contains("1. Player 1 plays "), "{}", out(&shown));
    let json = out(&run(&["show", one.to_str().expect("a path"), "--json"]));
    assert!(json.lines().last().is_some_and(|line| line.contains("\"termination\":")), "{json}");
    let ply = out(&run(&["show", one.to_str().expect("a path"), "--ply", "0", "--json"]));
    assert_eq!(ply.lines().count(), 1);
    assert_eq!(run(&["show", one.to_str().expect("a path"), "--ply", "999"]).status.code(), Some(2));
    assert_eq!(run(&["show", one.to_str().expect("a path"), "--number", "2"]).status.code(), Some(2));
}

#[test]
fn an_unwritable_record_file_is_reported_before_the_game_starts() {
    let output = run(&[
        "play",
        "kalah",
        "--first",
        "bad",
        "--second",
        "bad",
        "--no-pause",
        "--save",
        "/nowhere/at/all.parlor",
    ]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error.lines().count() == 1 && error.starts_with("parlor: cannot save the record in /nowhere/"),
        "{error}"
    );
    assert!(output.stdout.is_empty(), "nothing is drawn before");
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    for arguments in [
        vec!["games"],
        vec!["perft", "kalah", "12"],
        vec!["play", "kalah:12,12", "--first", "bad", "--second", "bad", "--no-pause"],
    ] {
        let mut child =
            parlor(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn arbitrary_input_at_the_prompt_is_handled() {
    let mut noise: Vec<u8> = b"1\n\n\xFF\xFE\n3,2\nhuman\n\x00\n".to_vec();
    noise.extend(vec![b'9'; 200_000]);
    noise.extend(b"\nq\ny\nq\n");
    for arguments in [
        vec![],
        vec!["play", "kalah", "--second", "bad"],
        vec!["play", "oware", "--linger", "0s"],
        vec!["play", "amazons", "--second", "bad"],
        vec!["play", "connect", "--second", "bad"],
    ] {
        let output = typed(&arguments, &noise);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn colour_follows_the_option() {
    let play = ["play", "connect:3,3,3", "--first", "bad", "--second", "bad", "--no-pause"];
    assert!(!out(&run(&play)).contains('\u{1b}'), "a pipe gets none");
    let always = out(&run(&[&play[..], &["--color", "always"]].concat()));
    assert!(always.contains('\u{1b}'));
    let never = out(&run(&[&play[..], &["--color", "never"]].concat()));
    let mut bare = always;
    while let Some(from) = bare.find('\u{1b}') {
        let to = from + bare[from..].find('m').expect("a code ends");
        bare.replace_range(from..=to, "");
    }
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&bare), trimmed(&never), "colour is all the difference");
}

#[test]
fn games_lists_the_catalogue_as_text_and_json() {
    let text = out(&run(&["games"]));
    let json = out(&run(&["games", "--json"]));
    assert_eq!(json.lines().count(), entries().len());
    for Entry { name, .. } in entries() {
        assert!(text.contains(&format!("\n{name}  ")) || text.starts_with(name), "{text}");
        assert!(json.contains(&format!("{{\"name\":\"{name}\"")), "{json}");
    }
    for part in [
        "columns x (levels + 1) up to 128",
        "at most 32767 beans in all (2 x holes x beans)",
        "default: the same as columns",
        "1 to 1000000, default 100",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        json.contains("\"note\":\"the solver supports boards with columns x (levels + 1) up to 128\""),
        "{json}"
    );
}

#[test]
fn rules_are_printed_80_columns_wide_into_a_pipe() {
    let list = out(&run(&["rules"]));
    for entry in entries() {
        assert!(list.contains(&format!("{:<9} {}\n", entry.name, entry.blurb)), "{list}");
        let rules = out(&run(&["rules", entry.name]));
        assert!(rules.starts_with(entry.title) && rules.contains("->"), "{rules}");
        assert!(rules.lines().all(|line| line.chars().count() <= 80), "{rules}");
    }
    assert_eq!(run(&["rules", "chess"]).status.code(), Some(2));
    assert_eq!(run(&["rules", "kalah:99,9"]).status.code(), Some(2));
}

#[test]
fn the_version_is_printed() {
    assert!(out(&run(&["--version"])).starts_with("parlor "));
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(out(&run(&["completions", shell])).contains("parlor"), "{shell}");
    }
    let names: Vec<&str> = entries().iter().map(|entry| entry.name).collect();
    assert!(out(&run(&["completions", "bash"])).contains(&names.join(" ")));
    assert!(out(&run(&["man"])).contains(".TH parlor 1"));
    assert!(out(&run(&["man"])).contains(".SH EXAMPLES\n") && !out(&run(&["man"])).contains("help(1)"));
    let folder = temp_folder();
    let folder = folder.join("man");
    assert_eq!(run(&["man", "--directory", folder.to_str().expect("a path")]).status.code(), Some(0));
    assert!(folder.join("parlor-play.1").exists());
}

#[test]
fn oware_without_players_shows_its_own_menu() {
    let text = out(&typed(&["play", "oware", "--linger", "0s"], b"2\nq\ny\n0\n"));
    assert_eq!(text.matches("2  Player vs. AI").count(), 2, "{text}");
    assert!(text.contains("0  quit (or q)"), "{text}");
}

#[test]
fn prompts_are_ended_when_input_is_not_echoed() {
    let text = out(&typed(&["play", "kalah:3,2", "--second", "bad"], b"help\nq\ny\n"));
    assert!(text.contains("South, hole (1-3): \n  a move   "), "{text}");
    assert!(text.contains("Do you want to resign? (y/n) \nSouth resigns.\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_game_and_shows_how_to_resume() {
    let mut command = parlor(&["play", "kalah:6,4", "--moves", "1", "--second", "human@Ben"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // The input stays open: its end would resign.
    let _input = child.stdin.take();
    // The prompt is written just before it waits for a line.
    let (mut said, mut byte) = (String::new(), [0; 1]);
    while !said.ends_with("hole (1-6): ") {
        std::io::Read::read_exact(child.stdout.as_mut().expect("a pipe"), &mut byte).expect("a prompt");
        said.push(char::from(byte[0]));
    }
    send_signal(child.id(), "INT");
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert_eq!(
        error,
        "parlor: interrupted; resume with: parlor play kalah:6,4 --moves 1 --second human@Ben\n"
    );
    assert!(out(&output).ends_with("The game is unfinished.\n"), "{}", out(&output));
}

#[test]
fn the_sandbox_supervisor_is_hidden_and_refuses_unknown_options() {
    let typed = run(&["sandbox-supervisor", "--colour", "red"]);
    assert_eq!(typed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&typed.stderr).contains("unknown option --colour"), "{typed:?}");
    let help = run(&["--help"]);
    assert!(!String::from_utf8_lossy(&help.stdout).contains("supervisor"));
}
