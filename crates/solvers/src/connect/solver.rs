//! The Connect-N solver, a driver of null-window searches (cf. MTD, Plaat et al. 1996): any size, any N, one thread or
//! several, stopped at any time with sound bounds.

#[cfg(target_arch = "x86_64")]
use super::kernel::{Avx2, Avx512};
use super::{
    kernel::{Kernel, Portable},
    lanes::Cells,
    lines::{Fixed, Free, Lines, Shape},
    search::{ConnectSearch, Node},
};
use crate::shared::{GrowingTable, Growth, ProvedBounds, race};
use parlor_core::{Bounds, Game, Margin};
use parlor_games::connect::{Connect, Position};
use std::sync::atomic::{AtomicBool, Ordering};

/// Solves positions of one game; keeps its table between positions.
pub struct ConnectSolver {
    game: Connect,
    table: GrowingTable,
    threads: usize,
    nodes: u64,
    /// A position and the bounds proved for it earlier.
    root: Option<(Position, Bounds)>,
}

/// A full table keeps the entries that took the most work, so a table that fits the processor's cache needs hardly more nodes
/// than a large one, and a probe of it takes a fraction of the time.
const GROWTH: Growth = Growth { first_mib: 1, factor: 4, nodes_an_entry: 64 };

/// Called after each decided window with the proved bounds and the total number of nodes.
pub type WindowCallback<'a> = &'a mut dyn FnMut(Bounds, u64);

impl ConnectSolver {
    /// A solver with a table of at most this many MiB.
    pub fn new(game: &Connect, most_mib: usize, threads: usize) -> ConnectSolver {
        ConnectSolver {
            game: game.clone(),
            // The table type for keys of small boards; keys of large ones are hashes, which fit a table of any size.
            table: GrowingTable::new::<u64>(GROWTH, most_mib),
            threads: threads.max(1),
            nodes: 0,
            root: None,
        }
    }

    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Discards everything that was proved.
    pub fn clear(&mut self) {
        self.table.clear::<u64>();
    }

    /// Whether the keys of a position are exact.
    pub fn is_exact(&self, pos: &Position) -> bool {
        self.game.exact_key(pos)
    }

    /// The value of a position, or bounds that contain it if it was stopped.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Bounds, Game, Margin};
    /// use parlor_games::connect::Connect;
    /// use parlor_solvers::connect::ConnectSolver;
    /// use std::sync::atomic::AtomicBool;
    ///
    /// let game = Connect::new(&[4, 4, 4]).unwrap();
    /// let mut solver = ConnectSolver::new(&game, 4, 1);
    /// let value = solver.solve(&game.start(), &AtomicBool::new(false), &mut |_, _| ());
    /// assert_eq!(value, Bounds::exactly(Margin(0)));
    /// ```
    pub fn solve(&mut self, pos: &Position, stop: &AtomicBool, progress: WindowCallback<'_>) -> Bounds {
        self.answer(None, pos, stop, progress).into()
    }

    /// Whether the side to move gets at least this margin; `None` if it was stopped.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Game, Margin};
    /// use parlor_games::connect::Connect;
    /// use parlor_solvers::connect::ConnectSolver;
    /// use std::sync::atomic::AtomicBool;
    ///
    /// let game = Connect::new(&[4, 4, 4])?;
    /// let (mut solver, stop) = (ConnectSolver::new(&game, 4, 1), AtomicBool::new(false));
    /// assert_eq!(solver.reaches(Margin(0), &game.start(), &stop), Some(true));
    /// assert_eq!(solver.reaches(Margin(1), &game.start(), &stop), Some(false));
    /// # Ok::<(), parlor_core::BadParams>(())
    /// ```
    pub fn reaches(&mut self, margin: Margin, pos: &Position, stop: &AtomicBool) -> Option<bool> {
        let beta = i32::from(margin.0);
        self.answer(Some(beta), pos, stop, &mut |_, _| ()).is_at_least(beta)
    }

    /// Results that were hard to prove.
    pub(super) fn remembered(&self) -> Vec<u64> {
        self.table.hard()
    }

    /// Restores earlier proofs: bounds of a position, and what a solver remembered.
    pub(super) fn recall(&mut self, pos: &Position, proved: Bounds, words: &[u64]) {
        self.root = Some((pos.clone(), proved));
        let (columns, levels, _) = self.game.size();
        if columns * (levels + 1) <= 64 {
            self.table.learn::<u64>(words);
        } else {
            self.table.learn::<u128>(words);
        }
    }

    pub fn is_for(&self, game: &Connect) -> bool {
        self.game == *game
    }

