//! The list of games and their players. Code that covers all games loops over [`entries`].
//!
//! A new game is one folder in the crate `games`, one `pub mod` line there, and one `Entry::of` line here.

mod analysis;
mod dyn_game;
mod entry;
mod players;
mod samples;
mod support;
mod tables;

pub use analysis::{Analyst, MoveAnalysis};
pub use dyn_game::{DynGame, DynSolver};
pub use entry::{Entry, PlayerKind, entries, find, game};
pub use parlor_core::{duration, write_duration};
pub use parlor_engine::{Clock, Manual, Monotonic, Random};
pub use parlor_games::fen;
pub use parlor_tables::{
    BadCheckpoint, BadTable, BuildPlan, BuildProgress, BuildStage, Built, Checkpoint, Checkpoints, Form,
    LayerInfo, Sample, Verified, Work,
};
pub use players::{BadPlayer, PlayerSpec};
pub use support::Resources;
pub use tables::{DynTable, ProbeResult, TableFamily};
