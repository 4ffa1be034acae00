//! Durable storage of live games and tournaments, on SQLite (a file, for one server) or PostgreSQL (shared by several servers and
//! workers). A call that writes returns after the commit is on the disk, so what it acknowledged survives a power failure.
//!
//! Live games are logs of events with optimistic concurrency: an event's sequence number can be written once. On PostgreSQL there
//! is also a job queue with leases, heartbeats of servers and workers, advisory locks and notifications.
//!
//! The store holds text and numbers and knows neither games nor players. The calls are asynchronous; [`BlockingStore`] is for code
//! without async.
//!
//! # Examples
//!
//! Create a live game, append a move to its log, and read it back:
//!
//! ```
//! use parlor_store::{Append, EventRow, GameStatus, LiveGameRow, SeatRow, Store, StoreError};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! # let folder = parlor_testkit::temp_folder();
//! let store = Store::open(&folder.join("games.db")).await?;
//!
//! let seat = |name: &str| SeatRow { kind: "person".into(), name: name.into(), spec: String::new() };
//! let game = LiveGameRow {
//!     id: "bg35n8F5tf".into(),
//!     game: "kalah:6,4".into(),
//!     start: None,
//!     clock: None,
//!     seats: [seat("Anna"), seat("Ben")],
//!     listed: true,
//!     created: 1_700_000_000_000,
//!     touched: 1_700_000_000_000,
//!     plies: 0,
//!     ended: None,
//!     result: None,
//!     cause: None,
//!     rules: 1,
//!     deadline: None,
//! };
//! store.create_game(&game, &[]).await?;
//!
//! let event = EventRow { seq: 1, kind: "move".into(), text: "3".into(), ..EventRow::default() };
//! let status = GameStatus { plies: 1, ..GameStatus::default() };
//! let append = Append { game: game.id.clone(), events: vec![event.clone()], status };
//! assert_eq!(store.append(&[append.clone()]).await, [Ok(())]);
//!
//! // Optimistic concurrency: the same sequence number cannot be written twice.
//! assert_eq!(store.append(&[append]).await, [Err(StoreError::Conflict(game.id.clone(), 1))]);
//!
//! let (row, events) = store.live_game(&game.id).await?.expect("the game");
//! assert_eq!((row.plies, events), (1, vec![event]));
//! store.close().await;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
