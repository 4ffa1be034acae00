//! Which moves keep what is proved, once the table reaches the position: a search that judges must not give it away.
//!
//! A capture is worth what the table proves of the position it enters. A move that captures nothing is worth what the table
//! proves of the position after it, if the position before it has just been entered: then the table's own way to its bound
//! is one of the moves. Later in the layer positions may have stood before, and the table knows nothing of that; there the
//! mark to keep is what was proved when the layer was entered, and the search, which sees what returns, chooses among the
//! moves that the table says reach it.

use super::{
    board::{Node, pits, seeds},
    endings::Endings,
};
use parlor_games::oware::RuleSet;

/// The pits, as the top bits of their bytes, whose moves keep what is proved for the last position of a way that begins where
/// its layer was entered. All legal ones where nothing is known.
pub(super) fn keeping(way: &[Node], rules: RuleSet, endings: &Endings<'_>) -> u64 {
    let Some((root, before)) = way.split_last() else { return 0 };
    let legal = root.legal(rules);
    if !endings.reach(seeds(root.own) + seeds(root.other)) {
        return legal;
    }
    let worths: Option<Vec<(usize, i8)>> =
        pits(legal).map(|pit| Some((pit, worth(root, pit, way, rules, endings)?))).collect();
    let Some(worths) = worths else { return legal };
    let best = worths.iter().map(|&(_, worth)| worth).max().unwrap_or_default();
    let mark = match before.first().and_then(|entered| endings.probe(entered)) {
        Some(known) if before.len() % 2 == 0 => best.min(known.lo),
        Some(known) => best.min(-known.hi),
        None => best,
    };
    worths.iter().filter(|(_, worth)| *worth >= mark).fold(0, |kept, (pit, _)| kept | 0x80 << (8 * pit))
}

/// What the table proves of a move for the side that makes it, nothing banked; of one that captures nothing, as far as the
/// table sees.
fn worth(root: &Node, pit: usize, way: &[Node], rules: RuleSet, endings: &Endings<'_>) -> Option<i8> {
    let after = root.play(pit, rules);
    let (node, taken) = (after.node, after.taken as i8);
    if node.movable() == 0 {
        return Some(taken - node.difference());
    }
    let returns = taken == 0 && way.iter().rev().skip(1).step_by(2).any(|before| *before == node);
    if returns {
        return Some(if rules == RuleSet::Abapa { -node.difference() } else { 0 });
    }
    Some(taken - endings.probe(&node)?.hi)
}
