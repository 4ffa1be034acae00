//! A match as part of a benchmark: pairs of games from random openings, with the Elo difference and its error.

use anyhow::{Context, Result, anyhow};
use parlor_catalog::Resources;
use parlor_engine::Monotonic;
use parlor_session::TimeControl;
use parlor_tournament::{Entrant, MemoryLedger, Openings, Tally, Tournament, TournamentPlan};
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

/// Plays pairs of games, one at a time.
pub fn play(game: &str, one: &str, other: &str, rounds: u64) -> Result<Tally> {
    let hosted = parlor_catalog::game(game)?;
    let entrant = |name: &str, spec: &str| Entrant {
        name: name.to_string(),
        spec: spec.to_string(),
        ..Entrant::default()
    };
    let plan = TournamentPlan {
        name: "a duel".to_string(),
        games: vec![hosted.spec()],
        rounds,
        time: TimeControl::Unlimited,
        openings: Openings::Random { plies: 4, seed: 1 },
        players: vec![entrant("one", one), entrant("other", other)],
        ..TournamentPlan::default()
    };
    let clock = Arc::new(Monotonic::start());
    let tournament = Tournament {
        plan: &plan,
        games: vec![hosted],
        make_player: Box::new(|game, player, seed| {
            game.player(&plan.players[player].spec.parse()?, &Resources::seeded(seed))
        }),
        clock,
    };
    let watch = &mut |_: &_, _: &[_]| ControlFlow::Continue(());
    let state = tournament
        .run(&mut MemoryLedger::default(), &AtomicBool::new(false), watch)
        .map_err(|halt| anyhow!("{halt}"))?;
    let tally = *state.standings(&plan).cross.first().and_then(|row| row.get(1)).context("two players")?;
    let Tally { wins, draws, losses, .. } = tally;
    println!(
        "{one} against {other}, {} games: {wins} won, {draws} drawn, {losses} lost; Elo {:+.0} +/- {:.0}",
        tally.games(),
        tally.elo().difference,
        tally.elo().error
    );
    Ok(tally)
}
