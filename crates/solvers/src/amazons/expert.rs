//! The Amazons solver as a [`Solve`]: takes a match and limits, and returns who wins and the principal variation. It takes
//! any position on a board of any size; on boards of more than 30 squares the table's keys are hashes, and the report says
//! so.

use super::solver::{Prove, prover};
use crate::shared::{principal_variation, proof_report, successors, with_deadline};
use parlor_core::{Bounds, Evaluator, Game, Limits, Margin, Match, Report, Solve};
use parlor_engine::Clock;
use parlor_games::amazons::{Amazons, Mobility, Position, Shot};
use std::{
    cmp::Reverse,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The solver of Amazons, as a `Solve`.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Limits, Margin, Match, Solve};
/// use parlor_engine::Monotonic;
/// use parlor_games::amazons::Amazons;
/// use parlor_solvers::amazons::AmazonsExpert;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let mut expert = AmazonsExpert::new(16 << 20, 1, Arc::new(Monotonic::start()));
/// let game = Match::new(Amazons::sized(4, 4).unwrap());
/// let bounds = expert.solve(&game, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(bounds, Bounds::exactly(Margin(-1)), "the second side wins on 4x4");
/// ```
pub struct AmazonsExpert {
    solver: Option<(Amazons, Box<dyn Prove>)>,
    root: Option<(Position, Bounds)>,
    memory: usize,
    threads: usize,
    clock: Arc<dyn Clock>,
}

impl AmazonsExpert {
    /// A solver with a table of about `memory` bytes at most.
    pub fn new(memory: usize, threads: usize, clock: Arc<dyn Clock>) -> AmazonsExpert {
        AmazonsExpert { solver: None, root: None, memory, threads, clock }
    }

    /// The solver for the game; the previous one is reused if it fits.
    fn solver(&mut self, game: &Amazons) -> &mut dyn Prove {
        let fitting = self.solver.take().filter(|(known, _)| known == game);
        let (memory, threads) = (self.memory, self.threads);
        let make = || (*game, prover(game, memory, threads));
        self.solver.insert(fitting.unwrap_or_else(make)).1.as_mut()
    }
}

impl Solve<Amazons> for AmazonsExpert {
    fn solve(
        &mut self,
        played: &Match<Amazons>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let (game, pos) = (played.game(), played.position());
        let clock = self.clock.clone();
        let before = self.root.filter(|(root, _)| root == pos).map(|(_, proved)| proved);
        let solver = self.solver(game);
        let last = limits.nodes.map_or(u64::MAX, |most| solver.nodes().saturating_add(most));
        let value_only = limits.value_only;
        let work =
            |stop: &AtomicBool| Work { game, solver, last, value_only, stop }.solve(pos, before, report);
        with_deadline(limits, &clock, stop, work)
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.as_ref().map_or_else(Vec::new, |(_, solver)| solver.remembered())
    }

    fn recall(&mut self, played: &Match<Amazons>, proved: Bounds, words: &[u64]) {
        self.root = Some((*played.position(), proved));
        self.solver(played.game()).recall(words);
    }
}

struct Work<'a> {
    game: &'a Amazons,
    solver: &'a mut dyn Prove,
    /// Node count of the solver at which the call stops.
    last: u64,
    value_only: bool,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    fn solve(&mut self, pos: &Position, before: Option<Bounds>, report: &mut dyn FnMut(&Report)) -> Bounds {
        let begun = self.solver.nodes();
        let by_hash = !self.solver.is_exact();
        let mut bounds = before.map_or(self.game.bounds(pos), |before| self.game.bounds(pos).and(before));
        if !bounds.are_exact()
            && let Some(won) = self.wins(pos)
        {
            bounds = Bounds::exactly(Margin(if won { 1 } else { -1 }));
        }
        report(&proof_report(bounds, self.solver.nodes() - begun, Vec::new(), by_hash));
        if bounds.are_exact() && !self.value_only {
            let line = principal_variation(self.game, pos, bounds.lo, |pos, value| {
                self.value_preserving_move(pos, value)
            });
            report(&proof_report(bounds, self.solver.nodes() - begun, line, by_hash));
        }
        bounds
    }

    fn wins(&mut self, pos: &Position) -> Option<bool> {
        let most_nodes = self.last.saturating_sub(self.solver.nodes());
        self.solver.wins(pos, most_nodes, self.stop)
    }

    /// A turn that preserves a win; in a lost position the turn that leaves the most turns. `None` if it was stopped.
    fn value_preserving_move(&mut self, pos: &Position, value: Margin) -> Option<(Shot, Position)> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut moves = successors(self.game, pos);
        // The most promising first.
        moves.sort_by_cached_key(|(_, next)| Reverse(Mobility.order(self.game, pos, next)));
        if value.0 > 0 { self.winning(&moves) } else { moves.first().copied() }
    }

    /// A winning turn; decided ones are tried before those that must be searched.
    fn winning(&mut self, moves: &[(Shot, Position)]) -> Option<(Shot, Position)> {
        if let Some(known) = moves.iter().find(|(_, next)| self.solver.knows(next) == Some(false)) {
            return Some(*known);
        }
        for (mv, next) in moves {
            if !self.wins(next)? {
                return Some((*mv, *next));
            }
        }
        None
    }
}
