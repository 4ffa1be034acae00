//! Oware's solver combines, in this order: the endgame table, for bounds that hold in spite of the history; a history-aware
//! search of the open positions of the layer; and the general solver, also for positions that no table covers.
//!
//! With a node limit the answer depends on the question alone; only a limit of time uses the larger table.

use super::{
    OwareSearcher,
    board::{Node, seeds},
    endings::{AMPLE, Endings, ample_table, small_table},
    expert::way,
    history_search::{HistorySearch, Question},
    progress_path::{Aim, ProgressPath},
    safety::Safety,
    sided_layer::{SidedLayer, SidedPosition},
};
use parlor_core::{Bounds, Evaluated, Game, Limits, Margin, Match, Oracle, Report, Solve};
use parlor_engine::{Clock, Deadline, NullWindowSolver};
use parlor_games::oware::{Oware, Position, RuleSet, Scores};
use parlor_tables::EndgameTable as Kept;
use std::{
    collections::VecDeque,
    sync::{Arc, atomic::AtomicBool},
};

/// The largest number of positions of a path.
const LONGEST_PATH: usize = 50_000;
/// The number of positions whose bounds are remembered: those after a position's moves, solved again with more time.
const MOST_ROOTS: usize = 32;
/// Depth limit of the history-aware search.
const DEEPEST: u32 = 100;

/// Solves positions of Oware by either rule set.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Limits, Margin, Match, Notation, Solve};
/// use parlor_engine::Monotonic;
/// use parlor_games::oware::{Oware, RuleSet};
/// use parlor_solvers::oware::OwareSolver;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let mut solver = OwareSolver::new(RuleSet::Abapa, 1 << 20, 1, Arc::new(Monotonic::start()), None);
/// let game = Oware::by(RuleSet::Abapa);
/// let pos = game.parse_position("0-0-0-0-0-1-1-0-0-0-0-0-23-23-S")?;
/// let played = Match::from_position(game, pos);
/// let bounds = solver.solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// // A grand slam captures nothing, so that Player 2 keeps both seeds.
/// assert_eq!(bounds, Bounds::exactly(Margin(-2)));
/// # Ok::<(), parlor_core::BadPosition>(())
/// ```
pub struct OwareSolver {
    general: NullWindowSolver<Oware, Scores>,
    endings: Option<Arc<Kept<Oware>>>,
    clock: Arc<dyn Clock>,
    /// Bounds proved earlier for the last positions of matches, the latest last.
    roots: VecDeque<(Vec<Position>, Bounds)>,
}

/// Proved bounds of a position, without the banked part, and the number of visited positions.
struct Proved {
    lo: i8,
    hi: i8,
    nodes: u64,
}

impl OwareSolver {
    /// A solver that uses the small table, or the stored one if that has more layers.
    pub fn new(
        rules: RuleSet,
        memory: usize,
        threads: usize,
        clock: Arc<dyn Clock>,
        kept: Option<Arc<Kept<Oware>>>,
    ) -> OwareSolver {
        let mut general = NullWindowSolver::new(Oware::CLASSIC, memory, clock.clone());
        general.threads = threads;
        let small = small_table(rules);
        let reach = small.as_ref().map(|table| table.top());
        let mut solver = OwareSolver { general, endings: None, clock, roots: VecDeque::new() };
        solver.learn(kept.filter(|kept| Some(kept.top()) > reach).or(small));
        solver
    }

    fn learn(&mut self, table: Option<Arc<Kept<Oware>>>) {
        self.general.oracle = table.clone().map(|table| table as Arc<dyn Oracle<Oware>>);
        self.endings = table;
    }

