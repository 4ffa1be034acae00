//! Late move reductions: without a depth limit, quiet moves that come late in the order are searched less deep first.

use super::search::{Listed, Worker};

/// Whether a null window comes first, and by how many plies it is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scout {
    No,
    Full,
    Reduced(u32),
}

/// Moves are reduced from this depth on.
const REDUCED: u32 = 3;

/// Late move reductions in plies, by depth and number of the move.
static REDUCTIONS: [[u8; 6]; 32] = reductions();

const fn reductions() -> [[u8; 6]; 32] {
    let mut plies = [[0; 6]; 32];
    let mut depth = 0;
    while depth < 32 {
        let mut number = 1;
        while number < 6 {
            let steps =
                [0, 0, 1, 2, 2, 2][number] + if depth >= 8 { 1 } else { 0 } + if depth >= 16 { 1 } else { 0 };
            plies[depth][number] = if number == 1 { steps / 2 } else { steps };
            number += 1;
        }
        depth += 1;
    }
    plies
}

impl Worker<'_> {
    /// How a move is searched that is not the first: late move reductions.
    #[inline(always)]
    pub(super) fn scout(&self, at: &Listed, number: usize, depth: u32) -> Scout {
        if !self.terms.selective || at.after.taken > 0 || depth < REDUCED {
            return Scout::Full;
        }
        match REDUCTIONS[(depth as usize).min(31)][number.min(5)] {
            0 => Scout::Full,
            plies => Scout::Reduced(plies.into()),
        }
    }
}
