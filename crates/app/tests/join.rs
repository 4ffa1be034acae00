//! `parlor join` against `parlor serve`, both as people run them: whole games over the network, and connections that break.

use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Output, Stdio},
    time::{Duration, Instant},
};

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
const LONG: Duration = Duration::from_secs(60);

/// A process that does not outlive its test.
struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Running {
    fn start(words: &[&str]) -> Running {
        let child = Command::new(PARLOR).args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("a process");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        Running { child, out }
    }

    /// The next line that holds this.
    fn until(&mut self, text: &str) -> String {
        let mut heard = String::new();
        loop {
            let mut line = String::new();
            if self.out.read_line(&mut line).expect("a line") == 0 {
                let mut error = String::new();
                let _ = self.child.stderr.take().map(|mut from| from.read_to_string(&mut error));
                panic!("it ended before '{text}': {heard} {error}");
            }
            if line.contains(text) {
                return line;
            }
            heard.push_str(&line);
        }
    }

    /// All that is left to read, and the exit code.
    fn rest(mut self) -> (String, Option<i32>) {
        let mut text = String::new();
        self.out.read_to_string(&mut text).expect("a text");
        (text, self.child.wait().expect("an end").code())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server in a folder of its own.
struct Server {
    running: Running,
    address: String,
    folder: PathBuf,
}

impl Server {
    fn open(name: &str) -> Server {
        let folder = std::env::temp_dir().join(format!("parlor-join-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        Server::at(folder, "127.0.0.1:0")
    }

    fn at(folder: PathBuf, listen: &str) -> Server {
        let database = folder.join("games.db");
        let database = database.to_str().expect("a path");
        let mut running =
            Running::start(&["serve", "--listen", listen, "--database", database, "--no-limits"]);
        let line = running.until("http://");
        let address =
            line.split("http://").nth(1).expect("an address").trim().trim_end_matches('/').to_string();
        Server { running, address, folder }
    }

    fn http(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let body = body.to_string();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let body = answer.split_once("\r\n\r\n").expect("a body").1;
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn make(&self, body: &Value) -> Value {
        let made = self.http("POST", "/api/v1/games", body);
        assert!(made["id"].is_string(), "{made}");
        made
    }

    /// The game's cause of ending, when it has ended.
    fn ended(&self, id: &str) -> String {
        let begun = Instant::now();
        while begun.elapsed() < LONG {
            let state = self.http("GET", &format!("/api/v1/games/{id}"), &Value::Null);
            if let Some(cause) = state["ending"]["cause"].as_str() {
                return cause.to_string();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the game goes on");
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.running.child.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[test]
fn a_guest_and_a_waiting_player_play_a_whole_game_of_every_kind() {
    let server = Server::open("whole");
    let mut waiter = Running::start(&["join", &server.url("/"), "--player", "random", "--name", "Waiter"]);
    waiter.until("waits at");
    for entry in parlor_catalog::entries() {
        let made = json!({"game": entry.name, "first": {"kind": "waiting", "name": "Waiter"}, "second": {"kind": "open"}});
        let made = server.make(&made);
        let link =
            server.url(&format!("/games/{}?invitation={}", text(&made, "id"), text(&made, "invitation")));
        let guest = Running::start(&["join", &link, "--player", "random", "--name", "Guest", "-v"]);
        let (said, code) = guest.rest();
        assert_eq!(code, Some(0), "{}: {said}", entry.name);
        for told in ["seat taken: second", "against Waiter", "our move: ", "their move: "] {
            assert!(said.contains(told), "{}: no '{told}' in {said}", entry.name);
        }
        let result = said.lines().last().unwrap_or_default().to_string();
        assert!(["won (", "lost (", "drawn ("].iter().any(|word| result.starts_with(word)), "{result}");
        assert!(["normal", "cycle"].contains(&server.ended(text(&made, "id")).as_str()), "{}", entry.name);
        waiter.until("against Guest");
        waiter.until("(");
        waits_again(&server);
    }
}

fn waits_again(server: &Server) {
    let begun = Instant::now();
    while server.http("GET", "/api/v1/bots", &Value::Null)["waiting"] == json!([]) {
        assert!(begun.elapsed() < LONG, "it does not wait again");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_player_that_was_killed_comes_back_to_its_seat() {
    let server = Server::open("killed");
    let made = server.make(&json!({"game": "oware", "second": {"kind": "player", "spec": "bad"}}));
    let (url, token) = (server.url(&format!("/games/{}", text(&made, "id"))), text(&made, "token"));
    let words = ["join", &url, "--token", token, "--player", "minimax:time=50ms", "-v"];
    let mut first = Running::start(&words);
    for _ in 0..3 {
        first.until("our move");
    }
    drop(first);
    let (said, code) = Running::start(&words).rest();
    assert_eq!(code, Some(0), "{said}");
    assert!(["normal", "cycle"].contains(&server.ended(text(&made, "id")).as_str()));
}

#[test]
fn a_server_that_was_killed_and_comes_back_finds_its_player_again() {
    let mut server = Server::open("server");
    let made = server.make(&json!({"game": "oware", "second": {"kind": "player", "spec": "bad"}}));
    let (url, token) = (server.url(&format!("/games/{}", text(&made, "id"))), text(&made, "token"));
    let mut player = Running::start(&["join", &url, "--token", token, "--player", "minimax:time=50ms", "-v"]);
    for _ in 0..3 {
        player.until("our move");
    }
    server.running.child.kill().expect("its end");
    let _ = server.running.child.wait();
    player.until("the connection is lost");
    let again = server.address.clone();
    server.running = Server::at(server.folder.clone(), &again).take();
    let (said, code) = player.rest();
    assert_eq!(code, Some(0), "{said}");
    assert!(["normal", "cycle"].contains(&server.ended(text(&made, "id")).as_str()));
}

impl Server {
    /// The process alone; the folder stays.
    fn take(mut self) -> Running {
        self.folder = PathBuf::from("nowhere-to-be-found");
        let idle = Running::start(&["sprt", "1", "1", "1"]);
        std::mem::replace(&mut self.running, idle)
    }
}

fn joins(words: &[&str]) -> Output {
    Command::new(PARLOR).arg("join").args(words).output().expect("a process")
}

#[test]
fn every_refusal_is_one_sentence() {
    let server = Server::open("refusals");
    let made = server.make(&json!({"game": "oware", "second": {"kind": "open"}}));
    let game = server.url(&format!("/games/{}", text(&made, "id")));
    let nobody = "0123456789abcdef0123456789abcdef";
    let stranger = format!("{game}?invitation={nobody}");
    let missing = server.url(&format!("/games/2222222222?invitation={nobody}"));
    let waits = server.url("/");
    for (words, code, sentence) in [
        (vec!["https://games.example/"], 2, "tunnel"),
        (vec!["games.example"], 2, "http://"),
        (vec![game.as_str()], 2, "alone opens no seat"),
        (vec![game.as_str(), "--token", nobody], 1, "do not sit at this board"),
        (vec![stranger.as_str()], 1, "invitation has been used"),
        (vec![missing.as_str()], 1, "no such game"),
        (vec!["http://127.0.0.1:1/"], 1, "nobody answers"),
        (vec![waits.as_str(), "--player", "nonsense"], 2, "--player"),
        (vec![waits.as_str(), "--name", ""], 1, "name of 1 to 40"),
        (vec!["http://x/", "--cosc", "left", "--name", "x"], 2, "tcp://"),
        (vec!["tcp://127.0.0.1:1", "--cosc", "left"], 2, "--name"),
        (vec!["tcp://127.0.0.1:1", "--cosc", "left", "--name", "x"], 1, "nobody answers"),
    ] {
        let output = joins(&words);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {error}");
        assert!(error.contains(sentence) && error.trim().lines().count() == 1, "{words:?}: {error}");
    }
}
