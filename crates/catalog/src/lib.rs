//! The only list of games, with their players. Everything that loops over games loops over [`entries`].
//!
//! A fifth game is one folder in the games crate, one `pub mod` line there, and one `Entry::of` line here.

mod analysis;
mod entry;
mod hosted;
mod players;
mod rules;
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
pub use rules::Illustration;
pub use support::Resources;
pub use tabling::{Opened, Probed, Tables};
