//! The tree that [`crate::Mcts`] grows: positions with all their moves, how often each was tried, and what came of it. It
//! judges nothing itself and knows nothing of time.

use parlor_play::Game;
use std::cmp::Ordering;

/// A move that has not been followed.
const NOWHERE: u32 = u32::MAX;

/// Whether the side to move is known to win or to lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Nothing,
    Won,
    Lost,
}

impl Known {
    /// The same seen by the side that moved here.
    pub fn seen_before(self, again: bool) -> Known {
        match self {
            Known::Won if !again => Known::Lost,
            Known::Lost if !again => Known::Won,
            same => same,
        }
    }
}

/// A move of a position in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge<M> {
    pub mv: M,
    /// Where it leads to.
    node: u32,
    pub visits: u32,
    /// Visits under way.
    pub pending: u32,
    /// The sum of chances to win that came back, seen by the side that moves.
    pub sum: f32,
    /// Its chance as judged at sight.
    pub chance: f32,
    /// How likely it is to be the best, as judged at sight; all of a position together are 1.
    pub prior: f32,
    pub known: Known,
    /// Whether the same side moves again after it.
    pub again: bool,
}

impl<M> Edge<M> {
    /// The chance to win by it: what came back, beside what it looked like at sight.
    pub fn worth(&self) -> f32 {
        match self.known {
            Known::Won => 1.0,
            Known::Lost => 0.0,
            Known::Nothing => (self.chance + self.sum) / (1 + self.visits) as f32,
        }
    }

    /// The node it leads to, once it was followed.
    pub fn node(&self) -> Option<usize> {
        (self.node != NOWHERE).then_some(self.node as usize)
    }
}

/// A move as the judge sees it.
pub(crate) struct Sight<M> {
    pub mv: M,
    pub chance: f32,
    pub prior: f32,
    pub known: Known,
    pub again: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    len: u32,
    visits: u32,
    /// Moves of which at least one visit began: they are the first ones, because moves stand in order.
    tried: u32,
    known: Known,
}

/// Positions and their moves.
pub(crate) struct Tree<G: Game> {
    pub root: G::Position,
    nodes: Vec<Node>,
    edges: Vec<Edge<G::Move>>,
    /// No more moves than this.
    room: usize,
}

/// How moves are chosen on the way down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taste {
    /// How much a move that is likely to be best and was tried little attracts.
    pub curiosity: f32,
}

impl<G: Game> Tree<G> {
    /// A tree that takes about so many bytes at most.
    pub fn new(root: &G::Position, memory: usize) -> Tree<G> {
        let room = memory / (size_of::<Edge<G::Move>>() + size_of::<Node>() / 8);
        Tree { root: root.clone(), nodes: Vec::new(), edges: Vec::new(), room }
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.edges.len() >= self.room
    }

    pub fn visits(&self, node: usize) -> u32 {
        self.nodes[node].visits
    }

