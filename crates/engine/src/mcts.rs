//! Search by tries: a tree grows where moves look good, and where they have been tried little for how good they look. Its
//! leaves are judged by an evaluator, not by random games; wins and losses that are certain are carried up as certain.
//!
//! A position that joins the tree has all its moves judged at once, one ply ahead: that orders them, says how likely each is
//! to be best, and the best of them is what the position is worth at first. Where a game has turns of several stages, the
//! stages are moves of one side running. Threads share the tree under one lock, which is held for much less time than the
//! judging takes.
//!
//! With one thread and a limit of nodes it is deterministic.

use crate::{
    Clock, Deadline,
    tree::{Known, Sight, Taste, Tree},
};
use parlor_play::{Evaluator, Game, Limits, Oracle, Value};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

/// How many further stages of a turn are told with a move.
const STAGES: u32 = 1;

/// A search by tries, and the tree it has grown.
pub struct Mcts<G: Game, E> {
    /// Judges the leaves.
    pub evaluator: E,
    /// What the evaluator's value of e to one is: its values are logarithms of the odds.
    pub unit: f32,
    /// Knows some positions for certain.
    pub oracle: Option<Arc<dyn Oracle<G>>>,
    /// Threads, at least 1.
    pub threads: usize,
    /// What the tree may take, in bytes.
    pub memory: usize,
    /// How much moves attract that were tried little.
    pub curiosity: f32,
    /// How sharply moves that look worse are less likely to be best: a difference of so much makes one e times less likely.
    pub temperature: f32,
    clock: Arc<dyn Clock>,
    tree: Option<Tree<G>>,
}

/// What is known of a move after a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch<M> {
    /// The move.
    pub mv: M,
    /// How often it was tried.
    pub visits: u32,
    /// The chance to win by it.
    pub chance: f32,
    /// Whether it certainly wins (true) or loses (false).
    pub certain: Option<bool>,
    /// What follows: the moves behind it, best first, as far as it was followed, and where the same side moves again.
    pub then: Vec<Branch<M>>,
    /// What is expected to follow, without the move itself; only told of the best.
    pub line: Vec<M>,
}

/// What a search by tries found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook<M> {
    /// The moves, best first.
    pub moves: Vec<Branch<M>>,
    /// Positions judged.
    pub nodes: u64,
}

/// A limit within which a search works.
struct Task<'a, G: Game, E> {
    game: &'a G,
    mcts: &'a Mcts<G, E>,
    tree: &'a Mutex<Tree<G>>,
    nodes: &'a AtomicU64,
    most_nodes: u64,
    halt: &'a AtomicBool,
}

impl<G: Game, E: Evaluator<G>> Mcts<G, E> {
    /// A search with one thread and 128 MiB, for an evaluator whose unit of the odds is this.
    pub fn new(evaluator: E, unit: f32, clock: Arc<dyn Clock>) -> Self {
        Mcts {
            evaluator,
            unit,
            oracle: None,
            threads: 1,
            memory: 128 << 20,
            curiosity: 0.45,
            temperature: 0.45,
            clock,
            tree: None,
        }
    }

    /// Forgets the tree.
    pub fn forget(&mut self) {
        self.tree = None;
    }

