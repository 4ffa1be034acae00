//! The store: SQLite in a file, for one machine, or PostgreSQL by its URL, for several servers that share it.
//!
//! Every statement is written once for both. Reads use a pool of several connections; writes queue for those that write.

use crate::{StoreError, health::Health, postgres, postgres::SharedDatabase, sqlite};
use sqlx::{Any, AnyPool, Transaction};
use std::{fmt, future::Future, path::Path, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};

/// Exponential backoff while a database is unavailable: the first pause and the longest.
const BACKOFF: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// A database of games and tournaments. Clones share their connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: AnyPool,
    pub(crate) writer: AnyPool,
    pub(crate) location: Arc<str>,
    pub(crate) shared: Option<Arc<SharedDatabase>>,
    pub(crate) health: Arc<Health>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The connection options contain the password.
        f.debug_struct("Store").field("location", &self.location).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens a SQLite file, and creates it if it does not exist.
    pub async fn open(file: &Path) -> Result<Store, StoreError> {
        sqlx::any::install_default_drivers();
        sqlite::open(file).await
    }

    /// Opens a database by its location: a `postgres://` or `postgresql://` URL, or else the path of a file. A PostgreSQL database
    /// must exist; its tables are created or migrated here.
    pub async fn connect(location: &str) -> Result<Store, StoreError> {
        sqlx::any::install_default_drivers();
        if Store::is_postgres_url(location) {
            postgres::open(location).await
        } else {
            sqlite::open(Path::new(location)).await
        }
    }

    /// Whether a location has the scheme of a PostgreSQL URL, well-formed or not.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_store::Store;
    ///
    /// assert!(Store::is_postgres_url("postgres://parlor@localhost/games"));
    /// assert!(!Store::is_postgres_url("games.db"));
    /// ```
    pub fn is_postgres_url(location: &str) -> bool {
        ["postgres:", "postgresql:"].iter().any(|scheme| {
            location.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        })
    }

    /// Path or URL, without the password.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Whether other processes may use the same database: whether it is on PostgreSQL.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Waits until the database answers again after [`StoreError::Unavailable`].
    pub async fn wait_until_available(&self) {
        let [mut pause, longest] = BACKOFF;
        while !self.writer.is_closed() {
            let answer = sqlx::query("SELECT 1").execute(&self.writer).await.map(drop);
            // The caller waits for an answer, whatever the error is.
            if self.track_availability(answer.map_err(StoreError::unavailable)).is_ok() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(longest);
        }
    }

    /// Begins a write transaction. On SQLite the lock is taken at once, so that other processes are waited for here.
    pub(crate) async fn begin_write(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = if self.is_shared() { postgres::WRITE } else { sqlite::WRITE };
        self.track_availability(self.writer.begin_with(begin).await.map_err(StoreError::from))
    }

    /// Begins a read transaction with a consistent snapshot.
    pub(crate) async fn begin_read(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = if self.is_shared() { postgres::READ } else { sqlite::READ };
        self.track_availability(self.pool.begin_with(begin).await.map_err(StoreError::from))
    }

    /// Closes all connections. SQLite checkpoints its write-ahead log.
    pub async fn close(self) {
        if let Some(shared) = &self.shared {
            shared.close().await;
        }
        self.pool.close().await;
        self.writer.close().await;
    }
}

/// Replaces NUL characters, which PostgreSQL refuses, by U+FFFD.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A [`Store`] for code without async: its calls block until they are done.
///
/// # Examples
///
/// ```
/// use parlor_store::{BlockingStore, TournamentStart};
///
/// # let folder = parlor_testkit::temp_folder();
/// let store = BlockingStore::open(&folder.join("games.db"))?;
/// let fingerprint = "hash of the plan";
/// assert_eq!(store.begin_tournament("spring", fingerprint, 1_700_000_000)?, TournamentStart::New);
/// assert_eq!(store.begin_tournament("spring", fingerprint, 1_700_000_060)?, TournamentStart::Resumed);
/// let rows = store.block_on(store.store().tournaments())?;
/// assert_eq!(rows[0].name, "spring");
/// store.close();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

    /// Closes all connections. SQLite checkpoints its write-ahead log.
    pub fn close(self) {
        self.runtime.block_on(self.store.close());
    }

    /// The store itself, for calls through [`BlockingStore::block_on`].
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
    fn a_postgres_url_is_recognised_by_its_scheme() {
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
