//! `parlor serve` as a process: it says where it is, keeps what it acknowledged through a sudden end, and closes when it is told.
#![cfg(unix)]

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    fn start(database: &Path, listen: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args(["serve", "--no-limits", "--listen", listen, "--database"])
            .arg(database)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .strip_prefix("Parlor is open: http://")
            .expect("the address")
            .trim_end_matches('/')
            .to_string();
        Server { child, out, address }
    }

    fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("a request");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_string()))
    }

    fn json(&self, method: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let (status, text) = self.ask(method, path, token, &body.to_string());
        (status, serde_json::from_str(&text).unwrap_or(Value::Null))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("parlor-serve-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn every_acknowledged_move_survives_a_sudden_end() {
    let folder = scratch("kill");
    let database = folder.join("games.db");
    let mut server = Server::start(&database, "127.0.0.1:0");
    let (status, made) = server.json("POST", "/api/v1/games", "", &json!({"game": "connect"}));
    assert_eq!(status, 201, "{made}");
    let (id, token) = (made["id"].as_str().expect("an id"), made["token"].as_str().expect("a token"));
    let path = format!("/api/v1/games/{id}");
    for round in 0..4 {
        for step in 0..3 {
            let ply = 3 * round + step;
            let mv = (ply % 6 + 1).to_string();
            let (status, answer) =
                server.json("POST", &format!("{path}/moves"), token, &json!({"ply": ply, "move": mv}));
            assert_eq!(status, 200, "{answer}");
        }
        server.child.kill().expect("it can be killed");
        server.child.wait().expect("it ends");
        server = Server::start(&database, &server.address.clone());
        let (_, now) = server.json("GET", &path, token, &Value::Null);
        assert_eq!(now["ply"], 3 * (round + 1), "{now}");
        assert_eq!(now["you"], json!(["first", "second"]), "the seats are still theirs");
    }
}

#[test]
fn it_closes_when_it_is_told_though_somebody_watches() {
    let folder = scratch("term");
    let mut server = Server::start(&folder.join("games.db"), "127.0.0.1:0");
    let (_, made) = server.json("POST", "/api/v1/games", "", &json!({"game": "kalah"}));
    let id = made["id"].as_str().expect("an id");
    let mut watching = TcpStream::connect(&server.address).expect("a connection");
    write!(watching, "GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: x\r\n\r\n").expect("a request");
    let mut some = [0; 64];
    watching.read_exact(&mut some).expect("an answer begins");
    let pid = rustix::process::Pid::from_raw(server.child.id() as i32).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    assert!(server.child.wait().expect("it ends").success());
    let mut rest = String::new();
    server.out.read_to_string(&mut rest).expect("its last words");
    assert!(rest.contains("Closed; everything is kept."), "{rest}");
}

#[test]
fn bad_usage_is_one_line() {
    for (args, part) in [
        (&["--listen", "nowhere"][..], "it is not an address with a port"),
        (&["--public", "games.example.org"][..], "it is not an address without a path"),
        (&["--bot", "greedy"][..], "it is not like"),
        (&["--bot", "a=bot:"][..], "--bot a"),
        (&["--database", "/nowhere/at/all/games.db"][..], "cannot be opened"),
    ] {
        let folder = scratch("bad");
        let mut command = Command::new(env!("CARGO_BIN_EXE_parlor"));
        command.arg("serve").args(args).env("XDG_DATA_HOME", &folder);
        let output = command.output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && error.contains(part) && error.lines().count() == 1,
            "{args:?}: {error}"
        );
    }
}

/// As many connections as the system lets one process have, and ten thousand at most.
fn crowd() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    (most.saturating_sub(300) as usize).min(10_000)
}

#[test]
fn a_crowd_that_says_nothing_half_a_request_or_never_reads_hurts_nobody() {
    let folder = scratch("crowd");
    let server = Server::start(&folder.join("games.db"), "127.0.0.1:0");
    let (_, made) = server.json("POST", "/api/v1/games", "", &json!({"game": "kalah"}));
    let (id, token) = (made["id"].as_str().expect("an id"), made["token"].as_str().expect("a token"));
    let mut connections = Vec::new();
    for number in 0..crowd() {
        // Where the system has no more, those that are there are the crowd.
        let Ok(mut stream) = TcpStream::connect(&server.address) else { break };
        let sent = match number % 3 {
            0 => String::new(),
            1 => "GET / HTTP/1.1\r\nHost: half".to_string(),
            _ => format!("GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: x\r\n\r\n"),
        };
        let _ = stream.write_all(sent.as_bytes());
        connections.push(stream);
    }
    assert!(connections.len() > 500, "only {} connections", connections.len());
    for ply in 0..20 {
        let (_, now) = server.json("GET", &format!("/api/v1/games/{id}"), token, &Value::Null);
        let hole = now["paths"].as_array().and_then(|paths| paths.first().cloned()).expect("a legal move");
        let body = json!({"ply": ply, "path": [hole]});
        let (status, answer) = server.json("POST", &format!("/api/v1/games/{id}/moves"), token, &body);
        assert_eq!(status, 200, "{answer}");
    }
    drop(connections);
    assert_eq!(server.ask("GET", "/healthz", "", "").0, 200);
    let (_, metrics) = server.ask("GET", "/metrics", "", "");
    assert!(metrics.contains("parlor_moves_total 20"), "{metrics}");
}
