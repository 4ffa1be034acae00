//! A database of games and tournaments, wherever it is: SQLite in a file, for one machine, or PostgreSQL by its address, for
//! several servers that share it.
//!
//! Every statement is written once for both. Whoever reads takes any of several connections; whoever writes waits in line for
//! one that writes.

use crate::{StoreError, health::Health, postgres, postgres::Shared, sqlite};
use sqlx::{Any, AnyPool, Transaction};
use std::{fmt, future::Future, path::Path, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};

/// How long the first pause is while a database is away, and the longest.
const BACKOFF: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// A database of games and tournaments. Clones are the same one.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: AnyPool,
    pub(crate) writer: AnyPool,
    pub(crate) location: Arc<str>,
    pub(crate) shared: Option<Arc<Shared>>,
    pub(crate) health: Arc<Health>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // By name alone: what the connections were made with has the password in it.
        f.debug_struct("Store").field("location", &self.location).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the database of a file; a new one where there is none.
    pub async fn open(file: &Path) -> Result<Store, StoreError> {
        sqlx::any::install_default_drivers();
        sqlite::open(file).await
    }

    /// Opens the database at a location: a `postgres://` or `postgresql://` address, or else the name of a file. A database of
    /// PostgreSQL must be there, and gets its tables here.
    pub async fn connect(location: &str) -> Result<Store, StoreError> {
        sqlx::any::install_default_drivers();
        if Store::is_postgres_url(location) {
            postgres::open(location).await
        } else {
            sqlite::open(Path::new(location)).await
        }
    }

    /// Whether a location is an address of PostgreSQL by its scheme, well-formed or not.
    pub fn is_postgres_url(location: &str) -> bool {
        ["postgres:", "postgresql:"].iter().any(|scheme| {
            location.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        })
    }

    /// Path or address, without the password.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Whether other servers may have the same one open, on PostgreSQL.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Returns when the database answers again after [`StoreError::Unavailable`]; at once if it was never away.
    pub async fn wait_until_available(&self) {
        let [mut pause, longest] = BACKOFF;
        while !self.writer.is_closed() {
            let answer = sqlx::query("SELECT 1").execute(&self.writer).await.map(drop);
            // Whatever the error is, the caller waits for an answer.
            if self.track_availability(answer.map_err(StoreError::unavailable)).is_ok() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(longest);
        }
    }

    /// Begins to write. In a file the lock is taken at once, so that another process is waited for here and not in the middle.
    pub(crate) async fn begin_write(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = if self.is_shared() { postgres::WRITE } else { sqlite::WRITE };
        self.track_availability(self.writer.begin_with(begin).await.map_err(StoreError::from))
    }

    /// Begins a read transaction with a consistent snapshot.
    pub(crate) async fn begin_read(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = if self.is_shared() { postgres::READ } else { sqlite::READ };
        self.track_availability(self.pool.begin_with(begin).await.map_err(StoreError::from))
    }

    /// Closes it: what was written ahead goes to its location.
    pub async fn close(self) {
        if let Some(shared) = &self.shared {
            shared.close().await;
        }
        self.pool.close().await;
        self.writer.close().await;
    }
}

/// Text as both databases can keep it: a zero character, which PostgreSQL refuses, is the sign for what cannot be read.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The same store for code without async: its calls return when they are done.
#[derive(Debug)]
pub struct BlockingStore {
    runtime: Runtime,
    store: Store,
}

impl BlockingStore {
    /// See [`Store::open`].
    pub fn open(file: &Path) -> Result<BlockingStore, StoreError> {
        BlockingStore::of(Store::open(file))
    }

    /// See [`Store::connect`].
    pub fn connect(location: &str) -> Result<BlockingStore, StoreError> {
        BlockingStore::of(Store::connect(location))
    }

    fn of(opening: impl Future<Output = Result<Store, StoreError>>) -> Result<BlockingStore, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::Failed(error.to_string()))?;
        let store = runtime.block_on(opening)?;
        Ok(BlockingStore { runtime, store })
    }

    /// See [`Store::location`].
    pub fn location(&self) -> &str {
        self.store.location()
    }

    /// See [`Store::wait_until_available`].
    pub fn wait_until_available(&self) {
        self.block_on(self.store.wait_until_available());
    }

    /// Closes it: what was written ahead goes to its location.
    pub fn close(self) {
        self.runtime.block_on(self.store.close());
    }

    /// The store itself, for calls that are to be waited for with [`BlockingStore::block_on`].
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Blocks until a call of the store completes.
    pub fn block_on<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_known_by_its_scheme_and_a_file_is_not_taken_for_one() {
        for address in
            ["postgres://localhost/parlor", "postgresql://u:p@h/n", "POSTGRES://h/n", "postgres:oops"]
        {
            assert!(Store::is_postgres_url(address), "{address}");
        }
        for file in ["games.db", "postgres.db", "/var/postgres/games.db", "./postgres:games", "é"] {
            assert!(!Store::is_postgres_url(file), "{file}");
        }
    }
}
