//! Opening the database: SQLite in a file, made if it is not there, brought to this version's schema if it is older.

use crate::StoreError;
use sqlx::{
    SqlitePool,
    migrate::{MigrateError, Migrator},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::{path::Path, time::Duration};

static MIGRATIONS: Migrator = sqlx::migrate!();
/// How long a call waits while another process writes.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECTIONS: u32 = 4;

/// A database of games and tournaments.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) pool: SqlitePool,
}

impl Store {
    /// Opens the database of a file; a new one where there is none.
    pub async fn open(file: &Path) -> Result<Store, StoreError> {
        let place = file.display().to_string();
        let failed = |why: String| StoreError::Open(place.clone(), why);
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // With less, the last transactions before a power failure could be lost.
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(PATIENCE)
            .foreign_keys(true);
        let pool = SqlitePoolOptions::new().max_connections(CONNECTIONS).connect_with(options).await;
        let pool = pool.map_err(|error| failed(error.to_string()))?;
        MIGRATIONS.run(&pool).await.map_err(|error| match error {
            MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => {
                StoreError::Newer(place.clone())
            }
            other => failed(other.to_string()),
        })?;
        Ok(Store { pool })
    }

    /// Closes it: what was written ahead goes to its place.
    pub async fn close(self) {
        self.pool.close().await;
    }
}
