//! Many live games at the same time: posts moves at a constant rate and measures the delay for every spectator.

use crate::{
    Ran,
    http::{Client, watch},
    print_line,
};
use parlor_core::Board;
use serde_json::json;
use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

const GAME: &str = "kalah:6,4";
/// Connections that post moves.
const CONNECTIONS: usize = 32;
/// Upper bound of the number of moves of a game.
const LONGEST: usize = 400;

#[derive(Clone, Copy)]
pub struct LoadPlan {
    pub games: usize,
    pub spectators: usize,
    pub rate: usize,
    pub seconds: usize,
    /// The server on which spectators watch, if it is not the one that gets the moves.
    pub elsewhere: Option<SocketAddr>,
}

struct Game {
    id: String,
    token: String,
    /// The time at which each move was posted, in microseconds since the start.
    posted: Vec<AtomicU64>,
}

pub async fn run(address: &str, pid: &str, plan: LoadPlan) -> Ran {
    let address: SocketAddr = address.parse()?;
    let (begun, before) = (Instant::now(), resident_memory(pid));
    let games = Arc::new(create(address, plan.games).await?);
    let with_games = resident_memory(pid);
    let delays = Arc::new(Mutex::new(Vec::<u32>::new()));
    let events = Arc::new(AtomicUsize::new(0));
    for i in 0..plan.spectators {
        let (games, delays, events) = (games.clone(), delays.clone(), events.clone());
        tokio::spawn(async move {
            let game = &games[i % games.len()];
            let _ = watch(plan.elsewhere.unwrap_or(address), &game.id, |number| {
                events.fetch_add(1, Relaxed);
                let posted = game.posted.get(number).map_or(0, |posted| posted.load(Relaxed));
                if posted > 0 {
                    let delay = begun.elapsed().as_micros() as u64 - posted;
                    if let Ok(mut delays) = delays.lock() {
                        delays.push(delay as u32);
                    }
                }
            })
            .await;
        });
    }
    while events.load(Relaxed) < plan.spectators {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let with_spectators = resident_memory(pid);
    let answers = post(address, &games, plan, begun).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let after = resident_memory(pid);
    let delays = delays.lock().map_err(|_| "a spectator panicked")?.clone();
    let moves = answers.len();
    print_line(&format!(
        "{} live games, {} spectators, {moves} moves in {} s",
        plan.games, plan.spectators, plan.seconds
    ));
    print_line(&format!("moves a second           {:>9.0}", moves as f64 / plan.seconds as f64));
    print_line(&format!(
        "events to spectators     {:>9} (of {})",
        delays.len(),
        moves * plan.spectators / plan.games
    ));
    row("POST to its answer, ms", answers);
    let [p50, p99, worst] = row("POST to every event, ms", delays);
    print_line(&format!(
        "memory of the server     {:>9.0} MiB at first, {:.0} with games, {:.0} with spectators, {:.0} at the end",
        mib(before),
        mib(with_games),
        mib(with_spectators),
        mib(after)
    ));
    print_line(&format!(
        "a game                   {:>9.1} KiB",
        (with_games.saturating_sub(before)) as f64 / 1024.0 / plan.games as f64
    ));
    print_line(&format!(
        "a spectator              {:>9.1} KiB",
        (with_spectators.saturating_sub(with_games)) as f64 / 1024.0 / plan.spectators as f64
    ));
    let met = |met: bool| if met { "yes" } else { "NO" };
    print_line(&format!("p99 below 100 ms: {} (median {p50:.1}, worst {worst:.1})", met(p99 < 100.0)));
    print_line(&format!("memory below 1 GiB: {}", met(after < 1 << 30)));
    Ok(())
}

async fn create(
    address: SocketAddr,
    count: usize,
) -> Result<Vec<Game>, Box<dyn std::error::Error + Send + Sync>> {
    let mut client = Client::new(address);
    let mut games = Vec::new();
    for _ in 0..count {
        let (status, made) = client.ask("POST", "/api/v1/games", "", Some(&json!({"game": GAME}))).await?;
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_string();
        if status != 201 {
            return Err(format!("a game was refused: {status} {made}").into());
        }
        let posted = (0..LONGEST).map(|_| AtomicU64::new(0)).collect();
        games.push(Game { id: text("id"), token: text("token"), posted });
    }
    Ok(games)
}

/// Posts moves at a constant rate from several connections. Returns the response times in microseconds.
async fn post(
    address: SocketAddr,
    games: &Arc<Vec<Game>>,
    plan: LoadPlan,
    begun: Instant,
) -> Result<Vec<u32>, Box<dyn std::error::Error + Send + Sync>> {
    let (start, total) = (Instant::now(), plan.rate * plan.seconds);
    let mut hands = Vec::new();
    for hand in 0..CONNECTIONS {
        let games = games.clone();
        hands.push(tokio::spawn(async move {
            let mut client = Client::new(address);
            let rules = parlor_catalog::game(GAME).expect("a game");
            // Each connection has its own games.
            let own: Vec<usize> = (hand..games.len()).step_by(CONNECTIONS).collect();
            let mut boards: Vec<Box<dyn Board>> = own.iter().map(|_| rules.board()).collect();
            let mut answers = Vec::new();
            for (turn, k) in (hand..total).step_by(CONNECTIONS).enumerate() {
                let due = start + Duration::from_secs_f64(k as f64 / plan.rate as f64);
                tokio::time::sleep_until(due.into()).await;
                let place = turn % own.len();
                let (game, board) = (&games[own[place]], &mut boards[place]);
                let moves = board.moves();
                let Some(mv) = moves.get(turn * 7 % moves.len().max(1)).cloned() else { continue };
                let ply = board.ply();
                let sent = Instant::now();
                game.posted[ply + 1].store(begun.elapsed().as_micros() as u64, Relaxed);
                let path = format!("/api/v1/games/{}/moves", game.id);
                let body = json!({"ply": ply, "move": mv});
                let (status, answer) = client.ask("POST", &path, &game.token, Some(&body)).await?;
                if status != 200 {
                    return Err(std::io::Error::other(format!("a move was refused: {status} {answer}")));
                }
                answers.push(sent.elapsed().as_micros() as u32);
                board.play(&mv).map_err(|bad| std::io::Error::other(bad.0))?;
            }
            Ok(answers)
        }));
    }
    let mut answers = Vec::new();
    for hand in hands {
        answers.extend(hand.await??);
    }
    Ok(answers)
}

fn row(what: &str, mut micros: Vec<u32>) -> [f64; 3] {
    micros.sort_unstable();
    let at = |share: f64| {
        let place = ((micros.len() as f64 * share) as usize).min(micros.len().saturating_sub(1));
        f64::from(micros.get(place).copied().unwrap_or(0)) / 1000.0
    };
    let [p50, p99, worst] = [at(0.5), at(0.99), at(1.0)];
    print_line(&format!("{what:<24} {p50:>9.2} p50 {p99:>9.2} p99 {worst:>9.2} worst"));
    [p50, p99, worst]
}

/// The resident memory of a process in bytes; 0 if it cannot be read.
fn resident_memory(pid: &str) -> usize {
    let text = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or(0) * 4096
}

fn mib(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
