//! Opening the database: SQLite in a file, made if it is not there, brought to this version's schema if it is older.
//!
//! Whoever reads takes any of several connections; whoever writes waits in line for the one that writes.

use crate::StoreError;
use sqlx::{
    Connection, Sqlite, SqlitePool, Transaction,
    migrate::{MigrateError, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, time::Duration};

static MIGRATIONS: Migrator = sqlx::migrate!();
/// How long a call waits while another process writes.
const PATIENCE: Duration = Duration::from_secs(30);
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
        let writer = writer().connect_with(options.clone()).await.map_err(failed)?;
        migrate(&writer, &place).await?;
        let pool = SqlitePoolOptions::new().max_connections(READERS).connect_with(options).await;
        Ok(Store { pool: pool.map_err(failed)?, writer })
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

async fn migrate(writer: &SqlitePool, place: &str) -> Result<(), StoreError> {
    let mut done = MIGRATIONS.run(writer).await;
    if let Err(MigrateError::ExecuteMigration(..)) = done {
        // Another process may have done the same at the same moment: then there is nothing left to do.
        done = MIGRATIONS.run(writer).await;
    }
    done.map_err(|error| match error {
        MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
            StoreError::Newer(place.to_string())
        }
        other => StoreError::Open(place.to_string(), other.to_string()),
    })
}
