//! The same store for whoever waits for each answer.

use crate::{Begun, GameRow, Store, StoreError};
use std::{future::Future, path::Path};
use tokio::runtime::{Builder, Runtime};

/// A store whose calls return when they are done.
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

    /// Waits for a call of the store.
    pub fn wait<T>(&self, call: impl Future<Output = T>) -> T {
        self.runtime.block_on(call)
    }

    /// See [`Store::begin`].
    pub fn begin(&self, name: &str, fingerprint: &str, now: i64) -> Result<Begun, StoreError> {
        self.wait(self.store.begin(name, fingerprint, now))
    }

    /// See [`Store::keep_plan`].
    pub fn keep_plan(&self, name: &str, plan: &str) -> Result<(), StoreError> {
        self.wait(self.store.keep_plan(name, plan))
    }

    /// See [`Store::keep_terms`].
    pub fn keep_terms(&self, name: &str, terms: &str) -> Result<(), StoreError> {
        self.wait(self.store.keep_terms(name, terms))
    }

    /// See [`Store::terms`].
    pub fn terms(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.wait(self.store.terms(name))
    }

    /// See [`Store::games`].
    pub fn games(&self, tournament: &str) -> Result<Vec<GameRow>, StoreError> {
        self.wait(self.store.games(tournament))
    }

    /// See [`Store::keep`].
    pub fn keep(&self, tournament: &str, games: &[GameRow]) -> Result<(), StoreError> {
        self.wait(self.store.keep(tournament, games))
    }

    /// See [`Store::forget`].
    pub fn forget(&self, tournament: &str, numbers: &[i64]) -> Result<(), StoreError> {
        self.wait(self.store.forget(tournament, numbers))
    }

    /// See [`Store::drop_tournament`].
    pub fn drop_tournament(&self, tournament: &str) -> Result<(), StoreError> {
        self.wait(self.store.drop_tournament(tournament))
    }
}
