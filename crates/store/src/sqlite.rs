//! Opens a SQLite file: creates it if it does not exist, and migrates an older schema.
//!
//! One connection writes. Writers of this process queue for it, which is fairer than competing for the lock of the file.

use crate::{Store, StoreError, migrations};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::{
    Connection, SqliteConnection,
    any::{AnyConnectOptions, AnyPoolOptions},
    error::DatabaseError,
    migrate::MigrateError,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// How long a call waits while another process writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time between attempts to open a file that another process creates at the same time.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// SQLite's code for a file that another process has locked.
const SQLITE_BUSY: &str = "5";
const READ_CONNECTIONS: u32 = 4;
/// Statements that begin a write and a read transaction.
pub const WRITE: &str = "BEGIN IMMEDIATE";
pub const READ: &str = "BEGIN";

pub async fn open(file: &Path) -> Result<Store, StoreError> {
    let location = file.display().to_string();
    let failed = |error: sqlx::Error| StoreError::Open(location.clone(), error.to_string());
    let mut first = open_first(file).await.map_err(failed)?;
    migrate(&mut first, &location).await?;
    let address = address(file).map_err(|why| StoreError::Open(location.clone(), why))?;
    let writer = writer().connect_with(address.clone()).await.map_err(failed)?;
    let pool = pool(READ_CONNECTIONS).connect_with(address).await.map_err(failed)?;
    // Last of all: the last connection to a file checkpoints it on close, so the others are opened before.
    first.close().await.map_err(failed)?;
    Ok(Store { pool, writer, location: location.into(), shared: None, health: Arc::default() })
}

/// The file as a URL. All special characters are percent-encoded.
fn address(file: &Path) -> Result<AnyConnectOptions, String> {
    let name = file.to_str().ok_or("its name is not valid UTF-8")?;
    let address = format!("sqlite:{}?mode=rw", utf8_percent_encode(name, NON_ALPHANUMERIC));
    address.parse().map_err(|error: sqlx::Error| error.to_string())
}

fn pool(connections: u32) -> AnyPoolOptions {
    AnyPoolOptions::new().max_connections(connections).after_connect(|connection, _| {
        Box::pin(async move {
            // With less than FULL, the last transactions before a power failure could be lost.
            for pragma in
                ["PRAGMA busy_timeout = 30000", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"]
            {
                sqlx::query(pragma).execute(&mut *connection).await?;
            }
            Ok(())
        })
    })
}

/// The pool with the only connection that writes.
fn writer() -> AnyPoolOptions {
    pool(1)
        .idle_timeout(None)
        .max_lifetime(None)
        // On a full disk SQLite rolls back the transaction by itself, but sqlx still believes in it.
        .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
}

/// Opens the first connection. SQLite's busy timeout does not cover the creation of a file by another process.
async fn open_first(file: &Path) -> Result<SqliteConnection, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true);
    let begun = Instant::now();
    loop {
        match SqliteConnection::connect_with(&options).await {
            Err(error) if is_busy(&error) && begun.elapsed() < BUSY_TIMEOUT => {
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            done => return done,
        }
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == SQLITE_BUSY)
}

async fn migrate(connection: &mut SqliteConnection, location: &str) -> Result<(), StoreError> {
    let mut done = migrations::SQLITE.run(&mut *connection).await;
    for _ in migrations::SQLITE.iter() {
        // Another process may have run the same step at the same time; then it is done when we look again.
        if let Err(MigrateError::ExecuteMigration(..)) = done {
            done = migrations::SQLITE.run(&mut *connection).await;
        }
    }
    done.map_err(|error| StoreError::of_schema(location, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_disk_is_reported_as_disk_full() {
        let file = std::env::temp_dir().join(format!("parlor-store-health-{}.db", std::process::id()));
        let store = Store::open(&file).await.expect("a store");
        store.begin_tournament("spring", "plan", 7).await.expect("begun");
        assert_eq!(store.check_health(1).await, Ok(()));
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writer).await.expect("full");
        let long = "x".repeat(100_000);
        assert!(matches!(store.set_plan("spring", &long).await, Err(StoreError::DiskFull(_))));
        assert!(matches!(store.check_health(2).await, Err(StoreError::DiskFull(_))));
        sqlx::query("PRAGMA max_page_count = 100000").execute(&store.writer).await.expect("room again");
        store.set_plan("spring", &long).await.expect("written");
        assert_eq!(store.check_health(3).await, Ok(()));
        store.close().await;
        std::fs::remove_file(file).expect("removed");
    }

    #[tokio::test]
    async fn writes_succeed_again_after_a_full_disk() {
        let file = std::env::temp_dir().join(format!("parlor-store-full-{}.db", std::process::id()));
        let store = Store::open(&file).await.expect("a store");
        store.begin_tournament("spring", "plan", 7).await.expect("begun");
        // The limit holds for this connection only. The pool closes it after the failure, and the next one has space.
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writer).await.expect("full");
        let long = "x".repeat(100_000);
        let mut transaction = store.begin_write().await.expect("begun");
        let update = sqlx::query("UPDATE tournament SET plan = $1").bind(&long);
        let full = update.execute(&mut *transaction).await.expect_err("no room").to_string();
        assert!(full.contains("full"), "{full}");
        drop(transaction);
        store.add_games("spring", &[]).await.expect("the next transaction begins");
        store.set_plan("spring", &long).await.expect("room again");
        store.close().await;
        std::fs::remove_file(file).expect("removed");
    }
}