    /// Looks at the position within the limits. There are moves unless the game is over, and every one of them has been judged
    /// at sight.
    pub fn run(
        &mut self,
        game: &G,
        pos: &G::Position,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Outlook<G::Move>),
    ) -> Outlook<G::Move> {
        if game.result(pos).is_some() {
            return Outlook { moves: Vec::new(), nodes: 0 };
        }
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        // What was certain at sight has no moves in the tree; here one is wanted.
        let kept = self
            .tree
            .take()
            .and_then(|tree| tree.below(game, pos, 4))
            .filter(|tree| !tree.edges(0).is_empty());
        let tree = Mutex::new(kept.unwrap_or_else(|| Tree::new(pos, self.memory)));
        let (nodes, halt) = (AtomicU64::new(0), AtomicBool::new(false));
        let most_nodes = limits.nodes.unwrap_or(u64::MAX);
        let task = Task { game, mcts: self, tree: &tree, nodes: &nodes, most_nodes, halt: &halt };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.max(1) {
                scope.spawn(|| while !task.is_over() && task.try_once() {});
            }
            task.lead(deadline, report);
            halt.store(true, Ordering::Relaxed);
        });
        let tree = tree.into_inner().unwrap_or_else(PoisonError::into_inner);
        let moves = branches(&tree, 0, STAGES);
        self.tree = Some(tree);
        Outlook { moves, nodes: nodes.into_inner() }
    }

    /// The chance that a value stands for.
    fn chance(&self, value: Value) -> f32 {
        1.0 / (1.0 + exp(-(value as f32) / self.unit))
    }

    /// All moves of a position judged at sight, best first.
    fn sights(&self, game: &G, pos: &G::Position) -> Vec<Sight<G::Move>> {
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let turn = game.turn(pos);
        let mut sights: Vec<(f32, Sight<G::Move>)> = moves
            .into_iter()
            .map(|mv| {
                let mut next = pos.clone();
                game.play(&mut next, mv);
                let again = game.turn(&next) == turn;
                let (value, known) = match game.result(&next) {
                    Some(margin) => (0, known_of(margin.0).seen_before(again)),
                    None => (self.evaluator.evaluate(game, &next), Known::Nothing),
                };
                let value = if again { value } else { -value };
                let chance = match known {
                    Known::Won => 1.0,
                    Known::Lost => 0.0,
                    Known::Nothing => self.chance(value),
                };
                let log = value as f32 / self.unit;
                (log, Sight { mv, chance, prior: 0.0, known, again })
            })
            .collect();
        sights.sort_by(|a, b| b.1.chance.total_cmp(&a.1.chance));
        let best = sights.first().map_or(0.0, |sight| sight.0);
        let mut sum = 0.0;
        for (log, sight) in &mut sights {
            sight.prior = exp((*log - best) / self.temperature);
            sum += sight.prior;
        }
        sights.iter_mut().for_each(|(_, sight)| sight.prior /= sum);
        sights.into_iter().map(|(_, sight)| sight).collect()
    }
}

