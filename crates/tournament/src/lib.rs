//! Tournaments between players: pairings and openings, a referee that drives a session for each game, and statistics of the
//! results (Elo, SPRT).
//!
//! Players in, records and statistics out. It starts no processes, keeps no files and writes to no terminal; time comes from
//! a clock that is passed in, chance from a seed, and finished games go to a ledger that is passed in.

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
pub use ledger::{Ledger, LedgerEntry, MemoryLedger, NotKept};
pub use openings::MOST_PLIES;
pub use plan::{BadPlan, Entrant, Format, Openings, TournamentPlan};
pub use rating::{Points, ratings};
pub use referee::{Played, Referee};
pub use schedule::{Meeting, Results, Schedule, Slot, Stage};
pub use score::{Elo, Tally, normal_below};
pub use sprt::{Sprt, Verdict};
pub use standings::{Standings, StandingsRow};
pub use state::TournamentState;
pub use tournament::{Halt, MakePlayer, Tournament, WorkerCache};
