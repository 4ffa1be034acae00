//! `cargo lab datagen`: plays games of the engine against itself from random openings and writes every position with the value
//! of the search and the outcome of the game. The same settings write the same file on every machine, with any number of
//! threads; a stopped run continues where it was.

use super::{
    Learned, LearnedGame, Variant, margin_if_over, play_random,
    samples::{Line, WON, resume},
};
use anyhow::Result;
use clap::value_parser;
use parlor_core::{Limits, Margin, Match, Side, Value, is_finished};
use parlor_engine::Random;
use parlor_games::{kalah::Kalah, oware::Oware};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Instant,
};

/// Games that are written at the same time.
const BLOCK: u64 = 256;

#[derive(clap::Args)]
pub struct DatagenArgs {
    /// The game
    #[arg(value_name = "GAME", value_enum)]
    game: LearnedGame,
    /// Games to play
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// Nodes of the search per move
    #[arg(long, default_value_t = 4000)]
    nodes: u64,
    /// Most random plies at the start of a game; half as many at least
    #[arg(long, default_value_t = 12)]
    opening: usize,
    /// How many of 100 moves after the opening are random
    #[arg(long, default_value_t = 5)]
    noise: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u64).range(1..))]
    threads: u64,
    /// Weights of the engine: `embedded`, `none` (the evaluation by hand) or a file of `cargo lab fit`
    #[arg(long, default_value = "embedded")]
    weights: String,
    /// The file, which is continued if it exists
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(options: &DatagenArgs) -> Result<()> {
    crate::ensure_optimised()?;
    match options.game {
        LearnedGame::Kalah => write::<Kalah>(options),
        LearnedGame::Oware => write::<Oware>(options),
    }
}

fn write<G: Learned>(options: &DatagenArgs) -> Result<()> {
    let variant = Variant::parse::<G>(&options.weights)?;
    let DatagenArgs { nodes, opening, noise, seed, weights, .. } = options;
    // Without the number of games, so that a file can be extended.
    let weights = Path::new(weights).file_name().map_or(weights.clone(), |name| name.display().to_string());
    let command = format!(
        "cargo lab datagen {} --nodes {nodes} --opening {opening} --noise {noise} --seed {seed} --weights {weights}",
        G::NAME
    );
    let first = resume(&options.out, &command)?;
    let mut file = fs::OpenOptions::new().append(true).open(&options.out)?;
    let (begun, mut positions) = (Instant::now(), 0);
    for block in (first..options.games).step_by(BLOCK as usize) {
        let last = options.games.min(block + BLOCK);
        let lines = play_block::<G>(block..last, &variant, options);
        positions += lines.len();
        let text: String = lines.iter().map(Line::text).collect();
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        eprintln!("{last} games; {positions} positions in {:.0} s", begun.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Plays these games on all threads; the lines are in order of the games' numbers.
fn play_block<G: Learned>(
    numbers: std::ops::Range<u64>,
    variant: &Variant,
    options: &DatagenArgs,
) -> Vec<Line> {
    let (next, played) = (AtomicU64::new(numbers.start), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        break;
                    }
                    let lines =
                        G::of_number(number).map_or(Vec::new(), |game| play(&game, number, variant, options));
                    played.lock().unwrap_or_else(PoisonError::into_inner).push((number, lines));
                }
            });
        }
    });
    let mut played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
    played.sort_by_key(|(number, _)| *number);
    played.into_iter().flat_map(|(_, lines)| lines).collect()
}

/// A position before a move, with the value of the search.
struct Evaluation {
    position: String,
    side: Side,
    value: Value,
}

fn play<G: Learned>(game: &G, number: u64, variant: &Variant, options: &DatagenArgs) -> Vec<Line> {
    let mut random = Random::new(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
    let mut played = Match::new(game.clone());
    let plies = options.opening / 2 + random.below(options.opening / 2 + 1);
    play_random(&mut played, plies, &mut random);
    let mut search = game.searcher(variant);
    let limits = Limits { nodes: Some(options.nodes), ..Limits::default() };
    let mut seen = Vec::new();
    let Margin(margin) = loop {
        if let Some(margin) = margin_if_over(&played) {
            break margin;
        }
        let found = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
        let Some(best) = found.moves.first() else { return Vec::new() };
        let (pos, value) = (played.position(), best.value);
        let value = if is_finished(value) { WON * value.signum() } else { value };
        seen.push(Evaluation { position: game.write_position(pos), side: game.turn(pos), value });
        if random.below(100) < options.noise {
            play_random(&mut played, 1, &mut random);
        } else {
            played.make(best.mv);
        }
    };
    let turn = game.turn(played.position());
    let line = |Evaluation { position, side, value }| {
        let seen = if side == turn { margin } else { -margin };
        let outcome = f32::from(seen.signum() + 1) / 2.0;
        Line { game: number, position, value, outcome }
    };
    seen.into_iter().map(line).collect()
}
