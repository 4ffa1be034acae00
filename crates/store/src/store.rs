//! Opening the database: SQLite in a file, made if it is not there, brought to this version's schema if it is older.
//!
//! Whoever reads takes any of several connections; whoever writes waits in line for the one that writes.

use crate::StoreError;
use sqlx::{
    Connection, Sqlite, SqlitePool, Transaction,
    error::DatabaseError,
    migrate::{MigrateError, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{
    path::Path,
    time::{Duration, Instant},
};

static MIGRATIONS: Migrator = sqlx::migrate!();
/// How long a call waits while another process writes.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it is until the next look at a file that another process is about to make its own.
const PAUSE: Duration = Duration::from_millis(20);
/// What SQLite says when another process has the file to itself.
const BUSY: &str = "5";
const READERS: u32 = 4;

/// A database of games and tournaments.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) pool: SqlitePool,
    pub(crate) writer: SqlitePool,
}

impl Store {
    /// Opens the database of a file; a new one where there is none.
    pub async fn open(file: &Path) -> Result<Store, StoreError> {
        let place = file.display().to_string();
        let failed = |error: sqlx::Error| StoreError::Open(place.clone(), error.to_string());
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // With less, the last transactions before a power failure could be lost.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(PATIENCE)
            .foreign_keys(true);
        let writer = reach(writer(), &options).await.map_err(failed)?;
        migrate(&writer, &place).await?;
        let readers = SqlitePoolOptions::new().max_connections(READERS);
        Ok(Store { pool: reach(readers, &options).await.map_err(failed)?, writer })
    }

    /// Begins to write. The lock is taken at once, so that another process is waited for here and not in the middle.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    /// Closes it: what was written ahead goes to its place.
    pub async fn close(self) {
        self.pool.close().await;
        self.writer.close().await;
    }
}

/// The one connection that writes: in line for it is fairer than all at the lock of the file.
fn writer() -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        // On a full disk the database undoes a transaction by itself, and the connection goes on believing in it.
        .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
}

/// Opens connections. While another process makes the same new file its own, the database does not wait by itself.
async fn reach(pool: SqlitePoolOptions, options: &SqliteConnectOptions) -> Result<SqlitePool, sqlx::Error> {
    let begun = Instant::now();
    loop {
        match pool.clone().connect_with(options.clone()).await {
            Err(error) if is_busy(&error) && begun.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
            done => return done,
        }
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == BUSY)
}

async fn migrate(writer: &SqlitePool, place: &str) -> Result<(), StoreError> {
    let mut done = MIGRATIONS.run(writer).await;
    for _ in MIGRATIONS.iter() {
        // Another process may have taken the same step at the same moment: a second look finds it taken.
        if let Err(MigrateError::ExecuteMigration(..)) = done {
            done = MIGRATIONS.run(writer).await;
        }
    }
    done.map_err(|error| match error {
        MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
            StoreError::Newer(place.to_string())
        }
        other => StoreError::Open(place.to_string(), other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
