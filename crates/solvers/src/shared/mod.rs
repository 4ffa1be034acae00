//! Common parts of the solvers: the transposition table of proved bounds, the cooperation of threads on one tree (ABDADA),
//! deadlines, reports, and bitboards. It is independent of the game.

mod driver;
mod growing;
mod transposition;
mod word;

pub(crate) use driver::{
    OpenQuestion, SearchThread, best_child, principal_variation, proof_report, race, successors,
    with_deadline,
};
pub(crate) use growing::{GrowingTable, Growth};
pub(crate) use transposition::{Key, ProvedBounds, Slot, TranspositionTable};
pub(crate) use word::Word;
