//! A replica: the room of a game that another server owns. It shows what the owner reports and decides nothing. When the owner is
//! gone it takes the game over.

use super::{
    LiveGame,
    rooms::{charge_elapsed, does_not_replay},
    task::Room,
};
use crate::{fleet::News, problem::Problem};
use parlor_store::{EventRow, StoreError};

/// The server that decides what happens in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// This server.
    Own,
    /// Another server, by name.
    Other(String),
}

impl Room {
    /// Why nothing is decided here, if it is not.
    pub(super) fn elsewhere(&self) -> Option<Problem> {
        match &self.owner {
            Owner::Own => None,
            Owner::Other(name) => Some(Problem::Elsewhere(name.clone())),
        }
    }

    /// The reply to a request that only the owner may decide.
    pub(super) fn refused<T>(&self) -> Result<T, Problem> {
        let own = || Problem::Broken(format!("game {} is owned by this server", self.live.id()));
        Err(self.elsewhere().unwrap_or_else(own))
    }

    /// Whether the owner has left the cluster.
    pub(super) fn is_orphaned(&self) -> bool {
        match (&self.owner, &self.deps.fleet) {
            (Owner::Other(name), Some(fleet)) => !fleet.lives(name),
            _ => false,
        }
    }

    /// Takes in what another server tells of the game.
    pub(super) async fn hear(&mut self, news: News) -> bool {
        // A late word from a time when it was another's; what counts is in the log.
        if self.owner == Owner::Own && news.seq < self.live.seq() {
            return true;
        }
        self.stop_thinking();
        self.owner = Owner::Other(news.from.clone());
        match news.since(self.live.seq()) {
            Some(events) if self.catch_up(&events).is_ok() => {
                self.live.session_mut().set_offer(news.offer.map(Into::into));
                self.tell();
                true
            }
            _ if news.seq < self.live.seq() => true,
            _ => {
                let goes_on = self.reread().await;
                self.live.session_mut().set_offer(news.offer.map(Into::into));
                goes_on
            }
        }
    }

    fn catch_up(&mut self, events: &[EventRow]) -> Result<(), String> {
        // It has happened just now: no two machines need the same time for that.
        let now = self.now();
        events.iter().try_for_each(|event| self.live.apply_row(event, now))
    }

    /// Begins again with what the log says. False: it cannot be read, and the next room may.
    pub(super) async fn reread(&mut self) -> bool {
        match self.read_log().await {
            Ok(live) => self.live = live,
            Err(reason) => {
                tracing::error!(game = self.live.id(), reason, "cannot reload the game");
                return false;
            }
        }
        self.charge_elapsed();
        self.tell();
        true
    }

    async fn read_log(&mut self) -> Result<LiveGame, String> {
        let id = &self.live.id().to_string();
        let stored = self.deps.store.game(id).await.map_err(|error| error.to_string())?;
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

    /// Makes the game this server's if it may; then it goes on from what is kept.
    pub(super) async fn take_ownership(&mut self) -> bool {
        let Some(fleet) = self.deps.fleet.clone() else { return true };
        let owner = match self.deps.store.claim_game(self.live.id(), fleet.me()).await {
            Ok(owner) => owner,
            // Nothing can be claimed now, and the next request tries again. The store logs an outage by itself.
            Err(StoreError::Away(_)) => return true,
            Err(reason) => {
                tracing::error!(game = self.live.id(), server = fleet.me(), %reason, "cannot take ownership of the game");
                return true;
            }
        };
        self.owner = if owner == fleet.me() { Owner::Own } else { Owner::Other(owner) };
        self.reread().await
    }

    /// Tells the owner that a client watches the game here.
    pub(super) fn show_interest(&self) {
        if let (Owner::Other(name), Some(fleet)) = (&self.owner, &self.deps.fleet)
            && self.frames.receiver_count() > 0
        {
            fleet.watched(name, self.live.id());
        }
    }
}
