//! Hostile text reaches the terminal escaped in every subcommand, from arguments, standard input, files, records, bots and
//! servers. Escape sequences could forge results or make the terminal type commands.

use crate::harness::parlor;
use parlor_core::is_unseen;
use parlor_testkit::temp_folder;
use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process::{Command, Output, Stdio},
    thread,
};

/// A colour, a window title, a bell, CSI and NEL as one character each, DEL, bidi overrides and isolates, a tag character.
/// The colour is one that Parlor never uses.
const HOSTILE: &str =
    "x\u{1b}[45mred\u{1b}]0;title\u{7}\r\u{9b}45m\u{85}\u{7f}\u{202e}\u{2066}\u{61c}\u{e0041}y";
/// The same without control characters, for files that refuse them.
const BIDI: &str = "x\u{202e}\u{2066}\u{61c}\u{200b}\u{e0041}y";

/// Checks that a stream has no control characters except line ends.
#[track_caller]
fn assert_clean(what: &str, bytes: &[u8]) {
    let text = str::from_utf8(bytes).unwrap_or_else(|_| panic!("{what}: no UTF-8: {bytes:?}"));
    let bad: Vec<char> = text.chars().filter(|&c| c != '\n' && is_unseen(c)).collect();
    assert!(bad.is_empty(), "{what}: {bad:?} in {text:?}");
}

/// Runs a command with this standard input. Both output streams must be clean; returns them.
#[track_caller]
fn clean(command: &mut Command, input: &[u8]) -> String {
    let output = fed(command, input);
    let what = format!("{command:?}");
    assert_clean(&what, &output.stdout);
    assert_clean(&what, &output.stderr);
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

fn fed(command: &mut Command, input: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("start");
    // It may end without having read.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("its output")
}

#[test]
fn arguments_are_escaped_in_every_subcommand() {
    let h = HOSTILE;
    let commands: &[&[&str]] = &[
        &[h],
        &["--log", h, "games"],
        &["games", h],
        &["play", h],
        &["play", "kalah", "--first", h],
        &["play", "kalah", "--first", "random", "--second", "random", "--save", h, "--position", h],
        &["perft", h, "1"],
        &["perft", "kalah", h],
        &["perft", "kalah", "1", "--moves", h],
        &["perft", "kalah", "1", "--position", h],
        &["solve", h],
        &["solve", "kalah:3,2", "--moves", h],
        &["solve", "kalah:3,2", "--time", h],
        &["solve", "kalah:3,2", "--checkpoint", "/dev/null/\u{1b}[45m"],
        &["analyze", h],
        &["analyze", "kalah:3,2", "--moves", h],
        &["analyze", "connect", "--game", h],
        &["bench", h],
        &["match", h, "random", "--game", "kalah"],
        &["match", "random", "random", "--game", h],
        &["match", "random@x\u{202e}y", "random", "--game", "kalah:3,2", "--rounds", "1", "--json"],
        &["match", "random@x\u{202e}y", "random", "--game", "kalah:3,2", "--rounds", "1"],
        &["check", h, "--game", "kalah"],
        &["check", "bot:/nowhere/\u{1b}[45m", "--game", "kalah"],
        &["tournament", h],
        &["worker", "--database", h, "--list"],
        &["engine", h],
        &["engine", "kalah", "--player", h],
        &["sprt", h, "1", "1"],
        &["serve", "--listen", h],
        &["serve", "--database", "/dev/null/\u{1b}[45m"],
        &["serve", "--bot", h],
        &["join", h],
        &["join", "http://127.0.0.1:1/", "--player", h],
        &["join", "http://127.0.0.1:1/", "--token", h],
        &["join", h, "--cosc", "left"],
        &["table", "build", h, "--up-to", "1"],
        &["table", "info", h],
        &["table", "probe", "kalah", "--moves", h],
        &["show", h],
        &["render", h],
        &["render", "--file", h],
        &["render", "kalah", "--out", "/dev/null/\u{1b}[45m"],
        &["new-bot", h, "x"],
        &["new-bot", "python", "/dev/null/\u{1b}[45m"],
        &["completions", h],
        &["man", "/dev/null/\u{1b}[45m"],
    ];
    let folder = temp_folder();
    for arguments in commands {
        clean(parlor(arguments).current_dir(&folder), b"");
    }
    clean(parlor(&["games"]).env("PARLOR_LOG", h), b"");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf_8_and_the_program_name_are_escaped() {
    use std::os::unix::{ffi::OsStrExt, process::CommandExt};
    let raw = OsStr::from_bytes(b"a\x1b[45m\x9b45m\xff");
    for command in ["show", "tournament", "games"] {
        clean(parlor(&[command]).arg(raw), b"");
    }
    for arguments in [&["--help"][..], &["solve", "--help"], &["--version"], &["--nonsense"]] {
        clean(parlor(arguments).arg0(HOSTILE), b"");
    }
}

#[test]
fn lines_of_standard_input_are_escaped() {
    let lines = format!("{HOSTILE}\n4\u{1b}[45m4\n").into_bytes();
    let lines = [&lines[..], b"\x1b[45m\x9b\xff\n"].concat();
    let said = clean(&mut parlor(&["solve", "connect:4,4,3", "--stdin"]), &lines);
    assert!(said.contains("'\\u001b'"), "what was wrong is still shown: {said}");
    clean(
        &mut parlor(&["engine", "kalah"]),
        &[b"ugi\nuginewgame\n", &lines[..], b"position ", &lines].concat(),
    );
    clean(&mut parlor(&["play", "kalah:3,2", "--second", "random", "--no-pause"]), &lines);
    clean(&mut parlor(&[]), &[b"1\n", &lines[..]].concat());
    clean(&mut parlor(&["show", "-"]), &lines);
}

#[test]
fn output_contains_no_escape_sequences_but_our_colours() {
    let folder = temp_folder();
    let record = record(&folder);
    for arguments in
        [&["show", &record][..], &["show", HOSTILE], &["play", "kalah:3,2", "--second", "random"]]
    {
        let output = fed(parlor(arguments).args(["--color", "always"]), format!("{HOSTILE}\n").as_bytes());
        for bytes in [output.stdout, output.stderr] {
            let text = String::from_utf8(bytes).expect("UTF-8");
            assert!(!text.contains("\u{1b}[45m"), "{text:?}");
            assert_clean(&format!("{arguments:?}"), without_colours(&text).as_bytes());
        }
    }
    let shown = fed(&mut parlor(&["show", &record, "--color", "always"]), b"").stdout;
    assert!(String::from_utf8_lossy(&shown).contains("\u{1b}[1m"), "there are colours");
}

/// A text without sequences like `ESC [ 1 ; 31 m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |whole, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        whole + rest.strip_prefix('m').unwrap_or("\u{1b}")
    })
}

