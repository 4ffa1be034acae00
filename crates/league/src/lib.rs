//! Tournaments in a database: plan files, the ledger, reports, the job queue with its workers, and
//! analysis requests.
//!
//! The crate reads no arguments, no environment and no terminal. Messages for the user are returned
//! or passed to a closure of the caller.
//!
//! # Examples
//!
//! Read a plan file:
//!
//! ```
//! use parlor_league::PlanFile;
//! use std::path::PathBuf;
//!
//! let text = r#"
//! name = "spring"
//! games = ["kalah:6,4"]
//! rounds = 10
//!
//! [[player]]
//! spec = "engine:level=5"
//!
//! [[player]]
//! spec = "bot:python3 team7.py"
//! name = "team 7"
//! "#;
//! let file = PlanFile::parse(text, PathBuf::from("leagues"))?;
//! let names: Vec<&str> = file.plan.players.iter().map(|player| player.name.as_str()).collect();
//! assert_eq!(names, ["engine:level=5", "team 7"]);
//! # Ok::<(), parlor_tournament::BadPlan>(())
//! ```

#[cfg(feature = "store")]
mod analysis_request;
#[cfg(feature = "store")]
mod analyst_cache;
mod content_hash;
#[cfg(feature = "store")]
mod embedded_worker;
mod error;
#[cfg(feature = "store")]
mod ledger;
mod plan_file;
mod players;
#[cfg(feature = "store")]
mod queue_executor;
#[cfg(feature = "store")]
mod remote_analysts;
#[cfg(feature = "store")]
mod requirements;
#[cfg(feature = "store")]
pub mod results;
#[cfg(feature = "store")]
mod run;
pub mod scoreboard;
#[cfg(feature = "store")]
mod snapshot;
#[cfg(feature = "store")]
mod stored_plan;
#[cfg(feature = "store")]
mod tournament_report;
#[cfg(feature = "store")]
pub mod version;
#[cfg(feature = "store")]
pub mod worker;

#[cfg(feature = "store")]
pub use analysis_request::{AnalysisRequest, answer_text};
#[cfg(feature = "store")]
pub use analyst_cache::{AnalystCache, AnalystError};
pub use error::LeagueError;
pub use plan_file::{PlanFile, read_text};
pub use players::Players;
#[cfg(feature = "store")]
pub use remote_analysts::RemoteAnalysts;
#[cfg(feature = "store")]
pub use run::{Run, RunOptions};
pub use scoreboard::{plain, points, seconds, unsigned};
#[cfg(feature = "store")]
pub use snapshot::{GameFilter, GamePage, Snapshot, public_spec};
#[cfg(feature = "store")]
pub use stored_plan::plan_text;
#[cfg(feature = "store")]
pub use tournament_report::TournamentReport;
