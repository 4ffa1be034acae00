//! The databases that a test runs on, each its own: always one in a file, and one of PostgreSQL where `PARLOR_POSTGRES` names a
//! server on which databases may be made. `cargo xtask test postgres` starts one.
#![allow(
    dead_code,
    clippy::print_stderr,
    reason = "not every test needs all of it; a test may say what it leaves out"
)]

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::{
    env, fs,
    hash::{BuildHasher, RandomState},
    path::PathBuf,
    sync::Once,
    thread,
};

/// Where a test's file goes; one of an earlier run is gone.
pub fn scratch(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.db"));
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", file.display()));
    }
    file
}

/// A new database. One of PostgreSQL is gone when this is dropped.
pub struct Place {
    /// What it is opened by.
    pub at: String,
    server: Option<(String, String)>,
}

impl Place {
    pub fn is_shared(&self) -> bool {
        self.server.is_some()
    }

    /// The same, by way of another host and port.
    pub fn by_way_of(&self, host: &str) -> String {
        let (_, name) = self.server.as_ref().expect("a database of PostgreSQL");
        // In the clear: whoever stands in between has to see what is said.
        format!("postgres://{}@{host}/{name}?sslmode=disable", user(&self.at))
    }
}

fn user(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    rest.split_once('@').map_or("postgres", |(user, _)| user)
}

/// New databases for a test of this name.
pub fn places(name: &str) -> Vec<Place> {
    let file = scratch(name).into_os_string().into_string().expect("a text");
    let mut places = vec![Place { at: file, server: None }];
    places.extend(shared(name));
    places
}

/// The host and port of the server, if there is one.
pub fn server() -> Option<String> {
    static SAID: Once = Once::new();
    let server = env::var("PARLOR_POSTGRES").ok().filter(|server| !server.is_empty());
    if server.is_none() {
        SAID.call_once(|| eprintln!("PARLOR_POSTGRES names no server: only files are tested"));
    }
    server
}

/// A new database of PostgreSQL.
pub fn shared(name: &str) -> Option<Place> {
    let server = server()?;
    let own = format!("{}_{:016x}", name.replace('-', "_"), RandomState::new().hash_one(name));
    on_server(&server, format!("CREATE DATABASE \"{own}\""));
    let (address, query) = server.split_once('?').unwrap_or((&server, ""));
    let (start, _) =
        address.rsplit_once('/').filter(|(start, _)| !start.ends_with('/')).unwrap_or((address, ""));
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    Some(Place { at: format!("{start}/{own}{query}"), server: Some((server.clone(), own)) })
}

/// Does something on the server, beside whatever runtime the test has.
pub fn on_server(server: &str, text: String) {
    let server = server.to_string();
    let done = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut connection = PgConnection::connect(&server).await.expect("the server of PARLOR_POSTGRES");
            sqlx::query(AssertSqlSafe(text)).execute(&mut connection).await.expect("done");
        });
    });
    done.join().expect("no panic");
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((server, name)) = self.server.take() {
            on_server(&server, format!("DROP DATABASE \"{name}\" WITH (FORCE)"));
        }
    }
}
