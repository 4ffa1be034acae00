//! Plays whole games of Oware with the search and compares every move with the endgame table: no proved value may
//! be given away.

use anyhow::{Result, anyhow, bail};
use parlor_engine::Monotonic;
use parlor_games::oware::{Oware, RuleSet};
use parlor_solvers::oware::{Audit, OwareFiller, SMALL, audit, small_table};
use parlor_tables::{EndgameTable, Work};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
    time::Instant,
};

/// Default number of seeds of the table of correct values.
pub const USUAL: u32 = SMALL;

/// Plays `games` games for each rule set; an error if a move, or the end of a game, gives away a proved value.
pub fn check(games: u64, nodes: u64, top: u32, seed: u64) -> Result<()> {
    println!("endings of at most {top} seeds, {nodes} positions a move; seed {seed}");
    println!(
        "{:<8} {:>7} {:>9} {:>13} {:>7} {:>9}",
        "rules", "games", "endings", "moves judged", "faults", "seconds"
    );
    let mut first = None;
    for (name, rules) in [("abapa", RuleSet::Abapa), ("awari", RuleSet::Awari)] {
        let began = Instant::now();
        let table = table(rules, top).ok_or_else(|| anyhow!("no table"))?;
        let plan = Audit { rules, table, nodes, clock: Arc::new(Monotonic::start()) };
        let account = audit(&plan, seed..seed + games);
        println!(
            "{name:<8} {:>7} {:>9} {:>13} {:>7} {:>9.1}",
            account.games,
            account.endings,
            account.moves,
            account.faults.len(),
            began.elapsed().as_secs_f64()
        );
        first = first.or(account.faults.into_iter().next());
    }
    match first {
        None => Ok(()),
        Some(fault) => bail!("{fault}"),
    }
}

/// The embedded table, or a larger one that is computed in memory.
fn table(rules: RuleSet, top: u32) -> Option<Arc<EndgameTable<Oware>>> {
    if top == USUAL {
        return small_table(rules);
    }
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 2, stop: &stop, done: &done };
    EndgameTable::in_memory(&Oware::by(rules), top, &OwareFiller, &work).map(Arc::new)
}
