//! A match as a line of a benchmark: pairs of games from random openings, with Elo and its error.

use anyhow::Result;
use parlor_arena::{Duel, Referee, Tally};
use parlor_catalog::PlayerSpec;
use parlor_engine::Monotonic;
use parlor_play::Limits;
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

/// So many pairs of games, one at a time.
pub fn play(game: &str, one: &str, other: &str, rounds: u64) -> Result<Tally> {
    let hosted = parlor_catalog::game(game)?;
    let players: [PlayerSpec; 2] = [one.parse()?, other.parse()?];
    let referee = Referee::new(Limits::default(), Arc::new(Monotonic::start()));
    let duel = Duel { game: hosted.as_ref(), players, referee, rounds, opening: 4, seed: 1, tables: None };
    let tally = duel.run(&AtomicBool::new(false), &mut |_, _| ControlFlow::Continue(()))?;
    let Tally { wins, draws, losses, .. } = tally;
    println!(
        "{one} against {other}, {} games: {wins} won, {draws} drawn, {losses} lost; Elo {:+.0} +/- {:.0}",
        tally.games(),
        tally.elo().difference,
        tally.elo().error
    );
    Ok(tally)
}
