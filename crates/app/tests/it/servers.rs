//! Tests of several servers on one database: one is killed during games, and the games continue on the other.
#![cfg(unix)]

use crate::harness::Server;
use parlor_testkit::{Database, eventually, on_postgres};
use serde_json::json;

on_postgres! { games_go_on_through_another_server_when_one_is_killed }

struct Game {
    path: String,
    token: String,
    ply: u64,
}

impl Game {
    fn new(server: &Server) -> Game {
        let made = server.client.post("/api/v1/games", &json!({"game": "connect"}));
        assert_eq!(made.status, 201, "{made:?}");
        let made = made.json();
        let text = |name: &str| made[name].as_str().expect("text").to_string();
        Game { path: format!("/api/v1/games/{}", text("id")), token: text("token"), ply: 0 }
    }

    /// Makes the next move there, as soon as the server takes it.
    fn go_on(&mut self, server: &Server) {
        let mv = (self.ply % 6 + 1).to_string();
        let body = json!({"ply": self.ply, "move": mv}).to_string();
        let (path, client) = (format!("{}/moves", self.path), server.client.with_token(&self.token));
        eventually("the move is acknowledged", || {
            client.try_send("POST", &path, &body).is_ok_and(|answer| {
                assert!(answer.status != 200 || answer.json()["ply"] == self.ply + 1, "{answer:?}");
                answer.status == 200
            })
        });
        self.ply += 1;
    }
}

fn games_go_on_through_another_server_when_one_is_killed(db: &Database) {
    let [mut a, mut b] = [Server::start(&db.url), Server::start(&db.url)];
    let mut games: Vec<Game> = (0..4).map(|_| Game::new(&a)).collect();
    for _ in 0..3 {
        for game in &mut games {
            // Through either server, whichever owns the game.
            game.go_on(&a);
            game.go_on(&b);
        }
        a.process.kill();
        games.iter_mut().for_each(|game| game.go_on(&b));
        // A new one comes in its place, and the next to be killed is the other.
        a = Server::start(&db.url);
        std::mem::swap(&mut a, &mut b);
    }
    for game in &games {
        let state = b.client.with_token(&game.token).get(&game.path).json();
        let expected: Vec<String> = (0..game.ply).map(|ply| (ply % 6 + 1).to_string()).collect();
        assert_eq!(state["moves"], json!(expected), "each once, in its order");
    }
}
