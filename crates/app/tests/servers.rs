//! Several servers on one database, as processes: one is killed in the middle of games, and they go on through the other.
#![cfg(unix)]

#[path = "../../store/tests/places/mod.rs"]
mod places;

use serde_json::{Value, json};
use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Longer than it takes until a server that is gone is missed.
const MISSED: Duration = Duration::from_secs(30);

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(database: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args(["serve", "--no-limits", "--listen", "127.0.0.1:0", "--database", database])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("Parlor is open: http://").expect("the address");
        let address = address.trim_end_matches('/').to_string();
        Server { child, address }
    }

    fn ask(&self, method: &str, path: &str, token: &str, body: &Value) -> io::Result<(u16, Value)> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {token}\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let status =
            text.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        Ok((status, serde_json::from_str(body).unwrap_or(Value::Null)))
    }

    fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Game {
    path: String,
    token: String,
    ply: u64,
}

impl Game {
    fn new(server: &Server) -> Game {
        let (status, made) =
            server.ask("POST", "/api/v1/games", "", &json!({"game": "connect"})).expect("an answer");
        assert_eq!(status, 201, "{made}");
        let text = |name: &str| made[name].as_str().expect("text").to_string();
        Game { path: format!("/api/v1/games/{}", text("id")), token: text("token"), ply: 0 }
    }

    /// Makes the next move there; how long it took.
    fn go_on(&mut self, server: &Server) -> Duration {
        let begun = Instant::now();
        let mv = (self.ply % 6 + 1).to_string();
        let body = json!({"ply": self.ply, "move": mv});
        loop {
            match server.ask("POST", &format!("{}/moves", self.path), &self.token, &body) {
                Ok((200, state)) => {
                    self.ply += 1;
                    assert_eq!(state["ply"], self.ply, "{state}");
                    return begun.elapsed();
                }
                other => assert!(begun.elapsed() < MISSED, "{other:?}"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
fn games_go_on_through_another_server_when_one_is_killed() {
    let Some(place) = places::shared("servers_killed") else { return };
    let [mut a, mut b] = [Server::start(&place.at), Server::start(&place.at)];
    let mut games: Vec<Game> = (0..4).map(|_| Game::new(&a)).collect();
    for round in 0..3 {
        for game in &mut games {
            // By way of either server, whoever owns it.
            game.go_on(&a);
            game.go_on(&b);
        }
        a.kill();
        let waited = games.iter_mut().map(|game| game.go_on(&b)).max().expect("games");
        assert!(waited < MISSED, "round {round}: {waited:?}");
        // A new one comes in its place, and the next to be killed is the other.
        a = Server::start(&place.at);
        std::mem::swap(&mut a, &mut b);
    }
    for game in &games {
        let (_, state) = b.ask("GET", &game.path, &game.token, &Value::Null).expect("an answer");
        let expected: Vec<String> = (0..game.ply).map(|ply| (ply % 6 + 1).to_string()).collect();
        assert_eq!(state["moves"], json!(expected), "each once, in its order");
    }
}
