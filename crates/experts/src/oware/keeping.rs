//! Which moves keep what is proved, once the table reaches the position: a search that judges must not give it away.
//!
//! The mark to keep is what was proved when the layer was entered. A capture keeps it if the table proves as much of the
//! position that it enters. A move that captures nothing keeps it if it stays on the [`Course`] to the mark. Where there is
//! no course, because the layer is too large or the play so far has left it, the moves are those that the table would call
//! good if nothing had stood before, and it is the search, which sees what returns, that chooses among them.

use super::{
    board::{After, Node, pits, seeds},
    course::Course,
    endings::Endings,
};
use parlor_games::oware::RuleSet;

/// The pits, as the top bits of their bytes, whose moves keep what is proved for the last position of a way that begins where
/// its layer was entered. All legal ones where nothing is known.
pub(super) fn keeping(way: &[Node], rules: RuleSet, endings: &Endings<'_>) -> u64 {
    let [entered, ..] = way else { return 0 };
    let root = &way[way.len() - 1];
    let (legal, left) = (root.legal(rules), seeds(root.own) + seeds(root.other));
    let Some(known) = endings.probe(entered).filter(|_| legal != 0) else { return legal };
    let mark = if way.len() % 2 == 1 { known.lo } else { -known.hi };
    if mark <= -(left as i8) {
        return legal;
    }
    let course = Course::to(mark, left, rules, endings).filter(|course| course.leads_from(root));
    let kept = chosen(root, legal, rules, |after| {
        leaving(after, endings).map_or_else(
            || course.as_ref().is_some_and(|course| course.keeps(root, &after.node)),
            |worth| worth >= mark,
        )
    });
    if kept != 0 {
        return kept;
    }
    let worth =
        |after: &After| leaving(after, endings).unwrap_or_else(|| staying(&after.node, way, rules, endings));
    let best = pits(legal).map(|pit| worth(&root.play(pit, rules))).max().unwrap_or_default();
    chosen(root, legal, rules, |after| worth(after) >= best.min(mark))
}

/// The pits whose moves are such.
fn chosen(root: &Node, legal: u64, rules: RuleSet, is_such: impl Fn(&After) -> bool) -> u64 {
    let such = pits(legal).filter(|&pit| is_such(&root.play(pit, rules)));
    such.fold(0, |kept, pit| kept | 0x80 << (8 * pit))
}

/// What a move is proved to be worth to the side that makes it, nothing banked, if it ends the game or leaves the layer.
fn leaving(after: &After, endings: &Endings<'_>) -> Option<i8> {
    let taken = after.taken as i8;
    if after.node.movable() == 0 {
        return Some(taken - after.node.difference());
    }
    (taken > 0).then(|| endings.probe(&after.node).map(|known| taken - known.hi))?
}

/// What a move that stays seems to be worth.
fn staying(node: &Node, way: &[Node], rules: RuleSet, endings: &Endings<'_>) -> i8 {
    let returns = way.iter().rev().skip(1).step_by(2).any(|before| before == node);
    match endings.probe(node) {
        Some(known) if !returns => -known.hi,
        _ if rules == RuleSet::Abapa => -node.difference(),
        _ => 0,
    }
}
