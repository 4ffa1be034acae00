//! Tournaments on a store: plan files, rows and values, reports, the queue with its workers, and
//! analysis jobs.
//!
//! It reads no arguments and no environment, and owns no terminal: what a person should know is
//! returned, or passed to a closure of the caller.

mod analysis_request;
mod content_hash;
mod embedded_worker;
mod error;
mod ledger;
mod plan_file;
mod players;
mod queue;
mod remote_analysts;
mod report;
mod requirements;
pub mod results;
mod run;
pub mod scoreboard;
mod snapshot;
mod stored_plan;
pub mod version;
pub mod worker;

pub use analysis_request::{AnalysisRequest, answer_text};
pub use error::LeagueError;
pub use plan_file::{PlanFile, read_text};
pub use players::Players;
pub use remote_analysts::RemoteAnalysts;
pub use report::Report;
pub use run::{Run, RunOptions};
pub use scoreboard::{plain, points, seconds, unsigned};
pub use snapshot::{GameFilter, GamePage, Snapshot, public_spec};
pub use stored_plan::plan_text;
