//! The Kalah solver as a [`Solve`]: takes a match and limits, and returns bounds and the principal variation. It uses null
//! windows from both ends, several threads, and endgame tables: layers that were opened from files, and layers that it fills by
//! itself above them. The general solver handles boards that do not fit the solver's words.
//!
//! When to fill the next layer is a ski-rental problem: it is filled as soon as the search has taken about as long as filling
//! takes. So easy positions cost nothing, hard ones soon have large tables, and the total time is at most twice that of an
//! optimal decision.

use super::{
    endings::Endings,
    search::{Beans, KalahSearch, Node, Rules},
};
use crate::shared::{
    ProvedBounds, SearchThread, TranspositionTable, principal_variation, proof_report, race, successors,
    with_deadline,
};
use parlor_core::{
    Bounds, Evaluated, Game, Indexed, Limits, Margin, Match, Report, Solve, is_finished, margin_of,
};
use parlor_engine::{AlphaBeta, Clock};
use parlor_games::{
    kalah::{Hole, Kalah, Position, SowingTable},
    rows::Rows,
};
use parlor_tables::EndgameTable;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Node limit of the second attempt at each move of the principal variation; the third has none.
const SOON: u64 = 100_000;

/// The solver of Kalah, as a `Solve`.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Evaluated, Limits, Margin, Match, Solve};
/// use parlor_engine::{Monotonic, NullWindowSolver};
/// use parlor_games::kalah::Kalah;
/// use parlor_solvers::kalah::KalahExpert;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let clock = Arc::new(Monotonic::start());
/// let general = Box::new(NullWindowSolver::new(Kalah::CLASSIC, 1 << 20, clock.clone()));
/// let mut expert = KalahExpert::new(16 << 20, 1, clock, None, general);
/// let game = Match::new(Kalah::sized(4, 3)?);
/// let bounds = expert.solve(&game, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(bounds, Bounds::exactly(Margin(6)));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub struct KalahExpert {
    solver: Option<(String, KalahSolver)>,
    kept: Option<Arc<EndgameTable<Kalah>>>,
    otherwise: Box<dyn Solve<Kalah>>,
    memory: usize,
    threads: usize,
    clock: Arc<dyn Clock>,
}

impl KalahExpert {
    /// A solver that takes about `memory` bytes, with the endgame table stored for the game, if there is one. `otherwise`
    /// solves boards that do not fit.
    pub fn new(
        memory: usize,
        threads: usize,
        clock: Arc<dyn Clock>,
        kept: Option<Arc<EndgameTable<Kalah>>>,
        otherwise: Box<dyn Solve<Kalah>>,
    ) -> KalahExpert {
        KalahExpert { solver: None, kept, otherwise, memory, threads, clock }
    }

    /// The solver for the game; the previous one is reused if it fits.
    fn solver(&mut self, game: &Kalah) -> Option<&mut KalahSolver> {
        let family = game.family().spec();
        if self.solver.as_ref().is_none_or(|(known, _)| *known != family) {
            let kept = self.kept.clone().filter(|table| table.family().spec() == family);
            let solver = KalahSolver::new(game, self.memory, self.threads, Endings::new(game, kept))?;
            self.solver = Some((family, solver));
        }
        self.solver.as_mut().map(|(_, solver)| solver)
    }
}

impl Solve<Kalah> for KalahExpert {
    fn solve(
        &mut self,
        played: &Match<Kalah>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let (game, pos) = (played.game(), played.position());
        let clock = self.clock.clone();
        let node = node(pos).filter(|_| game.result(pos).is_none());
        let (Some(node), Some(solver)) = (node, self.solver(game)) else {
            return self.otherwise.solve(played, limits, stop, report);
        };
        // With a node limit, only moves that are proved quickly.
        let longest = if limits.nodes.is_some() { SOON } else { u64::MAX };
        let work = |stop: &AtomicBool| {
            let guess = &mut || guess(played, &clock, stop);
            Question { solver, game, stop, longest }.solve(pos, &node, guess, limits, report)
        };
        with_deadline(limits, &clock, stop, work)
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.as_ref().map_or_else(|| self.otherwise.remembered(), |(_, solver)| solver.remembered())
    }

    fn recall(&mut self, played: &Match<Kalah>, proved: Bounds, words: &[u64]) {
        let (game, pos) = (played.game(), played.position());
        let Margin(banked) = game.banked(pos);
        let known = ProvedBounds { lo: i32::from(proved.lo.0 - banked), hi: i32::from(proved.hi.0 - banked) };
        match (node(pos), self.solver(game)) {
            (Some(node), Some(solver)) => solver.recall(&node, known, words),
            _ => self.otherwise.recall(played, proved, words),
        }
    }
}

