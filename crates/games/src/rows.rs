//! Numbers rows of holes for the tables of the sowing games (a perfect hash). A row is the beans of one side's holes, a byte
//! each, the first hole in the lowest; rows with equally many beans are numbered from 0, and two numbers determine a position.
//!
//! The order serves the table fillers: by effort first, then lexicographically. The effort of a row is the sum of the distances
//! of its beans from the pot:
//!
//! ```text
//!   lane      0  1  2  3  4  5   pot         a bean that stays in its row comes nearer to the pot, so a move that puts
//!   steps     6  5  4  3  2  1               nothing into the pot makes its row one of less effort; the other row stays
//! ```
//!
//! Rows with the same number of beans and the same effort are therefore contiguous, and their values do not depend on one
//! another.

use std::{fmt, sync::OnceLock};

/// In the longest row.
const HOLES: usize = 8;
/// 1 in every lane.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Rows with more beans are not numbered: margins would not fit the byte of a table entry.
pub const MOST_BEANS: usize = 127;

/// The numbering of the rows of a board: each row of some number of beans has a number, and each number is a row.
pub struct Rows {
    holes: usize,
    /// By holes and beans: the number of ways to put that many beans into that many holes.
    ways: [[u64; MOST_BEANS + 1]; HOLES + 1],
    /// By lane and the beans from it on: the number of rows that come later because they have more beans before it.
    terms: [[u64; MOST_BEANS + 1]; HOLES],
    /// By layer and the beans of the side not to move: where such positions begin within their layer.
    blocks: Vec<[u64; MOST_BEANS + 2]>,
    /// By beans, computed on first use.
    numbered: [OnceLock<Numbered>; MOST_BEANS + 1],
}

/// The rows with one number of beans.
struct Numbered {
    /// Maps the lexicographic number to ours.
    rank: Vec<u32>,
    /// Indexed by our number.
    rows: Vec<u64>,
    /// By effort: the number of the first row that takes at least this effort. One more at the end.
    efforts: Vec<u32>,
}

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.holes)
    }
}

