//! Kills servers repeatedly while clients play. A client counts a move only after it was acknowledged. After a
//! crash it repeats the request, on another server if there is one.

use crate::{Ran, http::Client, print_line};
use parlor_core::Board;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

const GAME: &str = "kalah:6,4";
const CLIENTS: usize = 16;

/// A game as its player knows it.
struct PlayedGame {
    id: String,
    token: String,
    /// The moves that were acknowledged or found after a crash.
    moves: Vec<String>,
    acknowledged: usize,
}

/// The games of one client, and the time in milliseconds until each of its moves was acknowledged or found.
type Work = (Vec<PlayedGame>, Vec<u64>);

pub async fn run(parlor: &str, database: &str, moves: usize, kills: usize, count: usize) -> Ran {
    let started: Result<Vec<_>, _> = (0..count).map(|_| start(parlor, database, "127.0.0.1:0")).collect();
    let (mut servers, addresses): (Vec<Child>, Vec<SocketAddr>) = started?.into_iter().unzip();
    let done = Arc::new(AtomicUsize::new(0));
    let share = moves / CLIENTS;
    let hands: Vec<_> =
        (0..CLIENTS).map(|hand| tokio::spawn(play(addresses.clone(), share, hand, done.clone()))).collect();
    for kill in 1..=kills {
        // Each kill has its own part of the run.
        let until = moves * kill / (kills + 1);
        while done.load(Relaxed) < until && !hands.iter().all(tokio::task::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_micros(700)).await;
        }
        let which = kill % count;
        servers[which].kill()?;
        servers[which].wait()?;
        servers[which] = start(parlor, database, &addresses[which].to_string())?.0;
    }
    let (mut games, mut waits) = (Vec::new(), Vec::new());
    for hand in hands {
        let (played, waited) = hand.await?.map_err(|why| why.to_string())?;
        games.extend(played);
        waits.extend(waited);
    }
    servers[0].kill()?;
    servers[0].wait()?;
    servers[0] = start(parlor, database, &addresses[0].to_string())?.0;
    let ran = compare(addresses[0], &games).await;
    for server in &mut servers {
        server.kill()?;
        server.wait()?;
    }
    let (acknowledged, found) = ran?;
    print_line(&format!(
        "{acknowledged} moves acknowledged in {} games on {count} server(s), one of them killed {kills} times",
        games.len()
    ));
    waits.sort_unstable();
    let wait =
        |share: usize| waits.get((waits.len() * share / 1000).min(waits.len() - 1)).copied().unwrap_or(0);
    let interrupted = waits.iter().filter(|wait| **wait > 500).count();
    print_line(&format!(
        "a move waited {} ms (median), {} ms (p99), {} ms at most; {interrupted} waited longer than half a second",
        wait(500),
        wait(990),
        wait(1000)
    ));
    print_line(&format!(
        "all of them are there, none twice; {found} more were kept whose answer the crash cut off"
    ));
    Ok(())
}

fn start(
    parlor: &str,
    database: &str,
    listen: &str,
) -> Result<(Child, SocketAddr), Box<dyn std::error::Error + Send + Sync>> {
    let mut server = Command::new(parlor)
        .args(["serve", "--no-limits", "--listen", listen, "--database", database])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let address = line.trim().rsplit("http://").next().map(|text| text.trim_end_matches('/').parse());
    match address {
        Some(Ok(address)) => Ok((server, address)),
        _ => Err(format!("the server did not begin: {line}").into()),
    }
}

/// Plays this many moves, in one game after another.
async fn play(
    addresses: Vec<SocketAddr>,
    share: usize,
    hand: usize,
    done: Arc<AtomicUsize>,
) -> std::io::Result<Work> {
    let mut client = FailoverClient { clients: addresses.into_iter().map(Client::new).collect(), at: hand };
    let rules = parlor_catalog::game(GAME).map_err(|bad| std::io::Error::other(bad.0))?;
    let mut games: Vec<PlayedGame> = Vec::new();
    let mut board: Box<dyn Board> = rules.board();
    let (mut made, mut waits, mut since) = (0, Vec::new(), Instant::now());
    while made < share {
        if games.is_empty() || board.ending().is_some() {
            let answer =
                client.ask_until_answered("POST", "/api/v1/games", "", Some(&json!({"game": GAME}))).await;
            let text = |name: &str| answer[name].as_str().unwrap_or_default().to_string();
            games.push(PlayedGame {
                id: text("id"),
                token: text("token"),
                moves: Vec::new(),
                acknowledged: 0,
            });
            board = rules.board();
        }
        let Some(game) = games.last_mut() else { continue };
        let moves = board.moves();
        let mv = moves[(made * 5 + hand) % moves.len()].clone();
        let path = format!("/api/v1/games/{}", game.id);
        let body = json!({"ply": board.ply(), "move": mv});
        match client.ask("POST", &format!("{path}/moves"), &game.token, Some(&body)).await {
            Ok((200, _)) => game.acknowledged += 1,
            // Whether the move was stored is unknown, so read the game and continue from its state.
            _ => {
                let now = client.ask_until_answered("GET", &path, "", None).await;
                if now["ply"].as_u64() != Some(board.ply() as u64 + 1) {
                    continue;
                }
            }
        }
        board.play(&mv).map_err(|bad| std::io::Error::other(bad.0))?;
        game.moves.push(mv);
        made += 1;
        waits.push(since.elapsed().as_millis() as u64);
        since = Instant::now();
        done.fetch_add(1, Relaxed);
    }
    Ok((games, waits))
}

/// A client that switches to another server when one does not answer.
struct FailoverClient {
    clients: Vec<Client>,
    at: usize,
}

impl FailoverClient {
    async fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> std::io::Result<(u16, Value)> {
        let place = self.at % self.clients.len();
        let answer = self.clients[place].ask(method, path, token, body).await;
        if answer.is_err() {
            self.at += 1;
        }
        answer
    }

    /// Repeats a request until there is an answer, because killed servers are restarted.
    async fn ask_until_answered(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> Value {
        loop {
            match self.ask(method, path, token, body).await {
                Ok((200 | 201, answer)) => return answer,
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    }
}

/// Compares the games of the server with those of the clients. Returns the number of acknowledged moves and of
/// further ones.
async fn compare(address: SocketAddr, games: &[PlayedGame]) -> Result<(usize, usize), String> {
    let mut client = FailoverClient { clients: vec![Client::new(address)], at: 0 };
    let (mut acknowledged, mut all) = (0, 0);
    for game in games {
        let now = client.ask_until_answered("GET", &format!("/api/v1/games/{}", game.id), "", None).await;
        let kept: Vec<String> =
            serde_json::from_value(now["moves"].clone()).map_err(|error| error.to_string())?;
        if kept != game.moves {
            return Err(format!(
                "game {}: {} moves were played, {} are there",
                game.id,
                game.moves.len(),
                kept.len()
            ));
        }
        acknowledged += game.acknowledged;
        all += kept.len();
    }
    Ok((acknowledged, all - acknowledged))
}