/// Converts the position; `None` if it does not fit.
fn node(pos: &Position) -> Option<Node> {
    let (own, other) = pos.lanes()?;
    let node = Node::new(own, other);
    (node.beans as usize <= parlor_games::rows::MOST_BEANS).then_some(node)
}

/// An estimate of what the side to move will gain, from a short search by the engine.
fn guess(played: &Match<Kalah>, clock: &Arc<dyn Clock>, stop: &AtomicBool) -> i32 {
    let (game, limits) = (played.game(), Limits { nodes: Some(GUESS), ..Limits::default() });
    let mut engine = AlphaBeta::new(Kalah::STRONG, clock.clone());
    let value = engine.run(played, &limits, stop, &mut |_| ()).value();
    let Margin(banked) = game.banked(played.position());
    let margin = if is_finished(value) { margin_of(value).0.into() } else { value / Kalah::STRONG.bean };
    margin as i32 - i32::from(banked)
}

struct Question<'a> {
    solver: &'a mut KalahSolver,
    game: &'a Kalah,
    stop: &'a AtomicBool,
    /// Node limit for one move of the principal variation. Such a proof may take longer than that of the value.
    longest: u64,
}

impl Question<'_> {
    fn solve(
        &mut self,
        pos: &Position,
        node: &Node,
        guess: Guess<'_>,
        limits: &Limits,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let (before, Margin(banked)) = (self.solver.nodes, self.game.banked(pos));
        let seen = |ProvedBounds { lo, hi }| Bounds {
            lo: Margin(lo as i16 + banked),
            hi: Margin(hi as i16 + banked),
        };
        let most = limits.nodes.unwrap_or(u64::MAX);
        let bounds = seen(self.solver.solve(node, most, guess, self.stop, &mut |known, nodes| {
            report(&proof_report(seen(known), nodes, Vec::new(), false));
        }));
        let line = if bounds.are_exact() && !limits.value_only {
            principal_variation(self.game, pos, bounds.lo, |pos, value| {
                self.value_preserving_move(pos, value)
            })
        } else {
            Vec::new()
        };
        report(&proof_report(bounds, self.solver.nodes - before, line, false));
        bounds
    }

    /// A move that preserves the value: moves with a known or quick proof first, before any long search.
    fn value_preserving_move(&mut self, pos: &Position, value: Margin) -> Option<(Hole, Position)> {
        let (moves, longest) = (successors(self.game, pos), self.longest);
        for most in [1, SOON, u64::MAX].into_iter().filter(|&most| most <= longest) {
            for (mv, next) in &moves {
                if self.keeps(pos, next, value, most) == Some(true) {
                    return Some((*mv, next.clone()));
                }
            }
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        None
    }

    /// Whether a move preserves the value. No move gives more.
    fn keeps(&mut self, pos: &Position, next: &Position, Margin(value): Margin, most: u64) -> Option<bool> {
        let again = self.game.turn(next) == self.game.turn(pos);
        let Margin(banked) = self.game.banked(next);
        if let Some(Margin(result)) = self.game.result(next) {
            return Some(value == if again { result } else { -result });
        }
        let node = node(next)?;
        if again {
            self.solver.reaches(i32::from(value - banked), &node, most, self.stop)
        } else {
            Some(!self.solver.reaches(i32::from(-value - banked) + 2, &node, most, self.stop)?)
        }
    }
}

/// A node of the search takes about as long as filling this many table entries.
const ENTRIES_A_NODE: u64 = 30;
/// With a layer of this many entries and those below it, most look-ups miss all caches and the processor's address tables, and a
/// node takes twice as long.
const LARGE_LAYER: u64 = 1 << 29;
/// Searches that need so large layers are long, and fewer of their nodes should be visited without them: half of what takes as
/// long as filling.
const ENTRIES_A_NODE_OF_LARGE: u64 = 120;
/// The reciprocal of the share of memory for the transposition table. It keeps expensive entries, so a small one needs hardly
/// more nodes than a large one. The rest is for endgame tables.
const PROVED_PART: usize = 16;

/// After this many nodes for one window, and then after twice as many, easier windows are searched in between, so that a solve
/// stopped after a long time has narrow bounds.
const PATIENCE: u64 = 1 << 27;
/// The reciprocal of the share of nodes for each easier window.
const ASIDE: u64 = 16;

/// The number of nodes after which a layer of `len` entries is filled.
fn nodes_a_layer(len: u64) -> u64 {
    len / if len < LARGE_LAYER { ENTRIES_A_NODE } else { ENTRIES_A_NODE_OF_LARGE }
}

/// Nodes of the first window, next to 0. If they do not suffice, the windows start at a guess, because those on the way from 0 to
/// the value can take more nodes than those next to it.
const EASY: u64 = 1 << 18;
/// Nodes of the engine for the guess.
const GUESS: u64 = 200_000;

