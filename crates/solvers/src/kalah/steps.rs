//! Precomputed moves of Kalah rows: the effect of each move on both rows. A position is two numbered rows, so whole runs of
//! positions are computed together.
//!
//! Rows are numbered by effort, then lexicographically (`games/src/rows.rs`). Adding the same beans to the same lanes of several
//! rows keeps their order: the effort of all grows equally, and so does the lexicographic order. So the rows that a move makes of
//! the other side's rows have the same order as these, and a set of rows, a bit per number, is all that it takes to find them.

use parlor_games::{
    kalah::SowingTable,
    rows::{Rows, beans},
};
use std::sync::OnceLock;

/// Most beans of a layer.
const MOST: usize = parlor_games::rows::MOST_BEANS;

/// A set of rows with equally many beans, a bit per number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowSet(Vec<u64>);

impl RowSet {
    pub fn of(len: usize, numbers: impl Iterator<Item = usize>) -> RowSet {
        let mut words = vec![0; len.div_ceil(64)];
        numbers.for_each(|at| words[at / 64] |= 1 << (at % 64));
        RowSet(words)
    }

    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The numbers, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let rest = |word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
            words.map(move |word| 64 * i + word.trailing_zeros() as usize)
        })
    }
}

/// A move of one row that may take beans out of play, and does not end in the pot, regardless of the other row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Number of the mover's row after the move, without the last bean if that may capture.
    pub to: u32,
    /// Beans added to the mover's pot.
    pub pot: u8,
    /// Beans added to the opponent's row.
    pub given: u8,
    /// The lane of the other side opposite the own empty hole in which the last bean lands.
    pub opposite: Option<u8>,
}

/// A move of one row that stays in the layer if nothing is captured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    /// Number of the mover's row after the move.
    pub to: u32,
    /// The lane of the other side that must be empty: opposite the own empty hole in which the last bean lands.
    pub opposite: Option<u8>,
}

/// The moves of all rows with one number of beans, but those that end in the pot.
pub(super) struct Steps {
    leave: Lists<Step>,
    stay: Lists<Stay>,
}

/// A list for each row.
struct Lists<T> {
    all: Vec<T>,
    /// Where those of a row begin. One more at the end.
    first: Vec<u32>,
}

impl<T> Lists<T> {
    #[inline]
    fn of(&self, rank: usize) -> &[T] {
        &self.all[self.first[rank] as usize..self.first[rank + 1] as usize]
    }
}

impl Steps {
    /// The moves of a row that may take beans out of play.
    #[inline]
    pub fn leave(&self, rank: usize) -> &[Step] {
        self.leave.of(rank)
    }

    /// The moves of a row that may stay in the layer.
    #[inline]
    pub fn stay(&self, rank: usize) -> &[Stay] {
        self.stay.of(rank)
    }
}

/// The moves of rows with one number of beans that sow equally many from one lane and end in the pot: the same side moves again.
pub(super) struct Again {
    /// Beans added to the mover's pot.
    pub pot: u8,
    /// Beans added to the opponent's row.
    pub given: u8,
    /// The rows that have such a move.
    pub rows: RowSet,
    /// What they become, in the same order, among the rows with the beans that are left.
    pub to: RowSet,
}

/// Lookup tables for one number of holes, each computed on first use.
pub(super) struct Lookup {
    pub rows: &'static Rows,
    sowing_table: &'static SowingTable,
    steps: Vec<OnceLock<Steps>>,
    again: Vec<OnceLock<Vec<Again>>>,
    given: Vec<OnceLock<RowSet>>,
    lanes: Vec<OnceLock<Vec<RowSet>>>,
    empty: Vec<OnceLock<Vec<Vec<i8>>>>,
}

impl Lookup {
    pub fn new(rows: &'static Rows) -> Lookup {
        Lookup {
            rows,
            sowing_table: SowingTable::of(rows.holes()),
            steps: empty(MOST + 1),
            again: empty(MOST + 1),
            given: empty((MOST + 1) * (MOST + 1)),
            lanes: empty((MOST + 1) * rows.holes()),
            empty: empty(MOST + 1),
        }
    }

    /// The moves of all rows with this many beans.
    pub fn steps(&self, beans: usize) -> &Steps {
        self.steps[beans].get_or_init(|| {
            let mut leave = Lists { all: Vec::new(), first: vec![0] };
            let mut stay = Lists { all: Vec::new(), first: vec![0] };
            for &row in self.rows.rows(beans) {
                for lane in (0..self.rows.holes()).filter(|&lane| lane_of(row, lane) > 0) {
                    self.add_step(row, lane, &mut leave.all, &mut stay.all);
                }
                leave.first.push(leave.all.len() as u32);
                stay.first.push(stay.all.len() as u32);
            }
            Steps { leave, stay }
        })
    }

