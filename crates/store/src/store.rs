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
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// A database of games and tournaments. Clones are the same one.
#[derive(Clone)]
pub struct Store {
    pub(crate) pool: AnyPool,
    pub(crate) writer: AnyPool,
    pub(crate) place: Arc<str>,
    pub(crate) shared: Option<Arc<Shared>>,
    pub(crate) health: Arc<Health>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // By name alone: what the connections were made with has the password in it.
        f.debug_struct("Store").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the database of a file; a new one where there is none.
    pub async fn open(file: &Path) -> Result<Store, StoreError> {
        sqlx::any::install_default_drivers();
        sqlite::open(file).await
    }

    /// Opens the database at a place: a `postgres://` or `postgresql://` address, or else the name of a file. A database of
    /// PostgreSQL must be there, and gets its tables here.
    pub async fn connect(place: &str) -> Result<Store, StoreError> {
        sqlx::any::install_default_drivers();
        if Store::is_address(place) {
            postgres::open(place).await
        } else {
            sqlite::open(Path::new(place)).await
        }
    }

    /// Whether a place is an address of PostgreSQL by its scheme, well-formed or not.
    pub fn is_address(place: &str) -> bool {
        ["postgres:", "postgresql:"]
            .iter()
            .any(|scheme| place.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
    }

    /// Path or address, without the password.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether other servers may have the same one open, on PostgreSQL.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Returns when the database answers again after [`StoreError::Away`]; at once if it was never away.
    pub async fn back(&self) {
        let [mut pause, longest] = PAUSES;
        while !self.writer.is_closed() {
            let answer = sqlx::query("SELECT 1").execute(&self.writer).await.map(drop);
            // Whatever the error is, the caller waits for an answer.
            if self.observed(answer.map_err(StoreError::away)).is_ok() {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(longest);
        }
    }

    /// Begins to write. In a file the lock is taken at once, so that another process is waited for here and not in the middle.
    pub(crate) async fn write(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = if self.is_shared() { postgres::WRITE } else { sqlite::WRITE };
        self.observed(self.writer.begin_with(begin).await.map_err(StoreError::from))
    }

    /// Begins a read transaction with a consistent snapshot.
    pub(crate) async fn read(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = if self.is_shared() { postgres::READ } else { sqlite::READ };
        self.observed(self.pool.begin_with(begin).await.map_err(StoreError::from))
    }

    /// Closes it: what was written ahead goes to its place.
    pub async fn close(self) {
        if let Some(shared) = &self.shared {
            shared.close().await;
        }
        self.pool.close().await;
        self.writer.close().await;
    }
}

/// Text as both databases can keep it: a zero character, which PostgreSQL refuses, is the sign for what cannot be read.
pub(crate) fn kept(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The same store for code without async: its calls return when they are done.
#[derive(Debug)]
pub struct Blocking {
    runtime: Runtime,
    store: Store,
}

impl Blocking {
    /// See [`Store::open`].
    pub fn open(file: &Path) -> Result<Blocking, StoreError> {
        Blocking::of(Store::open(file))
    }

    /// See [`Store::connect`].
    pub fn connect(place: &str) -> Result<Blocking, StoreError> {
        Blocking::of(Store::connect(place))
    }

    fn of(opening: impl Future<Output = Result<Store, StoreError>>) -> Result<Blocking, StoreError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| StoreError::Failed(error.to_string()))?;
        let store = runtime.block_on(opening)?;
        Ok(Blocking { runtime, store })
    }

    /// See [`Store::place`].
    pub fn place(&self) -> &str {
        self.store.place()
    }

    /// See [`Store::back`].
    pub fn back(&self) {
        self.wait(self.store.back());
    }

    /// Closes it: what was written ahead goes to its place.
    pub fn close(self) {
        self.runtime.block_on(self.store.close());
    }

    /// The store itself, for calls that are to be waited for with [`Blocking::wait`].
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Blocks until a call of the store completes.
    pub fn wait<T>(&self, call: impl Future<Output = T>) -> T {
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
            assert!(Store::is_address(address), "{address}");
        }
        for file in ["games.db", "postgres.db", "/var/postgres/games.db", "./postgres:games", "é"] {
            assert!(!Store::is_address(file), "{file}");
        }
    }
}