/// Estimates the value of the rest.
pub(super) type Guess<'a> = &'a mut dyn FnMut() -> i32;

/// Called after each decided window with the proved bounds, without the pots, and the total number of nodes.
pub(super) type WindowCallback<'a> = &'a mut dyn FnMut(ProvedBounds, u64);

/// Solves positions of one family of games; keeps its table between positions.
pub(super) struct KalahSolver {
    game: Kalah,
    rows: &'static Rows,
    table: TranspositionTable,
    pub endings: Endings,
    threads: usize,
    pub nodes: u64,
    /// Nodes since the last layer was filled.
    since_filled: u64,
    /// Nodes spent on the current question, and the limit after which easier ones are searched.
    on_this: u64,
    patience: u64,
    /// A position and the bounds proved for it earlier.
    root: Option<(Node, ProvedBounds)>,
    /// The number of endgame layers at that time.
    layers: usize,
    /// A position and the window at which its search begins.
    guess: Option<(Node, i32)>,
    /// The node count at which the current question is abandoned.
    last: u64,
}

impl KalahSolver {
    /// A solver that takes about `memory` bytes; `None` for boards that do not fit its words.
    pub fn new(game: &Kalah, memory: usize, threads: usize, mut endings: Endings) -> Option<KalahSolver> {
        endings.most_bytes = memory - memory / PROVED_PART;
        Some(KalahSolver {
            game: game.clone(),
            rows: game.rows()?,
            table: TranspositionTable::new::<Beans>((memory / PROVED_PART) >> 20),
            endings,
            threads: threads.max(1),
            nodes: 0,
            since_filled: 0,
            on_this: 0,
            patience: PATIENCE,
            root: None,
            guess: None,
            layers: 0,
            last: u64::MAX,
        })
    }

    /// The value of a position, or bounds that contain it if it was stopped or has visited `most` nodes. An endgame layer is
    /// begun only if some of these are left.
    pub fn solve(
        &mut self,
        node: &Node,
        most: u64,
        guess: Guess<'_>,
        stop: &AtomicBool,
        progress: WindowCallback<'_>,
    ) -> ProvedBounds {
        self.last = self.nodes.saturating_add(most);
        let known = self.narrow(node, None, Some(guess), stop, progress);
        self.last = u64::MAX;
        known
    }

    /// Whether the side to move gets at least this margin; `None` if it was stopped, or if `most` nodes do not suffice.
    pub fn reaches(&mut self, margin: i32, node: &Node, most: u64, stop: &AtomicBool) -> Option<bool> {
        if most == u64::MAX {
            self.narrow(node, Some(margin), None, stop, &mut |_, _| ()).is_at_least(margin)
        } else {
            self.decide(node, margin, most, stop).map(|value| value >= margin)
        }
    }

    fn narrow(
        &mut self,
        node: &Node,
        asked: Option<i32>,
        guess: Option<Guess<'_>>,
        stop: &AtomicBool,
        progress: WindowCallback<'_>,
    ) -> ProvedBounds {
        let mut known = ProvedBounds { lo: -node.beans, hi: node.beans };
        if let Some((_, before)) = self.root.filter(|(root, _)| root == node) {
            known = known.and(before);
        }
        let before = self.nodes;
        if asked.is_none() && known.lo < known.hi {
            self.fill_again(stop);
        }
        let mut guess = guess.filter(|_| self.guess.is_none_or(|(root, _)| root != *node));
        // Has the parity of the values.
        let start = self.guess.filter(|(root, _)| root == node).map_or(node.beans % 2, |(_, guess)| guess);
        let mut beta = asked.unwrap_or(start.clamp(known.lo + 2, known.hi.max(known.lo + 2)));
        while known.lo < known.hi && asked.is_none_or(|asked| known.is_at_least(asked).is_none()) {
            let begun = self.nodes;
            let most = if asked.is_some() {
                u64::MAX
            } else if guess.is_some() {
                EASY.saturating_sub(begun - before)
            } else {
                self.patience.saturating_sub(self.on_this)
            };
            let most = most.min(self.last.saturating_sub(self.nodes));
            if most == 0 && guess.is_none() {
                break;
            }
            let decided = self.decide(node, beta, most, stop);
            self.on_this += self.nodes - begun;
            match decided {
                Some(value) => known = known.after(value, beta),
                None if stop.load(Ordering::Relaxed) || self.nodes >= self.last => break,
                None if guess.is_some() && self.nodes - before >= EASY => {
                    let guess = guess.take().map_or(beta, |guess| guess());
                    // Rounded up to the parity of the values.
                    beta = (guess + (guess - node.beans).rem_euclid(2)).clamp(known.lo + 2, known.hi);
                    (self.guess, self.on_this) = (Some((*node, beta)), 0);
                    continue;
                }
                None if asked.is_none() && self.on_this >= self.patience => {
                    (self.patience, self.on_this) = (2 * self.patience, 0);
                    self.ask_aside(node, &mut known, beta, stop);
                    progress(known, self.nodes - before);
                    beta = beta.clamp(known.lo + 2, known.hi.max(known.lo + 2));
                    continue;
                }
                None => {
                    self.endings.fill_next(self.threads, stop);
                    self.since_filled = 0;
                    continue;
                }
            }
            self.on_this = 0;
            progress(known, self.nodes - before);
            beta = asked.unwrap_or(if known.lo >= beta { known.lo + 2 } else { known.hi });
        }
        known
    }

