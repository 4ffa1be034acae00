//! The kits as a newcomer meets them: made by `parlor new-bot`, built and tested as their README says, and asked for a move
//! by hand.

use crate::harness::PARLOR;
use parlor_testkit::{PATIENCE, eventually, temp_folder};
use std::{
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Output, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

const TURN: &str = "turn\tkalah:6,4\t4,4,4,4,4,4/0,5,5,5,5,4 0/0 n\t2 3 5\t1\t5000\n";

fn new_bot(language: &str, folder: &Path) -> Output {
    let mut command = Command::new(PARLOR);
    command.args([OsStr::new("new-bot"), OsStr::new(language), folder.as_os_str()]);
    command.stdin(Stdio::null()).output().expect("it starts")
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The commands that the closing words tell to type, the first of them `cd`.
fn commands(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).expect("text");
    text.lines().filter_map(|line| line.strip_prefix("  ")).map(String::from).collect()
}

fn shell(command: &str, folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder);
    // A kit is built in its own folder, as without these variables.
    shell.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET_DIR");
    shell
}

fn is_installed(tool: &str) -> bool {
    let mut found = shell(&format!("command -v {tool}"), Path::new("."));
    found.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn succeeds(command: &str, folder: &Path) {
    let output = shell(command, folder).stdin(Stdio::null()).output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command}: {said}\n{}", error(&output));
}

struct Bot {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Bot {
    /// Starts the bot of a spec. The shell is replaced by the bot (`exec`), so killing the child kills the bot.
    fn start(spec: &str, folder: &Path) -> Bot {
        let command = spec.strip_prefix("bot:").expect("a spec");
        let mut command = shell(&format!("exec {command}"), folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Bot { input: child.stdin.take(), child, lines }
    }

    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(line.as_bytes()).and_then(|()| input.flush()).expect("it reads");
    }

    /// Asks while the input stays open: an answer in a buffer would not come.
    fn answers(&mut self, question: &str) -> String {
        self.say(question);
        self.lines.recv_timeout(PATIENCE).expect("an answer")
    }

