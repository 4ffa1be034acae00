//! Oware's solver: what the table of endings proves of a position in spite of what stood before it, then the open positions of
//! its layer played out, and the general solver for the rest and for all that no table reaches.
//!
//! With a limit of nodes the answer depends on the question alone; only who thinks by the clock gets the larger table.

use super::{
    Expert,
    board::{Node, seeds},
    course::{Aim, Course},
    endings::{AMPLE, Endings, ample_table, small_table},
    expert::way,
    ground::{Ground, Spot},
    safety::Safety,
    unfolding::{Question, Unfolding},
};
use parlor_core::{Bounds, Evaluated, Game, Limits, Margin, Match, Oracle, Report, Solve};
use parlor_engine::{Clock, Deadline, Solver as General};
use parlor_games::oware::{Oware, Position, RuleSet, Scores};
use parlor_tables::Table as Kept;
use std::{
    collections::VecDeque,
    sync::{Arc, atomic::AtomicBool},
};

/// No longer course is looked for.
const LONGEST_COURSE: usize = 50_000;
/// So many questions are remembered: those of a position's moves, asked again with more time.
const MOST_ROOTS: usize = 32;
/// Deeper than this no way is played out.
const DEEPEST: u32 = 100;

/// Solves positions of Oware by either rule set.
pub struct Solver {
    general: General<Oware, Scores>,
    endings: Option<Arc<Kept<Oware>>>,
    clock: Arc<dyn Clock>,
    /// What was proved before of the last positions of matches, the latest last.
    roots: VecDeque<(Vec<Position>, Bounds)>,
}

/// What is proved of a position, nothing banked, and how many positions that took.
struct Proved {
    lo: i8,
    hi: i8,
    nodes: u64,
}

impl Solver {
    /// A solver that knows the small table, or the kept one if that reaches further.
    pub fn new(
        rules: RuleSet,
        memory: usize,
        threads: usize,
        clock: Arc<dyn Clock>,
        kept: Option<Arc<Kept<Oware>>>,
    ) -> Solver {
        let mut general = General::new(Oware::CLASSIC, memory, clock.clone());
        general.threads = threads;
        let small = small_table(rules);
        let reach = small.as_ref().map(|table| table.top());
        let mut solver = Solver { general, endings: None, clock, roots: VecDeque::new() };
        solver.learn(kept.filter(|kept| Some(kept.top()) > reach).or(small));
        solver
    }

    fn learn(&mut self, table: Option<Arc<Kept<Oware>>>) {
        self.general.oracle = table.clone().map(|table| table as Arc<dyn Oracle<Oware>>);
        self.endings = table;
    }

    /// Who thinks by the clock takes the larger table as soon as it is there.
    fn look_for_more(&mut self, rules: RuleSet, limits: &Limits) {
        if Expert::by_clock(limits)
            && self.endings.as_ref().is_some_and(|table| table.top() < AMPLE)
            && let Some(ample) = ample_table(rules)
        {
            self.learn(Some(ample));
        }
    }

    fn keep(&mut self, played: &Match<Oware>, proved: Bounds) {
        if self.roots.len() >= MOST_ROOTS {
            self.roots.pop_front();
        }
        self.roots.push_back((played.positions().to_vec(), proved));
    }

    /// Combines the table with the history-aware search.
    fn prove(&self, played: &Match<Oware>, limits: &Limits, stop: &AtomicBool) -> Option<Proved> {
        let (rules, way) = (played.game().rules(), way(played));
        let endings = Endings::of(self.endings.as_deref());
        let ground = Ground::of(rules, &endings)?;
        let spots = Spot::along(&way);
        let (root, before) = spots.split_last()?;
        let known = endings.probe(&root.node)?;
        if rules == RuleSet::Awari {
            return Some(by_courses(&way, ground));
        }
        if !endings.has_exact_measures(seeds(root.node.own) + seeds(root.node.other)) {
            return None;
        }
        // Whoever plays for a bound has it, or is paid for what stood before.
        let least = |side: u8| before.iter().map(|spot| spot.paid(side)).min().unwrap_or(i8::MAX);
        let surely = |side: u8, bound: i8| {
            let kept = |k: i8| Safety::of(ground, side, k, before).is_some_and(|safety| safety.has(root));
            let least = least(side).min(bound);
            (least..=bound).rev().step_by(2).find(|&k| k == least || kept(k)).unwrap_or(least)
        };
        let mut proved = Proved { lo: surely(0, known.lo), hi: -surely(1, -known.hi), nodes: 1 };
        let deadline = Deadline::after(limits.time.map(|time| time * 3 / 4), self.clock.clone(), stop);
        let most = limits.nodes.map_or(u64::MAX, |nodes| nodes / 4 * 3);
        unfold(&mut proved, ground, *root, before, &mut |nodes| deadline.is_over() || nodes > most);
        Some(proved)
    }
}

