//! Opening a file: made if it is not there, brought to this version's schema if it is older.
//!
//! One connection writes, so that whoever writes stands in line here, which is fairer than all at the lock of the file.

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
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it is until the next look at a file that another process is about to make its own.
const PAUSE: Duration = Duration::from_millis(20);
/// What SQLite says when another process has the file to itself.
const BUSY: &str = "5";
const READERS: u32 = 4;
/// Statements that begin a write and a read transaction.
pub const WRITE: &str = "BEGIN IMMEDIATE";
pub const READ: &str = "BEGIN";

pub async fn open(file: &Path) -> Result<Store, StoreError> {
    let place = file.display().to_string();
    let failed = |error: sqlx::Error| StoreError::Open(place.clone(), error.to_string());
    let mut first = reach(file).await.map_err(failed)?;
    migrate(&mut first, &place).await?;
    let address = address(file).map_err(|why| StoreError::Open(place.clone(), why))?;
    let writer = writer().connect_with(address.clone()).await.map_err(failed)?;
    let pool = pool(READERS).connect_with(address).await.map_err(failed)?;
    // Last of all: whoever is the only one to have the file open puts it in order when it closes.
    first.close().await.map_err(failed)?;
    Ok(Store { pool, writer, place: place.into(), shared: None, health: Arc::default() })
}

/// Every character but the plainest is written by its bytes: nothing in a name means anything.
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
        // On a full disk the database undoes a transaction by itself, and the connection goes on believing in it.
        .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
}

/// Opens the file for the first time. While another process makes the same new one its own, the database does not wait by itself.
async fn reach(file: &Path) -> Result<SqliteConnection, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(PATIENCE)
        .foreign_keys(true);
    let begun = Instant::now();
    loop {
        match SqliteConnection::connect_with(&options).await {
            Err(error) if is_busy(&error) && begun.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
            done => return done,
        }
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == BUSY)
}

async fn migrate(connection: &mut SqliteConnection, place: &str) -> Result<(), StoreError> {
    let mut done = migrations::SQLITE.run(&mut *connection).await;
    for _ in migrations::SQLITE.iter() {
        // Another process may have taken the same step at the same moment: a second look finds it taken.
        if let Err(MigrateError::ExecuteMigration(..)) = done {
            done = migrations::SQLITE.run(&mut *connection).await;
        }
    }
    done.map_err(|error| StoreError::of_schema(place, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_disk_is_reported_as_one() {
        let file = std::env::temp_dir().join(format!("parlor-store-health-{}.db", std::process::id()));
        let store = Store::open(&file).await.expect("a store");
        store.begin("spring", "plan", 7).await.expect("begun");
        assert_eq!(store.check_health(1).await, Ok(()));
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writer).await.expect("full");
        let long = "x".repeat(100_000);
        assert!(matches!(store.keep_plan("spring", &long).await, Err(StoreError::Full(_))));
        assert!(matches!(store.check_health(2).await, Err(StoreError::Full(_))));
        sqlx::query("PRAGMA max_page_count = 100000").execute(&store.writer).await.expect("room again");
        store.keep_plan("spring", &long).await.expect("written");
        assert_eq!(store.check_health(3).await, Ok(()));
        store.close().await;
        std::fs::remove_file(file).expect("removed");
    }

    #[tokio::test]
    async fn after_a_full_disk_there_is_room_again_and_writing_goes_on() {
        let file = std::env::temp_dir().join(format!("parlor-store-full-{}.db", std::process::id()));
        let store = Store::open(&file).await.expect("a store");
        store.begin("spring", "plan", 7).await.expect("begun");
        // For this connection alone the disk is full. It is given up after the failure, and so the next one has room.
        sqlx::query("PRAGMA max_page_count = 1").execute(&store.writer).await.expect("full");
        let long = "x".repeat(100_000);
        let mut transaction = store.write().await.expect("begun");
        let update = sqlx::query("UPDATE tournament SET plan = $1").bind(&long);
        let full = update.execute(&mut *transaction).await.expect_err("no room").to_string();
        assert!(full.contains("full"), "{full}");
        drop(transaction);
        store.keep("spring", &[]).await.expect("the next transaction begins");
        store.keep_plan("spring", &long).await.expect("room again");
        store.close().await;
        std::fs::remove_file(file).expect("removed");
    }
}
