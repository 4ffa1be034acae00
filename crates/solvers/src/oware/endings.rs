//! The endgame tables that a search probes: a small one computed in memory at first use, the same on every machine, a
//! larger one that is computed in the background, or one that is kept on disk.
//!
//! The bounds of a table hold for an empty history, when play has just entered the layer by a capture or at the start: earlier
//! positions of the same layer would end the game if they recurred, and the table does not take them into account. The caller
//! must not use the bounds elsewhere; the estimate may be used anywhere.

use super::{
    OwareFiller,
    board::{Node, PITS, seeds},
};
use parlor_core::Indexed;
use parlor_games::{
    oware::{Oware, RuleSet},
    rows::Rows,
};
use parlor_tables::{EndgameTable, Work};
use std::{
    sync::{
        Arc, Once, OnceLock,
        atomic::{AtomicBool, AtomicU64},
    },
    thread,
};

/// The small table reaches up to this many seeds: it takes a fraction of a second to compute.
pub const SMALL: u32 = 9;
/// The larger table, which takes seconds, reaches up to this many: 14 MB by the usual rules.
pub const AMPLE: u32 = 12;

/// The table's values of a position whose layer was just entered, without the banked part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TableBounds {
    pub lo: i8,
    pub hi: i8,
    /// Estimate between the two bounds.
    pub guess: i8,
}

/// The distances of the mover and of the other side from securing their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProgressDistance {
    pub mine: u8,
    pub theirs: u8,
}

/// The small table of a rule set, shared in this process and computed by the first caller.
///
/// # Examples
///
/// ```
/// use parlor_core::{Bounds, Margin, Notation, Oracle};
/// use parlor_games::oware::{Oware, RuleSet};
/// use parlor_solvers::oware::{SMALL, small_table};
///
/// let table = small_table(RuleSet::Awari).expect("a table");
/// assert_eq!(table.top(), SMALL);
/// let game = Oware::by(RuleSet::Awari);
/// let pos = game.parse_position("0-0-0-0-0-0-1-0-0-0-0-0-23-24-S")?;
/// assert_eq!(table.probe(&game, &pos), Some(Bounds::exactly(Margin(-2))), "Player 2 keeps the last seed");
/// # Ok::<(), parlor_core::BadPosition>(())
/// ```
pub fn small_table(rules: RuleSet) -> Option<Arc<EndgameTable<Oware>>> {
    static TABLES: [OnceLock<Option<Arc<EndgameTable<Oware>>>>; 2] = [const { OnceLock::new() }; 2];
    let table = TABLES[usize::from(rules == RuleSet::Awari)].get_or_init(|| {
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let work = Work { threads: 1, stop: &stop, done: &done };
        EndgameTable::in_memory(&Oware::by(rules), SMALL, &OwareFiller, &work).map(Arc::new)
    });
    table.clone()
}

/// The larger table, for searches that are limited by time alone: the first call starts its computation in the background, and
/// it returns `None` until that is done. Searches with a node limit must not use it, or answers would depend on the moment.
pub(super) fn ample_table(rules: RuleSet) -> Option<Arc<EndgameTable<Oware>>> {
    static TABLES: [OnceLock<Arc<EndgameTable<Oware>>>; 2] = [const { OnceLock::new() }; 2];
    static BEGUN: [Once; 2] = [const { Once::new() }; 2];
    let which = usize::from(rules == RuleSet::Awari);
    BEGUN[which].call_once(|| {
        // If no thread can be started, the small table is used.
        let _ = thread::Builder::new().name("endings".into()).spawn(move || {
            let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
            let work = Work { threads: 1, stop: &stop, done: &done };
            if let Some(table) = EndgameTable::in_memory(&Oware::by(rules), AMPLE, &OwareFiller, &work) {
                let _ = TABLES[which].set(Arc::new(table));
            }
        });
    });
    TABLES[which].get().cloned()
}

/// A table as the search probes it.
#[derive(Clone, Debug)]
pub(super) struct Endings<'a> {
    rows: Option<&'static Rows>,
    layers: Vec<&'a [i8]>,
    planes: usize,
}

impl<'a> Endings<'a> {
    /// An empty table knows nothing.
    pub fn of(table: Option<&'a EndgameTable<Oware>>) -> Endings<'a> {
        let layers = table.map(EndgameTable::layers).unwrap_or_default();
        Endings { rows: Rows::of(PITS), layers, planes: table.map_or(1, |table| table.family().planes()) }
    }

    /// Whether the table covers positions with this many seeds.
    #[inline(always)]
    pub fn reach(&self, seeds: usize) -> bool {
        seeds < self.layers.len()
    }

    /// The table's values of a position.
    #[inline]
    pub fn probe(&self, node: &Node) -> Option<TableBounds> {
        let layer = self.layers.get(seeds(node.own) + seeds(node.other))?;
        let number = self.rows?.index(node.own, node.other) as usize;
        let lo = *layer.get(number)?;
        if self.planes == 1 {
            return Some(TableBounds { lo, hi: lo, guess: lo });
        }
        let len = layer.len() / self.planes;
        Some(TableBounds { lo, hi: *layer.get(len + number)?, guess: *layer.get(2 * len + number)? })
    }

    /// The progress measures, if the table has them.
    pub fn progress(&self, node: &Node) -> Option<ProgressDistance> {
        let layer = self.layers.get(seeds(node.own) + seeds(node.other)).filter(|_| self.planes == 5)?;
        let (number, len) = (self.rows?.index(node.own, node.other) as usize, layer.len() / self.planes);
        Some(ProgressDistance {
            mine: *layer.get(3 * len + number)? as u8,
            theirs: *layer.get(4 * len + number)? as u8,
        })
    }

    /// Whether the table has all measures of a layer: those that do not fit a byte are missing.
    pub fn has_exact_measures(&self, seeds: usize) -> bool {
        let Some(layer) = self.layers.get(seeds).filter(|_| self.planes == 5) else { return false };
        !layer[layer.len() / 5 * 3..].contains(&-1)
    }
}
