//! Opening a database of PostgreSQL by its address, which several servers may share.
//!
//! Connections are encrypted where the server offers it, or as the address says (`sslmode`). A password is in the
//! address and nowhere else: nothing that is shown is made of the address as it was written.

mod notes;
mod queue;
mod servers;

pub use notes::Listener;
pub use queue::Alone;

use crate::{Store, StoreError, error::words, migrations};
use sqlx::{
    Connection, PgConnection, PgPool,
    any::{AnyConnectOptions, AnyPoolOptions},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{sync::Arc, time::Duration};

/// How long a call waits for a connection before it says that the database is away.
const PATIENCE: Duration = Duration::from_secs(5);
const READERS: u32 = 8;
/// Unlike a file, a server writes for many at once: who makes a game need not wait for the moves of all the others.
const WRITERS: u32 = 4;
const NOTES: u32 = 4;
const JOBS: u32 = 4;
/// How to begin to write, and to read what is of one moment, however the server is set up.
pub const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
pub const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// What each connection asks for. Written is on the disk, whatever the server does for others; and a transaction whose client is
/// gone without a word shall not bar the way for ever.
const SETTINGS: [(&str, &str); 2] =
    [("synchronous_commit", "on"), ("idle_in_transaction_session_timeout", "30000")];

/// What a shared database can do beside keeping things.
pub struct Shared {
    /// For the dedicated connection of a listener.
    pub options: PgConnectOptions,
    /// For notifications, which need no durable commit.
    pub notes: PgPool,
    /// For the job queue.
    pub jobs: PgPool,
}

impl Shared {
    pub async fn close(&self) {
        self.notes.close().await;
        self.jobs.close().await;
    }
}

pub async fn open(address: &str) -> Result<Store, StoreError> {
    let (any, options) = read(address)?;
    let place = place(&options);
    let failed = |error: sqlx::Error| StoreError::Open(place.clone(), words(&error));
    let mut first = PgConnection::connect_with(&options).await.map_err(failed)?;
    let migrated = migrations::POSTGRES.run(&mut first).await;
    // Closed in any case, and with it goes the lock that a step which failed would leave behind.
    let closed = first.close().await;
    migrated.map_err(|error| StoreError::of_schema(&place, &error))?;
    closed.map_err(failed)?;
    let writer = pool(WRITERS).connect_with(any.clone()).await.map_err(failed)?;
    let pool = pool(READERS).connect_with(any).await.map_err(failed)?;
    let quick = options.clone().options([("synchronous_commit", "off")]);
    let lazy = |most: u32, options: PgConnectOptions| {
        PgPoolOptions::new().max_connections(most).acquire_timeout(PATIENCE).connect_lazy_with(options)
    };
    let (notes, jobs) = (lazy(NOTES, quick), lazy(JOBS, options.clone()));
    let shared = Some(Arc::new(Shared { options, notes, jobs }));
    Ok(Store { pool, writer, place: place.into(), shared, health: Arc::default() })
}

fn pool(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(connections).acquire_timeout(PATIENCE)
}

/// What an address says, twice: for statements that both databases know, and for what only this one does.
fn read(address: &str) -> Result<(AnyConnectOptions, PgConnectOptions), StoreError> {
    let refused = |why: &str| StoreError::Open("on PostgreSQL".into(), why.into());
    let is_whole = address.split_once("://").is_some_and(|(_, rest)| !rest.is_empty());
    if !is_whole || address.contains('#') {
        return Err(refused("expected a URL like postgres://user@host:5432/name; write a # in it as %23"));
    }
    let mut full = address.to_string();
    for (name, value) in SETTINGS {
        let sign = if full.contains('?') { '&' } else { '?' };
        full.push_str(&format!("{sign}options[{name}]={value}"));
    }
    let malformed = |error: sqlx::Error| refused(&format!("invalid URL: {error}"));
    let options: PgConnectOptions = full.parse().map_err(malformed)?;
    Ok((full.parse().map_err(malformed)?, options))
}

/// The address without the password.
fn place(options: &PgConnectOptions) -> String {
    let name = options.get_database().unwrap_or_else(|| options.get_username());
    match options.get_socket() {
        Some(socket) => format!("postgres:///{name}?host={}", socket.display()),
        None => format!("postgres://{}:{}/{name}", options.get_host(), options.get_port()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        for address in [
            "postgres://ann:secret@db.example:6543/parlor",
            "postgres://db.example:6543/parlor?user=ann&password=secret",
        ] {
            let (_, options) = read(address).expect("an address");
            assert_eq!(place(&options), "postgres://db.example:6543/parlor");
        }
        for bad in [
            "postgres://ann:secret#@host/name",
            "postgres://ann:secret@host:port/name",
            "postgres://ann:secret@host/name?sslmode=nonsense",
            "postgres:ann:secret",
            "postgres://",
        ] {
            let sentence = read(bad).map(drop).expect_err(bad).to_string();
            assert!(!sentence.contains("secret"), "{sentence}");
        }
    }

    #[test]
    fn whatever_an_address_says_written_is_on_the_disk() {
        let (_, options) = read("postgres://h/n?options[synchronous_commit]=off").expect("an address");
        let settings = options.get_options().expect("settings");
        assert!(settings.find("=off") < settings.find("=on"), "the last one counts: {settings}");
    }
}
