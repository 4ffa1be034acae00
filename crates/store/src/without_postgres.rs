//! A build without PostgreSQL (cargo feature `postgres`): a database is a file, which is never shared. The calls that only a
//! shared database offers are here with the same signatures, and each returns [`StoreError::NotShared`], as they do for a file
//! in any build.

use crate::{
    Asked, Collected, Fixture, GameRow, Heard, Pulse, Store, StoreError, Taken, Taker, Waiting, WorkerRow,
    sqlite,
};
use std::{convert::Infallible, time::Duration};

pub const WRITE: &str = sqlite::WRITE;
pub const READ: &str = sqlite::READ;

/// Uninhabited: without the feature no shared database exists.
pub struct Shared(Infallible);

impl Shared {
    pub async fn close(&self) {
        match self.0 {}
    }
}

pub async fn open(_address: &str) -> Result<Store, StoreError> {
    let why = "Parlor was built without the cargo feature 'postgres'; expected a file name (SQLite)";
    Err(StoreError::Open("on PostgreSQL".into(), why.into()))
}

/// The right to conduct a tournament alone. Only a shared database gives it.
#[derive(Debug)]
pub struct Alone(Infallible);

/// Uninhabited, like [`Shared`].
#[derive(Debug)]
pub struct Listener(Infallible);

impl Listener {
    pub async fn next(&mut self) -> Result<Heard, StoreError> {
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
    alone(&str) -> Option<Alone>;
    answer(&str, i64, &str) -> ();
    ask(&str, &str) -> i64;
    asked(i64) -> Asked;
    at_work(&Taker, Pulse, &[i64]) -> Vec<i64>;
    beat(&str) -> Vec<String>;
    claim_game(&str, &str) -> String;
    collect(&str) -> Collected;
    finish(&str, &str, &[(i64, GameRow)]) -> Vec<i64>;
    go_home(&str) -> ();
    hand_back(&str, &[i64]) -> ();
    is_attended(&str, Duration) -> bool;
    leave(&str) -> ();
    listener(&[&str]) -> Listener;
    notify(&str, &str) -> ();
    notify_all(&[(String, String)]) -> ();
    put_games(&str, &str, &str, &[Fixture]) -> ();
    stumble(&str, i64, &str) -> ();
    take_games(&Taker, Option<&str>, &[(String, String)], usize) -> Vec<Taken>;
    take_over(&str, i64) -> Vec<String>;
    take_questions(&Taker, usize) -> Vec<Taken>;
    unask(i64) -> ();
    waiting() -> Vec<Waiting>;
    withdraw(&str, Option<(&str, &str)>) -> ();
    workers() -> Vec<WorkerRow>;
}
