//! A layer of the endgame table with the side to move as part of each position: the history of a game consists of positions
//! with one of the two sides to move, and the proved bounds belong to a side.

use super::{
    board::{Node, PITS},
    endings::Endings,
};
use parlor_games::{oware::RuleSet, rows::Rows};

/// A position and the side to move: 0 is the side to move at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SidedPosition {
    pub node: Node,
    pub mover: u8,
}

impl SidedPosition {
    /// The positions of a path; the last one is the root.
    pub fn along(way: &[Node]) -> Vec<SidedPosition> {
        let many = way.len();
        way.iter()
            .enumerate()
            .map(|(at, &node)| SidedPosition { node, mover: ((many - 1 - at) % 2) as u8 })
            .collect()
    }

    /// The payoff of a side if each side takes its row.
    pub fn paid(&self, side: u8) -> i8 {
        if self.mover == side { self.node.difference() } else { -self.node.difference() }
    }
}

/// A layer of the table with its rules.
#[derive(Clone, Copy)]
pub(super) struct SidedLayer<'a> {
    pub rows: &'static Rows,
    pub rules: RuleSet,
    pub endings: &'a Endings<'a>,
}

impl<'a> SidedLayer<'a> {
    /// `None` if rows cannot be numbered.
    pub fn of(rules: RuleSet, endings: &'a Endings<'a>) -> Option<SidedLayer<'a>> {
        Some(SidedLayer { rows: Rows::of(PITS)?, rules, endings })
    }

    pub fn number(&self, spot: &SidedPosition) -> u64 {
        2 * self.rows.index(spot.node.own, spot.node.other) + u64::from(spot.mover)
    }

    /// The lower bound of a side, without the banked part, with an empty history.
    pub fn bound(&self, spot: &SidedPosition, side: u8) -> Option<i8> {
        let known = self.endings.probe(&spot.node)?;
        Some(if spot.mover == side { known.lo } else { -known.hi })
    }

    /// The progress measure of a side.
    pub fn measure(&self, spot: &SidedPosition, side: u8) -> Option<u8> {
        let progress = self.endings.progress(&spot.node)?;
        Some(if spot.mover == side { progress.mine } else { progress.theirs })
    }

    /// Calls `each` with every move: the number of captured seeds, and the position after it.
    pub fn moves(&self, spot: &SidedPosition, mut each: impl FnMut(i8, SidedPosition)) {
        let mover = 1 - spot.mover;
        spot.node
            .moves(self.rules, |after| each(after.taken as i8, SidedPosition { node: after.node, mover }));
    }
}
