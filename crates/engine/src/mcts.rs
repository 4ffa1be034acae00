//! Monte Carlo tree search with PUCT selection, static evaluation of leaves instead of random games,
//! and backpropagation of proven results (MCTS-Solver). For games that cannot be drawn.
//!
//! When a position is added to the tree, all its moves are evaluated one ply ahead: this gives their order and priors, and the
//! best of them is the first value of the position. In games whose turns have several stages, the stages are consecutive moves
//! of one side. Threads share the tree under one lock (tree parallelisation with virtual loss), which is held much shorter than
//! an evaluation takes.
//!
//! Every simulation counts at least one node, even if it evaluates nothing because it ends at a proven move or at a full tree.
//! A full tree is pruned (see [`crate::tree`]) as soon as no simulation is in flight. With one thread and a limit of nodes the
//! search is deterministic.

use crate::{
    Clock, Deadline,
    tree::{PriorEvaluation, ProvenResult, Tree},
};
use parlor_core::{Evaluator, Game, Limits, Oracle, Value};
use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// The number of further stages of a turn that a result lists with each move.
const STAGES: u32 = 1;
/// How long a simulation waits until it can prune the tree. Simulations in flight take less, unless
/// the system runs other threads.
const LONGEST_WAIT: Duration = Duration::from_millis(1);

/// A Monte Carlo tree search, and the tree of its last run.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Limits, Notation};
/// use parlor_engine::{Mcts, Monotonic};
/// use parlor_games::amazons::{Amazons, Mobility};
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let game = Amazons::sized(4, 4)?;
/// let pos = game.parse_position("Q2*/1***/****/*2q w")?;
/// let mut mcts = Mcts::new(Mobility, 10.0, Arc::new(Monotonic::start()));
/// let limits = Limits { nodes: Some(1000), ..Limits::default() };
/// let found = mcts.run(&game, &pos, &limits, &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(found.moves[0].proven, Some(true), "White has more squares to fill");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Mcts<G: Game, E> {
    pub evaluator: E,
    /// The evaluator's value of odds of e to 1: its values are logarithms of the odds.
    pub unit: f32,
    /// Supplies proven values.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// At least 1.
    pub threads: usize,
    /// Limit for the tree, in bytes.
    pub memory: usize,
    /// The exploration constant of PUCT.
    pub c_puct: f32,
    /// The temperature of the softmax that turns static evaluations into priors: a move whose log odds
    /// are lower by this has a prior e times smaller.
    pub temperature: f32,
    clock: Arc<dyn Clock>,
    tree: Option<Tree<G>>,
}

/// Statistics of a root move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveStats<M> {
    pub mv: M,
    /// Number of simulations that began with the move.
    pub visits: u32,
    pub win_probability: f32,
    /// Whether the move is proven to win (true) or to lose (false).
    pub proven: Option<bool>,
    /// The moves of the next stage, best first, if the same side moves again. Empty if the tree does not contain them.
    pub next_stage: Vec<MoveStats<M>>,
    /// The principal variation after the move, without the move itself; only for the best move.
    pub pv: Vec<M>,
}

/// The result of a Monte Carlo tree search.
#[derive(Clone, Debug, PartialEq)]
pub struct MctsResult<M> {
    /// Best first.
    pub moves: Vec<MoveStats<M>>,
    /// Number of evaluated positions, plus simulations that evaluated none.
    pub nodes: u64,
}

/// State shared by the threads of one search.
struct SharedSearch<'a, G: Game, E> {
    game: &'a G,
    mcts: &'a Mcts<G, E>,
    tree: &'a Mutex<Tree<G>>,
    /// Notified when the tree is full and no simulation is in flight any more.
    drained: Condvar,
    nodes: &'a AtomicU64,
    node_limit: u64,
    halt: &'a AtomicBool,
}

impl<G: Game, E: Evaluator<G>> Mcts<G, E> {
    /// A search with one thread and 128 MiB, for an evaluator with this unit of log odds.
    pub fn new(evaluator: E, unit: f32, clock: Arc<dyn Clock>) -> Self {
        Mcts {
            evaluator,
            unit,
            oracle: None,
            threads: 1,
            memory: 128 << 20,
            c_puct: 0.45,
            temperature: 0.45,
            clock,
            tree: None,
        }
    }

    pub fn forget(&mut self) {
        self.tree = None;
    }