/// A record file whose tags, names and comments are hostile.
fn record(folder: &Path) -> String {
    let text = format!(
        "[Game \"connect:4,4,3\"]\n[First \"random@{BIDI}\"]\n[Second \"{BIDI}\"]\n[Event \"{BIDI}\"]\n\n\
         1 {{{HOSTILE} {BIDI}}} 2\n"
    );
    let file = folder.join("game.parlor");
    fs::write(&file, text).expect("written");
    file.to_str().expect("a name").to_string()
}

#[test]
fn records_and_plans_are_escaped() {
    let folder = temp_folder();
    let record = record(&folder);
    let shown = clean(&mut parlor(&["show", &record]), b"");
    assert!(shown.contains("\\u202e"), "tags are shown: {shown}");
    let shown = clean(&mut parlor(&["show", &record, "--json"]), b"");
    assert!(shown.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{shown}");
    clean(&mut parlor(&["render", "--file", &record]), b"");
    clean(&mut parlor(&["analyze", "--game", &record, "--time", "10ms"]), b"");
    for text in [
        format!("[Game \"{HOSTILE}\"]\n\n1\n"),
        format!("[Game \"{BIDI}\"]\n\n1\n"),
        format!("[Game \"connect\"]\n\n{BIDI}\n"),
        format!("[{HOSTILE} \"connect\"]\n\n1\n"),
        HOSTILE.to_string(),
    ] {
        let file = folder.write("bad.parlor", &text);
        let file = file.to_str().expect("a name");
        for arguments in [&["show", file][..], &["render", "--file", file], &["analyze", "--game", file]] {
            clean(&mut parlor(arguments), b"");
        }
    }
    for text in [
        format!("name = \"{BIDI}\"\n"),
        format!("name = \"a\"\ngames = [\"{BIDI}\"]\n"),
        format!("name = \"a\"\n{BIDI} = 1\n"),
        "name = \"a\\u001b[45m\"\ngames = [\"kalah\"]\n[[player]]\nname = \"\\u009b\"\nspec = \"random\"\n"
            .to_string(),
        HOSTILE.to_string(),
    ] {
        let file = folder.write("league.toml", &text);
        clean(&mut parlor(&["tournament", file.to_str().expect("a name")]), b"");
    }
}

#[cfg(unix)]
#[test]
fn output_of_bots_is_escaped() {
    let folder = temp_folder();
    let bot = "printf 'x\\033[45m\\302\\233\\342\\200\\256\\n' >&2\n\
               while read -r line; do printf 'move \\033[45m\\302\\233\\342\\200\\256\\n'; done\n";
    fs::write(folder.join("bot.sh"), bot).expect("written");
    let plan = "name = \"league\"\ngames = [\"kalah:3,2\"]\nrounds = 1\ntime = \"move=5s\"\n\
                [[player]]\nname = \"bad\"\nspec = \"bot:sh bot.sh\"\n[[player]]\nname = \"random\"\nspec = \"random\"\n";
    fs::write(folder.join("league.toml"), plan).expect("written");
    let game = ["--game", "kalah:3,2", "--no-sandbox"];
    for arguments in [
        &["check", "bot:sh bot.sh"][..],
        &["match", "bot:sh bot.sh", "random", "--rounds", "1"],
        &["match", "bot:sh bot.sh", "random", "--rounds", "1", "--json"],
    ] {
        clean(parlor(arguments).args(game).current_dir(&folder), b"");
    }
    clean(parlor(&["tournament", "league.toml", "--no-sandbox"]).current_dir(&folder), b"");
}

#[test]
fn answers_of_a_server_are_escaped() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let _ = stream.read(&mut [0; 4096]);
        let body = serde_json::json!({"detail": HOSTILE}).to_string();
        let head = format!("HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\n\r\n", body.len());
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
    });
    let said = clean(&mut parlor(&["join", &format!("http://{address}/"), "--player", "random"]), b"");
    assert!(said.contains("\\u001b[45m"), "{said}");
    server.join().expect("the server");
}
