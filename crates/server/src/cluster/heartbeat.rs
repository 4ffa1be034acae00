//! Heartbeats: every second, each server writes one to the database and reads which servers are alive. Games of a server
//! without a recent heartbeat are taken over. All times are the database's, so the servers' clocks need not agree.

use super::{Cluster, ServerNames};
use crate::room::Rooms;
use parlor_store::StoreError;
use std::{sync::atomic::Ordering, time::Duration};

/// Time between heartbeats. The store treats a server as gone after three missed ones.
const INTERVAL: Duration = Duration::from_secs(1);
/// Heartbeats in a row after which this server trusts its list of live servers. After an outage of the database the others
/// have to renew theirs first.
const SETTLED: u32 = 4;
/// Games taken over per query at most.
const MAX_TAKEN_OVER: i64 = 500;

/// Sends heartbeats until the server stops.
pub(crate) async fn send_heartbeats(cluster: Cluster, rooms: Rooms) {
    let mut beats = 0;
    let mut logged = None;
    loop {
        match cluster.0.store.server_heartbeat(cluster.name()).await {
            Ok(names) => {
                (beats, logged) = (beats + 1, None);
                cluster.0.settled.store(beats >= SETTLED, Ordering::Relaxed);
                update_members(&cluster, &rooms, &ServerNames::new(names.into_iter().collect()));
                if beats >= SETTLED {
                    take_over(&cluster, &rooms).await;
                }
            }
            Err(reason) => {
                beats = 0;
                // The store logs an outage by itself. Any other reason is logged once, not every second.
                if !matches!(reason, StoreError::Unavailable(_)) && logged.as_ref() != Some(&reason) {
                    tracing::error!(server = cluster.name(), %reason, "heartbeat failed");
                    logged = Some(reason);
                }
                cluster.0.settled.store(false, Ordering::Relaxed);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            () = cluster.0.departed.notified() => {}
        }
    }
}

/// Replaces the list of live servers. If a server has left it, the replicas of its games look up the new owner.
fn update_members(cluster: &Cluster, rooms: &Rooms, names: &ServerNames) {
    let before = cluster.0.alive.send_replace(names.clone());
    if before.iter().any(|name| !names.contains(name)) {
        rooms.check_owners();
    }
}

/// Takes over the games of dead servers that cannot wait for a client: those with clocks, and those with an engine.
async fn take_over(cluster: &Cluster, rooms: &Rooms) {
    match cluster.0.store.take_over_games(cluster.name(), MAX_TAKEN_OVER).await {
        Ok(games) => {
            for game in games {
                rooms.open_in_background(&game).await;
            }
        }
        // The next heartbeat tries again, and the store logs an outage by itself.
        Err(StoreError::Unavailable(_)) => {}
        Err(reason) => {
            tracing::error!(server = cluster.name(), %reason, "cannot take over games of other servers");
        }
    }
}
