//! The solver behind the general interface: a match in, bounds and best play out, within limits. Boards that do not fit the
//! solver's words are left to the solver of all games.

use super::{
    board::Node,
    endings::Endings,
    solver::{Known, Solver},
};
use crate::shared::with_deadline;
use parlor_core::{Bounds, Game, Indexed, Limits, Margin, Match, Notation, Report, Solve, Value};
use parlor_engine::Clock;
use parlor_games::kalah::{Hole, Kalah, Position};
use parlor_tables::Table;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Nodes after which a move of the best line is looked at again later, if all others are no better.
const SOON: u64 = 100_000;

/// Solves Kalah for whoever solves any game.
pub struct Expert {
    solver: Option<(String, Solver)>,
    kept: Option<Arc<Table<Kalah>>>,
    otherwise: Box<dyn Solve<Kalah>>,
    memory: usize,
    threads: usize,
    clock: Arc<dyn Clock>,
}

impl Expert {
    /// An expert that takes about so many bytes, with the table of endings that is kept for the game, if there is one.
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
        with_deadline(limits, &clock, stop, |stop| work(solver, game, pos, &node, limits, stop, report))
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.as_ref().map_or_else(|| self.otherwise.remembered(), |(_, solver)| solver.remembered())
    }

    fn recall(&mut self, played: &Match<Kalah>, proved: Bounds, words: &[u64]) {
        let (game, pos) = (played.game(), played.position());
        let Margin(banked) = game.banked(pos);
        let known = Known { lo: i32::from(proved.lo.0 - banked), hi: i32::from(proved.hi.0 - banked) };
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

fn work(
    solver: &mut Solver,
    game: &Kalah,
    pos: &Position,
    node: &Node,
    limits: &Limits,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Report),
) -> Bounds {
    let (before, Margin(banked)) = (solver.nodes, game.banked(pos));
    let seen =
        |known: Known| Bounds { lo: Margin(known.lo as i16 + banked), hi: Margin(known.hi as i16 + banked) };
    let told = |proved: Bounds, nodes: u64, line: Vec<String>| {
        let value = Value::from(if proved.are_exact() { proved.lo.0 } else { 0 });
        Report { depth: 0, nodes, value, line, proved: Some(proved), by_hash: false }
    };
    let known = solver.solve(node, limits.nodes.unwrap_or(u64::MAX), stop, &mut |known, nodes| {
        report(&told(seen(known), nodes, Vec::new()));
    });
    // Best play may take longer to tell than the value: with a limit only what is soon told.
    let longest = if limits.nodes.is_some() { SOON } else { u64::MAX };
    let bounds = seen(known);
    let line =
        if bounds.are_exact() { line(solver, game, pos, bounds.lo, longest, stop) } else { Vec::new() };
    let line = line.into_iter().map(|mv| game.write_move(mv)).collect();
    report(&told(bounds, solver.nodes - before, line));
    bounds
}

/// Best play to the end, or as far as there is time for.
fn line(
    solver: &mut Solver,
    game: &Kalah,
    pos: &Position,
    value: Margin,
    longest: u64,
    stop: &AtomicBool,
) -> Vec<Hole> {
    let (mut pos, mut value, mut line) = (pos.clone(), value, Vec::new());
    while game.result(&pos).is_none() {
        let Some((mv, next)) = keeping(solver, game, &pos, value, longest, stop) else { break };
        line.push(mv);
        value = if game.turn(&next) == game.turn(&pos) { value } else { -value };
        pos = next;
    }
    line
}

/// A move that keeps the value: one of which it is known or soon told, before any is looked at for long.
fn keeping(
    solver: &mut Solver,
    game: &Kalah,
    pos: &Position,
    value: Margin,
    longest: u64,
    stop: &AtomicBool,
) -> Option<(Hole, Position)> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    for most in [1, SOON, u64::MAX].into_iter().filter(|&most| most <= longest) {
        for &mv in &moves {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            if keeps(solver, game, pos, &next, value, most, stop) == Some(true) {
                return Some((mv, next));
            }
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    None
}

/// Whether a move leads to a position worth as much as before. Nothing gives more.
fn keeps(
    solver: &mut Solver,
    game: &Kalah,
    pos: &Position,
    next: &Position,
    Margin(value): Margin,
    most: u64,
    stop: &AtomicBool,
) -> Option<bool> {
    let again = game.turn(next) == game.turn(pos);
    let Margin(banked) = game.banked(next);
    if let Some(Margin(result)) = game.result(next) {
        return Some(value == if again { result } else { -result });
    }
    let node = node(next)?;
    if again {
        solver.reaches(i32::from(value - banked), &node, most, stop)
    } else {
        Some(!solver.reaches(i32::from(-value - banked) + 2, &node, most, stop)?)
    }
}
