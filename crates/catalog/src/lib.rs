//! The only list of games, with their players. Everything that loops over games loops over [`entries`].
//!
//! A fifth game is one folder in the games crate, one `pub mod` line there, and one `Entry::of` line here.
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
mod entry;
mod hosted;
mod players;
mod samples;
mod support;
mod tabling;

pub use analysis::{Analyst, Judgement};
pub use entry::{Entry, KindInfo, entries, find, game};
pub use hosted::{Hosted, Solving};
pub use parlor_core::{duration, write_duration};
pub use parlor_engine::{Clock, Manual, Monotonic, Random};
pub use parlor_games::fen;
pub use parlor_tables::{
    BadCheckpoint, BadTable, Built, Checkpoint, Checkpoints, Form, LayerInfo, Plan, Progress, Sample, Stage,
    Verified, Work,
};
pub use players::{BadPlayer, PlayerSpec};
pub use support::Resources;
pub use tabling::{Opened, Probed, Tables};
