//! The solver behind the general interface: a match in, bounds and best play out, within limits. Boards that do not fit the
//! solver's words are left to the solver of all games.

use super::{board::Node, endings::Endings, solver::Solver};
use crate::shared::{ProvedBounds, principal_variation, proof_report, successors, with_deadline};
use parlor_core::{Bounds, Game, Indexed, Limits, Margin, Match, Report, Solve};
use parlor_engine::Clock;
use parlor_games::kalah::{Hole, Kalah, Position};
use parlor_tables::Table;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Nodes after which a move of the best line is looked at again later, if all others are no better.
const SOON: u64 = 100_000;

/// The solver of Kalah, as a `Solve`.
pub struct Expert {
    solver: Option<(String, Solver)>,
    kept: Option<Arc<Table<Kalah>>>,
    otherwise: Box<dyn Solve<Kalah>>,
    memory: usize,
    threads: usize,
    clock: Arc<dyn Clock>,
}

impl Expert {
    /// A solver that takes about `memory` bytes, with the table of endings that is kept for the game, if there is one.
    /// `otherwise` solves what it cannot.
    pub fn new(
        memory: usize,
        threads: usize,
        clock: Arc<dyn Clock>,
        kept: Option<Arc<Table<Kalah>>>,
        otherwise: Box<dyn Solve<Kalah>>,
    ) -> Expert {
        Expert { solver: None, kept, otherwise, memory, threads, clock }
    }

    /// The solver for the game, the one of the last time if it fits.
    fn solver(&mut self, game: &Kalah) -> Option<&mut Solver> {
        let family = game.family().spec();
        if self.solver.as_ref().is_none_or(|(known, _)| *known != family) {
            let kept = self.kept.clone().filter(|table| table.family().spec() == family);
            let solver = Solver::new(game, self.memory, self.threads, Endings::new(game, kept))?;
            self.solver = Some((family, solver));
        }
        self.solver.as_mut().map(|(_, solver)| solver)
    }
}

impl Solve<Kalah> for Expert {
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
        // With a limit only what is soon proved.
        let longest = if limits.nodes.is_some() { SOON } else { u64::MAX };
        let work = |stop: &AtomicBool| Work { solver, game, stop, longest }.solve(pos, &node, limits, report);
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

/// The position as the solver sees it; none if it does not fit.
fn node(pos: &Position) -> Option<Node> {
    let (own, other) = pos.lanes()?;
    let node = Node::new(own, other);
    (node.beans as usize <= parlor_games::rows::MOST_BEANS).then_some(node)
}

/// One question being answered.
struct Work<'a> {
    solver: &'a mut Solver,
    game: &'a Kalah,
    stop: &'a AtomicBool,
    /// The most nodes for one move of the best line. It may take longer to prove than the value.
    longest: u64,
}

impl Work<'_> {
    fn solve(
        &mut self,
        pos: &Position,
        node: &Node,
        limits: &Limits,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let (before, Margin(banked)) = (self.solver.nodes, self.game.banked(pos));
        let seen = |ProvedBounds { lo, hi }| Bounds {
            lo: Margin(lo as i16 + banked),
            hi: Margin(hi as i16 + banked),
        };
        let most = limits.nodes.unwrap_or(u64::MAX);
        let bounds = seen(self.solver.solve(node, most, self.stop, &mut |known, nodes| {
            report(&proof_report(seen(known), nodes, Vec::new(), false));
        }));
        let line = if bounds.are_exact() {
            principal_variation(self.game, pos, bounds.lo, |pos, value| self.keeping(pos, value))
        } else {
            Vec::new()
        };
        report(&proof_report(bounds, self.solver.nodes - before, line, false));
        bounds
    }

    /// A move that keeps the value: one of which it is known or soon proved, before any is searched for long.
    fn keeping(&mut self, pos: &Position, value: Margin) -> Option<(Hole, Position)> {
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

    /// Whether a move leads to a position worth as much as before. Nothing gives more.
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
