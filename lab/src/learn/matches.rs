//! `cargo lab match`: a match between two variants of the engine in one process, in pairs of games from random openings with sides
//! swapped, at equal nodes or equal time. A sequential test (SPRT) on pairs may end it. For a match against another build there is
//! `parlor match engine 'ugi:PROGRAM engine GAME'`.

use super::{Learned, LearnedGame, Variant, margin_if_over, play_random};
use anyhow::Result;
use clap::value_parser;
use parlor_core::{Limits, Margin, Match, Side};
use parlor_engine::{Random, Searcher};
use parlor_games::{kalah::Kalah, oware::Oware};
use parlor_tournament::{Sprt, Tally, Verdict};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

#[derive(clap::Args)]
pub struct MatchArgs {
    /// The game
    #[arg(value_name = "GAME", value_enum)]
    game: LearnedGame,
    /// Weights of the first player: `embedded`, `none` (the evaluation by hand) or a file of `cargo lab fit`; with `full:` before
    /// it, its search is not selective
    #[arg(long, default_value = "embedded")]
    first: String,
    /// Weights of the second player, likewise
    #[arg(long, default_value = "none")]
    second: String,
    /// Nodes per move
    #[arg(long, default_value_t = 10_000)]
    nodes: u64,
    /// Milliseconds per move instead of nodes
    #[arg(long, value_name = "MILLISECONDS")]
    time: Option<u64>,
    /// Most pairs of games
    #[arg(long, default_value_t = 200)]
    pairs: u64,
    /// Random plies at the start of a pair
    #[arg(long, default_value_t = 4)]
    opening: usize,
    /// Elo differences of a sequential test that may end the match early, as ELO0,ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = sprt)]
    sprt: Option<Sprt>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u64).range(1..))]
    threads: u64,
}

/// Reads two Elo differences such as `0,20`.
fn sprt(text: &str) -> Result<Sprt, String> {
    let elos = text.split_once(',').and_then(|(elo0, elo1)| Some((elo0.parse().ok()?, elo1.parse().ok()?)));
    let test = elos.map(|(elo0, elo1)| Sprt { elo0, elo1, ..Sprt::default() });
    test.filter(|test| test.elo0 < test.elo1)
        .ok_or_else(|| "expected two Elo differences, the smaller first, like 0,20".to_string())
}

pub fn run(options: &MatchArgs) -> Result<()> {
    crate::ensure_optimised()?;
    match options.game {
        LearnedGame::Kalah => play::<Kalah>(options),
        LearnedGame::Oware => play::<Oware>(options),
    }
}

fn play<G: Learned>(options: &MatchArgs) -> Result<()> {
    let game = G::usual()?;
    let players = [Variant::parse::<G>(&options.first)?, Variant::parse::<G>(&options.second)?];
    let sprt = options.sprt;
    // The tally ends with the pair that decides the test; later pairs of other threads are not counted.
    let (next, state, done) = (AtomicU64::new(0), Mutex::new(Tally::default()), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= options.pairs {
                        break;
                    }
                    let pair = pair(&game, &players, number, options);
                    let mut tally = state.lock().unwrap_or_else(PoisonError::into_inner);
                    if !done.load(Ordering::Relaxed) {
                        *tally = tally.and(pair);
                    }
                    if sprt.is_some_and(|sprt| sprt.verdict(&tally) != Verdict::Open) {
                        done.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let tally = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (Tally { wins, draws, losses, .. }, elo) = (tally, tally.elo());
    println!(
        "{} against {}, {} games: {wins} won, {draws} drawn, {losses} lost; Elo {:+.0} +/- {:.0}{}",
        options.first,
        options.second,
        tally.games(),
        elo.difference,
        elo.error,
        sprt.map_or(String::new(), |sprt| format!("; {}", sprt.conclusion(sprt.verdict(&tally))))
    );
    Ok(())
}

/// Two games from the same opening.
fn pair<G: Learned>(game: &G, players: &[Variant; 2], number: u64, options: &MatchArgs) -> Tally {
    let mut random = Random::new(options.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
    let mut start = Match::new(game.clone());
    play_random(&mut start, options.opening, &mut random);
    let limits = Limits {
        nodes: options.time.is_none().then_some(options.nodes),
        time: options.time.map(Duration::from_millis),
        ..Limits::default()
    };
    let halves = Side::BOTH.map(|side| {
        let mut searches = players.each_ref().map(|variant| game.searcher(variant));
        let margin = margin_of_first(game, start.clone(), side, &mut searches, &limits);
        (margin.signum() + 1) as u8
    });
    Tally::of_pair(halves)
}

/// The margin of a game for the first player, who plays this side.
fn margin_of_first<G: Learned>(
    game: &G,
    mut played: Match<G>,
    side: Side,
    searches: &mut [Box<dyn Searcher<G>>; 2],
    limits: &Limits,
) -> i16 {
    loop {
        let turn = game.turn(played.position());
        if let Some(Margin(margin)) = margin_if_over(&played) {
            return if turn == side { margin } else { -margin };
        }
        let search = &mut searches[usize::from(turn != side)];
        let found = search.run(&played, limits, &AtomicBool::new(false), &mut |_| ());
        let Some(best) = found.moves.first() else { return 0 };
        played.make(best.mv);
    }
}
