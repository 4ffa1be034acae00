//! Opens a PostgreSQL database by its URL. Several servers and workers may share it.
//!
//! Connections are encrypted if the server offers it, or as the URL says (`sslmode`). The password is in the URL only: nothing that is
//! shown contains the URL as it was written.

mod notifications;
mod queue;
mod servers;

pub use notifications::Listener;
pub use queue::TournamentLock;

use crate::{Store, StoreError, error::message_of, migrations};
use sqlx::{
    Connection, PgConnection, PgPool,
    any::{AnyConnectOptions, AnyPoolOptions},
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{sync::Arc, time::Duration};

/// How long a call waits for a connection before the database counts as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
const READ_CONNECTIONS: u32 = 8;
/// Unlike SQLite, PostgreSQL has concurrent writers: creating a game need not wait for the journal.
const WRITE_CONNECTIONS: u32 = 4;
const ASYNC_COMMIT_CONNECTIONS: u32 = 4;
const JOB_CONNECTIONS: u32 = 4;
/// Statements that begin a write transaction and a read transaction with a snapshot, whatever the server's defaults are.
pub const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
pub const READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Settings of each connection: commits are durable, whatever the server's default is, and a transaction of a dead client does not
/// hold its locks for ever.
const SETTINGS: [(&str, &str); 2] =
    [("synchronous_commit", "on"), ("idle_in_transaction_session_timeout", "30000")];

/// The connections of the features that only a shared database has.
pub struct SharedDatabase {
    /// For the dedicated connection of a listener.
    pub options: PgConnectOptions,
    /// With asynchronous commit, for notifications, heartbeats and leases, which need not be durable.
    pub async_commit: PgPool,
    /// For the job queue.
    pub jobs: PgPool,
}

impl SharedDatabase {
    pub async fn close(&self) {
        self.async_commit.close().await;
        self.jobs.close().await;
    }
}

pub async fn open(address: &str) -> Result<Store, StoreError> {
    let (any, options) = parse_address(address)?;
    let location = location(&options);
    let failed = |error: sqlx::Error| StoreError::Open(location.clone(), message_of(&error));
    let mut first = PgConnection::connect_with(&options).await.map_err(failed)?;
    let migrated = migrations::POSTGRES.run(&mut first).await;
    // Closed in any case, which releases the lock of a failed migration.
    let closed = first.close().await;
    migrated.map_err(|error| StoreError::of_schema(&location, &error))?;
    closed.map_err(failed)?;
    let writer = pool(WRITE_CONNECTIONS).connect_with(any.clone()).await.map_err(failed)?;
    let pool = pool(READ_CONNECTIONS).connect_with(any).await.map_err(failed)?;
    let quick = options.clone().options([("synchronous_commit", "off")]);
    let lazy = |most: u32, options: PgConnectOptions| {
        PgPoolOptions::new().max_connections(most).acquire_timeout(ACQUIRE_TIMEOUT).connect_lazy_with(options)
    };
    let (async_commit, jobs) =
        (lazy(ASYNC_COMMIT_CONNECTIONS, quick), lazy(JOB_CONNECTIONS, options.clone()));
    let shared = Some(Arc::new(SharedDatabase { options, async_commit, jobs }));
    Ok(Store { pool, writer, location: location.into(), shared, health: Arc::default() })
}

fn pool(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT)
}

/// Parses a URL twice: for statements of both databases, and for those of PostgreSQL only.
fn parse_address(address: &str) -> Result<(AnyConnectOptions, PgConnectOptions), StoreError> {
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

/// The URL without the password.
fn location(options: &PgConnectOptions) -> String {
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
            let (_, options) = parse_address(address).expect("an address");
            assert_eq!(location(&options), "postgres://db.example:6543/parlor");
        }
        for bad in [
            "postgres://ann:secret#@host/name",
            "postgres://ann:secret@host:port/name",
            "postgres://ann:secret@host/name?sslmode=nonsense",
            "postgres:ann:secret",
            "postgres://",
        ] {
            let sentence = parse_address(bad).map(drop).expect_err(bad).to_string();
            assert!(!sentence.contains("secret"), "{sentence}");
        }
    }

    #[test]
    fn a_url_cannot_disable_durable_commits() {
        let (_, options) =
            parse_address("postgres://h/n?options[synchronous_commit]=off").expect("an address");
        let settings = options.get_options().expect("settings");
        assert!(settings.find("=off") < settings.find("=on"), "the last one counts: {settings}");
    }
}