    pub fn known(&self, node: usize) -> Known {
        self.nodes[node].known
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

    /// Adds a position with its moves, the most promising first, behind a move or as the root.
    pub fn grow(
        &mut self,
        behind: Option<(usize, usize)>,
        sights: Vec<Sight<G::Move>>,
        known: Known,
    ) -> usize {
        let node = self.nodes.len();
        let (first, len) = (self.edges.len() as u32, sights.len() as u32);
        self.edges.extend(sights.into_iter().map(|sight| Edge {
            mv: sight.mv,
            node: NOWHERE,
            visits: 0,
            pending: 0,
            sum: 0.0,
            chance: sight.chance,
            prior: sight.prior,
            known: sight.known,
            again: sight.again,
        }));
        self.nodes.push(Node { first, len, visits: 0, tried: 0, known });
        if let Some((node, edge)) = behind {
            self.edge_mut(node, edge).node = self.nodes.len() as u32 - 1;
        }
        node
    }

    /// The move to try next, marked as being tried. Lost ones only where all are.
    pub fn choose(&mut self, node: usize, taste: Taste) -> usize {
        let Node { visits, tried, len, .. } = self.nodes[node];
        let drive = taste.curiosity * ((visits + 1) as f32).sqrt();
        let attraction = |edge: &Edge<G::Move>| {
            let tries = edge.visits + edge.pending;
            // Visits under way count as lost ones, so that others go elsewhere.
            let worth = match edge.known {
                Known::Won => 2.0,
                Known::Lost => -1.0,
                Known::Nothing => (edge.chance + edge.sum) / (1 + tries) as f32,
            };
            worth + drive * edge.prior / (1 + tries) as f32
        };
        let seen = (tried + 1).min(len) as usize;
        let mut best = (f32::MIN, 0);
        for (i, edge) in self.edges(node).iter().enumerate().take(seen) {
            let score = attraction(edge);
            if score > best.0 {
                best = (score, i);
            }
        }
        // If all that were tried are lost, it is the next one's turn, however bad it looked.
        if self.edge(node, best.1).known == Known::Lost
            && let Some(next) = self.edges(node).iter().position(|edge| edge.known != Known::Lost)
        {
            best.1 = next;
        }
        self.edge_mut(node, best.1).pending += 1;
        self.nodes[node].tried = tried.max(best.1 as u32 + 1);
        best.1
    }

    /// Carries a chance, seen by the side to move at the end of the path, back to the root; and what is known there.
    pub fn give_back(&mut self, path: &[(usize, usize)], chance: f32, known: Known) {
        let (mut chance, mut known) = (chance, known);
        for &(node, edge) in path.iter().rev() {
            let edge = self.edge_mut(node, edge);
            known = known.seen_before(edge.again);
            chance = match known {
                Known::Won => 1.0,
                Known::Lost => 0.0,
                Known::Nothing if edge.again => chance,
                Known::Nothing => 1.0 - chance,
            };
            edge.visits += 1;
            edge.pending -= 1;
            edge.sum += chance;
            if known != Known::Nothing {
                edge.known = known;
            }
            self.nodes[node].visits += 1;
            known = self.concluded(node, known);
        }
    }

    /// What is known of a position after something became known of one of its moves.
    fn concluded(&mut self, node: usize, of_move: Known) -> Known {
        let lost = || self.edges(node).iter().all(|edge| edge.known == Known::Lost);
        let known = match of_move {
            Known::Won => Known::Won,
            Known::Lost if lost() => Known::Lost,
            _ => self.nodes[node].known,
        };
        self.nodes[node].known = known;
        known
    }

    /// The moves of a position, the one to be played first: what wins, then what was tried most.
    pub fn ranked(&self, node: usize) -> Vec<usize> {
        let rank = |edge: &Edge<G::Move>| match edge.known {
            Known::Won => 2,
            Known::Nothing => 1,
            Known::Lost => 0,
        };
        let edges = self.edges(node);
        let mut order: Vec<usize> = (0..edges.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&edges[a], &edges[b]);
            let by_worth = || b.worth().partial_cmp(&a.worth()).unwrap_or(Ordering::Equal);
            rank(b).cmp(&rank(a)).then(b.visits.cmp(&a.visits)).then_with(by_worth)
        });
        order
    }

    /// The part of the tree below a position that play has come to, at most `steps` moves behind the root: none where that
    /// is not in it.
    pub fn below(&self, game: &G, pos: &G::Position, steps: u32) -> Option<Tree<G>> {
        if self.is_empty() {
            return None;
        }
        let node = self.find(game, &self.root, 0, pos, steps)?;
        let mut part = Tree { root: pos.clone(), nodes: Vec::new(), edges: Vec::new(), room: self.room };
        // Nodes are copied in the order in which they are met, and each edge is told its new place.
        let mut waiting = vec![node];
        let mut at = 0;
        while at < waiting.len() {
            let old = self.nodes[waiting[at]];
            let first = part.edges.len() as u32;
            for edge in self.edges(waiting[at]) {
                let node = edge.node().map_or(NOWHERE, |below| {
                    waiting.push(below);
                    waiting.len() as u32 - 1
                });
                part.edges.push(Edge { node, pending: 0, ..*edge });
            }
            part.nodes.push(Node { first, ..old });
            at += 1;
        }
        Some(part)
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
            let below = edge.node()?;
            let mut next = here.clone();
            game.play(&mut next, edge.mv);
            self.find(game, &next, below, wanted, steps - 1)
        })
    }
}
