//! Endgame tables: every position of a layer with its exact value, one byte each. Tables are built layer by layer, stored in
//! files (plain or packed: see [`Form`]) that survive a crash, verified by the rules alone, and probed in memory.
//!
//! An entry is the margin of a numbered position ([`parlor_core::Indexed`], a perfect hash) under best play, seen by the side
//! to move. A [`Table`] is an [`Oracle`](parlor_core::Oracle): its value is the banked part of a position plus the entry of its
//! number.
//!
//! Long proofs store [`Checkpoint`]s in the same way.
//!
//! This crate contains no particular game, reads no arguments and prints nothing.

mod build;
mod cache;
mod checkpoint;
mod endless;
mod fault;
mod filler;
mod format;
mod forward;
mod layer;
mod map;
mod pack;
mod table;
mod verify;

pub use build::{Built, Plan, Progress, Stage, build, build_as};
pub use checkpoint::{BadCheckpoint, Checkpoint, Checkpoints};
pub use fault::BadTable;
pub use filler::{Filler, Work};
pub use format::Form;
pub use forward::Forward;
pub use map::shared;
pub use table::{LayerInfo, Table, folder};
pub use verify::{Sample, Verified, verify};