    /// Searches the position within the limits. There are moves unless the game is over, and every one
    /// of them has been evaluated statically.
    pub fn run(
        &mut self,
        game: &G,
        pos: &G::Position,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&MctsResult<G::Move>),
    ) -> MctsResult<G::Move> {
        if game.result(pos).is_some() {
            return MctsResult { moves: Vec::new(), nodes: 0 };
        }
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let reused = self.tree.take().and_then(|tree| tree.into_subtree(game, pos, 4));
        let tree = Mutex::new(reused.unwrap_or_else(|| Tree::new(pos, self.memory)));
        let (nodes, halt) = (AtomicU64::new(0), AtomicBool::new(false));
        let node_limit = limits.nodes.unwrap_or(u64::MAX);
        let search = SharedSearch {
            game,
            mcts: self,
            tree: &tree,
            drained: Condvar::new(),
            nodes: &nodes,
            node_limit,
            halt: &halt,
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.max(1) {
                scope.spawn(|| while !search.is_over() && search.simulate() {});
            }
            search.run_main_thread(deadline, report);
            halt.store(true, Ordering::Relaxed);
        });
        let tree = tree.into_inner().unwrap_or_else(PoisonError::into_inner);
        let moves = move_stats(&tree, 0, STAGES);
        self.tree = Some(tree);
        MctsResult { moves, nodes: nodes.into_inner() }
    }

    fn win_probability(&self, value: Value) -> f32 {
        1.0 / (1.0 + exp(-(value as f32) / self.unit))
    }

    /// All moves of a position with their static evaluations, best first.
    fn evaluate_moves(&self, game: &G, pos: &G::Position) -> Vec<PriorEvaluation<G::Move>> {
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let turn = game.turn(pos);
        let mut evaluated: Vec<(f32, PriorEvaluation<G::Move>)> = moves
            .into_iter()
            .map(|mv| {
                let mut next = pos.clone();
                game.play(&mut next, mv);
                let same_side = game.turn(&next) == turn;
                let (value, proof) = match game.result(&next) {
                    Some(margin) => (0, proof_of(margin.0).for_mover(same_side)),
                    None => (self.evaluator.evaluate(game, &next), ProvenResult::Unknown),
                };
                let value = if same_side { value } else { -value };
                let win_probability = match proof {
                    ProvenResult::Win => 1.0,
                    ProvenResult::Loss => 0.0,
                    ProvenResult::Unknown => self.win_probability(value),
                };
                let log_odds = value as f32 / self.unit;
                (log_odds, PriorEvaluation { mv, value: win_probability, prior: 0.0, proof, same_side })
            })
            .collect();
        evaluated.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        let best = evaluated.first().map_or(0.0, |best| best.0);
        let mut sum = 0.0;
        for (log_odds, evaluation) in &mut evaluated {
            evaluation.prior = exp((*log_odds - best) / self.temperature);
            sum += evaluation.prior;
        }
        evaluated.iter_mut().for_each(|(_, evaluation)| evaluation.prior /= sum);
        evaluated.into_iter().map(|(_, evaluation)| evaluation).collect()
    }
}

impl<G: Game, E: Evaluator<G>> SharedSearch<'_, G, E> {
    fn tree(&self) -> MutexGuard<'_, Tree<G>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tree, pruned if it is full. Pruning waits until no simulation is in flight; if that takes too long, the tree is
    /// returned as it is, and the simulation may have to end at a leaf that it cannot expand. While the tree is full no new
    /// simulation starts.
    fn tree_with_room(&self) -> MutexGuard<'_, Tree<G>> {
        let mut tree = self.tree();
        if tree.is_full() && tree.in_flight > 0 {
            let waited = self.drained.wait_timeout(tree, LONGEST_WAIT);
            tree = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if tree.is_full() && tree.in_flight == 0 {
            tree.prune();
        }
        tree
    }

    /// The tree, for a simulation that was in flight.
    fn tree_after_flight(&self) -> MutexGuard<'_, Tree<G>> {
        let mut tree = self.tree();
        tree.in_flight -= 1;
        if tree.in_flight == 0 && tree.is_full() {
            self.drained.notify_all();
        }
        tree
    }

    fn is_over(&self) -> bool {
        self.halt.load(Ordering::Relaxed) || self.nodes.load(Ordering::Relaxed) >= self.node_limit
    }

    fn count(&self, nodes: usize) {
        self.nodes.fetch_add(nodes as u64, Ordering::Relaxed);
    }

    /// The thread that answers: it checks the deadline, and reports each time the nodes have doubled.
    fn run_main_thread(&self, mut deadline: Deadline<'_>, report: &mut dyn FnMut(&MctsResult<G::Move>)) {
        let mut next = 20_000;
        while self.simulate() && !self.is_over() && !deadline.passed() {
            let nodes = self.nodes.load(Ordering::Relaxed);
            if nodes >= next {
                next = nodes * 2;
                report(&self.result());
            }
        }
        report(&self.result());
    }

    fn result(&self) -> MctsResult<G::Move> {
        MctsResult { moves: move_stats(&self.tree(), 0, STAGES), nodes: self.nodes.load(Ordering::Relaxed) }
    }

    /// One simulation: selects a leaf, evaluates it and backpropagates the value. Returns false if the root is proven and
    /// nothing is left to search.
    fn simulate(&self) -> bool {
        let mut tree = self.tree_with_room();
        if tree.is_empty() {
            let root = tree.root.clone();
            let evaluations = self.evaluate(&root);
            let proof = proof_by_moves(&evaluations);
            tree.expand(None, evaluations, proof);
        }
        if tree.proof(0) != ProvenResult::Unknown {
            return false;
        }
        let (mut node, mut pos, mut path) = (0, tree.root.clone(), Vec::with_capacity(64));
        loop {
            let selected = tree.select(node, self.mcts.c_puct);
            path.push((node, selected));
            let edge = *tree.edge(node, selected);
            if edge.proof != ProvenResult::Unknown || edge.node().is_none() && tree.is_full() {
                let value = if edge.same_side { edge.prior_value } else { 1.0 - edge.prior_value };
                tree.backpropagate(&path, value, edge.proof.for_mover(edge.same_side));
                self.count(1);
                return true;
            }
            self.game.play(&mut pos, edge.mv);
            match edge.node() {
                Some(child) => node = child,
                None => break,
            }
        }
        tree.in_flight += 1;
        drop(tree);
        self.evaluate_leaf(&pos, &path);
        true
    }

    /// Evaluates a leaf without the lock, adds it to the tree and backpropagates its value. A leaf that the oracle proves needs
    /// no node: the proof is stored in the edge.
    fn evaluate_leaf(&self, pos: &G::Position, path: &[(usize, usize)]) {
        let bounds = self.mcts.oracle.as_ref().and_then(|oracle| oracle.probe(self.game, pos));
        let bounds = bounds.filter(|bounds| bounds.lo.0.signum() == bounds.hi.0.signum());
        let by_oracle = bounds.map_or(ProvenResult::Unknown, |bounds| proof_of(bounds.lo.0));
        if by_oracle != ProvenResult::Unknown {
            self.count(1);
            self.tree_after_flight().backpropagate(path, 0.5, by_oracle);
            return;
        }
        let evaluations = self.evaluate(pos);
        let proof = proof_by_moves(&evaluations);
        let value = evaluations.first().map_or(0.5, |best| best.value);
        let parent = path[path.len() - 1];
        let mut tree = self.tree_after_flight();
        // Another thread may have added the same leaf meanwhile; then only the value is used.
        if tree.edge(parent.0, parent.1).node().is_none() {
            tree.expand(Some(parent), evaluations, proof);
        }
        tree.backpropagate(path, value, proof);
    }

    fn evaluate(&self, pos: &G::Position) -> Vec<PriorEvaluation<G::Move>> {
        let evaluations = self.mcts.evaluate_moves(self.game, pos);
        self.count(evaluations.len());
        evaluations
    }
}