/// Narrows the bounds by playing out the open positions for all values between them, deeper and deeper.
fn unfold(
    proved: &mut Proved,
    ground: Ground<'_>,
    root: Spot,
    before: &[Spot],
    stopped: &mut dyn FnMut(u64) -> bool,
) {
    let mut asked = Vec::new();
    for k in (proved.lo + 2..=proved.hi).step_by(2) {
        if stopped(proved.nodes) {
            return;
        }
        let safe = |side: u8, k: i8| Safety::of(ground, side, k, before);
        let (Some(mine), Some(theirs)) = (safe(0, k), safe(1, 1 - k)) else { continue };
        let question = Question { ground, k, before, safe: [mine, theirs] };
        let sofar = proved.nodes;
        if let Some(unfolding) = Unfolding::of(&question, root, &mut |nodes| stopped(sofar + nodes)) {
            proved.nodes += unfolding.nodes;
            asked.push((k, unfolding));
        }
    }
    for depth in 0..DEEPEST {
        asked.retain(|&(k, _)| k > proved.lo && k <= proved.hi);
        if asked.is_empty() || stopped(proved.nodes) {
            return;
        }
        for (k, unfolding) in &mut asked {
            if *k <= proved.lo || *k > proved.hi {
                continue;
            }
            let (sofar, begun) = (proved.nodes, unfolding.nodes);
            let found = unfolding.unfold(depth, &mut |nodes| stopped(sofar + nodes - begun));
            proved.nodes += unfolding.nodes - begun;
            match found {
                Some(0) => proved.lo = proved.lo.max(*k),
                Some(1) => proved.hi = proved.hi.min(*k - 2),
                _ => (),
            }
        }
    }
}

/// Where endless play is worth nothing the table is exact, and a side has no more than nothing whatever stood before. More it
/// has if there is a course that leads past what stood before.
fn by_courses(way: &[Node], ground: Ground<'_>) -> Proved {
    let Ground { rules, endings, .. } = ground;
    let value = way.last().and_then(|root| endings.probe(root)).map_or(0, |known| known.lo);
    let certain = way.len() == 1 || value == 0 || {
        let aim = Aim { k: value.abs(), rules, endings };
        Course::past(way, value > 0, aim, LONGEST_COURSE).is_some()
    };
    let [lo, hi] = if certain { [value; 2] } else { [value.min(0), value.max(0)] };
    Proved { lo, hi, nodes: 1 }
}

impl Solve<Oware> for Solver {
    fn solve(
        &mut self,
        played: &Match<Oware>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let begun = self.clock.now();
        let (game, pos) = (played.game().scoring_variant(), played.position());
        self.look_for_more(game.rules(), limits);
        let (mut limits, mut nodes) = (*limits, 0);
        let mut bounds = game.bounds(pos);
        for (_, proved) in self.roots.iter().filter(|(line, _)| line == played.positions()) {
            bounds = bounds.and(*proved);
        }
        let open = game.result(pos).is_none() && !bounds.are_exact();
        if let Some(proved) = open.then(|| self.prove(played, &limits, stop)).flatten() {
            let banked = game.banked(pos).0;
            let margin = |value: i8| Margin(banked + i16::from(value));
            bounds = bounds.and(Bounds { lo: margin(proved.lo), hi: margin(proved.hi) });
            nodes = proved.nodes;
        }
        self.general.recall(played, bounds, &[]);
        limits.time = limits.time.map(|time| time.saturating_sub(self.clock.now() - begun));
        limits.nodes = limits.nodes.map(|most| most.saturating_sub(nodes));
        let found = self.general.solve(played, &limits, stop, &mut |told| {
            report(&Report { nodes: told.nodes + nodes, ..told.clone() });
        });
        // Without a clock the answer shall not depend on what was asked before.
        if Expert::by_clock(&limits) {
            self.keep(played, found);
        }
        found
    }

    fn remembered(&self) -> Vec<u64> {
        self.general.remembered()
    }

    fn recall(&mut self, played: &Match<Oware>, proved: Bounds, words: &[u64]) {
        self.keep(played, proved);
        self.general.recall(played, proved, words);
    }
}
