//! Notes between the servers that share a database: short words on a channel, heard by whoever listens at that moment.
//!
//! A note is a hint to look and never the news itself: it may be lost while a connection is, and then whoever listens is told
//! that it may have missed some.

use super::Shared;
use crate::{Heard, Note, Store, StoreError, store::kept};
use sqlx::postgres::{PgListener, PgPoolOptions};
use std::{fmt, sync::Arc, time::Duration};

/// How long nothing may come before the connection is tried.
const QUIET: Duration = Duration::from_secs(20);
/// Time limit for the answer.
const ANSWER: Duration = Duration::from_secs(5);
/// How long the first pause is before the next attempt to listen again, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// Subscription to channels.
pub struct Listener {
    shared: Arc<Shared>,
    channels: Vec<String>,
    ear: Option<PgListener>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("channels", &self.channels).finish_non_exhaustive()
    }
}

impl Store {
    /// Listens to some channels from now on, on a connection of its own. A database that is not shared has nobody to listen to:
    /// [`StoreError::NotShared`].
    pub async fn listener(&self, channels: &[&str]) -> Result<Listener, StoreError> {
        let shared = Arc::clone(self.shared.as_ref().ok_or(StoreError::NotShared)?);
        let channels: Vec<String> = channels.iter().map(|&channel| kept(channel)).collect();
        let ear = Some(listen(&shared, &channels).await?);
        Ok(Listener { shared, channels, ear })
    }

    /// Says something on a channel to whoever listens there, on this server and on others; at most 7999 bytes. Nobody needs to
    /// listen. A database that is not shared has no channels: [`StoreError::NotShared`].
    pub async fn notify(&self, channel: &str, payload: &str) -> Result<(), StoreError> {
        let shared = self.shared.as_ref().ok_or(StoreError::NotShared)?;
        let note = sqlx::query("SELECT pg_notify($1, $2)").bind(kept(channel)).bind(kept(payload));
        Ok(note.execute(&shared.notes).await.map(drop)?)
    }
}

impl Store {
    /// Says several things, in this order and on their channels, at once.
    pub async fn notify_all(&self, notes: &[(String, String)]) -> Result<(), StoreError> {
        let shared = self.shared.as_ref().ok_or(StoreError::NotShared)?;
        let (channels, payloads): (Vec<String>, Vec<String>) =
            notes.iter().map(|(channel, payload)| (kept(channel), kept(payload))).unzip();
        let all = "SELECT pg_notify(channel, payload) FROM UNNEST($1, $2) WITH ORDINALITY AS note (channel, payload, at) \
                   ORDER BY at";
        let all = sqlx::query(all).bind(channels).bind(payloads);
        Ok(all.execute(&shared.notes).await.map(drop)?)
    }
}

impl Listener {
    /// Waits for the next note, and for the database if it is away. It may be dropped at any moment and called again: nothing is
    /// lost by that.
    pub async fn next(&mut self) -> Result<Heard, StoreError> {
        let Some(ear) = &mut self.ear else { return self.again().await };
        loop {
            let lost = match tokio::time::timeout(QUIET, ear.try_recv()).await {
                Ok(Ok(Some(note))) => {
                    let (channel, payload) = (note.channel().to_string(), note.payload().to_string());
                    return Ok(Heard::Note(Note { channel, payload }));
                }
                Ok(_) => true,
                // A machine that vanished says no word of it.
                Err(_) => !answers(ear).await,
            };
            if lost {
                self.ear = None;
                return self.again().await;
            }
        }
    }

    async fn again(&mut self) -> Result<Heard, StoreError> {
        let [mut pause, longest] = PAUSES;
        loop {
            match listen(&self.shared, &self.channels).await {
                Ok(ear) => {
                    self.ear = Some(ear);
                    return Ok(Heard::Again);
                }
                Err(StoreError::Away(_)) => tokio::time::sleep(pause).await,
                Err(other) => return Err(other),
            }
            pause = (2 * pause).min(longest);
        }
    }
}

/// Opens a dedicated connection.
async fn listen(shared: &Shared, channels: &[String]) -> Result<PgListener, StoreError> {
    let one =
        PgPoolOptions::new().max_connections(1).max_lifetime(None).idle_timeout(None).acquire_timeout(ANSWER);
    let mut ear = PgListener::connect_with(&one.connect_lazy_with(shared.options.clone())).await?;
    // It shall say that it lost the connection, and leave the rest to us.
    ear.eager_reconnect(false);
    ear.listen_all(channels.iter().map(String::as_str)).await?;
    Ok(ear)
}

async fn answers(ear: &mut PgListener) -> bool {
    let question = sqlx::query("SELECT 1").execute(ear);
    tokio::time::timeout(ANSWER, question).await.is_ok_and(|answer| answer.is_ok())
}
