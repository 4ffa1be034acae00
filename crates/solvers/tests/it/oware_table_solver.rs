//! Oware solved with a table of endings below: the same bounds as without, or narrower ones, and never anything else.

use parlor_core::{Bounds, Evaluated, Game, Indexed, Limits, Match, Solve};
use parlor_engine::{Monotonic, NullWindowSolver, Random};
use parlor_games::oware::{Oware, RuleSet};
use parlor_solvers::oware::OwareFiller;
use parlor_tables::{EndgameTable, Work};
use parlor_testkit::seed;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64},
};

fn table(rules: RuleSet, top: u32) -> Arc<EndgameTable<Oware>> {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 2, stop: &stop, done: &done };
    Arc::new(EndgameTable::in_memory(&Oware::by(rules), top, &OwareFiller, &work).expect("not stopped"))
}

fn solved(played: &Match<Oware>, kept: Option<Arc<EndgameTable<Oware>>>) -> Bounds {
    let mut solver = NullWindowSolver::new(Oware::CLASSIC, 1 << 20, Arc::new(Monotonic::start()));
    solver.oracle = kept.map(|kept| kept as _);
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    solver.solve(played, &limits, &AtomicBool::new(false), &mut |_| ())
}

#[test]
fn a_table_below_never_contradicts_the_search_above() {
    for rules in [RuleSet::Abapa, RuleSet::Awari] {
        let game = Oware::by(rules).family();
        let kept = table(rules, 4);
        let mut random = Random::new(seed(5));
        let (mut without, mut with, mut narrower) = (0, 0, 0);
        for _ in 0..150 {
            let layer = 5 + (random.bits() % 3) as u32;
            let pos = Indexed::position(&game, layer, random.bits() % game.len(layer)).expect("a position");
            if game.result(&pos).is_some() {
                continue;
            }
            let played = Match::from_position(game.clone(), pos);
            let (plain, helped) = (solved(&played, None), solved(&played, Some(kept.clone())));
            assert!(plain.lo <= helped.hi && helped.lo <= plain.hi, "{pos:?}: {plain:?} {helped:?}");
            without += u32::from(plain.are_exact());
            with += u32::from(helped.are_exact());
            narrower += u32::from(helped.lo > plain.lo || helped.hi < plain.hi);
        }
        assert!(with >= without && narrower > 20, "{rules:?}: {without} {with} {narrower}");
    }
}
