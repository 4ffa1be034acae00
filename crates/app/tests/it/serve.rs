//! `parlor serve` as a process: prints its address, keeps every acknowledged move through kill -9, and shuts down on SIGTERM.
#![cfg(unix)]

use crate::harness::{Server, parlor};
use parlor_testkit::{Database, eventually, temp_folder};
use serde_json::json;
use std::{
    io::{Read, Write},
    net::TcpStream,
};

#[test]
fn every_acknowledged_move_survives_a_sudden_end() {
    let db = Database::sqlite();
    let mut server = Server::start(&db.url);
    let made = server.client.post("/api/v1/games", &json!({"game": "connect"}));
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    let (id, token) = (made["id"].as_str().expect("an id"), made["token"].as_str().expect("a token"));
    let path = format!("/api/v1/games/{id}");
    for round in 0..4 {
        for step in 0..3 {
            let ply = 3 * round + step;
            let mv = (ply % 6 + 1).to_string();
            let player = server.client.with_token(token);
            let answer = player.post(&format!("{path}/moves"), &json!({"ply": ply, "move": mv}));
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        server.process.kill();
        server = Server::at(&db.url, &server.client.address);
        let now = server.client.with_token(token).get(&path).json();
        assert_eq!(now["ply"], 3 * (round + 1), "{now}");
        assert_eq!(now["you"], json!(["first", "second"]), "the seats are still theirs");
    }
}

/// Plays the first legal move, or the last one if it can read the database that lies beside it.
const CURIOUS: &str = r#"
while IFS='	' read -r kind game position moves rest; do
    [ "$kind" = turn ] || continue
    set -- $moves
    if cat games.db >/dev/null 2>&1; then shift $(($# - 1)); fi
    echo "$1"
done
"#;

#[test]
fn a_bot_of_the_server_cannot_read_the_database_beside_it() {
    let folder = temp_folder();
    folder.write("curious.sh", CURIOUS);
    let mut command = parlor(&["serve", "--listen", "127.0.0.1:0", "--database", "games.db"]);
    let server = Server::with(command.args(["--bot", "curious=bot:sh curious.sh"]).current_dir(&folder));
    let body = json!({"game": "connect:7,6,4", "first": {"kind": "house", "name": "curious"}});
    let made = server.client.post("/api/v1/games", &body);
    assert_eq!(made.status, 201, "{made:?}");
    let path = format!("/api/v1/games/{}", made.json()["id"].as_str().expect("an id"));
    eventually("the bot moves", || server.client.get(&path).json()["ply"] == 1);
    let record = server.client.get(&path).json();
    assert_eq!(record["moves"][0], "1", "{record}");
}

#[test]
fn shuts_down_on_sigterm_with_active_spectators() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let made = server.client.post("/api/v1/games", &json!({"game": "kalah"})).json();
    let id = made["id"].as_str().expect("an id");
    let mut watching = TcpStream::connect(&server.client.address).expect("a connection");
    write!(watching, "GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: x\r\n\r\n").expect("a request");
    let mut some = [0; 64];
    watching.read_exact(&mut some).expect("an answer begins");
    server.process.signal("TERM");
    let (rest, code) = server.process.rest();
    assert_eq!(code, 0, "{rest}");
    assert!(rest.contains("Server stopped; all games are saved."), "{rest}");
}

#[test]
fn bad_usage_is_one_line() {
    for (args, part) in [
        (&["--listen", "nowhere"][..], "expected an address with a port"),
        (&["--public", "games.example.org"][..], "expected a URL without a path"),
        (&["--trusted-proxy", "10.0.0.0/33"][..], "a network like 10.0.0.0/8"),
        (&["--think-time", "2h"][..], "expected a time from 10ms to 1h"),
        (&["--connections-per-address", "0"][..], "0 is not in 1..=65535"),
        (&["--bot", "greedy"][..], "expected NAME=SPEC"),
        (&["--bot", "a=bot:"][..], "--bot a"),
        (&["--database", "/nowhere/at/all/games.db"][..], "cannot open the database"),
    ] {
        let folder = temp_folder();
        let (code, _, error) =
            parlor_testkit::run(parlor(&["serve"]).args(args).env("XDG_DATA_HOME", &folder));
        assert!(code != 0 && error.contains(part) && error.lines().count() == 1, "{args:?}: {error}");
    }
}

#[test]
fn the_database_is_named_by_an_option_a_file_or_the_environment_in_this_order() {
    let folder = temp_folder();
    let place = |name: &str| folder.join(name).to_str().expect("a name").to_string();
    let file = folder.write("place", &format!("{}\n", place("by-file.db")));
    let file = file.to_str().expect("a name");
    let start = |more: &[&str], name: &str| {
        let mut command = parlor(&["serve", "--listen", "127.0.0.1:0"]);
        let mut server = Server::with(command.args(more).env("PARLOR_DATABASE", place("by-environment.db")));
        let line = server.process.line_with("Games are saved in");
        assert!(line.contains(&place(name)), "{more:?}: {line}");
    };
    start(&["--database", &place("by-option.db")], "by-option.db");
    start(&["--database-file", file], "by-file.db");
    start(&[], "by-environment.db");
}

#[test]
fn no_password_of_a_database_is_shown_and_one_on_the_command_line_is_warned_of() {
    let folder = temp_folder();
    let address = "postgres://ann:secret@127.0.0.1:1/parlor";
    let file = folder.write("place", address);
    let by_file = ["--database-file", file.to_str().expect("a name")];
    for command in ["serve", "worker"] {
        for (arguments, variable) in
            [(&["--database", address][..], ""), (&by_file[..], ""), (&[][..], address)]
        {
            let run =
                parlor_testkit::run(parlor(&[command]).args(arguments).env("PARLOR_DATABASE", variable));
            let (code, out, error) = run;
            assert_eq!(code, 1, "{error}");
            assert!(!format!("{out}{error}").contains("secret"), "{error}");
            assert!(error.contains("postgres://127.0.0.1:1/parlor"), "{error}");
            let warned = error.contains("visible in the process list");
            assert_eq!(warned, arguments.first() == Some(&"--database"), "{arguments:?}: {error}");
        }
    }
}

#[test]
fn a_file_that_names_no_database_is_refused() {
    let folder = temp_folder();
    let empty = folder.write("empty", "\n");
    let other = folder.write("other", "mysql://ann:secret@host/name\n");
    for (file, part) in [
        (empty.as_path(), "the first line is empty"),
        (other.as_path(), "expected a file, or a URL like postgres://"),
        (&folder.join("missing"), "cannot read the file"),
    ] {
        let file = file.to_str().expect("a name");
        let (code, _, error) = parlor_testkit::run(&mut parlor(&["serve", "--database-file", file]));
        assert_eq!(code, 2, "{error}");
        assert!(error.starts_with("parlor: --database-file: ") && error.contains(part), "{error}");
        assert!(error.lines().count() == 1 && !error.contains("secret"), "{error}");
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
fn idle_slow_and_unread_connections_do_not_affect_other_clients() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let made = server.client.post("/api/v1/games", &json!({"game": "kalah"})).json();
    let (id, token) = (made["id"].as_str().expect("an id"), made["token"].as_str().expect("a token"));
    let mut connections = Vec::new();
    for number in 0..crowd() {
        // Where the system has no more, those that are there are the crowd.
        let Ok(mut stream) = TcpStream::connect(&server.client.address) else { break };
        let sent = match number % 3 {
            0 => String::new(),
            1 => "GET / HTTP/1.1\r\nHost: half".to_string(),
            _ => format!("GET /api/v1/games/{id}/events HTTP/1.1\r\nHost: x\r\n\r\n"),
        };
        let _ = stream.write_all(sent.as_bytes());
        connections.push(stream);
    }
    assert!(connections.len() > 500, "only {} connections", connections.len());
    let player = server.client.with_token(token);
    for ply in 0..20 {
        let now = player.get(&format!("/api/v1/games/{id}")).json();
        let hole = now["paths"].as_array().and_then(|paths| paths.first().cloned()).expect("a legal move");
        let body = json!({"ply": ply, "path": [hole]});
        let answer = player.post(&format!("/api/v1/games/{id}/moves"), &body);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    drop(connections);
    assert_eq!(server.client.get("/healthz").status, 200);
    let metrics = server.client.get("/metrics").body;
    assert!(metrics.contains("parlor_moves_total 20"), "{metrics}");
}