    /// The value, or bounds that decide whether it is at least `asked`.
    fn answer(
        &mut self,
        asked: Option<i32>,
        pos: &Position,
        stop: &AtomicBool,
        progress: WindowCallback<'_>,
    ) -> ProvedBounds {
        let bounds = self.game.bounds(pos);
        if bounds.lo == bounds.hi {
            return bounds.into();
        }
        let (columns, levels, n) = self.game.size();
        macro_rules! fixed {
            ($($c:literal x $l:literal),*) => {
                match (columns, levels, n) {
                    $(($c, $l, 4) => self.run::<u64, _>(Fixed::<$c, $l, 4>, asked, pos, stop, progress),)*
                    _ if columns * (levels + 1) <= 64 => self.run::<u64, _>(Free { columns, levels, n }, asked, pos, stop, progress),
                    _ => self.run::<u128, _>(Free { columns, levels, n }, asked, pos, stop, progress),
                }
            };
        }
        fixed!(8 x 4, 6 x 5, 7 x 5, 8 x 5, 5 x 6, 6 x 6, 7 x 6, 8 x 6, 5 x 7, 6 x 7, 7 x 7, 8 x 7, 5 x 8)
    }

    fn run<W: Cells, S: Shape>(
        &mut self,
        shape: S,
        asked: Option<i32>,
        pos: &Position,
        stop: &AtomicBool,
        progress: WindowCallback<'_>,
    ) -> ProvedBounds {
        let lines = Lines::<W, S>::new(shape);
        let (own, all, plies) = (W::of(pos.own()), W::of(pos.all()), pos.plies() as i32);
        let wins = lines.completing(own, all) & lines.next(all);
        let cells = shape.cells();
        if !wins.is_zero() {
            let value = (cells + 1 - plies) / 2;
            return ProvedBounds { lo: value, hi: value };
        }
        let node = Node { own, all, theirs: lines.completing(own ^ all, all), plies };
        let before = self.nodes;
        let mut known = ProvedBounds { lo: -((cells - plies) / 2), hi: (cells - 1 - plies) / 2 };
        known = known.and(self.game.bounds(pos).into());
        if let Some((_, proved)) = self.root.as_ref().filter(|(root, _)| root == pos) {
            known = known.and((*proved).into());
        }
        while known.lo < known.hi && asked.is_none_or(|asked| known.is_at_least(asked).is_none()) {
            let beta = asked.unwrap_or_else(|| next_window(known));
            if let Some(value) = self.decide(lines, node, beta, stop) {
                known = known.after(value, beta);
                progress(known.into(), self.nodes - before);
            } else if stop.load(Ordering::Relaxed) {
                break;
            } else {
                // It was not stopped from outside: the table is too small.
                self.table.grow::<W>();
            }
        }
        known
    }

    /// Decides one window. `None` if it was stopped from outside, or if the table is too small.
    fn decide<W: Cells, S: Shape>(
        &mut self,
        lines: Lines<W, S>,
        node: Node<W>,
        beta: i32,
        stop: &AtomicBool,
    ) -> Option<i32> {
        #[cfg(target_arch = "x86_64")]
        let decided = Avx512::detect()
            .map(|kernel| self.decide_with(kernel, lines, node, beta, stop))
            .or_else(|| Avx2::detect().map(|kernel| self.decide_with(kernel, lines, node, beta, stop)));
        #[cfg(not(target_arch = "x86_64"))]
        let decided = None;
        // For other processors the search is compiled once, which saves more than a megabyte.
        let lines = || Lines::new(Free::from(lines.shape));
        let (value, nodes) = decided.unwrap_or_else(|| self.decide_with(Portable, lines(), node, beta, stop));
        self.nodes += nodes;
        self.table.count(nodes);
        value
    }

    /// Decides one window with all threads: the value, unless it was stopped, and the nodes.
    fn decide_with<W: Cells, S: Shape>(
        &self,
        kernel: impl Kernel,
        lines: Lines<W, S>,
        node: Node<W>,
        beta: i32,
        stop: &AtomicBool,
    ) -> (Option<i32>, u64) {
        race(self.threads, &self.table, self.table.room(), stop, |thread| {
            let mut search = ConnectSearch::new(lines, thread, kernel);
            let value = search.search(node, beta);
            search.thread.outcome(value)
        })
    }
}

/// Beyond this a value is easily distinguished from smaller ones.
const LARGE: i32 = 10;

/// The next window between the proved bounds. First whether the value is large, which is cheap; near a draw, whether it is a
/// win at all, and then step by step.
fn next_window(ProvedBounds { lo, hi }: ProvedBounds) -> i32 {
    if lo > -LARGE && hi < LARGE {
        return if lo >= 1 {
            lo + 1
        } else if hi >= 1 {
            1
        } else {
            hi
        };
    }
    let mut middle = lo + (hi - lo) / 2;
    if middle <= 0 && lo / 2 < middle {
        middle = lo / 2;
    } else if middle >= 0 && hi / 2 > middle {
        middle = hi / 2;
    }
    middle + 1
}
