//! Durable games and tournaments. What a call says is kept, is kept: it is on the disk before the call returns, and the power
//! may fail the moment after.
//!
//! A database is a file of SQLite, or one of PostgreSQL that several servers share; both keep the same and answer alike.
//!
//! It keeps text and numbers and knows neither games nor players. The calls are asynchronous; [`Blocking`] is for code without
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

pub use append::{Append, Standing};
pub use error::StoreError;
pub use games::{EventRow, LiveRow, SeatRow};
pub use journal::Journal;
pub use postgres::{Alone, Listener};
pub use shared_rows::{
    ANSWERS, ATTEMPTS, Asked, Collected, DONE, Fixture, Heard, JOBS, Note, Pulse, Stuck, Taken, Taker,
    Waiting, WorkerRow,
};
pub use store::{Blocking, Store};
pub use tournaments::{Begun, FoulRow, GameRow, TournamentRow};
