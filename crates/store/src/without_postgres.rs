//! Stubs for a build without PostgreSQL (cargo feature `postgres`). The calls that only a shared database offers have the same
//! signatures here, and each returns [`StoreError::NotShared`], as they do for a file in any build.

use crate::{
    CollectedGames, Heartbeat, LeasedJob, ListenerEvent, QuestionState, QueuedGame, Store, StoreError,
    TournamentGameRow, WaitingGames, WorkerId, WorkerRow, sqlite,
};
use std::{convert::Infallible, time::Duration};

pub const WRITE: &str = sqlite::WRITE;
pub const READ: &str = sqlite::READ;

/// Uninhabited: without the feature no shared database exists.
pub struct SharedDatabase(Infallible);

impl SharedDatabase {
    pub async fn close(&self) {
        match self.0 {}
    }
}

pub async fn open(_address: &str) -> Result<Store, StoreError> {
    let why = "Parlor was built without the cargo feature 'postgres'; expected a file name (SQLite)";
    Err(StoreError::Open("on PostgreSQL".into(), why.into()))
}

/// Uninhabited, like [`SharedDatabase`].
#[derive(Debug)]
pub struct TournamentLock(Infallible);

/// Uninhabited, like [`SharedDatabase`].
#[derive(Debug)]
pub struct Listener(Infallible);

impl Listener {
    pub async fn next(&mut self) -> Result<ListenerEvent, StoreError> {
        match self.0 {}
    }
}

macro_rules! not_shared {
    ($($name:ident($($argument:ty),*) -> $result:ty;)+) => {
        impl Store {$(
            pub async fn $name(&self, $(_: $argument),*) -> Result<$result, StoreError> {
                Err(StoreError::NotShared)
            }
        )+}
    };
}

not_shared! {
    lock_tournament(&str) -> Option<TournamentLock>;
    answer_question(&str, i64, &str) -> ();
    enqueue_question(&str, &str) -> i64;
    question_state(i64) -> QuestionState;
    renew_leases(&WorkerId, Heartbeat, &[i64]) -> Vec<i64>;
    server_heartbeat(&str) -> Vec<String>;
    take_ownership(&str, &str) -> String;
    collect_games(&str) -> CollectedGames;
    finish_games(&str, &str, &[(i64, TournamentGameRow)]) -> Vec<i64>;
    deregister_worker(&str) -> ();
    release_jobs(&str, &[i64]) -> ();
    has_analysis_worker(&str, Duration) -> bool;
    deregister_server(&str) -> ();
    listener(&[&str]) -> Listener;
    notify(&str, &str) -> ();
    notify_all(&[(String, String)]) -> ();
    enqueue_games(&str, &str, &str, &[QueuedGame]) -> ();
    nack_game(&str, i64, &str) -> ();
    lease_games(&WorkerId, Option<&str>, &[(String, String)], usize) -> Vec<LeasedJob>;
    take_over_games(&str, i64) -> Vec<String>;
    lease_questions(&WorkerId, usize) -> Vec<LeasedJob>;
    delete_question(i64) -> ();
    waiting_games() -> Vec<WaitingGames>;
    remove_queued_games(&str, Option<(&str, &str)>) -> ();
    workers() -> Vec<WorkerRow>;
}