    /// A solver limited by time alone uses the larger table as soon as it is computed.
    fn look_for_more(&mut self, rules: RuleSet, limits: &Limits) {
        if OwareSearcher::by_clock(limits)
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
        let layer = SidedLayer::of(rules, &endings)?;
        let spots = SidedPosition::along(&way);
        let (root, before) = spots.split_last()?;
        let known = endings.probe(&root.node)?;
        if rules == RuleSet::Awari {
            return Some(bounds_by_progress_path(&way, layer));
        }
        if !endings.has_exact_measures(seeds(root.node.own) + seeds(root.node.other)) {
            return None;
        }
        // A side that preserves its bound gets it, or is paid for a position of the history.
        let least = |side: u8| before.iter().map(|spot| spot.paid(side)).min().unwrap_or(i8::MAX);
        let surely = |side: u8, bound: i8| {
            let kept = |k: i8| Safety::of(layer, side, k, before).is_some_and(|safety| safety.has(root));
            let least = least(side).min(bound);
            (least..=bound).rev().step_by(2).find(|&k| k == least || kept(k)).unwrap_or(least)
        };
        let mut proved = Proved { lo: surely(0, known.lo), hi: -surely(1, -known.hi), nodes: 1 };
        let deadline = Deadline::after(limits.time.map(|time| time * 3 / 4), self.clock.clone(), stop);
        let most = limits.nodes.map_or(u64::MAX, |nodes| nodes / 4 * 3);
        search_history(&mut proved, layer, *root, before, &mut |nodes| deadline.is_over() || nodes > most);
        Some(proved)
    }
}

/// Narrows the bounds with the history-aware search, for all values between them, by iterative deepening.
fn search_history(
    proved: &mut Proved,
    layer: SidedLayer<'_>,
    root: SidedPosition,
    before: &[SidedPosition],
    stopped: &mut dyn FnMut(u64) -> bool,
) {
    let mut asked = Vec::new();
    for k in (proved.lo + 2..=proved.hi).step_by(2) {
        if stopped(proved.nodes) {
            return;
        }
        let safe = |side: u8, k: i8| Safety::of(layer, side, k, before);
        let (Some(mine), Some(theirs)) = (safe(0, k), safe(1, 1 - k)) else { continue };
        let question = Question { layer, k, before, safe: [mine, theirs] };
        let sofar = proved.nodes;
        if let Some(search) = HistorySearch::of(&question, root, &mut |nodes| stopped(sofar + nodes)) {
            proved.nodes += search.nodes;
            asked.push((k, search));
        }
    }
    for depth in 0..DEEPEST {
        asked.retain(|&(k, _)| k > proved.lo && k <= proved.hi);
        if asked.is_empty() || stopped(proved.nodes) {
            return;
        }
        for (k, search) in &mut asked {
            if *k <= proved.lo || *k > proved.hi {
                continue;
            }
            let (sofar, begun) = (proved.nodes, search.nodes);
            let found = search.run(depth, &mut |nodes| stopped(sofar + nodes - begun));
            proved.nodes += search.nodes - begun;
            match found {
                Some(0) => proved.lo = proved.lo.max(*k),
                Some(1) => proved.hi = proved.hi.min(*k - 2),
                _ => (),
            }
        }
    }
}

/// Bounds where endless play pays nothing. With an empty history the table is exact. With another history its value is proved
/// if it is 0, or if a path of the side that is ahead avoids the history; otherwise the value lies between 0 and that of the
/// table.
fn bounds_by_progress_path(way: &[Node], layer: SidedLayer<'_>) -> Proved {
    let SidedLayer { rules, endings, .. } = layer;
    let value = way.last().and_then(|root| endings.probe(root)).map_or(0, |known| known.lo);
    let certain = way.len() == 1 || value == 0 || {
        let aim = Aim { k: value.abs(), rules, endings };
        ProgressPath::past(way, value > 0, aim, LONGEST_PATH).is_some()
    };
    let [lo, hi] = if certain { [value; 2] } else { [value.min(0), value.max(0)] };
    Proved { lo, hi, nodes: 1 }
}

impl Solve<Oware> for OwareSolver {
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
        // Without a time limit the answer must not depend on earlier calls.
        if OwareSearcher::by_clock(&limits) {
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
