//! Tests of the UGI server: regular games, commands during a search, and invalid input.

use parlor_core::{Answer, Board, Bounds, Failure, Game, Limits, Margin, Match, Player, Record, Report};
use parlor_engine::{Bad, Clock, Manual, PlayerAdapter};
use parlor_games::kalah::Kalah;
use parlor_protocol::{EngineOption, EngineSetup, OptionRange, OptionValues, serve};
use parlor_testkit::eventually;
use std::{
    io::{self, BufRead, BufReader, PipeReader, PipeWriter, Write},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

const OPTIONS: [EngineOption; 2] = [
    EngineOption { name: "Threads", range: OptionRange::Number(1, 1, 8) },
    EngineOption { name: "Patient", range: OptionRange::Flag(false) },
];

/// Serves Kalah in any size. With `Patient` the player searches until it is stopped, with seven threads it panics. Counts the
/// answers of the players.
fn serve_kalah(
    answers: &Arc<AtomicU32>,
    clock: Arc<dyn Clock>,
    input: impl BufRead,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let replay = |record: &Record| -> Result<Box<dyn Board>, String> {
        let game = kalah(&record.game)?;
        let record = Record { game: game.spec(), ..record.clone() };
        Ok(Box::new(Match::replay(game, &record).map_err(|bad| bad.to_string())?))
    };
    let make_player = |game: &str, chosen: &OptionValues| -> Result<Box<dyn Player>, String> {
        let is = |name, value: &str| chosen.iter().any(|(key, set)| *key == name && set == value);
        let (bad, answers) = (PlayerAdapter::new(kalah(game)?, Bad), answers.clone());
        Ok(Box::new(TestPlayer { bad, patient: is("Patient", "true"), panics: is("Threads", "7"), answers }))
    };
    let setup = EngineSetup { options: OPTIONS.to_vec(), replay: &replay, make_player: &make_player };
    serve(setup, "kalah:3,2", clock, input, output)
}

fn kalah(spec: &str) -> Result<Kalah, String> {
    let holes = spec.strip_prefix("kalah:").and_then(|rest| rest.split(',').next()?.parse().ok());
    Kalah::sized(holes.ok_or(format!("there is no game '{spec}'"))?, 2).map_err(|bad| bad.to_string())
}

struct TestPlayer {
    bad: PlayerAdapter<Kalah, Bad>,
    patient: bool,
    panics: bool,
    answers: Arc<AtomicU32>,
}

impl Player for TestPlayer {
    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        assert!(!self.panics, "on purpose");
        let proved = Some(Bounds::exactly(Margin(-2)));
        report(&Report { depth: 4, nodes: 9, line: vec!["1".into()], proved, ..Report::default() });
        if self.patient {
            eventually("the search is stopped", || stop.load(Ordering::Relaxed));
        }
        let answer = self.bad.choose(board, limits, stop, report);
        self.answers.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

/// A manager with its engine.
struct Manager {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    engine: Option<JoinHandle<io::Result<()>>>,
    answers: Arc<AtomicU32>,
}

impl Manager {
    fn new() -> Manager {
        let (from_manager, input) = io::pipe().expect("a pipe");
        let (output, to_manager) = io::pipe().expect("a pipe");
        let clock = Arc::new(Manual::stepping(Duration::ZERO));
        let answers = Arc::new(AtomicU32::new(0));
        let counted = answers.clone();
        let engine =
            thread::spawn(move || serve_kalah(&counted, clock, BufReader::new(from_manager), to_manager));
        Manager { input: Some(input), output: BufReader::new(output), engine: Some(engine), answers }
    }

    fn send(&mut self, lines: &str) {
        writeln!(self.input.as_mut().expect("not yet closed"), "{lines}").expect("it reads");
    }

    fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_string()
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.read_line()
    }

    fn finish(&mut self) {
        self.input = None;
        self.engine.take().expect("one").join().expect("no panic").expect("no fault");
    }
}

#[test]
fn the_handshake_names_the_engine_and_its_options() {
    let mut manager = Manager::new();
    assert!(manager.ask("ugi").starts_with("id name Parlor "));
    let rest: Vec<String> = (0..4).map(|_| manager.read_line()).collect();
    assert!(rest[0].starts_with("id author "));
    assert_eq!(rest[1], "option name Threads type spin default 1 min 1 max 8");
    assert_eq!(rest[2], "option name Patient type check default false");
    assert_eq!(rest[3], "ugiok");
    assert_eq!(manager.ask("isready"), "readyok");
    manager.send("quit");
    manager.finish();
}

#[test]
fn go_is_answered_with_a_report_and_the_best_move() {
    let mut manager = Manager::new();
    manager.send("uginewgame\nposition startpos moves 2");
    let info = manager.ask("go movetime 100");
    assert_eq!(info, "info depth 4 nodes 9 nps 9000 time 0 score margin -2 exact pv 1");
    assert_eq!(manager.read_line(), "bestmove 1");
    manager.send("position fen 0,2,2/2,2,2 2/0 n");
    manager.send("go p1time 100 p2time 100");
    manager.read_line();
    assert_eq!(manager.read_line(), "bestmove 2");
    manager.finish();
}

#[test]
fn answers_other_commands_at_once_during_a_search() {
    let mut manager = Manager::new();
    manager.send("setoption name Patient value true\ngo infinite");
    assert!(manager.read_line().starts_with("info depth"));
    assert_eq!(manager.ask("isready"), "readyok");
    assert!(manager.ask("go depth 1").contains("'go' is not possible during a search"));
    assert!(manager.ask("setoption name Threads value 2").contains("is not possible during a search"));
    assert!(manager.ask("game kalah:4,2").starts_with("gameno"));
    assert_eq!(manager.ask("query p1turn"), "response true");
    assert_eq!(manager.ask("stop"), "bestmove 1");
    assert!(manager.ask("go infinite").starts_with("info depth"), "and can be asked again");
    manager.send("quit");
    manager.finish();
}

#[test]
fn an_infinite_search_is_answered_only_after_stop() {
    let mut manager = Manager::new();
    manager.send("go infinite");
    assert!(manager.read_line().starts_with("info depth"));
    eventually("the player has answered", || manager.answers.load(Ordering::Relaxed) > 0);
    assert_eq!(manager.ask("isready"), "readyok", "no best move before");
    assert_eq!(manager.ask("stop"), "bestmove 1");
    manager.finish();
}

#[test]
fn game_and_position_can_be_changed_and_queried() {
    let mut manager = Manager::new();
    assert_eq!(manager.ask("game kalah:4,2"), "gameok");
    assert_eq!(manager.ask("game chess"), "gameno there is no game 'chess'");
    assert_eq!(manager.ask("query gameover"), "response false");
    assert_eq!(manager.ask("query result"), "response none");
    manager.send("position fen 0,0,0,0/0,0,0,0 7/9 s");
    assert_eq!(manager.ask("query gameover"), "response true");
    assert_eq!(manager.ask("query result"), "response p1win");
    manager.send("go");
    assert!(manager.read_line().starts_with("info depth"));
    assert_eq!(manager.read_line(), "bestmove (none)");
    assert!(manager.ask("position startpos moves 4 9 9").starts_with("info string "));
    assert_eq!(manager.ask("query result"), "response p1win", "a bad position changes nothing");
    manager.finish();
}

#[test]
fn a_player_that_panics_costs_one_answer() {
    let mut manager = Manager::new();
    manager.send("setoption name Threads value 7\ngo");
    assert_eq!(manager.read_line(), "info string the player panicked");
    assert_eq!(manager.read_line(), "bestmove (none)");
    manager.send("setoption name Threads value 1\ngo");
    manager.read_line();
    assert_eq!(manager.read_line(), "bestmove 1");
    manager.finish();
}

/// Shared buffer for the output.
#[derive(Clone, Default)]
struct OutputBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output for an input that is known in advance.
fn output_for(input: &[u8]) -> String {
    let buffer = OutputBuffer::default();
    let clock: Arc<dyn Clock> = Arc::new(Manual::stepping(Duration::ZERO));
    serve_kalah(&Arc::default(), clock, input, buffer.clone()).expect("no fault");
    let bytes = buffer.0.lock().expect("no panic").clone();
    String::from_utf8(bytes).expect("text")
}

#[test]
fn invalid_input_is_answered_with_one_sentence_per_line() {
    for bad in [
        "castle",
        "\0\0\0",
        "go sideways",
        "go depth",
        "query weather",
        "position",
        "position fen",
        "position fen \u{1b}[2J",
        "position startpos moves \0",
        "setoption",
        "setoption name Threads",
        "setoption name Threads value 9999999999999999999999",
        "setoption name Colour value red",
    ] {
        let text = output_for(format!("{bad}\nisready\n").as_bytes());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[1]), (2, "readyok"), "{bad}: {text}");
        assert!(lines[0].starts_with("info string ") && lines[0].len() < 500, "{bad}: {text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{bad}");
    }
    assert_eq!(output_for(b"\n  \n\r\nisready\r\n"), "readyok\n");
    assert!(output_for(b"\xff\xfe go\nisready").ends_with("readyok\n"), "the last line needs no end");
}

#[test]
fn long_lines_are_skipped_or_refused() {
    let endless = [&b"position startpos moves "[..], &b"1 ".repeat(1 << 20), b"\nisready\n"].concat();
    assert_eq!(output_for(&endless), "info string a line of more than 1 MiB was skipped\nreadyok\n");
    let long = [&b"position fen "[..], &b"x".repeat(500_000), b"\nisready\n"].concat();
    assert!(output_for(&long).ends_with("\nreadyok\n"));
    assert!(output_for(&long).len() < 600);
}

#[test]
fn the_end_of_the_input_ends_the_search() {
    assert!(output_for(b"setoption name Patient value true\ngo infinite\n").ends_with("bestmove 1\n"));
}