    /// Searches easier questions on both sides of the current one: half way to the known bounds, then closer.
    fn ask_aside(&mut self, node: &Node, known: &mut ProvedBounds, beta: i32, stop: &AtomicBool) {
        let most = (self.patience / ASIDE).min(self.last.saturating_sub(self.nodes));
        let even = |distance: i32| distance / 2 * 2;
        let mut distance = even((beta - known.lo) / 2);
        while distance >= 2 {
            let easier = known.lo + distance;
            if let Some(value) = self.decide(node, easier, most, stop) {
                *known = known.after(value, easier);
            }
            distance = even((easier - known.lo) / 2);
        }
        let mut distance = even((known.hi - beta) / 2);
        while distance >= 2 {
            let easier = known.hi + 2 - distance;
            if let Some(value) = self.decide(node, easier, most, stop) {
                *known = known.after(value, easier);
            }
            distance = even((known.hi + 2 - easier) / 2);
        }
    }

    /// Refills the layers that an earlier run of this proof had filled.
    fn fill_again(&mut self, stop: &AtomicBool) {
        while self.endings.layers().len() < self.layers
            && self.endings.next_len().is_some()
            && !stop.load(Ordering::Relaxed)
        {
            self.endings.fill_next(self.threads, stop);
        }
    }

    /// Expensive proofs, and the number of endgame layers.
    pub fn remembered(&self) -> Vec<u64> {
        let mut words = vec![self.endings.layers().len() as u64];
        words.extend(self.table.hard());
        words
    }

    /// Restores earlier proofs: bounds of a position, and what a solver remembered.
    pub fn recall(&mut self, node: &Node, known: ProvedBounds, words: &[u64]) {
        self.root = Some((*node, known));
        if let [layers, hard @ ..] = words {
            self.layers = usize::try_from(*layers).unwrap_or(0);
            self.table.learn::<Beans>(hard);
        }
    }

    /// Decides one window with all threads: the first to finish stops the others. `None` if it was stopped, or if it is time
    /// for another endgame layer.
    fn decide(&mut self, node: &Node, beta: i32, most: u64, stop: &AtomicBool) -> Option<i32> {
        let affordable = self.endings.next_len().map_or(u64::MAX, nodes_a_layer);
        let most_nodes = affordable.saturating_sub(self.since_filled).min(most);
        let layers = self.endings.layers();
        let ask = |thread: SearchThread<'_, Beans>| self.ask(thread, node, beta, &layers);
        let (decided, nodes) = race(self.threads, &self.table, most_nodes, stop, ask);
        self.nodes += nodes;
        self.since_filled += nodes;
        decided
    }

    /// The result of one thread, if it was not stopped, and its number of nodes.
    fn ask(
        &self,
        thread: SearchThread<'_, Beans>,
        node: &Node,
        beta: i32,
        layers: &[&[i8]],
    ) -> (Option<i32>, u64) {
        match self.rows.holes() {
            1 => self.ask_sized::<1>(thread, node, beta, layers),
            2 => self.ask_sized::<2>(thread, node, beta, layers),
            3 => self.ask_sized::<3>(thread, node, beta, layers),
            4 => self.ask_sized::<4>(thread, node, beta, layers),
            5 => self.ask_sized::<5>(thread, node, beta, layers),
            6 => self.ask_sized::<6>(thread, node, beta, layers),
            7 => self.ask_sized::<7>(thread, node, beta, layers),
            _ => self.ask_sized::<8>(thread, node, beta, layers),
        }
    }

    fn ask_sized<const H: usize>(
        &self,
        thread: SearchThread<'_, Beans>,
        node: &Node,
        beta: i32,
        endings: &[&[i8]],
    ) -> (Option<i32>, u64) {
        let captures_into_empty = self.game.captures_into_empty();
        let rules = Rules::<H> { rows: self.rows, sowing_table: SowingTable::of(H), captures_into_empty };
        let mut search = KalahSearch { rules, endings, thread, expanded: Vec::new() };
        let value = search.search(node, beta);
        search.thread.outcome(value)
    }
}
