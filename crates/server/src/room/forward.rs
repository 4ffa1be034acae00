//! Requests for a game that another server owns: forwarded to it, and to the server that takes the game over if it is gone.

use super::{Action, GameFrame, Guest, RoomRequest, Rooms};
use crate::{
    cluster::{GameUpdate, Operation, RequestDone},
    problem::Problem,
};
use parlor_core::Side;
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout};

/// How long a client waits while the owner of a game changes.
const TAKE_OVER_TIMEOUT: Duration = Duration::from_secs(12);
/// Interval between attempts to reach the owner.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);
/// How long the update for a forwarded action may take; after that the log is read.
const UPDATE_TIMEOUT: Duration = Duration::from_secs(2);

impl Rooms {
    /// Has the owner of a game handle an action; this server, once it owns the game.
    pub(super) async fn forward_action(
        &self,
        id: &str,
        key: &str,
        action: &Action,
        visitor: Option<IpAddr>,
        mut owner: String,
    ) -> Result<Arc<GameFrame>, Problem> {
        let begun = Instant::now();
        loop {
            let operation = Operation::Act { key: key.to_string(), action: action.clone(), visitor };
            if let Some(done) = self.request_owner(id, &owner, operation, begun).await? {
                return self.frame_after(id, done.seq).await;
            }
            match self.act_here(id, key, action, visitor).await {
                Err(Problem::Elsewhere(other)) => owner = other,
                here => return here,
            }
        }
    }

    /// Has the owner of a game seat a guest; this server, once it owns the game.
    pub(super) async fn forward_join(
        &self,
        id: &str,
        guest: &Guest,
        mut owner: String,
    ) -> Result<Side, Problem> {
        let begun = Instant::now();
        loop {
            let done = self.request_owner(id, &owner, Operation::Join(guest.clone()), begun).await?;
            if let Some((done, side)) = done.and_then(|done| Some((done, done.side?))) {
                self.frame_after(id, done.seq).await?;
                return Ok(side.into());
            }
            match self.join_here(id, guest).await {
                Err(Problem::Elsewhere(other)) => owner = other,
                here => return here,
            }
        }
    }

    /// The owner's response to an operation. `None` if the owner has to be looked up again.
    async fn request_owner(
        &self,
        id: &str,
        owner: &str,
        operation: Operation,
        begun: Instant,
    ) -> Result<Option<RequestDone>, Problem> {
        let changed_hands = Problem::Busy("the game moves to another server");
        let Some(cluster) = &self.deps.cluster else { return Err(changed_hands) };
        let again = operation.may_be_repeated();
        // The new owner is not known yet.
        let answer = if owner.is_empty() { None } else { cluster.request(owner, id, operation).await };
        match answer {
            Some(Err(Problem::Elsewhere(_))) => {}
            Some(answer) => return answer.map(Some),
            None if !again && !owner.is_empty() => return Err(changed_hands),
            None => {}
        }
        if begun.elapsed() > TAKE_OVER_TIMEOUT {
            return Err(changed_hands);
        }
        sleep(RETRY_INTERVAL).await;
        self.ask(id, RoomRequest::TakeOwnership).await?;
        Ok(None)
    }

    /// The frame of this server's replica as soon as it contains this event.
    async fn frame_after(&self, id: &str, seq: i64) -> Result<Arc<GameFrame>, Problem> {
        let (mut frame, mut frames) = self.ask(id, |reply| RoomRequest::Subscribe(None, reply)).await?;
        let shown = timeout(UPDATE_TIMEOUT, async {
            while frame.state.seq < seq {
                match frames.recv().await {
                    Ok(next) => frame = next,
                    Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => {}
                    Err(_) => return None,
                }
            }
            Some(frame)
        });
        match shown.await {
            Ok(Some(frame)) => Ok(frame),
            _ => {
                self.send_to(id, RoomRequest::Reread);
                self.frame_in_room(id, None).await
            }
        }
    }

    /// Delivers an update to the room of a game, if there is one.
    pub(crate) fn deliver_update(&self, update: GameUpdate) {
        let id = update.game.clone();
        self.send_to(&id, RoomRequest::Update(Box::new(update)));
    }

    /// Makes every replica read the log, because updates may have been missed.
    pub(crate) fn reread(&self) {
        self.ids().iter().for_each(|id| self.send_to(id, RoomRequest::Reread));
    }

    /// Makes every replica whose owner is gone look up the new owner.
    pub(crate) fn check_owners(&self) {
        self.ids().iter().for_each(|id| self.send_to(id, RoomRequest::ServerGone));
    }
}
