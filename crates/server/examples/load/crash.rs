//! A server that is killed again and again. Whoever plays believes only what was acknowledged, and asks again after each crash.

use crate::{Ran, http::Client, tell};
use parlor_play::{Audience, Board};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

const GAME: &str = "kalah:6,4";
const HANDS: usize = 16;

/// One game and what its player knows of it.
struct Played {
    id: String,
    token: String,
    /// The moves that were acknowledged, and those found after a crash.
    moves: Vec<String>,
    acknowledged: usize,
}

pub async fn run(parlor: &str, folder: &str, moves: usize, kills: usize) -> Ran {
    let (mut server, address) = start(parlor, folder, "127.0.0.1:0")?;
    let done = Arc::new(AtomicUsize::new(0));
    let share = moves / HANDS;
    let hands: Vec<_> =
        (0..HANDS).map(|hand| tokio::spawn(play(address, share, hand, done.clone()))).collect();
    for kill in 1..=kills {
        // Somewhere in its part of the run, at a moment that nobody chose.
        let until = moves * kill / (kills + 1);
        while done.load(Relaxed) < until && !hands.iter().all(tokio::task::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_micros(700)).await;
        }
        server.kill()?;
        server.wait()?;
        (server, _) = start(parlor, folder, &address.to_string())?;
    }
    let mut games = Vec::new();
    for hand in hands {
        games.extend(hand.await?.map_err(|why| why.to_string())?);
    }
    server.kill()?;
    server.wait()?;
    (server, _) = start(parlor, folder, &address.to_string())?;
    let ran = compare(address, &games).await;
    server.kill()?;
    server.wait()?;
    let (acknowledged, found) = ran?;
    tell(&format!(
        "{acknowledged} moves acknowledged in {} games, the server killed {kills} times",
        games.len()
    ));
    tell(&format!(
        "all of them are there, none twice; {found} more were kept whose answer the crash cut off"
    ));
    Ok(())
}

fn start(
    parlor: &str,
    folder: &str,
    listen: &str,
) -> Result<(Child, SocketAddr), Box<dyn std::error::Error + Send + Sync>> {
    let database = format!("{folder}/games.db");
    let mut server = Command::new(parlor)
        .args(["serve", "--no-limits", "--listen", listen, "--database", &database])
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

/// Plays so many moves in one game after the other.
async fn play(
    address: SocketAddr,
    share: usize,
    hand: usize,
    done: Arc<AtomicUsize>,
) -> std::io::Result<Vec<Played>> {
    let mut client = Client::new(address);
    let rules = parlor_catalog::game(GAME).map_err(|bad| std::io::Error::other(bad.0))?;
    let mut games: Vec<Played> = Vec::new();
    let mut board: Box<dyn Board> = rules.board();
    let mut made = 0;
    while made < share {
        if games.is_empty() || board.ending().is_some() {
            let answer = insist(&mut client, "POST", "/api/v1/games", "", Some(&json!({"game": GAME}))).await;
            let text = |name: &str| answer[name].as_str().unwrap_or_default().to_string();
            games.push(Played { id: text("id"), token: text("token"), moves: Vec::new(), acknowledged: 0 });
            board = rules.board();
        }
        let Some(game) = games.last_mut() else { continue };
        let moves = board.moves();
        let mv = moves[(made * 5 + hand) % moves.len()].clone();
        let path = format!("/api/v1/games/{}", game.id);
        let body = json!({"ply": board.ply(), "move": mv});
        match client.ask("POST", &format!("{path}/moves"), &game.token, Some(&body)).await {
            Ok((200, _)) => game.acknowledged += 1,
            // Whether it was kept is not known: look, and go on from there.
            _ => {
                let now = insist(&mut client, "GET", &path, "", None).await;
                if now["ply"].as_u64() != Some(board.ply() as u64 + 1) {
                    continue;
                }
            }
        }
        board.play(&mv, Audience::NOBODY).map_err(|bad| std::io::Error::other(bad.0))?;
        game.moves.push(mv);
        made += 1;
        done.fetch_add(1, Relaxed);
    }
    Ok(games)
}

/// Asks until there is an answer: a server that is down comes back.
async fn insist(client: &mut Client, method: &str, path: &str, token: &str, body: Option<&Value>) -> Value {
    loop {
        match client.ask(method, path, token, body).await {
            Ok((200 | 201, answer)) => return answer,
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// What the server has now beside what was played: how many moves were acknowledged, and how many more are there.
async fn compare(address: SocketAddr, games: &[Played]) -> Result<(usize, usize), String> {
    let mut client = Client::new(address);
    let (mut acknowledged, mut all) = (0, 0);
    for game in games {
        let now = insist(&mut client, "GET", &format!("/api/v1/games/{}", game.id), "", None).await;
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
