//! Oware's search on one thread from the start, to fixed depths and without any table: positions made a second.

use super::{grouped, yes_no};
use anyhow::Result;
use parlor_engine::{Monotonic, Think};
use parlor_experts::oware::Expert;
use parlor_games::oware::{Oware, RuleSet};
use parlor_play::{Limits, Match};
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

const DEPTHS: [u32; 3] = [14, 17, 20];
/// Positions a second.
const TARGET: f64 = 20e6;

pub fn measure() -> Result<()> {
    println!("{:<8} {:>6} {:>14} {:>9} {:>13}", "rules", "depth", "positions", "seconds", "a second");
    for (name, rules) in [("abapa", RuleSet::Abapa), ("awari", RuleSet::Awari)] {
        let played = Match::new(Oware::by(rules));
        let mut best = 0_f64;
        for depth in DEPTHS {
            let mut search = Expert::without_endings(Arc::new(Monotonic::start()));
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let began = Instant::now();
            let found = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
            let seconds = began.elapsed().as_secs_f64();
            let speed = found.nodes as f64 / seconds.max(1e-9);
            best = best.max(speed);
            let (nodes, each) = (grouped(found.nodes), grouped(speed as u64));
            println!("{name:<8} {depth:>6} {nodes:>14} {seconds:>9.3} {each:>13}");
        }
        println!("{name}: at least 20 million positions a second: {}", yes_no(best >= TARGET));
    }
    Ok(())
}
