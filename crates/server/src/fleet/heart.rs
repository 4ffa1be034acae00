//! A sign of life every second, and what follows from those of the others: the games of whoever gives none are taken over. All
//! moments are the database's, so that no two machines need the same time.

use super::{Fleet, Names};
use crate::room::Rooms;
use parlor_store::StoreError;
use std::{sync::atomic::Ordering, time::Duration};

/// How often a server shows that it lives. The store takes those for gone that have not for some of these.
const BEAT: Duration = Duration::from_secs(1);
/// After so many beats in a row this server knows who lives: after the database was away, the others are heard of again first.
const STEADY: u32 = 4;
/// Games taken over per query.
const TAKEN: i64 = 500;

/// Sends heartbeats until the server stops.
pub(crate) async fn beat(fleet: Fleet, rooms: Rooms) {
    let mut beats = 0;
    let mut logged = None;
    loop {
        match fleet.0.store.beat(fleet.me()).await {
            Ok(names) => {
                (beats, logged) = (beats + 1, None);
                fleet.0.steady.store(beats >= STEADY, Ordering::Relaxed);
                meet(&fleet, &rooms, &Names::new(names.into_iter().collect()));
                if beats >= STEADY {
                    take_over(&fleet, &rooms).await;
                }
            }
            Err(reason) => {
                beats = 0;
                // The store logs an outage by itself. Any other reason is logged once, not every second.
                if !matches!(reason, StoreError::Away(_)) && logged.as_ref() != Some(&reason) {
                    tracing::error!(server = fleet.me(), %reason, "heartbeat failed");
                    logged = Some(reason);
                }
                fleet.0.steady.store(false, Ordering::Relaxed);
            }
        }
        tokio::select! {
            () = tokio::time::sleep(BEAT) => {}
            () = fleet.0.left.notified() => {}
        }
    }
}

/// Where somebody has gone, the rooms that follow their games look whose they are now.
fn meet(fleet: &Fleet, rooms: &Rooms, names: &Names) {
    let before = fleet.0.alive.send_replace(names.clone());
    if before.iter().any(|name| !names.contains(name)) {
        rooms.reclaim();
    }
}

/// Games that cannot wait until somebody comes: those with clocks, and those in which an engine is to move.
async fn take_over(fleet: &Fleet, rooms: &Rooms) {
    match fleet.0.store.take_over(fleet.me(), TAKEN).await {
        Ok(games) => {
            for game in games {
                rooms.open_unasked(&game).await;
            }
        }
        // The next heartbeat tries again, and the store logs an outage by itself.
        Err(StoreError::Away(_)) => {}
        Err(reason) => {
            tracing::error!(server = fleet.me(), %reason, "cannot take over games of other servers");
        }
    }
}
