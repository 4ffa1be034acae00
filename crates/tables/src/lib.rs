//! Endgame tables: every position of a layer with its exact value, one byte each. Tables are built layer by layer, stored in
//! files (plain or packed: see [`Form`]) that survive a crash, verified by the rules alone, and probed in memory.
//!
//! An entry is the margin of a numbered position ([`parlor_core::Indexed`], a perfect hash) under best play, seen by the side
//! to move. An [`EndgameTable`] is an [`Oracle`](parlor_core::Oracle): its value is the banked part of a position plus the entry of its
//! number.
//!
//! Long proofs store [`Checkpoint`]s in the same way.
//!
//! This crate contains no particular game, reads no arguments and prints nothing.
//!
//! # Examples
//!
//! Build a table on disk, open it, and look up a position:
//!
//! ```
//! use parlor_core::{Bounds, Margin, Notation, Oracle};
//! use parlor_games::kalah::Kalah;
//! use parlor_tables::{BuildPlan, EndgameTable, Forward, Work, build};
//! use std::sync::atomic::{AtomicBool, AtomicU64};
//!
//! # let folder = parlor_testkit::temp_folder();
//! # let dir: &std::path::Path = &folder;
//! let game = Kalah::sized(3, 2)?;
//! let plan = BuildPlan { dir, up_to: 6, memory: 64 << 20 };
//! let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
//! let work = Work { threads: 1, stop: &stop, done: &done };
//! let built = build(&game, &plan, &Forward, &work, &mut |_| ())?;
//! assert_eq!(built.top, Some(6), "all positions with up to six beans in play");
//!
//! let table = EndgameTable::open(&game, dir)?;
//! let pos = game.parse_position("0,0,1/0,0,1 5/5 s")?;
//! assert_eq!(table.probe(&game, &pos), Some(Bounds::exactly(Margin(0))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
