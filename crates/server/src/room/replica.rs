//! A replica: the room of a game that another server owns. It shows what the owner reports and decides nothing. When the owner is
//! gone it takes the game over.

use super::{
    LiveGame,
    rooms::{charge_elapsed, does_not_replay},
    task::Room,
};
use crate::{cluster::GameUpdate, problem::Problem};
use parlor_store::{EventRow, StoreError};

/// The server that decides what happens in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// This server owns the game.
    Own,
    /// The server of this name owns the game.
    Other(String),
}

impl Room {
    /// The problem for requests that only the owner may decide; `None` if this server is the owner.
    pub(super) fn not_owner(&self) -> Option<Problem> {
        match &self.owner {
            Owner::Own => None,
            Owner::Other(name) => Some(Problem::Elsewhere(name.clone())),
        }
    }

    /// The reply to a request that only the owner may decide.
    pub(super) fn refused<T>(&self) -> Result<T, Problem> {
        let own = || Problem::Broken(format!("game {} is owned by this server", self.live.id()));
        Err(self.not_owner().unwrap_or_else(own))
    }

    /// Whether the owner has left the cluster.
    pub(super) fn is_orphaned(&self) -> bool {
        match (&self.owner, &self.deps.cluster) {
            (Owner::Other(name), Some(cluster)) => !cluster.is_alive(name),
            _ => false,
        }
    }

    /// Applies an update from the owner.
    pub(super) async fn apply_update(&mut self, update: GameUpdate) -> bool {
        // A late update of the previous owner; the log has its events.
        if self.owner == Owner::Own && update.seq < self.live.seq() {
            return true;
        }
        self.stop_thinking();
        self.owner = Owner::Other(update.from.clone());
        match update.since(self.live.seq()) {
            Some(events) if self.catch_up(&events).is_ok() => {
                self.live.session_mut().set_offer(update.offer.map(Into::into));
                self.broadcast();
                true
            }
            _ if update.seq < self.live.seq() => true,
            _ => {
                let keep_room = self.reread().await;
                self.live.session_mut().set_offer(update.offer.map(Into::into));
                keep_room
            }
        }
    }

    fn catch_up(&mut self, events: &[EventRow]) -> Result<(), String> {
        // The events count as of now, so the servers' clocks need not agree.
        let now = self.now();
        events.iter().try_for_each(|event| self.live.apply_row(event, now))
    }

    /// Restores the game from the log. False if that fails and the room must end.
    pub(super) async fn reread(&mut self) -> bool {
        match self.read_log().await {
            Ok(live) => self.live = live,
            Err(reason) => {
                tracing::error!(game = self.live.id(), reason, "cannot reload the game");
                return false;
            }
        }
        self.charge_elapsed();
        self.broadcast();
        true
    }

    async fn read_log(&mut self) -> Result<LiveGame, String> {
        let id = &self.live.id().to_string();
        let stored = self.deps.store.live_game(id).await.map_err(|error| error.to_string())?;
        let (row, events) = stored.ok_or("it is no longer in the database")?;
        LiveGame::restore(row, &events, self.now()).map_err(|why| does_not_replay(id, &why))
    }

    /// The clock of a game on another server has run since the last event. A server that takes a game over gives that time back,
    /// because the player could not use it.
    pub(super) fn charge_elapsed(&mut self) {
        if self.owner != Owner::Own {
            let now = self.now();
            charge_elapsed(&mut self.live, now);
        }
    }

    /// Makes this server the owner if the owner is gone, and restores the game from the log.
    pub(super) async fn take_ownership(&mut self) -> bool {
        let Some(cluster) = self.deps.cluster.clone() else { return true };
        let owner = match self.deps.store.take_ownership(self.live.id(), cluster.name()).await {
            Ok(owner) => owner,
            // The next request tries again. The store logs an outage by itself.
            Err(StoreError::Unavailable(_)) => return true,
            Err(reason) => {
                tracing::error!(game = self.live.id(), server = cluster.name(), %reason, "cannot take ownership of the game");
                return true;
            }
        };
        self.owner = if owner == cluster.name() { Owner::Own } else { Owner::Other(owner) };
        self.reread().await
    }

    /// Tells the owner that a client watches the game here.
    pub(super) fn report_spectators(&self) {
        if let (Owner::Other(name), Some(cluster)) = (&self.owner, &self.deps.cluster)
            && self.frames.receiver_count() > 0
        {
            cluster.report_spectators(name, self.live.id());
        }
    }
}
