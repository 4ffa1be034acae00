//! A layer of the table as a question about one position sees it: whose turn it is counts, because positions that stood before
//! did so with one of the two sides to move, and so does what each side is proved to have.

use super::{
    board::{Node, PITS},
    endings::Endings,
};
use parlor_games::{oware::RuleSet, rows::Rows};

/// A position and the side to move: 0 is the one that is to move where the question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub node: Node,
    pub mover: u8,
}

impl Spot {
    /// The positions of a way, the last of which is to be judged.
    pub fn along(way: &[Node]) -> Vec<Spot> {
        let many = way.len();
        way.iter().enumerate().map(|(at, &node)| Spot { node, mover: ((many - 1 - at) % 2) as u8 }).collect()
    }

    /// What each side taking its row pays a side here.
    pub fn paid(&self, side: u8) -> i8 {
        if self.mover == side { self.node.difference() } else { -self.node.difference() }
    }
}

/// By which rules, and what is known.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub rows: &'static Rows,
    pub rules: RuleSet,
    pub endings: &'a Endings<'a>,
}

impl<'a> Ground<'a> {
    /// `None` if rows cannot be numbered.
    pub fn of(rules: RuleSet, endings: &'a Endings<'a>) -> Option<Ground<'a>> {
        Some(Ground { rows: Rows::of(PITS)?, rules, endings })
    }

    pub fn number(&self, spot: &Spot) -> u64 {
        2 * self.rows.index(spot.node.own, spot.node.other) + u64::from(spot.mover)
    }

    /// What a side is proved to have at least, nothing banked, as if nothing had stood before.
    pub fn bound(&self, spot: &Spot, side: u8) -> Option<i8> {
        let known = self.endings.probe(&spot.node)?;
        Some(if spot.mover == side { known.lo } else { -known.hi })
    }

    /// How far a side is from having its bound for certain.
    pub fn measure(&self, spot: &Spot, side: u8) -> Option<u8> {
        let progress = self.endings.progress(&spot.node)?;
        Some(if spot.mover == side { progress.mine } else { progress.theirs })
    }

    /// Does something with every move: how many seeds it takes, and where it leads.
    pub fn moves(&self, spot: &Spot, mut each: impl FnMut(i8, Spot)) {
        let mover = 1 - spot.mover;
        spot.node.moves(self.rules, |after| each(after.taken as i8, Spot { node: after.node, mover }));
    }
}
