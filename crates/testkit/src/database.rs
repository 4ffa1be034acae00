//! Databases for tests: SQLite in a temporary folder, or a new database on the PostgreSQL server of `PARLOR_POSTGRES`.

use crate::Folder;
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::{
    env,
    hash::{BuildHasher, RandomState},
    path::Path,
    thread,
};

/// A new database, deleted when the value is dropped.
pub struct Database {
    /// The path or URL by which a store opens the database.
    pub url: String,
    kind: DatabaseKind,
}

enum DatabaseKind {
    Sqlite { _folder: Folder },
    Postgres { server: String, name: String },
}

impl Database {
    /// A SQLite database in a new folder; the file does not exist yet.
    pub fn sqlite() -> Database {
        let folder = crate::temp_folder();
        let url = format!("{}/games.db", folder.text());
        Database { url, kind: DatabaseKind::Sqlite { _folder: folder } }
    }

    /// Creates an empty database on the server of `PARLOR_POSTGRES`. Panics without a server: callers are ignored
    /// tests, which run only if there is one.
    pub fn postgres() -> Database {
        let server = env::var("PARLOR_POSTGRES").ok().filter(|server| !server.is_empty());
        let server =
            server.expect("PARLOR_POSTGRES is the URL of a server; `cargo xtask postgres` starts one");
        let name = format!("parlor_test_{:016x}", RandomState::new().hash_one(&server));
        execute(&server, format!("CREATE DATABASE \"{name}\""));
        Database { url: with_name(&server, &name), kind: DatabaseKind::Postgres { server, name } }
    }

    /// Whether several servers can share the database, that is, whether it is on PostgreSQL.
    pub fn is_shared(&self) -> bool {
        matches!(self.kind, DatabaseKind::Postgres { .. })
    }

    pub fn host(&self) -> String {
        let (authority, _) = self.address();
        authority.rsplit('@').next().unwrap_or(authority).to_string()
    }

    /// The URL of the same database through a proxy at this host and port. It disables encryption, so that the
    /// proxy can read the messages.
    pub fn through(&self, proxy: &str) -> String {
        let (authority, name) = self.address();
        let user = authority.rsplit_once('@').map_or("postgres", |(user, _)| user);
        format!("postgres://{user}@{proxy}/{name}?sslmode=disable")
    }

    /// Splits the URL into `user@host:port` and the name of the database.
    fn address(&self) -> (&str, &str) {
        assert!(self.is_shared(), "only a PostgreSQL database has a host");
        let rest = self.url.split_once("://").map_or(&*self.url, |(_, rest)| rest);
        let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
        rest.split_once('/').expect("a URL with a database")
    }

    /// Executes a statement on a new connection, while others may use the database.
    pub fn execute(&self, statement: &str) {
        match &self.kind {
            DatabaseKind::Postgres { .. } => execute(&self.url, statement.to_string()),
            DatabaseKind::Sqlite { .. } => execute_sqlite(Path::new(&self.url), statement.to_string()),
        }
    }

    /// Runs a query on the PostgreSQL database and returns its text. It fails, for example, if a table does not
    /// exist yet.
    pub fn query(&self, query: &str) -> Result<String, String> {
        let (url, query) = (self.url.clone(), query.to_string());
        on_own_runtime(async move {
            let mut connection = PgConnection::connect(&url).await.map_err(|error| error.to_string())?;
            let row = sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut connection).await;
            row.map_err(|error| error.to_string())
        })
    }

    /// Waits until a query on the PostgreSQL database returns this text.
    #[track_caller]
    pub fn wait_for(&self, query: &str, expected: &str) {
        crate::eventually(&format!("{query} = {expected}"), || self.query(query).as_deref() == Ok(expected));
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let DatabaseKind::Postgres { server, name } = &self.kind {
            execute(server, format!("DROP DATABASE \"{name}\" WITH (FORCE)"));
        }
    }
}

/// Runs a query on a SQLite file, which other processes may use meanwhile, and returns its number. `None` if it
/// fails, for example because a table does not exist yet.
pub fn query_sqlite(file: &Path, query: &str) -> Option<i64> {
    let (options, query) = (SqliteConnectOptions::new().filename(file).read_only(true), query.to_string());
    on_own_runtime(async move {
        let mut connection = SqliteConnection::connect_with(&options).await.ok()?;
        sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(&mut connection).await.ok()
    })
}

fn with_name(server: &str, name: &str) -> String {
    let (address, query) = server.split_once('?').map_or((server, None), |(a, q)| (a, Some(q)));
    let (start, _) =
        address.rsplit_once('/').filter(|(start, _)| !start.ends_with('/')).unwrap_or((address, ""));
    let query = query.map_or(String::new(), |query| format!("?{query}"));
    format!("{start}/{name}{query}")
}

fn execute(url: &str, statement: String) {
    let url = url.to_string();
    on_own_runtime(async move {
        let mut connection = PgConnection::connect(&url).await.expect("connect to PostgreSQL");
        sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.expect("execute the statement");
    });
}

fn execute_sqlite(file: &Path, statement: String) {
    let options = SqliteConnectOptions::new().filename(file).busy_timeout(crate::PATIENCE);
    on_own_runtime(async move {
        let mut connection = SqliteConnection::connect_with(&options).await.expect("open the SQLite file");
        sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.expect("execute the statement");
    });
}

/// Runs a future on a new thread with its own runtime, because the caller may be inside another runtime.
fn on_own_runtime<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(future)
    };
    thread::spawn(run).join().expect("no panic")
}

/// Declares tests that run on both databases: once on SQLite and once, as an ignored test, on PostgreSQL. Each
/// function takes a [`Database`], or a reference to one if it is not async.
///
/// # Examples
///
/// ```ignore
/// on_both_databases! { async keeps_every_event, async refuses_a_second_game, closes_at_once }
/// ```
#[macro_export]
macro_rules! on_both_databases {
    ($($body:tt)*) => {
        mod on_sqlite {
            $crate::database_tests! { [sqlite] [] $($body)* }
        }
        $crate::on_postgres! { $($body)* }
    };
}

/// Declares tests that run on PostgreSQL only, like [`on_both_databases!`].
#[macro_export]
macro_rules! on_postgres {
    ($($body:tt)*) => {
        mod needs_postgres {
            $crate::database_tests! { [postgres] [#[ignore = "needs PostgreSQL"]] $($body)* }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! database_tests {
    ([$database:ident] [$($ignore:tt)*]) => {};
    ([$database:ident] [$($ignore:tt)*] async $test:ident $(, $($rest:tt)*)?) => {
        #[test]
        $($ignore)*
        fn $test() {
            let runtime = $crate::tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.expect("a runtime").block_on(super::$test($crate::Database::$database()));
        }
        $crate::database_tests! { [$database] [$($ignore)*] $($($rest)*)? }
    };
    ([$database:ident] [$($ignore:tt)*] $test:ident $(, $($rest:tt)*)?) => {
        #[test]
        $($ignore)*
        fn $test() {
            super::$test(&$crate::Database::$database());
        }
        $crate::database_tests! { [$database] [$($ignore)*] $($($rest)*)? }
    };
}
