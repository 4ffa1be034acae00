//! Endgame tables: every position of a layer with its exact value, one byte each. Built layer by layer, kept in files (plain or
//! packed: see [`Form`]) that survive the sudden end of the program, verified by the rules alone, and probed in memory.
//!
//! An entry is the margin of a numbered position ([`parlor_core::Indexed`], a perfect hash) under best play, seen by the
//! side to move. An [`EndgameTable`] is an [`Oracle`](parlor_core::Oracle): what a position has banked plus the entry of its
//! number.
//!
//! Long proofs leave their [`Checkpoint`]s in the same manner.
//!
//! This crate knows no game by name, reads no arguments and prints nothing.

mod build;
mod cache;
mod checkpoint;
mod endgame_table;
mod endless;
mod fault;
mod filler;
mod format;
mod forward;
mod layer;
mod map;
mod pack;
mod verify;

pub use build::{BuildPlan, BuildProgress, BuildStage, Built, build, build_as};
pub use checkpoint::{BadCheckpoint, Checkpoint, Checkpoints};
pub use endgame_table::{EndgameTable, LayerInfo, folder};
pub use fault::BadTable;
pub use filler::{Filler, Work};
pub use format::Form;
pub use forward::Forward;
pub use map::shared;
pub use verify::{Sample, Verified, verify};
