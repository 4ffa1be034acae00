//! Precomputed sowings for narrow boards. The gain of each lane depends only on the lane sown and its beans, and is the same
//! for both sides, so a table reduces a sowing to three additions. Wide boards are sown bean by bean.
//!
//! ```text
//!   six holes a side, 5 beans from lane 4
//!
//!   own lanes      5  4  3  2  1  0       pot       other lanes    5  4  3  2  1  0
//!                 +1 -5  .  .  .  .       +1                       .  .  . +1 +1 +1
//! ```

use super::KalahBoard;
use parlor_core::Side;
use std::{fmt, sync::OnceLock};

/// The largest number of holes per side of a narrow board.
pub(super) const HOLES: usize = 8;
/// A narrow board has fewer beans than this.
pub(super) const BEANS: usize = 256;

/// The gains of a sowing (its own lane loses its beans), and the place of the last bean: own lanes, own pot (m), other lanes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sowing {
    /// Added to the lanes of the side that sows.
    pub own: u64,
    /// Added to the opponent's lanes.
    pub other: u64,
    /// Beans sown into the pot.
    pub pot: u8,
    /// Where the last bean lands.
    pub last: u8,
}

/// The sowings of one board size, by lane and beans.
pub struct SowingTable([[Sowing; BEANS]; HOLES]);

impl fmt::Debug for SowingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SowingTable")
    }
}

impl SowingTable {
    /// The table for this many holes per side, computed on first use. It is empty for sizes whose boards are always wide.
    pub fn of(holes: usize) -> &'static SowingTable {
        static TABLES: [OnceLock<Box<SowingTable>>; HOLES + 1] = [const { OnceLock::new() }; HOLES + 1];
        let holes = if holes > HOLES { 0 } else { holes };
        TABLES[holes].get_or_init(|| {
            let mut table = Box::new(SowingTable([[Sowing::default(); BEANS]; HOLES]));
            for (lane, beans) in (0..holes).flat_map(|lane| (0..BEANS).map(move |beans| (lane, beans))) {
                table.0[lane][beans] = sown(holes, lane, beans);
            }
            table
        })
    }

    /// The sowing of `beans` beans from a lane.
    #[inline]
    pub fn sowing(&self, lane: usize, beans: u8) -> &Sowing {
        &self.0[lane % HOLES][usize::from(beans)]
    }
}

/// Computes one entry by sowing bean by bean.
fn sown(holes: usize, lane: usize, beans: usize) -> Sowing {
    let (own, other) = (Side::First, Side::Second);
    let mut board = KalahBoard::new(holes as i32, 0);
    // Fewer than 256 beans are always accepted; on the first side lane 0 is hole 1.
    let _ = board.set_beans(own, lane as i32 + 1, beans as i32);
    let before = board.narrow_row(own);
    let last = board.sow_slowly(own, lane) as u8;
    let gained = board.narrow_row(own).wrapping_sub(before);
    Sowing { own: gained, other: board.narrow_row(other), pot: board.pot(own) as u8, last }
}

/// The index of the set bit that has n set bits below it, by a set of eight lanes as bits, and n.
pub(super) static NTH: [[u8; 8]; 256] = nth();
/// The number of set bits, by a set of eight lanes as bits.
pub(super) static COUNT: [u8; 256] = count();

const fn nth() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut row = 0;
    while row < 256 {
        let (mut place, mut found) = (0, 0);
        while place < 8 {
            if row >> place & 1 == 1 {
                table[row][found] = place;
                found += 1;
            }
            place += 1;
        }
        row += 1;
    }
    table
}

const fn count() -> [u8; 256] {
    let mut table = [0; 256];
    let mut row = 0;
    while row < 256 {
        table[row] = (row as u8).count_ones() as u8;
        row += 1;
    }
    table
}
