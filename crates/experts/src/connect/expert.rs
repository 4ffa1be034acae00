//! The solver behind the general interface: a match in, bounds and best play out, within limits.

use super::Solver;
use parlor_engine::{Clock, Deadline};
use parlor_games::connect::{Column, Connect, Position};
use parlor_play::{Bounds, Game, Limits, Margin, Match, Notation, Report, Solve, Value};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How often somebody looks at the clock while the solver works.
const TICK: Duration = Duration::from_millis(1);

/// Solves Connect-N for whoever solves any game.
pub struct Expert {
    solver: Option<Solver>,
    mib: usize,
    threads: usize,
    clock: Arc<dyn Clock>,
}

impl Expert {
    /// An expert with a table of at most so many bytes.
    pub fn new(memory: usize, threads: usize, clock: Arc<dyn Clock>) -> Expert {
        Expert { solver: None, mib: (memory >> 20).max(1), threads, clock }
    }
}

impl Solve<Connect> for Expert {
    fn solve(
        &mut self,
        played: &Match<Connect>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Bounds {
        let (game, pos) = (played.game(), played.position());
        let fitting = self.solver.take().filter(|solver| solver.is_for(game));
        let solver = self.solver.insert(fitting.unwrap_or_else(|| Solver::new(game, self.mib, self.threads)));
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let (halt, done) = (AtomicBool::new(false), AtomicBool::new(false));
        thread::scope(|scope| {
            let limited = limits.time.is_some() || limits.nodes.is_some();
            if limited {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) && !deadline.is_over() {
                        thread::sleep(TICK);
                    }
                    halt.store(true, Ordering::Relaxed);
                });
            }
            let stop = if limited { &halt } else { stop };
            let bounds = work(solver, game, pos, limits, stop, report);
            done.store(true, Ordering::Relaxed);
            bounds
        })
    }
}

fn work(
    solver: &mut Solver,
    game: &Connect,
    pos: &Position,
    limits: &Limits,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Report),
) -> Bounds {
    let (before, by_hash) = (solver.nodes(), !solver.is_exact(pos));
    let told = |proved: Bounds, nodes: u64, line: Vec<String>| {
        let value = Value::from(if proved.are_exact() { proved.lo.0 } else { 0 });
        Report { depth: 0, nodes, value, line, proved: Some(proved), by_hash }
    };
    let bounds = solver.solve(pos, stop, &mut |bounds, nodes| {
        report(&told(bounds, nodes, Vec::new()));
        // A limit of nodes is looked at between questions: it may be overrun by one of them. The flag is then our own.
        if limits.nodes.is_some_and(|most| nodes >= most) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let line = if bounds.are_exact() { line(solver, game, pos, bounds.lo, stop) } else { Vec::new() };
    let line = line.into_iter().map(|mv| game.write_move(mv)).collect();
    report(&told(bounds, solver.nodes() - before, line));
    bounds
}

/// Best play to the end, or as far as there is time for.
fn line(
    solver: &mut Solver,
    game: &Connect,
    pos: &Position,
    value: Margin,
    stop: &AtomicBool,
) -> Vec<Column> {
    let (mut pos, mut value, mut line) = (pos.clone(), value, Vec::new());
    while game.result(&pos).is_none() {
        let Some((mv, next)) = keeping(solver, game, &pos, value, stop) else { break };
        line.push(mv);
        (pos, value) = (next, -value);
    }
    line
}

/// The first move, from the middle outwards, that keeps the value.
fn keeping(
    solver: &mut Solver,
    game: &Connect,
    pos: &Position,
    value: Margin,
    stop: &AtomicBool,
) -> Option<(Column, Position)> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let middle = game.size().0 + 1;
    moves.sort_by_key(|mv| (2 * u32::from(mv.0)).abs_diff(middle));
    for mv in moves {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        // Nothing gives more than the value, so a move keeps it unless the other side gets more than its part.
        if !solver.reaches(Margin(1 - value.0), &next, stop)? {
            return Some((mv, next));
        }
    }
    None
}
