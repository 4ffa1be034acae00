//! Durable games and tournaments. What a call says is kept, is kept: it is on the disk before the call returns, and the power
//! may fail the moment after.
//!
//! A database is a file of SQLite, or one of PostgreSQL that several servers share; both keep the same and answer alike.
//!
//! It keeps text and numbers and knows neither games nor players. The calls are asynchronous; [`BlockingStore`] is for code without
//! async.

mod append;
mod error;
mod games;
mod health;
mod journal;
mod migrations;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "without_postgres.rs"]
mod postgres;
mod shared_rows;
mod sqlite;
mod store;
mod tournaments;

pub use append::{Append, GameStatus};
pub use error::StoreError;
pub use games::{EventRow, LiveGameRow, SeatRow};
pub use journal::Journal;
pub use postgres::{Listener, TournamentLock};
pub use shared_rows::{
    ANSWERS_CHANNEL, CollectedGames, DONE_CHANNEL, FailedGame, Heartbeat, JOBS_CHANNEL, LeasedJob,
    ListenerEvent, MAX_ATTEMPTS, Notification, QuestionState, QueuedGame, WaitingGames, WorkerId, WorkerRow,
};
pub use store::{BlockingStore, Store};
pub use tournaments::{TournamentGameRow, TournamentRow, TournamentStart, ViolationRow};