impl<G: Game, E: Evaluator<G>> Task<'_, G, E> {
    fn tree(&self) -> MutexGuard<'_, Tree<G>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.halt.load(Ordering::Relaxed) || self.nodes.load(Ordering::Relaxed) >= self.most_nodes
    }

    /// The thread that answers: it looks at the clock, and tells of what it sees each time twice as much was looked at.
    fn lead(&self, mut deadline: Deadline<'_>, report: &mut dyn FnMut(&Outlook<G::Move>)) {
        let mut next = 20_000;
        while self.try_once() && !self.is_over() && !deadline.passed() {
            let nodes = self.nodes.load(Ordering::Relaxed);
            if nodes >= next {
                next = nodes * 2;
                report(&self.outlook());
            }
        }
        report(&self.outlook());
    }

    fn outlook(&self) -> Outlook<G::Move> {
        Outlook { moves: branches(&self.tree(), 0, STAGES), nodes: self.nodes.load(Ordering::Relaxed) }
    }

    /// One way down the tree, a leaf judged, and back; false if there is nothing left to find out.
    fn try_once(&self) -> bool {
        let mut tree = self.tree();
        if tree.is_empty() {
            let root = tree.root.clone();
            let sights = self.judged(&root);
            let known = conclusion(&sights);
            tree.grow(None, sights, known);
        }
        if tree.known(0) != Known::Nothing {
            return false;
        }
        let taste = Taste { curiosity: self.mcts.curiosity };
        let (mut node, mut pos, mut path) = (0, tree.root.clone(), Vec::with_capacity(64));
        loop {
            let edge = tree.choose(node, taste);
            path.push((node, edge));
            let chosen = *tree.edge(node, edge);
            self.game.play(&mut pos, chosen.mv);
            if chosen.known != Known::Nothing || chosen.node().is_none() && tree.is_full() {
                let chance = if chosen.again { chosen.chance } else { 1.0 - chosen.chance };
                tree.give_back(&path, chance, chosen.known.seen_before(chosen.again));
                return true;
            }
            match chosen.node() {
                Some(below) => node = below,
                None => break,
            }
        }
        drop(tree);
        self.look(&pos, &path);
        true
    }

    /// Judges a new position and puts it into the tree.
    fn look(&self, pos: &G::Position, path: &[(usize, usize)]) {
        let certain = self.mcts.oracle.as_ref().and_then(|oracle| oracle.probe(self.game, pos));
        let known = certain.filter(|bounds| bounds.lo.0.signum() == bounds.hi.0.signum());
        let known = known.map_or(Known::Nothing, |bounds| known_of(bounds.lo.0));
        let sights = if known == Known::Nothing { self.judged(pos) } else { Vec::new() };
        let known = if known == Known::Nothing { conclusion(&sights) } else { known };
        let chance = sights.first().map_or(0.5, |best| best.chance);
        let behind = path[path.len() - 1];
        let mut tree = self.tree();
        // Another thread may have been here first: then its tree stands, and this was only a second opinion.
        if tree.edge(behind.0, behind.1).node().is_none() {
            tree.grow(Some(behind), sights, known);
        }
        tree.give_back(path, chance, known);
    }

    fn judged(&self, pos: &G::Position) -> Vec<Sight<G::Move>> {
        let sights = self.mcts.sights(self.game, pos);
        self.nodes.fetch_add(sights.len() as u64, Ordering::Relaxed);
        sights
    }
}

/// What the moves at sight say of their position.
fn conclusion<M>(sights: &[Sight<M>]) -> Known {
    if sights.iter().any(|sight| sight.known == Known::Won) {
        Known::Won
    } else if sights.iter().all(|sight| sight.known == Known::Lost) {
        Known::Lost
    } else {
        Known::Nothing
    }
}

fn known_of(margin: i16) -> Known {
    match margin {
        1.. => Known::Won,
        0 => Known::Nothing,
        _ => Known::Lost,
    }
}

/// The moves of a node, best first, and those behind them while the same side moves. Lines are only followed for the best of
/// each: a root of Amazons has two thousand turns, and whoever asks waits for the answer.
fn branches<G: Game>(tree: &Tree<G>, node: usize, depth: u32) -> Vec<Branch<G::Move>> {
    let ranked = tree.ranked(node).into_iter().enumerate();
    let branch = |(rank, i)| {
        let edge = tree.edge(node, i);
        let below = edge.node();
        let certain = match edge.known {
            Known::Nothing => None,
            known => Some(known == Known::Won),
        };
        let then = below.filter(|_| edge.again && depth > 0).map(|below| branches(tree, below, depth - 1));
        let line = below.filter(|_| rank == 0).map(|below| line(tree, below));
        Branch {
            mv: edge.mv,
            visits: edge.visits,
            chance: edge.worth(),
            certain,
            then: then.unwrap_or_default(),
            line: line.unwrap_or_default(),
        }
    };
    ranked.map(branch).collect()
}

/// What is expected from a node on: the first of each node's moves, as long as somebody went there.
fn line<G: Game>(tree: &Tree<G>, mut node: usize) -> Vec<G::Move> {
    let mut line = Vec::new();
    while let Some(&best) = tree.ranked(node).first() {
        let edge = tree.edge(node, best);
        line.push(edge.mv);
        match edge.node() {
            Some(below) if tree.visits(node) > 0 => node = below,
            _ => break,
        }
    }
    line
}

/// e to the x, the same to the last bit on every machine.
fn exp(x: f32) -> f32 {
    let mut y = 1.0 + x.clamp(-40.0, 40.0) / 4096.0;
    for _ in 0..12 {
        y *= y;
    }
    y
}
