//! Minimax, the classic `minimax` player: alpha-beta to a fixed depth, or iterative deepening until its time is up.
//!
//! Pruning does not change its choice: the first of the best moves in listing order, as plain minimax would choose. Every move
//! is a ply, even if the same side moves again. Finished games count for more than any estimate, larger margins first, then
//! quicker wins and slower losses.

use crate::{Clock, Deadline, MoveChooser, SearchContext};
use parlor_core::{Evaluator, Game, Match, Notation, Report, Value, finished, is_finished};
use std::{sync::Arc, time::Duration};

/// Depth limit in plies, because the stack is limited.
const DEEPEST: u32 = 400;

/// Minimax with static evaluation at the leaves.
///
/// # Examples
///
/// ```
/// use parlor_core::{Answer, Limits, Match, Notation, Player};
/// use parlor_engine::{Minimax, Monotonic, PlayerAdapter};
/// use parlor_games::kalah::{Kalah, Pots};
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let game = Kalah::sized(3, 2)?;
/// let pos = game.parse_position("0,5,1/2,1,0 2/1 s")?;
/// let minimax = Minimax { evaluator: Pots, depth: Some(1), time: None, clock: Arc::new(Monotonic::start()) };
/// let mut player = PlayerAdapter::new(game.clone(), minimax);
/// let board = Match::from_position(game, pos);
/// let answer = player.choose(&board, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(answer, Ok(Answer::Move("1".into())));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Minimax<E> {
    pub evaluator: E,
    /// In plies; `None` for as deep as the time allows.
    pub depth: Option<u32>,
    /// Time limit per move.
    pub time: Option<Duration>,
    pub clock: Arc<dyn Clock>,
}

impl<G: Notation, E: Evaluator<G>> MoveChooser<G> for Minimax<E> {
    fn choose(&mut self, played: &Match<G>, context: &mut SearchContext<'_>) -> Option<G::Move> {
        let time = [self.time, context.limits.time].into_iter().flatten().min();
        let depth = [self.depth, context.limits.depth].into_iter().flatten().min();
        let (game, pos) = (played.game(), played.position());
        let mut search = MinimaxSearch {
            game,
            evaluator: &self.evaluator,
            deadline: Deadline::after(time, self.clock.clone(), context.stop),
            nodes: 0,
            most_nodes: context.limits.nodes.unwrap_or(u64::MAX),
            cut_short: false,
        };
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let mut best = *moves.first()?;
        // With a fixed depth and nothing else to stop it, one search is enough; otherwise each depth prepares the next.
        let fixed = time.is_none() && context.limits.nodes.is_none();
        let deepest = depth.unwrap_or(DEEPEST).clamp(1, DEEPEST);
        for depth in if fixed { deepest } else { 1 }..=deepest {
            search.cut_short = false;
            let Some((mv, value, complete)) = search.root(pos, &moves, depth) else { break };
            best = mv;
            let line = vec![game.write_move(mv)];
            (context.report)(&Report { depth, nodes: search.nodes, value, line, ..Report::default() });
            // A search that reached the end on every line, or found a win, has nothing to learn from another ply.
            if !complete || !search.cut_short || is_finished(value) && value > 0 {
                break;
            }
            // The best move first: it is searched again even if the time ends the next depth early.
            let place = moves.iter().position(|&other| other == mv).unwrap_or(0);
            moves[..=place].rotate_right(1);
        }
        Some(best)
    }
}

struct MinimaxSearch<'a, G: Game, E> {
    game: &'a G,
    evaluator: &'a E,
    deadline: Deadline<'a>,
    nodes: u64,
    most_nodes: u64,
    /// Whether some line ended at a leaf that was not the end of the game.
    cut_short: bool,
}

const INFINITE: Value = Value::MAX;

impl<G: Game, E: Evaluator<G>> MinimaxSearch<'_, G, E> {
    /// The first of the best moves with its value, and whether all of them were searched; `None` if not even one was.
    fn root(&mut self, pos: &G::Position, moves: &[G::Move], depth: u32) -> Option<(G::Move, Value, bool)> {
        let mut best: Option<(G::Move, Value)> = None;
        for &mv in moves {
            let alpha = best.map_or(-INFINITE, |(_, value)| value);
            match self.after(pos, mv, depth - 1, 1, alpha, INFINITE) {
                None => return best.map(|(mv, value)| (mv, value, false)),
                Some(value) if best.is_none() || value > alpha => best = Some((mv, value)),
                Some(_) => {}
            }
        }
        best.map(|(mv, value)| (mv, value, true))
    }

    /// The value of a move for the side that makes it.
    #[inline]
    fn after(
        &mut self,
        pos: &G::Position,
        mv: G::Move,
        depth: u32,
        ply: u32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let mut next = pos.clone();
        self.game.play(&mut next, mv);
        if self.game.turn(&next) == self.game.turn(pos) {
            self.value(&next, depth, ply, alpha, beta)
        } else {
            self.value(&next, depth, ply, -beta, -alpha).map(|value| -value)
        }
    }

    /// The value for the side to move. Between `alpha` and `beta` it is exact; at or below `alpha` it is an upper bound, at or
    /// above `beta` a lower bound. `None` if the time is up.
    fn value(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        self.nodes += 1;
        if self.deadline.passed() || self.nodes > self.most_nodes {
            return None;
        }
        if let Some(margin) = self.game.result(pos) {
            return Some(finished(margin, ply));
        }
        if depth == 0 {
            self.cut_short = true;
            return Some(self.evaluator.evaluate(self.game, pos));
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut best = -INFINITE;
        for mv in moves {
            let value = self.after(pos, mv, depth - 1, ply + 1, alpha, beta)?;
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Some(best)
    }
}