impl Rows {
    /// The rows of a board with this many holes per side; `None` if its rows do not fit a word.
    pub fn of(holes: usize) -> Option<&'static Rows> {
        static ALL: [OnceLock<Box<Rows>>; HOLES + 1] = [const { OnceLock::new() }; HOLES + 1];
        let place = ALL.get(holes).filter(|_| holes > 0)?;
        Some(place.get_or_init(|| Box::new(Rows::new(holes))))
    }

    fn new(holes: usize) -> Rows {
        let mut ways = [[0_u64; MOST_BEANS + 1]; HOLES + 1];
        ways[0][0] = 1;
        for holes in 1..=HOLES {
            for beans in 0..=MOST_BEANS {
                let without_a_bean_here = ways[holes - 1][beans];
                let with_one = if beans > 0 { ways[holes][beans - 1] } else { 0 };
                ways[holes][beans] = without_a_bean_here.saturating_add(with_one);
            }
        }
        let blocks = (0..=MOST_BEANS).map(|layer| blocks(&ways[holes], layer)).collect();
        let mut terms = [[0; MOST_BEANS + 1]; HOLES];
        for lane in 1..holes {
            terms[lane][1..].copy_from_slice(&ways[holes + 1 - lane][..MOST_BEANS]);
        }
        Rows { holes, ways, terms, blocks, numbered: [const { OnceLock::new() }; MOST_BEANS + 1] }
    }

    /// Holes per row.
    pub fn holes(&self) -> usize {
        self.holes
    }

    /// Number of rows with this many beans.
    #[inline]
    pub fn count(&self, beans: usize) -> u64 {
        self.ways[self.holes][beans]
    }

    /// Where the positions begin, within their layer, in which the side not to move has `other` beans; one more than the
    /// layer has is the end.
    #[inline]
    pub fn block(&self, layer: usize, other: usize) -> u64 {
        self.blocks[layer][other]
    }

    /// The number of a row among those with as many beans.
    #[inline]
    pub fn rank(&self, row: u64) -> u32 {
        let beans = beans(row);
        self.numbered(beans).rank[self.lexicographic(row, beans)]
    }

    /// The row with this number.
    #[inline]
    pub fn row(&self, beans: usize, rank: u32) -> u64 {
        self.numbered(beans).rows[rank as usize]
    }

    /// All rows with this many beans.
    pub fn rows(&self, beans: usize) -> &[u64] {
        &self.numbered(beans).rows
    }

    /// The numbers of the rows of one effort.
    pub fn of_effort(&self, beans: usize, effort: usize) -> std::ops::Range<usize> {
        let efforts = &self.numbered(beans).efforts;
        let at = |effort: usize| efforts.get(effort).or(efforts.last()).map_or(0, |&first| first as usize);
        at(effort)..at(effort + 1)
    }

    /// The number of a position within its layer, from both rows.
    #[inline]
    pub fn index(&self, own: u64, other: u64) -> u64 {
        self.index_of([(beans(own), self.rank(own)), (beans(other), self.rank(other))])
    }

    /// Like [`Rows::index`], from the beans and the numbers of the rows.
    #[inline]
    pub fn index_of(&self, [(mine, own), (theirs, other)]: [(usize, u32); 2]) -> u64 {
        self.block(mine + theirs, theirs) + u64::from(other) * self.count(mine) + u64::from(own)
    }

    /// Both rows, the mover's first, of the position with this number; `None` above the last.
    pub fn pair(&self, layer: usize, index: u64) -> Option<[u64; 2]> {
        let theirs = (0..=layer).take_while(|&theirs| self.block(layer, theirs) <= index).last()?;
        let (mine, rest) = (layer - theirs, index - self.block(layer, theirs));
        let known = |rank: u32| u64::from(rank) < self.count(theirs);
        let other = u32::try_from(rest / self.count(mine)).ok().filter(|&rank| known(rank))?;
        Some([self.row(mine, (rest % self.count(mine)) as u32), self.row(theirs, other)])
    }

    #[inline]
    fn numbered(&self, beans: usize) -> &Numbered {
        self.numbered[beans].get_or_init(|| self.number(beans))
    }

    /// The number of rows that precede this one in lexicographic order: those that have fewer beans in lane 0, those that have
    /// fewer in lane 1, and so on. With `left` beans for the lanes from one on, and n of them there, fewer than n leave more
    /// than `left` - n for the lanes after it, and the ways to do that telescope: what remains is a term for each lane but the
    /// first, by the beans from it on. One product has the beans up to each lane, so that no term waits for another.
    ///
    /// ```text
    ///   row               2  0  1  3     (lane 0 first)
    ///   up to the lane    2  2  3  6     row * 0x01010101
    ///   from it on        6  4  4  3     6 in every lane, less the sums shifted by a lane
    /// ```
    #[inline(always)]
    fn lexicographic(&self, row: u64, beans: usize) -> usize {
        let from = (beans as u64 * ONES).wrapping_sub(row.wrapping_mul(ONES) << 8);
        let mut after = 1;
        for lane in 1..self.holes {
            after += self.terms[lane][(from >> (8 * lane) & 0x7F) as usize];
        }
        (self.ways[self.holes][beans] - after) as usize
    }

    fn number(&self, beans: usize) -> Numbered {
        let mut listed = Vec::with_capacity(self.count(beans) as usize);
        self.list(0, beans, 0, &mut listed);
        let mut order: Vec<u32> = (0..listed.len() as u32).collect();
        order.sort_by_cached_key(|&i| self.effort(listed[i as usize]));
        let mut rank = vec![0; listed.len()];
        (0..).zip(&order).for_each(|(new, &old): (u32, _)| rank[old as usize] = new);
        let rows: Vec<u64> = order.iter().map(|&i| listed[i as usize]).collect();
        let first = |effort| rows.partition_point(|&row| self.effort(row) < effort) as u32;
        let efforts = (0..=beans * self.holes + 1).map(first).collect();
        Numbered { rank, rows, efforts }
    }

    /// Lists in lexicographic order all rows with this prefix.
    fn list(&self, lane: usize, left: usize, row: u64, out: &mut Vec<u64>) {
        if lane == self.holes - 1 {
            out.push(row | (left as u64) << (8 * lane));
            return;
        }
        for n in 0..=left {
            self.list(lane + 1, left - n, row | (n as u64) << (8 * lane), out);
        }
    }

    /// The steps of all beans to the pot.
    pub fn effort(&self, row: u64) -> usize {
        (0..self.holes).map(|lane| (row >> (8 * lane) & 0xFF) as usize * (self.holes - lane)).sum()
    }
}

fn blocks(ways: &[u64; MOST_BEANS + 1], layer: usize) -> [u64; MOST_BEANS + 2] {
    let mut blocks = [u64::MAX; MOST_BEANS + 2];
    let mut first = 0_u64;
    for other in 0..=layer {
        blocks[other] = first;
        first = first.saturating_add(ways[other].saturating_mul(ways[layer - other]));
    }
    blocks[layer + 1] = first;
    blocks
}

/// The beans of a row: the product's top lane is the sum of all lanes.
#[inline]
pub fn beans(row: u64) -> usize {
    (row.wrapping_mul(ONES) >> 56) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_and_rows_are_inverse_for_every_row() {
        for holes in 1..=HOLES {
            let rows = Rows::of(holes).expect("a numbering");
            for beans in 0..=9 {
                assert_eq!(rows.rows(beans).len() as u64, rows.count(beans));
                for (rank, &row) in (0..).zip(rows.rows(beans)) {
                    assert_eq!(
                        (rows.rank(row), rows.row(beans, rank), super::beans(row)),
                        (rank, row, beans)
                    );
                }
            }
        }
    }

    #[test]
    fn efforts_rise_with_the_numbers() {
        let rows = Rows::of(4).expect("a numbering");
        for beans in 0..=8 {
            for effort in 0..=beans * 4 {
                for rank in rows.of_effort(beans, effort) {
                    assert_eq!(rows.effort(rows.rows(beans)[rank]), effort);
                }
            }
            assert!(rows.rows(beans).is_sorted_by_key(|&row| rows.effort(row)));
        }
    }

    #[test]
    fn a_row_of_six_holes_with_24_beans_is_one_of_118755() {
        assert_eq!(Rows::of(6).expect("a numbering").count(24), 118_755);
        assert!(Rows::of(9).is_none() && Rows::of(0).is_none());
    }
}
