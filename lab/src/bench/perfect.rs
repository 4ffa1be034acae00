//! `cargo lab bench perfect`: plays `perfect` in won games of four in a row on 7x6 against random play, minimax and
//! itself. Some games start from the empty board, the others from random openings whose value a solver has
//! computed; perfect has the winning side. A won game that is not won is an error. The same player plays all games,
//! so that it keeps its proofs.

use crate::positions;
use anyhow::{Result, bail};
use parlor_catalog::{DynGame, Resources, game};
use parlor_core::{Answer, Game, Limits, Player, Side};
use parlor_engine::Random;
use parlor_games::connect::Connect;
use parlor_solvers::connect::ConnectSolver;
use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

const OTHERS: [&str; 3] = ["random", "minimax:depth=6", "perfect itself"];
/// Number of random moves of an opening.
const OPENING: std::ops::Range<usize> = 6..21;
const MIB: usize = 512;

/// A start position with the side that wins it and the margin.
struct Opening {
    moves: String,
    winner: Side,
    margin: u16,
}

/// Results against one opponent.
#[derive(Default)]
struct Tally {
    games: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    /// Wins by less than the proved value.
    slow: usize,
    moves: u32,
    thought: Duration,
    longest: Duration,
}

/// Plays `games` games, every `empty`-th of them from the empty board, with `seconds` per move of perfect.
pub fn measure(games: usize, empty: usize, seconds: u64) -> Result<()> {
    let host = game("connect:7,6,4")?;
    let mut perfect = host.player(&format!("perfect:time={seconds}s").parse()?, &Resources::seeded(1))?;
    let openings = openings(games, empty)?;
    println!("7x6, four in a row: won games for perfect, at most {seconds} s a move");
    println!(
        "{:<16} {:>6} {:>6} {:>6} {:>6} {:>10} {:>12} {:>12}",
        "against", "games", "wins", "draws", "losses", "too slowly", "mean ms/move", "longest s"
    );
    let mut failed = None;
    for (number, name) in OTHERS.into_iter().enumerate() {
        let mut tally = Tally::default();
        for (seed, opening) in openings.iter().enumerate().filter(|(i, _)| i % OTHERS.len() == number) {
            let other = match name.parse() {
                Ok(spec) if name != OTHERS[2] => Some(host.player(&spec, &Resources::seeded(seed as u64))?),
                _ => None,
            };
            let played = play(host.as_ref(), opening, perfect.as_mut(), other, &mut tally)?;
            failed = failed.or(played.map(|moves| format!("against {name} perfect did not win {moves}")));
        }
        row(name, &tally);
    }
    failed.map_or(Ok(()), |why| Err(anyhow::anyhow!(why)))
}

fn row(name: &str, tally: &Tally) {
    println!(
        "{name:<16} {:>6} {:>6} {:>6} {:>6} {:>10} {:>12.1} {:>12.1}",
        tally.games,
        tally.wins,
        tally.draws,
        tally.losses,
        tally.slow,
        tally.thought.as_secs_f64() * 1000.0 / f64::from(tally.moves.max(1)),
        tally.longest.as_secs_f64()
    );
}

/// Generates `count` openings with a winner.
fn openings(count: usize, empty: usize) -> Result<Vec<Opening>> {
    let game = Connect::new(&[7, 6, 4])?;
    let (mut solver, mut random, mut found) = (ConnectSolver::new(&game, MIB, 1), Random::new(1), Vec::new());
    while found.len() < count {
        if found.len().is_multiple_of(empty) {
            found.push(Opening { moves: String::new(), winner: Side::First, margin: 1 });
            continue;
        }
        let plies = OPENING.start + random.below(OPENING.len());
        for (moves, _) in positions::random(&game, std::iter::once(plies), random.bits()) {
            let pos = positions::after(&game, &moves)?;
            let value = positions::value(&mut solver, &pos);
            let winner = if value > 0 { game.turn(&pos) } else { game.turn(&pos).other() };
            if value != 0 {
                found.push(Opening { moves, winner, margin: value.unsigned_abs() as u16 });
            }
        }
    }
    Ok(found)
}

/// Plays one game. Returns its moves if perfect did not win it. Without an opponent perfect plays both sides.
fn play(
    host: &dyn DynGame,
    opening: &Opening,
    perfect: &mut dyn Player,
    mut other: Option<Box<dyn Player>>,
    tally: &mut Tally,
) -> Result<Option<String>> {
    let mut board = host.board();
    for mv in host.split(&opening.moves) {
        board.play(&mv)?;
    }
    while board.ending().is_none() {
        let own = board.turn() == opening.winner;
        let player: &mut dyn Player = match &mut other {
            Some(other) if !own => other.as_mut(),
            _ => perfect,
        };
        let began = Instant::now();
        let answer = player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
        let Ok(Answer::Move(mv)) = answer else { bail!("a player answers {answer:?}") };
        if own {
            tally.moves += 1;
            tally.thought += began.elapsed();
            tally.longest = tally.longest.max(began.elapsed());
        }
        board.play(&mv)?;
    }
    let outcome = board.ending().and_then(|ending| ending.outcome);
    let winner = outcome.and_then(|outcome| outcome.winner);
    tally.games += 1;
    match winner {
        Some(side) if side == opening.winner => tally.wins += 1,
        Some(_) => tally.losses += 1,
        None => tally.draws += 1,
    }
    let margin = outcome.and_then(|outcome| outcome.by).unwrap_or(0);
    let won = winner == Some(opening.winner);
    tally.slow += usize::from(won && margin < opening.margin);
    Ok((!won).then(|| board.record().moves.concat()))
}
