//! `cargo lab bench oware`: measures the building of Oware's tables layer by layer for both rule sets, table
//! probes, the nodes per second of the engine compared with the general search, and matches against the classic
//! players. `bench rules` compares its rules with OpenSpiel.

use super::{duel, grouped, probes, yes_no};
use anyhow::{Context, Result, bail};
use parlor_core::{Evaluated, Game, Indexed, Limits, Match};
use parlor_engine::{AlphaBeta, Monotonic, Searcher};
use parlor_games::oware::{Oware, RuleSet};
use parlor_solvers::oware::{OwareFiller, OwareSearcher};
use parlor_tables::{EndgameTable, Filler, Work};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
    time::Instant,
};

/// Probes per round.
const PROBES: usize = 1 << 20;
/// Number of rounds, of which the best counts.
const ROUNDS: usize = 3;
/// Target: nodes per second on one core.
const TARGET: f64 = 20e6;

pub fn measure(quick: bool) -> Result<()> {
    let tops = if quick { [13, 9] } else { [18, 12] };
    let awari = filled(RuleSet::Awari, tops[0])?;
    let abapa = filled(RuleSet::Abapa, tops[1])?;
    probes::measure(PROBES, awari.family(), &awari)?;
    probes::measure(PROBES, abapa.family(), &abapa)?;
    nodes()?;
    let rounds = if quick { 2 } else { 10 };
    for other in ["payoff", "minimax:depth=8"] {
        duel::play("oware", "engine:time=100ms", other, rounds)?;
    }
    Ok(())
}

/// Fills all layers up to one, and prints a line for each.
fn filled(rules: RuleSet, top: u32) -> Result<EndgameTable<Oware>> {
    println!(
        "\nlayers of {} filled, 2 threads, once; the ratio is to the first line",
        Oware::by(rules).spec()
    );
    println!("{:>5} {:>12} {:>8} {:>8} {:>6}", "seeds", "positions", "s", "M/s", "ratio");
    let game = Oware::by(rules).family();
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 2, stop: &stop, done: &done };
    let (mut layers, mut unit, mut all): (Vec<Vec<i8>>, Option<f64>, f64) = (Vec::new(), None, 0.0);
    for layer in 0..=top {
        let began = Instant::now();
        let mut out = vec![0; game.len(layer) as usize * game.planes()];
        let below: Vec<&[i8]> = layers.iter().map(Vec::as_slice).collect();
        if !OwareFiller.fill(&game, layer, &below, &mut out, &work) {
            bail!("layer {layer} was not filled");
        }
        let seconds = began.elapsed().as_secs_f64();
        all += seconds;
        if layer + 5 > top {
            let rate = game.len(layer) as f64 / seconds / 1e6;
            let ratio = rate / *unit.get_or_insert(rate);
            println!("{layer:>5} {:>12} {seconds:>8.2} {rate:>8.2} {ratio:>6.2}", grouped(game.len(layer)));
        }
        layers.push(out);
    }
    let asked = match (rules, top) {
        (RuleSet::Awari, 18) => format!("; at most 30 s: {}", yes_no(all <= 30.0)),
        _ => String::new(),
    };
    println!("all up to {top} seeds in {all:.2} s{asked}");
    EndgameTable::in_memory(&game, top.min(14), &OwareFiller, &work).context("the table was not filled")
}

/// Measures the nodes per second of the engine without tables, compared with the general search.
fn nodes() -> Result<()> {
    println!("\nthe start to a fixed depth, one thread, no tables, the best of {ROUNDS}");
    println!("{:<30} {:>6} {:>14} {:>10} {:>6}", "search", "depth", "positions", "M/s", "ratio");
    let clock = || Arc::new(Monotonic::start());
    let general: Make = Box::new(move || Box::new(AlphaBeta::new(Oware::STRONG, clock())));
    let own: Make = Box::new(move || Box::new(OwareSearcher::without_endings(clock())));
    let mut unit = None;
    for (name, make, depth, asked) in
        [("the one that every game has", general, 12, false), ("Oware's own", own, 20, true)]
    {
        let (mut best, mut nodes) = (0_f64, 0);
        for _ in 0..ROUNDS {
            let (mut search, began) = (make(), Instant::now());
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let played = Match::new(Oware::by(RuleSet::Abapa));
            nodes = search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ()).nodes;
            best = best.max(nodes as f64 / began.elapsed().as_secs_f64());
        }
        let ratio = best / *unit.get_or_insert(best);
        let asked = if asked { format!("  at least 20: {}", yes_no(best >= TARGET)) } else { String::new() };
        println!("{name:<30} {depth:>6} {:>14} {:>10.2} {ratio:>6.2}{asked}", grouped(nodes), best / 1e6);
    }
    Ok(())
}

/// Creates a new search.
type Make = Box<dyn Fn() -> Box<dyn Searcher<Oware>>>;
