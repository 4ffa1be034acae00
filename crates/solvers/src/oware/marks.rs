//! Marks on the positions of a layer: a bitmap that serves as a work list. Positions are marked in any order, and listed by the
//! row of the side not to move, who has just moved.

use parlor_engine::ZeroedMemory;
use parlor_games::rows::Rows;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// A bit for each position. The row of the side not to move counts more; each of its rows begins with a word. The rows of the
/// mover are numbered by depth.
pub(super) struct Marks {
    /// By the seeds of the side not to move.
    pub blocks: Vec<Block>,
    pub words: ZeroedMemory<AtomicU64>,
    /// Which rows have marks.
    marked: Vec<AtomicBool>,
}

/// The rows with one number of seeds of the side not to move.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// The first of its rows.
    pub row: usize,
    /// The first of its words.
    word: usize,
    /// Words per row.
    width: usize,
}

/// Where a mark is.
pub(super) struct Place {
    pub word: usize,
    row: u32,
    bit: u32,
}

impl Marks {
    pub fn new(rows: &Rows, seeds: usize) -> Marks {
        let (mut row, mut word) = (0, 0);
        let block = |other| {
            let width = rows.count(seeds - other).div_ceil(64) as usize;
            let block = Block { row, word, width };
            row += rows.count(other) as usize;
            word += rows.count(other) as usize * width;
            block
        };
        let blocks = (0..=seeds).map(block).collect();
        let marked = (0..row).map(|_| AtomicBool::new(false)).collect();
        Marks { blocks, words: ZeroedMemory::zeroed(word), marked }
    }

    /// Number of rows of one side, whatever their seeds.
    pub fn rows(&self) -> usize {
        self.marked.len()
    }

    /// Where the mark of a position is.
    #[inline(always)]
    pub fn place(block: &Block, other: usize, own: usize) -> Place {
        let word = block.word + other * block.width + own / 64;
        Place { word, row: (block.row + other) as u32, bit: (own % 64) as u32 }
    }

    /// Marks a position. No other thread marks one in the same word.
    #[inline(always)]
    pub fn mark(&self, place: &Place) {
        let word = &self.words[place.word];
        word.store(word.load(Relaxed) | 1 << place.bit, Relaxed);
        self.marked[place.row as usize].store(true, Relaxed);
    }

    /// Moves the marks of all rows in which the side not to move has `other` seeds into a list.
    pub fn take(&self, other: usize, out: &mut Marked) {
        out.rows.clear();
        out.positions.clear();
        let block = &self.blocks[other];
        let end = self.blocks.get(other + 1).map_or(self.marked.len(), |next| next.row);
        for (row, marked) in (0..).zip(&self.marked[block.row..end]) {
            if !marked.load(Relaxed) {
                continue;
            }
            marked.store(false, Relaxed);
            let words = &self.words[block.word + row as usize * block.width..][..block.width];
            for (number, word) in (0..).zip(words) {
                let mut bits = word.load(Relaxed);
                word.store(0, Relaxed);
                while bits != 0 {
                    out.positions.push(64 * number + bits.trailing_zeros());
                    bits &= bits - 1;
                }
            }
            out.rows.push((row, out.positions.len()));
        }
    }
}

/// Marked positions in which the side not to move has one number of seeds.
#[derive(Default)]
pub(super) struct Marked {
    /// Rows of the side not to move, and where their positions end.
    pub rows: Vec<(u32, usize)>,
    /// Rows of the side to move by depth, ascending.
    pub positions: Vec<u32>,
}