    fn add_step(&self, row: u64, lane: usize, leave: &mut Vec<Step>, stay: &mut Vec<Stay>) {
        let holes = self.rows.holes();
        let sowing = self.sowing_table.sowing(lane, lane_of(row, lane) as u8);
        let (to, last) = (row.wrapping_add(sowing.own), usize::from(sowing.last));
        if last == holes {
            return;
        }
        let opposite = (last < holes && lane_of(to, last) == 1).then(|| (holes - 1 - last) as u8);
        let taken = if opposite.is_some() { to & !(0xFF << (8 * last)) } else { to };
        if sowing.pot > 0 || opposite.is_some() {
            let (pot, given) = (sowing.pot, beans(sowing.other) as u8);
            leave.push(Step { to: self.rows.rank(taken), pot, given, opposite });
        }
        if sowing.pot == 0 {
            stay.push(Stay { to: self.rows.rank(to), opposite });
        }
    }

    /// The moves of all rows with this many beans that end in the pot.
    pub fn again(&self, beans: usize) -> &[Again] {
        self.again[beans].get_or_init(|| {
            let lanes = (0..self.rows.holes()).flat_map(|lane| (1..=beans).map(move |n| (lane, n)));
            lanes.filter_map(|(lane, n)| self.again_from(beans, lane, n)).collect()
        })
    }

    fn again_from(&self, all: usize, lane: usize, n: usize) -> Option<Again> {
        let sowing = self.sowing_table.sowing(lane, n as u8);
        if usize::from(sowing.last) != self.rows.holes() {
            return None;
        }
        let (pot, given) = (usize::from(sowing.pot), beans(sowing.other));
        let moved = self.rows.rows(all).iter().enumerate().filter(|&(_, &row)| lane_of(row, lane) == n);
        let rows = RowSet::of(self.rows.rows(all).len(), moved.clone().map(|(at, _)| at));
        let rank = |row: &u64| self.rows.rank(row.wrapping_add(sowing.own)) as usize;
        let len = self.rows.count(all - pot - given) as usize;
        let to = RowSet::of(len, moved.map(|(_, row)| rank(row)));
        Some(Again { pot: pot as u8, given: given as u8, rows, to })
    }

    /// The rows with `beans` beans that the other side's sowing of the last `given` of them can result in.
    pub fn given(&self, beans: usize, given: usize) -> &RowSet {
        self.given[beans * (MOST + 1) + given].get_or_init(|| {
            let portion = self.portion(given);
            let contains =
                |row: u64| (0..self.rows.holes()).all(|at| lane_of(row, at) >= lane_of(portion, at));
            let rows = self.rows.rows(beans).iter().enumerate();
            RowSet::of(rows.len(), rows.filter(|&(_, &row)| contains(row)).map(|(at, _)| at))
        })
    }

    /// The number of a row with `beans` beans after the other side's sowing has added `given` beans to it.
    pub fn rank_given(&self, beans: usize, row: usize, given: usize) -> usize {
        self.rows.rank(self.rows.row(beans, row as u32) + self.portion(given)) as usize
    }

    /// The rows with `beans` beans, by those in one lane.
    pub fn lane(&self, beans: usize, lane: usize) -> &[RowSet] {
        self.lanes[beans * self.rows.holes() + lane].get_or_init(|| {
            let rows = self.rows.rows(beans);
            let mut sets = vec![RowSet::of(rows.len(), std::iter::empty()); beans + 1];
            for (at, &row) in rows.iter().enumerate() {
                sets[lane_of(row, lane)].0[at / 64] |= 1 << (at % 64);
            }
            sets
        })
    }

    /// By lane and number of a row with `beans` beans: a byte of ones if the lane is empty, else zeros.
    pub fn empty(&self, beans: usize) -> &[Vec<i8>] {
        self.empty[beans].get_or_init(|| {
            let byte = |row: u64, lane| if lane_of(row, lane) == 0 { -1 } else { 0 };
            let bytes = |lane| self.rows.rows(beans).iter().map(|&row| byte(row, lane)).collect();
            (0..self.rows.holes()).map(bytes).collect()
        })
    }

    /// Distributes this many beans over the lanes, starting at lane 0.
    fn portion(&self, beans: usize) -> u64 {
        let holes = self.rows.holes();
        (0..holes)
            .map(|lane| ((beans / holes + usize::from(lane < beans % holes)) as u64) << (8 * lane))
            .sum()
    }
}

/// The beans of one lane.
#[inline(always)]
fn lane_of(row: u64, lane: usize) -> usize {
    (row >> (8 * lane) & 0xFF) as usize
}

fn empty<T>(len: usize) -> Vec<OnceLock<T>> {
    std::iter::repeat_with(OnceLock::new).take(len).collect()
}
