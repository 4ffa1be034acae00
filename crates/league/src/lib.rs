//! Tournaments on a store: plan files, rows and values, reports, the queue with its workers, and analysis jobs.
//!
//! It reads no arguments and no environment, and owns no terminal: what a person should know is returned, or passed to a closure of
//! the caller.

mod distant;
mod error;
mod figures;
mod inside;
mod ledger;
mod letters;
mod plan;
mod planfile;
mod players;
mod print;
mod queue;
mod report;
pub mod results;
mod rows;
mod run;
pub mod scoreboard;
mod seats;
mod shown;
mod terms;
pub mod version;
pub mod worker;

pub use distant::Distant;
pub use error::LeagueError;
pub use figures::{plain, points, seconds, unsigned};
pub use letters::{Question, answer_text};
pub use plan::{plan_text, read_plan};
pub use planfile::{Planned, read_text};
pub use players::Hall;
pub use report::{Against, Place, Report};
pub use run::{Run, RunOptions};
pub use seats::Company;
pub use shown::{A_PAGE, Leaf, Shown, Wish, called};
