//! The Connect-N solver as a [`Solve`]: takes a match and limits, and returns bounds and the principal variation. Positions in
//! the opening book are not searched.

use super::{Book, ConnectSolver};
use crate::shared::{principal_variation, proof_report, successors, with_deadline};
use parlor_core::{Bounds, Game, Limits, Margin, Match, Report, Solve};
use parlor_engine::Clock;
use parlor_games::connect::{Column, Connect, Position};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The solver of Connect-N, as a `Solve`.
pub struct ConnectExpert {
    solver: Option<ConnectSolver>,
    mib: usize,
    threads: usize,
    clock: Arc<dyn Clock>,
    with_book: bool,
}

impl ConnectExpert {
    /// An expert with a table of at most `memory` bytes.
    pub fn new(memory: usize, threads: usize, clock: Arc<dyn Clock>) -> ConnectExpert {
        ConnectExpert { solver: None, mib: (memory >> 20).max(1), threads, clock, with_book: true }
    }

    pub fn without_book(self) -> ConnectExpert {
        ConnectExpert { with_book: false, ..self }
    }

    /// The solver for the game; the previous one is reused if it fits.
    fn solver_of(&mut self, game: &Connect) -> &mut ConnectSolver {
        let fitting = self.solver.take().filter(|solver| solver.is_for(game));
        self.solver.insert(fitting.unwrap_or_else(|| ConnectSolver::new(game, self.mib, self.threads)))
    }
}

impl Solve<Connect> for ConnectExpert {
    fn solve(
        &mut self,
        played: &Match<Connect>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let (game, pos) = (played.game(), played.position());
        let (book, clock) = (self.with_book, self.clock.clone());
        let solver = self.solver_of(game);
        let work = |stop: &AtomicBool| Work { solver, game, book, stop }.solve(pos, limits, report);
        with_deadline(limits, &clock, stop, work)
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.as_ref().map_or_else(Vec::new, ConnectSolver::remembered)
    }

    fn recall(&mut self, played: &Match<Connect>, proved: Bounds, words: &[u64]) {
        self.solver_of(played.game()).recall(played.position(), proved, words);
    }
}

struct Work<'a> {
    solver: &'a mut ConnectSolver,
    game: &'a Connect,
    book: bool,
    stop: &'a AtomicBool,
}

impl Work<'_> {
    fn solve(&mut self, pos: &Position, limits: &Limits, report: &mut dyn FnMut(&Report)) -> Bounds {
        let (before, by_hash) = (self.solver.nodes(), !self.solver.is_exact(pos));
        let bounds = self.known(pos).map(Bounds::exactly).unwrap_or_else(|| {
            self.solver.solve(pos, self.stop, &mut |bounds, nodes| {
                report(&proof_report(bounds, nodes, Vec::new(), by_hash));
                // The node limit is checked between windows, so one of them may exceed it. The flag is then local.
                if limits.nodes.is_some_and(|most| nodes >= most) {
                    self.stop.store(true, Ordering::Relaxed);
                }
            })
        });
        let line = if bounds.are_exact() && !limits.value_only {
            principal_variation(self.game, pos, bounds.lo, |pos, value| {
                self.value_preserving_move(pos, value)
            })
        } else {
            Vec::new()
        };
        report(&proof_report(bounds, self.solver.nodes() - before, line, by_hash));
        bounds
    }

    /// The value by the rules or by the book. Late positions do not load the book.
    fn known(&self, pos: &Position) -> Option<Margin> {
        let listed = || {
            let asked = self.book && pos.plies() <= Book::LAST_PLY && Book::is_for(self.game);
            if asked { Book::embedded().ok()?.find(self.game, pos) } else { None }
        };
        self.game.result(pos).or_else(listed)
    }

    /// The first move, from the middle outwards, that preserves the value; known ones are tried before those that must be
    /// searched.
    fn value_preserving_move(&mut self, pos: &Position, value: Margin) -> Option<(Column, Position)> {
        let middle = self.game.size().0 + 1;
        let mut next = successors(self.game, pos);
        next.sort_by_key(|(mv, _)| (2 * u32::from(mv.0)).abs_diff(middle));
        let known: Vec<Option<Margin>> = next.iter().map(|(_, pos)| self.known(pos)).collect();
        if let Some(at) = known.iter().position(|&known| known == Some(-value)) {
            return next.into_iter().nth(at);
        }
        for ((mv, next), _) in next.into_iter().zip(known).filter(|(_, known)| known.is_none()) {
            // No move gives more than the value, so a move preserves it unless the other side gets more than its part.
            if !self.solver.reaches(Margin(1 - value.0), &next, self.stop)? {
                return Some((mv, next));
            }
        }
        None
    }
}
