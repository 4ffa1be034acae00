//! Cache of tournament contexts, and the players whose games this worker leaves to other workers.
//! Changed programs are reloaded at once, refused ones after ten seconds.

use super::tournament_context::{ContextError, TournamentContext};
use crate::players::Players;
use parlor_store::{Store, StoreError};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

/// Interval between checks for changed programs.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Refused tournaments and players are tried again after this time.
const RETRY_REFUSED: Duration = Duration::from_secs(10);

/// Logs why games are refused, each reason once.
pub struct Refusals {
    worker: String,
    logged: BTreeSet<(String, String, String)>,
}

impl Refusals {
    pub fn new(worker: &str) -> Refusals {
        Refusals { worker: worker.to_string(), logged: BTreeSet::new() }
    }

    /// Logs that the games of a player, or without one all games of a tournament, are left to other
    /// workers.
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

/// Cache of the worker's tournaments.
pub struct TournamentContexts {
    players: Players,
    known: BTreeMap<(String, String), Arc<TournamentContext>>,
    /// By tournament and player; an empty name means all players.
    left: BTreeSet<(String, String)>,
    left_since: Instant,
    last_poll: Instant,
}

impl TournamentContexts {
    pub fn new(players: Players) -> TournamentContexts {
        let (known, left, now) = (BTreeMap::new(), BTreeSet::new(), Instant::now());
        TournamentContexts { players, known, left, left_since: now, last_poll: now }
    }

    /// The players whose games are left to other workers.
    pub fn left(&self) -> Vec<(String, String)> {
        self.left.iter().cloned().collect()
    }

    /// Drops changed programs and expired refusals.
    pub fn refresh(&mut self) {
        if self.last_poll.elapsed() >= POLL_INTERVAL {
            self.known.retain(|_, context| context.is_fresh());
            self.last_poll = Instant::now();
        }
        if !self.left.is_empty() && self.left_since.elapsed() >= RETRY_REFUSED {
            self.left.clear();
            self.known.retain(|_, context| context.left.is_empty());
        }
    }

    /// The tournament of a job; `None` if this worker does not play it.
    pub async fn find(
        &mut self,
        store: &Store,
        name: &str,
        key: &str,
        refusals: &mut Refusals,
    ) -> Result<Option<Arc<TournamentContext>>, StoreError> {
        let place = (name.to_string(), key.to_string());
        if let Some(context) = self.known.get(&place) {
            return Ok(Some(context.clone()));
        }
        let context = match TournamentContext::find(store, name, key, &self.players).await {
            Ok(context) => Arc::new(context),
            Err(ContextError::Store(error)) => return Err(error),
            Err(ContextError::Stale) => {
                self.leave_to_others(name, "");
                return Ok(None);
            }
            Err(ContextError::Unplayable(why)) => {
                refusals.log(name, None, &format!("{why}; its games are left to other workers"));
                self.leave_to_others(name, "");
                return Ok(None);
            }
        };
        for (player, why) in &context.left {
            refusals.log(name, Some(player), why);
            self.leave_to_others(name, player);
        }
        if let Some(remark) = context.remark() {
            refusals.log_sandbox(name, &remark);
        }
        self.known.insert(place, context.clone());
        Ok(Some(context))
    }

    pub fn leave_to_others(&mut self, tournament: &str, player: &str) {
        if self.left.is_empty() {
            self.left_since = Instant::now();
        }
        self.left.insert((tournament.to_string(), player.to_string()));
    }
}
