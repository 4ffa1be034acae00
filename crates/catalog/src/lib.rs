//! The list of games and their players. Code that covers all games loops over [`entries`].
//!
//! A new game is one folder in the crate `games`, one `pub mod` line there, and one `Entry::of` line here.
//!
//! # Examples
//!
//! List the games, make a player from its spec, and ask it for a move:
//!
//! ```
//! use parlor_catalog::{Resources, entries, game};
//! use parlor_core::{Answer, Limits};
//! use std::sync::atomic::AtomicBool;
//!
//! let names: Vec<&str> = entries().iter().map(|entry| entry.name).collect();
//! assert_eq!(names[0], "kalah");
//!
//! let game = game("kalah:6,4")?;
//! let mut player = game.player(&"minimax:depth=2".parse()?, &Resources::seeded(1))?;
//! let board = game.board();
//! let answer = player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
//! assert!(matches!(answer, Ok(Answer::Move(text)) if board.check(&text).is_ok()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
mod dyn_game;
mod entry;
mod players;
mod rules;
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
pub use rules::Illustration;
pub use support::Resources;
pub use tables::{DynTable, ProbeResult, TableFamily};