    /// Waits for its end; whether that was a good one, without another word.
    fn ends_well(&mut self) -> bool {
        let mut status = None;
        eventually("the bot ends", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        status.is_some_and(|status| status.success()) && self.lines.recv_timeout(PATIENCE).is_err()
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // A bot that hangs must not outlive its test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes a kit, builds it by the commands that it names, runs its test and has it play.
fn check(language: &str, test: &str, files: &[&str]) {
    let temporary = temp_folder();
    let folder = temporary.join(format!("the {language} kit/in a new place"));
    let output = new_bot(language, &folder);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    for file in files.iter().chain(&["README.md"]) {
        let text = fs::read_to_string(folder.join(file)).expect(file);
        assert!(!text.is_empty(), "{file}");
    }
    let commands = commands(&output);
    let (going, playing) = (&commands[0], commands.last().expect("a match"));
    assert_eq!(going, &format!("cd '{}'", folder.display()));
    let spec = playing.split('\'').find(|part| part.starts_with("bot:")).expect("a spec");
    let readme = fs::read_to_string(folder.join("README.md")).expect("there");
    assert!(readme.contains(test) && readme.contains(&format!("parlor match '{spec}' engine:level=1")));
    for build in commands[1..].iter().filter(|command| !command.contains("bot:")) {
        succeeds(build, &folder);
    }
    succeeds(test, &folder);
    plays(spec, &folder);
    let parlor = PARLOR;
    let games = "--game kalah --game connect:4,4,3 --game oware --game amazons:4";
    succeeds(&format!("'{parlor}' check '{spec}' {games} --positions 20 --time move=5s"), &folder);
}

/// Two games by hand: one ended by `quit`, one by the end of input.
fn plays(spec: &str, folder: &Path) {
    let mut bot = Bot::start(spec, folder);
    bot.say("new\tkalah:6,4\tsecond\n");
    for _ in 0..5 {
        let answer = bot.answers(TURN);
        assert!(["2", "3", "5"].contains(&answer.as_str()), "{spec}: {answer}");
    }
    bot.say("end\tloss\tnormal\nnew\toware\tfirst\n");
    assert_eq!(bot.answers("turn\toware\tany\tf\t\t100\n"), "f", "{spec}");
    bot.say("end\tdraw\tcycle\nquit\n");
    assert!(bot.ends_well(), "{spec}: it ends on 'quit'");
    let mut bot = Bot::start(spec, folder);
    assert!(["2", "3", "5"].contains(&bot.answers(TURN).as_str()), "{spec}");
    bot.input = None;
    assert!(bot.ends_well(), "{spec}: it ends with its input");
}

#[test]
#[ignore = "needs python3"]
fn needs_python_the_kit_works() {
    check("python", "python3 -m unittest", &["bot.py", "test_bot.py", ".gitignore"]);
}

#[test]
fn the_rust_kit_works() {
    check("rust", "cargo test", &["Cargo.toml", "src/main.rs", ".gitignore"]);
}

#[test]
#[ignore = "needs g++ and make"]
fn needs_gxx_the_kit_works() {
    let files = ["bot.hpp", "main.cpp", "test.cpp", "Makefile", ".gitignore"];
    check("cpp", "make test", &files);
}

#[test]
#[ignore = "needs javac"]
fn needs_javac_the_kit_works() {
    let test = "javac -d out Bot.java TestBot.java && java -ea -cp out TestBot";
    check("java", test, &["Bot.java", "TestBot.java", ".gitignore"]);
}

#[test]
#[ignore = "needs Node.js"]
fn needs_node_the_kit_works() {
    check("js", "node --test", &["bot.js", "test.js", "package.json"]);
}

/// The Python blocks of the tutorial, in order.
fn lessons() -> Vec<String> {
    let tutorial = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let text = fs::read_to_string(tutorial).expect("the tutorial");
    let blocks = text.split("```python\n").skip(1);
    blocks.map(|rest| rest.split("```").next().expect("its end").to_string()).collect()
}

#[test]
#[ignore = "needs python3"]
fn needs_python_the_tutorial_makes_the_bot_better() {
    let temporary = temp_folder();
    let folder = temporary.join("bot");
    assert_eq!(new_bot("python", &folder).status.code(), Some(0));
    let [idea, better] = &lessons()[..] else { panic!("two lessons") };
    let source = fs::read_to_string(folder.join("bot.py")).expect("there");
    let first = source.replacen("    return random.choice(moves)\n", idea, 1);
    let last_four = idea.lines().collect::<Vec<_>>()[idea.lines().count() - 4..].join("\n") + "\n";
    let second = first.replacen(&last_four, better, 1);
    assert!(source != first && first != second);
    // Four beans in each hole: the one four away from the own pot moves again. Then a board where none does.
    let turn = |position: &str| format!("turn\tkalah:6,4\t{position}\t1 2 3 4 5 6\t\t5000\n");
    let even = ["s", "n"].map(|side| turn(&format!("4,4,4,4,4,4/4,4,4,4,4,4 0/0 {side}")));
    let none = turn("4,4,4,4,4,4/1,1,1,1,4,4 8/4 s");
    for (source, nearest) in [(first, None), (second, Some("6"))] {
        fs::write(folder.join("bot.py"), source).expect("written");
        succeeds("python3 -m unittest", &folder);
        let mut bot = Bot::start("bot:python3 bot.py", &folder);
        assert_eq!(even.each_ref().map(|turn| bot.answers(turn)), ["3", "4"]);
        let answer = bot.answers(&none);
        assert!(nearest.is_none_or(|nearest| answer == nearest), "{answer}");
    }
}

#[test]
fn what_is_there_is_left_alone() {
    let temporary = temp_folder();
    let folder = temporary.join("bot");
    fs::create_dir_all(&folder).expect("a folder");
    let letter = folder.join("letter.txt");
    fs::write(&letter, "Dear Anna").expect("written");
    for (place, part) in [
        (folder.clone(), "already exists and is not empty; choose a new folder, like my-bot"),
        (letter.clone(), "is not a folder, or is inside a file"),
        (letter.join("below"), "is not a folder, or is inside a file"),
    ] {
        let output = new_bot("python", &place);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", error(&output));
        let error = error(&output);
        assert!(
            error.starts_with("parlor: ") && error.contains(part) && error.lines().count() == 1,
            "{error}"
        );
    }
    assert_eq!(fs::read_to_string(&letter).expect("there"), "Dear Anna");
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 1);
}

#[test]
fn an_unknown_language_is_told_the_known_ones_and_makes_nothing() {
    let temporary = temp_folder();
    let folder = temporary.join("bot");
    for language in ["cobol", "", "Python", "a\u{1b}[2J\nb", &"x".repeat(100_000)] {
        let output = new_bot(language, &folder);
        let error = error(&output);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.len() < 300 && error.lines().count() == 1 && !error.contains('\u{1b}'), "{error}");
        assert!(language.is_empty() || error.contains("python, rust, cpp, java, js"), "{error}");
        assert!(!folder.exists());
    }
}

#[test]
fn an_empty_folder_will_do_and_folders_above_are_made() {
    let temporary = temp_folder();
    let folder = temporary.join("bot");
    fs::create_dir_all(&folder).expect("a folder");
    for place in [folder.clone(), folder.join("src"), folder.join("a/b/c")] {
        let output = new_bot("js", &place);
        assert_eq!(output.status.code(), Some(0), "{}", error(&output));
        assert!(place.join("bot.js").is_file());
    }
    let nowhere = new_bot("js", Path::new("/dev/null/at/all"));
    assert_eq!(nowhere.status.code(), Some(2), "{}", error(&nowhere));
}

#[cfg(unix)]
#[test]
fn hostile_names_are_names_and_nothing_else() {
    use std::os::unix::ffi::OsStrExt;
    let above = temp_folder();
    for name in
        [&b"it's $(touch x)"[..], b"-rf", b"a\x1b[2J\nb", b"caf\xc3\xa9", b"\xff\xfe", b"a;b|c&d \"q\""]
    {
        let folder = above.join(OsStr::from_bytes(name));
        let output = new_bot("python", &folder);
        assert_eq!(output.status.code(), Some(0), "{}", error(&output));
        assert!(!output.stdout.contains(&0x1b), "a terminal obeys nothing of it");
        // What it says to type leads there. Not every shell knows $'…', so one that does is asked.
        if is_installed("bash") {
            let command = format!("{} && test -f bot.py", commands(&output)[0]);
            let status = Command::new("bash").args(["-c", &command]).current_dir(&above).status();
            assert!(status.is_ok_and(|status| status.success()), "{command}");
        }
        assert!(folder.join("bot.py").is_file());
    }
    assert_eq!(fs::read_dir(&above).expect("there").count(), 6);
}
