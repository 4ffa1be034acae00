//! The search tree of [`crate::Mcts`]: positions with all their moves, the visits and values of each. It neither evaluates
//! positions nor measures time.
//!
//! The tree has a memory limit. When it is full, [`Tree::prune`] recycles memory as Fuego does with
//! its "prune full tree" option (Enzenberger, Müller, Arneson, Segal 2010): positions with few visits
//! are removed, the others are moved together. An edge keeps its own visits, value and proof when the
//! position behind it is removed; that position is evaluated again when a simulation returns to it.
//!
//! Nodes are stored in the order in which they were added, so that a parent always precedes its
//! children, and the edges of all nodes follow one another in the same order.

use parlor_core::Game;
use std::cmp::{Ordering, Reverse};

/// The node of an edge that leads to no node of the tree.
const NO_NODE: u32 = u32::MAX;
/// The least number of edges of a tree, whatever its memory limit says: enough for the root and its
/// best children.
const MIN_EDGES: usize = 4096;

/// Whether the side to move is proven to win or to lose (MCTS-Solver, Winands et al. 2008).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProvenResult {
    Unknown,
    Win,
    Loss,
}

impl ProvenResult {
    /// The same seen by the side that moved here.
    pub fn for_mover(self, same_side: bool) -> ProvenResult {
        match self {
            ProvenResult::Win if !same_side => ProvenResult::Loss,
            ProvenResult::Loss if !same_side => ProvenResult::Win,
            same => same,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<M> {
    pub mv: M,
    /// The node after the move, or [`NO_NODE`].
    node: u32,
    pub visits: u32,
    /// Simulations in flight through this edge; each counts as a loss until its value arrives.
    virtual_losses: u32,
    /// The sum of all win probabilities that were backpropagated, seen by the side that moves.
    sum: f32,
    /// Win probability by static evaluation.
    pub prior_value: f32,
    /// The prior: how likely the move is to be the best by static evaluation; the sum over all moves of a position is 1.
    prior: f32,
    pub proof: ProvenResult,
    /// Whether the same side moves again after it.
    pub same_side: bool,
}

impl<M> Edge<M> {
    /// The win probability of the move: the mean of its visits, the static evaluation being the first.
    pub fn q(&self) -> f32 {
        match self.proof {
            ProvenResult::Win => 1.0,
            ProvenResult::Loss => 0.0,
            ProvenResult::Unknown => (self.prior_value + self.sum) / (1 + self.visits) as f32,
        }
    }

    /// The node behind the move; `None` if it was never expanded, or was pruned.
    pub fn node(&self) -> Option<usize> {
        (self.node != NO_NODE).then_some(self.node as usize)
    }
}

/// A move with its static evaluation, before any visit.
pub(crate) struct PriorEvaluation<M> {
    pub mv: M,
    pub value: f32,
    pub prior: f32,
    pub proof: ProvenResult,
    pub same_side: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    len: u32,
    visits: u32,
    /// How many edges were selected at least once: the first ones, because edges are sorted.
    tried: u32,
    proof: ProvenResult,
}

pub(crate) struct Tree<G: Game> {
    pub root: G::Position,
    nodes: Vec<Node>,
    edges: Vec<Edge<G::Move>>,
    /// Memory limit in bytes.
    memory: usize,
    /// Simulations that hold a path into the tree while they do not hold its lock.
    pub in_flight: u32,
}

impl<G: Game> Tree<G> {
    const EDGE: usize = size_of::<Edge<G::Move>>();

    /// An empty tree with a memory limit in bytes.
    pub fn new(root: &G::Position, memory: usize) -> Tree<G> {
        let memory = memory.max(MIN_EDGES * Self::EDGE);
        Tree { root: root.clone(), nodes: Vec::new(), edges: Vec::new(), memory, in_flight: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.nodes.len() * size_of::<Node>() + self.edges.len() * Self::EDGE >= self.memory
    }

    pub fn visits(&self, node: usize) -> u32 {
        self.nodes[node].visits
    }

    pub fn proof(&self, node: usize) -> ProvenResult {
        self.nodes[node].proof
    }

    pub fn edges(&self, node: usize) -> &[Edge<G::Move>] {
        let Node { first, len, .. } = self.nodes[node];
        &self.edges[first as usize..(first + len) as usize]
    }

    pub fn edge(&self, node: usize, edge: usize) -> &Edge<G::Move> {
        &self.edges[self.nodes[node].first as usize + edge]
    }

    fn edge_mut(&mut self, node: usize, edge: usize) -> &mut Edge<G::Move> {
        &mut self.edges[self.nodes[node].first as usize + edge]
    }

    /// Adds a position with its moves, the most promising first, behind an edge or as the root.
    pub fn expand(
        &mut self,
        parent: Option<(usize, usize)>,
        evaluations: Vec<PriorEvaluation<G::Move>>,
        proof: ProvenResult,
    ) {
        self.reserve(evaluations.len());
        let (first, len) = (self.edges.len() as u32, evaluations.len() as u32);
        self.edges.extend(evaluations.into_iter().map(|evaluation| Edge {
            mv: evaluation.mv,
            node: NO_NODE,
            visits: 0,
            virtual_losses: 0,
            sum: 0.0,
            prior_value: evaluation.value,
            prior: evaluation.prior,
            proof: evaluation.proof,
            same_side: evaluation.same_side,
        }));
        self.nodes.push(Node { first, len, visits: 0, tried: 0, proof });
        if let Some((node, edge)) = parent {
            self.edge_mut(node, edge).node = self.nodes.len() as u32 - 1;
        }
    }

    /// Makes room for `more` edges. Capacity doubles, but not far beyond the memory limit.
    fn reserve(&mut self, more: usize) {
        let needed = self.edges.len() + more;
        if needed > self.edges.capacity() {
            let doubled = (2 * self.edges.capacity()).min(self.memory / Self::EDGE + more);
            self.edges.reserve_exact(doubled.max(needed) - self.edges.len());
        }
    }

    /// Selects the edge to visit next by PUCT (Rosin 2011, as AlphaZero uses it) and adds a virtual
    /// loss to it. Proven losses are selected only where all edges are.
    pub fn select(&mut self, node: usize, c_puct: f32) -> usize {
        let Node { visits, tried, len, .. } = self.nodes[node];
        let exploration = c_puct * ((visits + 1) as f32).sqrt();
        let score = |edge: &Edge<G::Move>| {
            let visits = edge.visits + edge.virtual_losses;
            // Virtual losses make other threads choose other edges.
            let q = match edge.proof {
                ProvenResult::Win => 2.0,
                ProvenResult::Loss => -1.0,
                ProvenResult::Unknown => (edge.prior_value + edge.sum) / (1 + visits) as f32,
            };
            q + exploration * edge.prior / (1 + visits) as f32
        };
        // Among the edges that were never selected the first has the highest score.
        let candidates = (tried + 1).min(len) as usize;
        let mut best = (f32::MIN, 0);
        for (i, edge) in self.edges(node).iter().enumerate().take(candidates) {
            let score = score(edge);
            if score > best.0 {
                best = (score, i);
            }
        }
        // If all edges tried so far are lost, the next one is tried, regardless of its evaluation.
        if self.edge(node, best.1).proof == ProvenResult::Loss
            && let Some(next) = self.edges(node).iter().position(|edge| edge.proof != ProvenResult::Loss)
        {
            best.1 = next;
        }
        self.edge_mut(node, best.1).virtual_losses += 1;
        self.nodes[node].tried = tried.max(best.1 as u32 + 1);
        best.1
    }

    /// Backpropagates a win probability and a proof, both seen by the side to move at the end of the
    /// path, to the root, and removes the virtual losses of the path.
    pub fn backpropagate(&mut self, path: &[(usize, usize)], value: f32, proof: ProvenResult) {
        let (mut value, mut proof) = (value, proof);
        for &(node, edge) in path.iter().rev() {
            let edge = self.edge_mut(node, edge);
            proof = proof.for_mover(edge.same_side);
            value = match proof {
                ProvenResult::Win => 1.0,
                ProvenResult::Loss => 0.0,
                ProvenResult::Unknown if edge.same_side => value,
                ProvenResult::Unknown => 1.0 - value,
            };
            edge.visits += 1;
            edge.virtual_losses -= 1;
            edge.sum += value;
            if proof != ProvenResult::Unknown {
                edge.proof = proof;
            }
            self.nodes[node].visits += 1;
            proof = self.update_proof(node, proof);
        }
    }

    /// The proof of a node after one of its edges was proven.
    fn update_proof(&mut self, node: usize, of_edge: ProvenResult) -> ProvenResult {
        let all_lost = || self.edges(node).iter().all(|edge| edge.proof == ProvenResult::Loss);
        let proof = match of_edge {
            ProvenResult::Win => ProvenResult::Win,
            ProvenResult::Loss if all_lost() => ProvenResult::Loss,
            _ => self.nodes[node].proof,
        };
        self.nodes[node].proof = proof;
        proof
    }

    /// The edges of a node, the best first: proven wins, then by visits; proven losses last.
    pub fn ranked(&self, node: usize) -> Vec<usize> {
        let rank = |edge: &Edge<G::Move>| match edge.proof {
            ProvenResult::Win => 2,
            ProvenResult::Unknown => 1,
            ProvenResult::Loss => 0,
        };
        let edges = self.edges(node);
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&edges[a], &edges[b]);
            let by_q = || b.q().partial_cmp(&a.q()).unwrap_or(Ordering::Equal);
            rank(b).cmp(&rank(a)).then(b.visits.cmp(&a.visits)).then_with(by_q)
        });
        order
    }

    /// Prunes the tree to half its memory limit: the nodes with the most visits stay, and of those
    /// with equal visits the oldest. The root always stays. Positions behind a proven edge go first:
    /// no simulation enters them again.
    ///
    /// Every path into the tree becomes invalid, so no simulation may be in flight.
    pub fn prune(&mut self) {
        debug_assert_eq!(self.in_flight, 0);
        // Visits of the edge that leads to each node. No child has more than its parent.
        let mut visits = vec![0; self.nodes.len()];
        visits[0] = u32::MAX;
        for node in 0..self.nodes.len() {
            for edge in self.edges(node) {
                if let Some(child) = edge.node() {
                    let is_open = edge.proof == ProvenResult::Unknown && visits[node] > 0;
                    visits[child] = if is_open { edge.visits } else { 0 };
                }
            }
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|&node| Reverse(visits[node]));
        let mut keep = vec![false; self.nodes.len()];
        let mut bytes = 0;
        // A prefix of this order holds the parents of all its nodes.
        for node in order {
            bytes += size_of::<Node>() + self.edges(node).len() * Self::EDGE;
            if node != 0 && bytes > self.memory / 2 {
                break;
            }
            keep[node] = true;
        }
        self.retain(&keep);
    }

    /// Removes all nodes that are not to be kept and moves the others together, in order.
    fn retain(&mut self, keep: &[bool]) {
        let mut moved = vec![NO_NODE; self.nodes.len()];
        let (mut nodes, mut edges) = (0, 0);
        for old in 0..self.nodes.len() {
            if !keep[old] {
                continue;
            }
            let Node { first, len, .. } = self.nodes[old];
            self.edges.copy_within(first as usize..(first + len) as usize, edges);
            self.nodes[nodes] = Node { first: edges as u32, ..self.nodes[old] };
            moved[old] = nodes as u32;
            nodes += 1;
            edges += len as usize;
        }
        self.nodes.truncate(nodes);
        self.edges.truncate(edges);
        for edge in &mut self.edges {
            edge.node = edge.node().map_or(NO_NODE, |old| moved[old]);
        }
    }

    /// The subtree of a position reached by play, at most `steps` moves below the root; `None` if the tree does not contain it.
    pub fn into_subtree(mut self, game: &G, pos: &G::Position, steps: u32) -> Option<Tree<G>> {
        if self.is_empty() {
            return None;
        }
        let root = self.find(game, &self.root, 0, pos, steps)?;
        let mut keep = vec![false; self.nodes.len()];
        keep[root] = true;
        for node in root..self.nodes.len() {
            if keep[node] {
                self.edges(node).iter().filter_map(Edge::node).for_each(|child| keep[child] = true);
            }
        }
        self.retain(&keep);
        self.root = pos.clone();
        Some(self)
    }

    fn find(
        &self,
        game: &G,
        here: &G::Position,
        node: usize,
        wanted: &G::Position,
        steps: u32,
    ) -> Option<usize> {
        if here == wanted {
            return Some(node);
        }
        if steps == 0 {
            return None;
        }
        self.edges(node).iter().find_map(|edge| {
            let child = edge.node()?;
            let mut next = here.clone();
            game.play(&mut next, edge.mv);
            self.find(game, &next, child, wanted, steps - 1)
        })
    }
}
