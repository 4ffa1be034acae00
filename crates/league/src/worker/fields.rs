//! The tournaments that a worker knows, and whom it leaves to others. What was changed is looked at again, and so is, after a while,
//! what could not be played.

use super::field::{Field, NoField};
use crate::players::Hall;
use parlor_store::{Store, StoreError};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

/// How often programs are looked at for changes.
const LOOK: Duration = Duration::from_secs(1);
/// How often it looks whether what it left to others can be played here after all.
const SECOND_THOUGHT: Duration = Duration::from_secs(10);

/// Logs why games are refused, each reason once.
pub struct Refusals {
    worker: String,
    logged: BTreeSet<(String, String, String)>,
}

impl Refusals {
    pub fn new(worker: &str) -> Refusals {
        Refusals { worker: worker.to_string(), logged: BTreeSet::new() }
    }

    /// Logs that the games of a player, or without one all games of a tournament, are left to other workers.
    pub fn log(&mut self, tournament: &str, player: Option<&str>, reason: &str) {
        let line = (tournament.to_string(), player.unwrap_or_default().to_string(), reason.to_string());
        if self.logged.insert(line) {
            tracing::warn!(worker = self.worker, tournament, player, reason, "games refused");
        }
    }

    /// Logs once how programs of a tournament are run.
    pub fn log_sandbox(&mut self, tournament: &str, remark: &str) {
        if self.logged.insert((tournament.to_string(), String::new(), remark.to_string())) {
            tracing::info!(worker = self.worker, tournament, "{remark}");
        }
    }
}

/// The tournaments that a worker knows.
pub struct Fields {
    hall: Hall,
    tables: Option<PathBuf>,
    known: BTreeMap<(String, String), Arc<Field>>,
    /// By tournament and player; an empty name means everybody there.
    left: BTreeSet<(String, String)>,
    left_since: Instant,
    looked: Instant,
}

impl Fields {
    pub fn new(hall: Hall, tables: Option<PathBuf>) -> Fields {
        let (known, left, now) = (BTreeMap::new(), BTreeSet::new(), Instant::now());
        Fields { hall, tables, known, left, left_since: now, looked: now }
    }

    /// Whom it leaves to others.
    pub fn left(&self) -> Vec<(String, String)> {
        self.left.iter().cloned().collect()
    }

    /// Forgets what was changed, and after a while what was left to others.
    pub fn look_again(&mut self) {
        if self.looked.elapsed() >= LOOK {
            self.known.retain(|_, field| field.is_fresh());
            self.looked = Instant::now();
        }
        if !self.left.is_empty() && self.left_since.elapsed() >= SECOND_THOUGHT {
            self.left.clear();
            self.known.retain(|_, field| field.left.is_empty());
        }
    }

    /// The tournament of a job; none where it is none of this worker's.
    pub async fn find(
        &mut self,
        store: &Store,
        name: &str,
        key: &str,
        refusals: &mut Refusals,
    ) -> Result<Option<Arc<Field>>, StoreError> {
        let place = (name.to_string(), key.to_string());
        if let Some(field) = self.known.get(&place) {
            return Ok(Some(field.clone()));
        }
        let field = match Field::find(store, name, key, &self.hall, self.tables.clone()).await {
            Ok(field) => Arc::new(field),
            Err(NoField::Store(error)) => return Err(error),
            Err(NoField::Stale) => {
                self.leave_to_others(name, "");
                return Ok(None);
            }
            Err(NoField::Unplayable(why)) => {
                refusals.log(name, None, &format!("{why}; its games are left to others"));
                self.leave_to_others(name, "");
                return Ok(None);
            }
        };
        for (player, why) in &field.left {
            refusals.log(name, Some(player), why);
            self.leave_to_others(name, player);
        }
        if let Some(remark) = field.remark() {
            refusals.log_sandbox(name, &remark);
        }
        self.known.insert(place, field.clone());
        Ok(Some(field))
    }

    pub fn leave_to_others(&mut self, tournament: &str, player: &str) {
        if self.left.is_empty() {
            self.left_since = Instant::now();
        }
        self.left.insert((tournament.to_string(), player.to_string()));
    }
}
