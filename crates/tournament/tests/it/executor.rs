//! Executors outside this process: the order in which finished games arrive does not change the tournament.

use crate::players::own_players;
use parlor_catalog::{Monotonic, game};
use parlor_session::TimeControl;
use parlor_tournament::{
    Entrant, Executor, Format, Halt, LedgerEntry, MemoryLedger, Openings, Slot, Sprt, Tournament,
    TournamentPlan, TournamentState, WorkerCache,
};
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

/// Plays the games in reverse order and reports some of them twice.
struct Backwards<'a> {
    tournament: &'a Tournament<'a>,
    laid_out: Vec<Slot>,
    told: Vec<LedgerEntry>,
}

impl Executor for Backwards<'_> {
    fn open(&mut self, slots: Vec<Slot>) -> Result<(), Halt> {
        self.laid_out.extend(slots);
        Ok(())
    }

    fn finished(&mut self) -> Result<Option<Vec<LedgerEntry>>, Halt> {
        let Some(slot) = self.laid_out.pop() else { return Ok(None) };
        let entry = self.tournament.play(slot, &mut WorkerCache::default(), &AtomicBool::new(false))?;
        let twice = self.told.last().filter(|_| slot.number % 3 == 0).cloned();
        self.told.push(entry.clone());
        Ok(Some(twice.into_iter().chain([entry]).collect()))
    }
}

fn plan(format: Format) -> TournamentPlan {
    let entrant =
        |(name, spec): (&str, &str)| Entrant { name: name.into(), spec: spec.into(), ..Entrant::default() };
    let players = [("a", "engine:level=6"), ("b", "random"), ("c", "engine:level=2")];
    TournamentPlan {
        name: "a test".into(),
        games: vec!["kalah:3,2".into(), "connect:4,4,3".into()],
        format,
        rounds: 3,
        time: TimeControl::Nodes(50),
        concurrency: 2,
        openings: Openings::Random { plies: 2, seed: 7 },
        seed: 5,
        players: players.map(entrant).to_vec(),
        ..TournamentPlan::default()
    }
}

/// The moves of each game, and the points of each player.
fn essence(plan: &TournamentPlan, state: &TournamentState) -> (Vec<Vec<String>>, Vec<(usize, u64)>) {
    let games = state.entries.values().map(|entry| entry.record.moves.clone()).collect();
    (games, state.standings(plan).lines.iter().map(|line| (line.player, line.halves)).collect())
}

#[test]
fn the_order_in_which_games_finish_does_not_matter() {
    let mut test = plan(Format::RoundRobin);
    test.players.pop();
    test.sprt = Some(Sprt { elo0: 0.0, elo1: 200.0, ..Sprt::default() });
    test.rounds = 40;
    let plans = Format::ALL.map(plan).into_iter().chain([test]);
    for plan in plans {
        let games = plan.games.iter().map(|spec| game(spec).expect("a game")).collect();
        let clock = Arc::new(Monotonic::start());
        let tournament = Tournament { plan: &plan, games, make_player: own_players(&plan), clock };
        let (stop, mut watch) =
            (AtomicBool::new(false), |_: &TournamentState, _: &[LedgerEntry]| ControlFlow::Continue(()));
        let one = tournament.run(&mut MemoryLedger::default(), &stop, &mut watch).expect("played");
        let mut executor = Backwards { tournament: &tournament, laid_out: Vec::new(), told: Vec::new() };
        let other = tournament
            .conduct(&mut MemoryLedger::default(), &mut executor, &stop, &mut watch)
            .expect("conducted");
        assert!(other.is_over(), "{}", plan.format);
        assert_eq!(essence(&plan, &one), essence(&plan, &other), "{}", plan.format);
    }
}
