//! Oware's search in whole games, judged move by move by the table that it knows: nothing that is proved may be given away.

use anyhow::{Result, anyhow, bail};
use parlor_engine::Monotonic;
use parlor_experts::oware::{Audit, SMALL, audit, small_table};
use parlor_games::oware::RuleSet;
use std::{sync::Arc, time::Instant};

/// So many games by each rule set; an error if a single move, or the end of a game, gave something away.
pub fn check(games: u64, nodes: u64, seed: u64) -> Result<()> {
    println!("endings of at most {SMALL} seeds, {nodes} positions a move; seed {seed}");
    println!(
        "{:<8} {:>7} {:>9} {:>13} {:>7} {:>9}",
        "rules", "games", "endings", "moves judged", "faults", "seconds"
    );
    let mut first = None;
    for (name, rules) in [("abapa", RuleSet::Abapa), ("awari", RuleSet::Awari)] {
        let began = Instant::now();
        let table = small_table(rules).ok_or_else(|| anyhow!("no table"))?;
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
