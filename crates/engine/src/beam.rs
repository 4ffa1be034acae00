//! Beam search, the classic `beam` player: alpha-beta to a maximum depth over the `width` best-evaluated children of each
//! position. At the deadline it answers the best move found so far.

use crate::{Clock, Deadline, MoveChooser, SearchContext};
use parlor_core::{Evaluator, Game, Match, Notation, Report, Value, finished};
use std::{sync::Arc, time::Duration};

/// The move chooser of the player `beam`: a depth-limited alpha-beta search that examines only the `width` children
/// of each position with the best static evaluation.
///
/// # Examples
///
/// ```
/// use parlor_core::{Answer, Limits, Match, Player};
/// use parlor_engine::{Beam, Monotonic, PlayerAdapter};
/// use parlor_games::kalah::{Kalah, Pots};
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let game = Kalah::sized(6, 4)?;
/// let beam = Beam { evaluator: Pots, width: 3, depth: 4, time: None, clock: Arc::new(Monotonic::start()) };
/// let mut player = PlayerAdapter::new(game.clone(), beam);
/// let board = Match::new(game);
/// let answer = player.choose(&board, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert!(matches!(answer, Ok(Answer::Move(text)) if board.check(&text).is_ok()));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub struct Beam<E> {
    /// Orders the children and evaluates the leaves statically.
    pub evaluator: E,
    /// The number of children of a position that are searched, at least 1.
    pub width: usize,
    /// Search depth in plies, at least 1.
    pub depth: u32,
    /// Time limit per move.
    pub time: Option<Duration>,
    pub clock: Arc<dyn Clock>,
}

impl<G: Notation, E: Evaluator<G>> MoveChooser<G> for Beam<E> {
    fn choose(&mut self, played: &Match<G>, context: &mut SearchContext<'_>) -> Option<G::Move> {
        let time = [self.time, context.limits.time].into_iter().flatten().min();
        let game = played.game();
        let mut search = BeamSearch {
            game,
            evaluator: &self.evaluator,
            width: self.width.max(1),
            deadline: Deadline::after(time, self.clock.clone(), context.stop),
            nodes: 0,
            most_nodes: context.limits.nodes.unwrap_or(u64::MAX),
        };
        let depth = self.depth.min(context.limits.depth.unwrap_or(u32::MAX)).max(1);
        let (mv, value) = search.root(played.position(), depth)?;
        let line = vec![game.write_move(mv)];
        (context.report)(&Report { depth, nodes: search.nodes, value, line, ..Report::default() });
        Some(mv)
    }
}

/// A child with its static value for the side that moves to it.
struct Child<G: Game> {
    mv: G::Move,
    pos: G::Position,
    seems: Value,
}

struct BeamSearch<'a, G: Game, E> {
    game: &'a G,
    evaluator: &'a E,
    width: usize,
    deadline: Deadline<'a>,
    nodes: u64,
    most_nodes: u64,
}

impl<G: Game, E: Evaluator<G>> BeamSearch<'_, G, E> {
    fn root(&mut self, pos: &G::Position, depth: u32) -> Option<(G::Move, Value)> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        // Fallback: the first legal move is the best found so far.
        let first = *moves.first()?;
        let Some(children) = self.children(pos, 1) else { return Some((first, 0)) };
        let mut best = (children[0].mv, children[0].seems);
        let mut found = -Value::MAX;
        for child in &children {
            let Some(value) = self.child_value(pos, child, depth - 1, 1, found, Value::MAX) else { break };
            if value > found {
                (found, best) = (value, (child.mv, value));
            }
        }
        Some(best)
    }

    /// The best-evaluated children for the side to move, best first; equal ones in listing order. `None` if the time is up.
    fn children(&mut self, pos: &G::Position, ply: u32) -> Option<Vec<Child<G>>> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let turn = self.game.turn(pos);
        let mut children = Vec::with_capacity(moves.len());
        for mv in moves {
            self.nodes += 1;
            if self.deadline.passed() || self.nodes > self.most_nodes {
                return None;
            }
            let mut next = pos.clone();
            self.game.play(&mut next, mv);
            let own = match self.game.result(&next) {
                Some(margin) => finished(margin, ply),
                None => self.evaluator.evaluate(self.game, &next),
            };
            let seems = if self.game.turn(&next) == turn { own } else { -own };
            children.push(Child { mv, pos: next, seems });
        }
        children.sort_by_key(|child| std::cmp::Reverse(child.seems));
        children.truncate(self.width);
        Some(children)
    }

    /// The value of a child for the side that moves to it.
    fn child_value(
        &mut self,
        parent: &G::Position,
        child: &Child<G>,
        depth: u32,
        ply: u32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if depth == 0 || self.game.result(&child.pos).is_some() {
            return Some(child.seems);
        }
        if self.game.turn(&child.pos) == self.game.turn(parent) {
            self.value(&child.pos, depth, ply, alpha, beta)
        } else {
            self.value(&child.pos, depth, ply, -beta, -alpha).map(|value| -value)
        }
    }

    /// The value for the side to move over the selected children. Outside alpha..beta it is only a bound.
    fn value(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let mut best = -Value::MAX;
        for child in self.children(pos, ply + 1)? {
            let value = self.child_value(pos, &child, depth - 1, ply + 1, alpha, beta)?;
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }
}
