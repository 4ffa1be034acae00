//! What the solvers have in common: the transposition table of proved bounds, the cooperation of threads that search one
//! position, deadlines, the answers, and words as bitboards. It knows no game.

mod answer;
mod growing;
mod parallel;
mod searching;
mod transposition;
mod word;

pub(crate) use answer::{principal_variation, proof_report, successors};
pub(crate) use growing::{GrowingTable, Growth};
pub(crate) use parallel::{race, with_deadline};
pub(crate) use searching::{OpenQuestion, SearchThread, best_child};
pub(crate) use transposition::{Key, ProvedBounds, Slot, TranspositionTable};
pub(crate) use word::Word;
