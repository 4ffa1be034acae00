//! Precomputed moves of Kalah rows: the effect of each move on both rows. A position is two numbered rows, so whole runs of
//! positions are computed by table lookups.

use parlor_games::{
    kalah::SowingTable,
    rows::{Rows, beans},
};
use std::sync::OnceLock;

/// Most beans of a layer.
const MOST: usize = parlor_games::rows::MOST_BEANS;

/// A move of one row, regardless of the other row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Where the last bean lands.
    pub end: End,
    /// Beans added to the mover's pot.
    pub pot: u8,
    /// Beans added to the opponent's row.
    pub given: u8,
    /// Number of the mover's row after the move.
    pub to: u32,
    /// The number without the last bean, if it may capture.
    pub taken: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The own pot: the same side moves again.
    Pot,
    /// An own empty hole, opposite this lane of the other side's.
    Empty {
        opposite: u8,
    },
    Elsewhere,
}

/// The moves of all rows with one number of beans.
pub(super) struct Steps {
    steps: Vec<Step>,
    /// Where those of a row begin. One more at the end.
    first: Vec<u32>,
}

impl Steps {
    /// The moves of the row with this number.
    #[inline]
    pub fn of(&self, rank: usize) -> &[Step] {
        &self.steps[self.first[rank] as usize..self.first[rank + 1] as usize]
    }
}

/// A row with one lane removed: its beans, and the number of the row without it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Without {
    pub beans: u8,
    pub rank: u32,
}

/// Lookup tables for one number of holes, each computed on first use.
pub(super) struct Lookup {
    pub rows: &'static Rows,
    sowing_table: &'static SowingTable,
    steps: Vec<OnceLock<Steps>>,
    given: Vec<OnceLock<Vec<u32>>>,
    without: Vec<OnceLock<Vec<Without>>>,
}

impl Lookup {
    pub fn new(rows: &'static Rows) -> Lookup {
        let places = (MOST + 1) * (MOST + 1);
        Lookup {
            rows,
            sowing_table: SowingTable::of(rows.holes()),
            steps: empty(MOST + 1),
            given: empty(places),
            without: empty(places * rows.holes()),
        }
    }

    /// The moves of all rows with this many beans.
    pub fn steps(&self, beans: usize) -> &Steps {
        self.steps[beans].get_or_init(|| {
            let (mut steps, mut first) = (Vec::new(), vec![0]);
            for &row in self.rows.rows(beans) {
                let filled = (0..self.rows.holes()).filter(|lane| row >> (8 * lane) & 0xFF > 0);
                steps.extend(filled.map(|lane| self.step(row, lane)));
                first.push(steps.len() as u32);
            }
            Steps { steps, first }
        })
    }

    fn step(&self, row: u64, lane: usize) -> Step {
        let holes = self.rows.holes();
        let sowing = self.sowing_table.sowing(lane, (row >> (8 * lane)) as u8);
        let (to, last) = (row.wrapping_add(sowing.own), usize::from(sowing.last));
        let alone = last < holes && to >> (8 * last) & 0xFF == 1;
        let end = if last == holes {
            End::Pot
        } else if alone {
            End::Empty { opposite: (holes - 1 - last) as u8 }
        } else {
            End::Elsewhere
        };
        let taken = if alone { to & !(0xFF << (8 * last)) } else { to };
        Step {
            end,
            pot: sowing.pot,
            given: beans(sowing.other) as u8,
            to: self.rows.rank(to),
            taken: self.rows.rank(taken),
        }
    }

    /// By number of a row with `beans` beans: the number of the row after the other side's sowing has added `given` beans
    /// to it, which goes round from lane 0.
    pub fn given(&self, beans: usize, given: usize) -> &[u32] {
        self.given[beans * (MOST + 1) + given].get_or_init(|| {
            let more = self.portion(given);
            self.rows.rows(beans).iter().map(|&row| self.rows.rank(row + more)).collect()
        })
    }

    /// The same, with one lane emptied afterwards.
    pub fn without(&self, beans: usize, given: usize, lane: usize) -> &[Without] {
        self.without[(beans * (MOST + 1) + given) * self.rows.holes() + lane].get_or_init(|| {
            let more = self.portion(given);
            let look = |&row: &u64| {
                let row = row + more;
                let beans = (row >> (8 * lane) & 0xFF) as u8;
                Without { beans, rank: self.rows.rank(row & !(0xFF << (8 * lane))) }
            };
            self.rows.rows(beans).iter().map(look).collect()
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

fn empty<T>(len: usize) -> Vec<OnceLock<T>> {
    std::iter::repeat_with(OnceLock::new).take(len).collect()
}
