//! Tournaments between players: pairings and openings, a referee that drives a session for each game, and statistics of the
//! results (Elo, SPRT).
//!
//! It starts no processes, writes no files and prints nothing. The caller passes in the clock, the seed and the ledger that
//! stores finished games.

mod cores;
mod delays;
mod executor;
mod formats;
mod ledger;
mod openings;
mod plan;
mod rating;
mod referee;
mod schedule;
mod score;
mod sprt;
mod standings;
mod state;
mod tournament;

pub use cores::Cores;
pub use delays::Delays;
pub use executor::Executor;
pub use ledger::{Entry, Ledger, MemoryLedger, NotKept};
pub use openings::MOST_PLIES;
pub use plan::{BadPlan, Entrant, Format, Openings, Plan};
pub use rating::{Points, ratings};
pub use referee::{Played, Referee};
pub use schedule::{Meeting, Results, Schedule, Slot, Stage};
pub use score::{Elo, Tally, normal_below};
pub use sprt::{Sprt, Verdict};
pub use standings::{Line, Standings};
pub use state::State;
pub use tournament::{Halt, MakePlayer, Table, Tournament};
