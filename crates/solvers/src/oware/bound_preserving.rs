//! Bound-preserving moves: moves that preserve the value that the table proves for a position. A search that evaluates
//! heuristically is restricted to them, so that it does not give a proved value away.
//!
//! A capture preserves the bound if the table proves as much of the position after it. A move without a capture preserves it if
//! it makes progress by the table's measure (see [`super::progress`]) or, in tables without measures, if it stays on a
//! [`ProgressPath`]. No progress is needed where a cycle pays as much as the bound. If no move qualifies, because earlier moves
//! have lost the bound, the result is the moves that preserve it with an empty history, and the search, which detects
//! repetitions, chooses among them.

use super::{
    board::{After, Node, pits, seeds},
    endings::Endings,
    progress_path::{Aim, ProgressPath},
};
use parlor_games::oware::RuleSet;

/// The pits, as the top bits of their bytes, whose moves preserve the proved value of the last position of a path that begins
/// where its layer was entered. All legal ones if nothing is known. Paths of more than `most` positions are not searched.
pub(super) fn bound_preserving_moves(
    way: &[Node],
    rules: RuleSet,
    endings: &Endings<'_>,
    most: usize,
) -> u64 {
    let [.., root] = way else { return 0 };
    let (legal, left) = (root.legal(rules), seeds(root.own) + seeds(root.other));
    let Some(known) = endings.probe(root).filter(|_| legal != 0) else { return legal };
    let mark = known.lo;
    if mark <= -(left as i8) {
        return legal;
    }
    let stays = staying(root, Aim { k: mark, rules, endings }, most);
    let worth = |after: &After| {
        let here = || if returns(after, way) { paid(&after.node, rules) } else { -opponents(after, endings) };
        leaving(after, endings).unwrap_or_else(here)
    };
    let kept = chosen(root, legal, rules, |after| {
        let stays = || returns(after, way) || stays(&after.node);
        worth(after) >= mark && (after.taken > 0 || stays())
    });
    if kept != 0 {
        return kept;
    }
    let best = pits(legal).map(|pit| worth(&root.play(pit, rules))).max().unwrap_or_default();
    chosen(root, legal, rules, |after| worth(after) >= best.min(mark))
}

/// The pits whose moves satisfy `is_such`.
fn chosen(root: &Node, legal: u64, rules: RuleSet, is_such: impl Fn(&After) -> bool) -> u64 {
    let such = pits(legal).filter(|&pit| is_such(&root.play(pit, rules)));
    such.fold(0, |kept, pit| kept | 0x80 << (8 * pit))
}

/// The proved value of a move for the side that makes it, without the banked part, if it ends the game or leaves the layer.
fn leaving(after: &After, endings: &Endings<'_>) -> Option<i8> {
    let taken = after.taken as i8;
    if after.node.movable() == 0 {
        return Some(taken - after.node.difference());
    }
    (taken > 0).then(|| endings.probe(&after.node).map(|known| taken - known.hi))?
}

/// Whether a move repeats a position of the layer.
fn returns(after: &After, way: &[Node]) -> bool {
    after.taken == 0 && way.iter().rev().skip(1).step_by(2).any(|before| *before == after.node)
}

/// The payoff of the side that moved if endless play is stopped after its move.
fn paid(node: &Node, rules: RuleSet) -> i8 {
    if rules == RuleSet::Abapa { -node.difference() } else { 0 }
}

/// The upper bound of the other side, with an empty history.
fn opponents(after: &After, endings: &Endings<'_>) -> i8 {
    endings.probe(&after.node).map_or(i8::MAX, |known| known.hi)
}

/// Whether a move within the layer that preserves the bound k makes progress for the mover.
fn staying<'a>(root: &'a Node, aim: Aim<'a>, most: usize) -> Box<dyn Fn(&Node) -> bool + 'a> {
    let Some(here) = aim.endings.progress(root) else {
        if aim.k <= 0 {
            return Box::new(|_| true);
        }
        let path = ProgressPath::from(root, aim, most);
        return Box::new(move |after| path.as_ref().is_some_and(|path| path.keeps(root, after)));
    };
    Box::new(move |after| {
        let there = aim.endings.progress(after).map_or(u8::MAX, |progress| progress.theirs);
        let rests = root.difference() >= aim.k && paid(after, aim.rules) >= aim.k;
        there < here.mine || there == here.mine && rests
    })
}