/// The proof of a position by the static evaluations of its moves.
fn proof_by_moves<M>(evaluations: &[PriorEvaluation<M>]) -> ProvenResult {
    if evaluations.iter().any(|evaluation| evaluation.proof == ProvenResult::Win) {
        ProvenResult::Win
    } else if evaluations.iter().all(|evaluation| evaluation.proof == ProvenResult::Loss) {
        ProvenResult::Loss
    } else {
        ProvenResult::Unknown
    }
}

fn proof_of(margin: i16) -> ProvenResult {
    match margin {
        1.. => ProvenResult::Win,
        0 => ProvenResult::Unknown,
        _ => ProvenResult::Loss,
    }
}

/// The moves of a node, best first, and those of the next stage while the same side moves. Principal
/// variations are only followed for the best of each: a root of Amazons has two thousand turns, and
/// the caller waits for the answer.
fn move_stats<G: Game>(tree: &Tree<G>, node: usize, stages: u32) -> Vec<MoveStats<G::Move>> {
    let stats = |(rank, i)| {
        let edge = tree.edge(node, i);
        let child = edge.node();
        let proven = match edge.proof {
            ProvenResult::Unknown => None,
            proof => Some(proof == ProvenResult::Win),
        };
        let next_stage = child.filter(|_| edge.same_side && stages > 0);
        let pv = child.filter(|_| rank == 0);
        MoveStats {
            mv: edge.mv,
            visits: edge.visits,
            win_probability: edge.q(),
            proven,
            next_stage: next_stage.map_or_else(Vec::new, |child| move_stats(tree, child, stages - 1)),
            pv: pv.map_or_else(Vec::new, |child| principal_variation(tree, child)),
        }
    };
    tree.ranked(node).into_iter().enumerate().map(stats).collect()
}

/// The best move of each node from this one on, as far as the tree reaches.
fn principal_variation<G: Game>(tree: &Tree<G>, mut node: usize) -> Vec<G::Move> {
    let mut line = Vec::new();
    while let Some(&best) = tree.ranked(node).first() {
        let edge = tree.edge(node, best);
        line.push(edge.mv);
        match edge.node() {
            Some(child) if tree.visits(node) > 0 => node = child,
            _ => break,
        }
    }
    line
}

/// The exponential function, bit-identical on every machine.
fn exp(x: f32) -> f32 {
    let mut y = 1.0 + x.clamp(-40.0, 40.0) / 4096.0;
    for _ in 0..12 {
        y *= y;
    }
    y
}
