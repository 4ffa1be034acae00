//! The tournament driver: one game of a plan, played by the referee with scripted players and a clock that only they move.

use super::{
    Played,
    player::{Scripted, SharedLog, lock, remaining_value},
    scripts::Script,
};
use parlor_catalog::Manual;
use parlor_core::{Record, Side};
use parlor_session::{TimeControl, Violation};
use parlor_tournament::{
    Entrant, MakePlayer, Openings, Tournament, TournamentPlan, TournamentState, WorkerCache,
};
use serde_json::json;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Plays a script as the first game of a tournament.
pub fn play(script: &'static Script) -> Played {
    script.expressible_for_programs()?;
    let clock = Arc::new(Manual::stepping(Duration::ZERO));
    let log = SharedLog::default();
    let game = parlor_catalog::game(script.game).expect("a game");
    let opening = Record { game: game.spec(), start: script.start.map(String::from), ..Record::default() };
    let entrant =
        |name: &str| Entrant { name: name.to_string(), spec: "scripted".to_string(), ..Entrant::default() };
    let plan = TournamentPlan {
        name: "trace".to_string(),
        games: vec![game.spec()],
        time: script.time.map_or(TimeControl::Unlimited, |time| time.parse().expect("a time control")),
        openings: Openings::Given(vec![opening]),
        players: vec![entrant("one"), entrant("two")],
        ..TournamentPlan::default()
    };
    let make_player: MakePlayer<'_> = Box::new(|_, player, _| {
        let (log, clock) = (log.clone(), clock.clone());
        Ok(Box::new(Scripted { script, side: Side::BOTH[player], log, clock }))
    });
    let tournament = Tournament { plan: &plan, games: vec![game], make_player, clock: clock.clone() };
    let slot = TournamentState::new(&plan).schedule.slot(0).expect("a first game");
    assert_eq!(slot.seats, [0, 1], "the first player moves first");
    let entry = tournament.play(slot, &mut WorkerCache::default(), &AtomicBool::new(false)).expect("a game");
    let mut trace = lock(&log).trace(&entry.record);
    if let Some(Violation { side, kind, .. }) = entry.violation {
        trace.insert("failure".into(), json!({"side": side.to_string(), "kind": kind.to_string()}));
    }
    trace.insert("thought".into(), json!(entry.thought.map(|time| time.as_millis() as u64)));
    let remaining = entry.remaining.map(|left| left.map(|left| (left.time.as_millis(), left.periods)));
    trace.insert("remaining".into(), remaining_value(remaining));
    Ok(trace)
}
