//! Tests of `parlor join` with `parlor serve`: complete games over the network, and lost connections.

use crate::harness::{Server, parlor, run};
use parlor_testkit::{Database, Process, eventually};
use serde_json::{Value, json};
use std::process::Stdio;

fn join(words: &[&str]) -> Process {
    Process::start(parlor(&["join"]).args(words).stderr(Stdio::piped()))
}

impl Server {
    fn make(&self, body: &Value) -> Value {
        let made = self.client.post("/api/v1/games", body);
        assert_eq!(made.status, 201, "{made:?}");
        made.json()
    }

    /// The game's cause of ending, when it has ended.
    fn ended(&self, id: &str) -> String {
        let mut cause = None;
        eventually("the game ends", || {
            let state = self.client.get(&format!("/api/v1/games/{id}")).json();
            cause = state["ending"]["cause"].as_str().map(String::from);
            cause.is_some()
        });
        cause.expect("an ending")
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.client.address)
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[test]
fn a_guest_and_a_waiting_player_play_a_complete_game_of_every_kind() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let mut waiter = join(&[&server.url("/"), "--player", "random", "--name", "Waiter"]);
    waiter.line_with("is waiting at");
    for entry in parlor_catalog::entries() {
        let made = json!({"game": entry.name, "first": {"kind": "waiting", "name": "Waiter"}, "second": {"kind": "open"}});
        let made = server.make(&made);
        let link =
            server.url(&format!("/games/{}?invitation={}", text(&made, "id"), text(&made, "invitation")));
        let guest = join(&[&link, "--player", "random", "--name", "Guest", "-v"]);
        let (said, code) = guest.rest();
        assert_eq!(code, 0, "{}: {said}", entry.name);
        for told in ["as the second player", "against Waiter", "our move: ", "their move: "] {
            assert!(said.contains(told), "{}: no '{told}' in {said}", entry.name);
        }
        let result = said.lines().last().unwrap_or_default().to_string();
        assert!(["won (", "lost (", "drawn ("].iter().any(|word| result.starts_with(word)), "{result}");
        assert!(["normal", "cycle"].contains(&server.ended(text(&made, "id")).as_str()), "{}", entry.name);
        waiter.line_with("against Guest");
        waiter.line_with("(");
        waits_again(&server);
    }
}

fn waits_again(server: &Server) {
    eventually("the player waits again", || server.client.get("/api/v1/bots").json()["waiting"] != json!([]));
}

#[test]
fn a_killed_player_resumes_at_its_seat() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let made = server.make(&json!({"game": "oware", "second": {"kind": "player", "spec": "bad"}}));
    let (url, token) = (server.url(&format!("/games/{}", text(&made, "id"))), text(&made, "token"));
    let words = [&url, "--token", token, "--player", "minimax:time=50ms", "-v"];
    let mut first = join(&words);
    for _ in 0..3 {
        first.line_with("our move");
    }
    drop(first);
    let (said, code) = join(&words).rest();
    assert_eq!(code, 0, "{said}");
    assert!(["normal", "cycle"].contains(&server.ended(text(&made, "id")).as_str()));
}

#[test]
fn a_player_reconnects_to_a_restarted_server() {
    let db = Database::sqlite();
    let mut server = Server::start(&db.url);
    let made = server.make(&json!({"game": "oware", "second": {"kind": "player", "spec": "bad"}}));
    let (url, token) = (server.url(&format!("/games/{}", text(&made, "id"))), text(&made, "token"));
    let mut player = join(&[&url, "--token", token, "--player", "minimax:time=50ms", "-v"]);
    for _ in 0..3 {
        player.line_with("our move");
    }
    server.process.kill();
    player.line_with("connection lost; reconnecting");
    server = Server::at(&db.url, &server.client.address);
    let (said, code) = player.rest();
    assert_eq!(code, 0, "{said}");
    assert!(["normal", "cycle"].contains(&server.ended(text(&made, "id")).as_str()));
}

#[test]
fn every_refusal_is_one_sentence() {
    let db = Database::sqlite();
    let server = Server::start(&db.url);
    let made = server.make(&json!({"game": "oware", "second": {"kind": "open"}}));
    let game = server.url(&format!("/games/{}", text(&made, "id")));
    let unknown = "0123456789abcdef0123456789abcdef";
    let stranger = format!("{game}?invitation={unknown}");
    let missing = server.url(&format!("/games/2222222222?invitation={unknown}"));
    let waits = server.url("/");
    for (words, code, sentence) in [
        (vec!["https://127.0.0.1:1/"], 1, "cannot connect to"),
        (vec!["games.example"], 2, "http://"),
        (vec![game.as_str()], 2, "has no invitation"),
        (vec![game.as_str(), "--token", unknown], 1, "not a player of this game"),
        (vec![stranger.as_str()], 1, "invitation is invalid or already used"),
        (vec![missing.as_str()], 1, "game does not exist"),
        (vec!["http://127.0.0.1:1/"], 1, "cannot connect to"),
        (vec![waits.as_str(), "--player", "nonsense"], 2, "--player"),
        (vec![waits.as_str(), "--name", ""], 1, "expected 1 to 40 characters"),
        (vec!["http://x/", "--cosc", "left", "--name", "x"], 2, "tcp://"),
        (vec!["tcp://127.0.0.1:1", "--cosc", "left"], 2, "--name"),
        (vec!["tcp://127.0.0.1:1", "--cosc", "left", "--name", "x"], 1, "cannot connect to"),
    ] {
        let (exit, _, error) = run(&[&["join"], &words[..]].concat());
        assert_eq!(exit, code, "{words:?}: {error}");
        assert!(error.contains(sentence) && error.trim().lines().count() == 1, "{words:?}: {error}");
    }
}
