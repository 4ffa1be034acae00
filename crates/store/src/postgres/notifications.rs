//! Notifications between the processes that share a database (`LISTEN`/`NOTIFY`).
//!
//! A notification is a hint to look, never the data itself: it is lost while a connection is down, and the listener then reports
//! [`ListenerEvent::Reconnected`].

use super::SharedDatabase;
use crate::{ListenerEvent, Notification, Store, StoreError, store::without_nul};
use sqlx::postgres::{PgListener, PgPoolOptions};
use std::{fmt, sync::Arc, time::Duration};

/// A connection without notifications for this long is pinged.
const PING_AFTER: Duration = Duration::from_secs(20);
/// Time limit for the answer to a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(5);
/// Exponential backoff of reconnection: the first pause and the longest.
const BACKOFF: [Duration; 2] = [Duration::from_millis(20), Duration::from_secs(1)];

/// A subscription to channels of `NOTIFY`. It reconnects by itself after an outage and reports that notifications
/// may be lost.
pub struct Listener {
    shared: Arc<SharedDatabase>,
    channels: Vec<String>,
    connection: Option<PgListener>,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("channels", &self.channels).finish_non_exhaustive()
    }
}

impl Store {
    /// Subscribes to channels on a dedicated connection. [`StoreError::NotShared`] for a file.
    pub async fn listener(&self, channels: &[&str]) -> Result<Listener, StoreError> {
        let shared = Arc::clone(self.shared.as_ref().ok_or(StoreError::NotShared)?);
        let channels: Vec<String> = channels.iter().map(|&channel| without_nul(channel)).collect();
        let connection = Some(listen(&shared, &channels).await?);
        Ok(Listener { shared, channels, connection })
    }

    /// Sends a notification of at most 7999 bytes to the listeners of a channel, in all processes. [`StoreError::NotShared`] for a
    /// file.
    pub async fn notify(&self, channel: &str, payload: &str) -> Result<(), StoreError> {
        let shared = self.shared.as_ref().ok_or(StoreError::NotShared)?;
        let notify =
            sqlx::query("SELECT pg_notify($1, $2)").bind(without_nul(channel)).bind(without_nul(payload));
        Ok(notify.execute(&shared.async_commit).await.map(drop)?)
    }
}

impl Store {
    /// Sends several pairs of channel and payload in one statement, in order.
    pub async fn notify_all(&self, notifications: &[(String, String)]) -> Result<(), StoreError> {
        let shared = self.shared.as_ref().ok_or(StoreError::NotShared)?;
        let (channels, payloads): (Vec<String>, Vec<String>) = notifications
            .iter()
            .map(|(channel, payload)| (without_nul(channel), without_nul(payload)))
            .unzip();
        let all = "SELECT pg_notify(channel, payload) FROM UNNEST($1, $2) WITH ORDINALITY AS note (channel, payload, at) \
                   ORDER BY at";
        let all = sqlx::query(all).bind(channels).bind(payloads);
        Ok(all.execute(&shared.async_commit).await.map(drop)?)
    }
}

impl Listener {
    /// Waits for the next notification, and for an unavailable database. Cancel-safe.
    pub async fn next(&mut self) -> Result<ListenerEvent, StoreError> {
        let Some(connection) = &mut self.connection else { return self.reconnect().await };
        loop {
            let lost = match tokio::time::timeout(PING_AFTER, connection.try_recv()).await {
                Ok(Ok(Some(note))) => {
                    let (channel, payload) = (note.channel().to_string(), note.payload().to_string());
                    return Ok(ListenerEvent::Notification(Notification { channel, payload }));
                }
                Ok(_) => true,
                // A dead machine does not close its connections.
                Err(_) => !ping(connection).await,
            };
            if lost {
                self.connection = None;
                return self.reconnect().await;
            }
        }
    }

    async fn reconnect(&mut self) -> Result<ListenerEvent, StoreError> {
        let [mut pause, longest] = BACKOFF;
        loop {
            match listen(&self.shared, &self.channels).await {
                Ok(connection) => {
                    self.connection = Some(connection);
                    return Ok(ListenerEvent::Reconnected);
                }
                Err(StoreError::Unavailable(_)) => tokio::time::sleep(pause).await,
                Err(other) => return Err(other),
            }
            pause = (2 * pause).min(longest);
        }
    }
}

/// Opens a connection and subscribes it to the channels.
async fn listen(shared: &SharedDatabase, channels: &[String]) -> Result<PgListener, StoreError> {
    let one = PgPoolOptions::new()
        .max_connections(1)
        .max_lifetime(None)
        .idle_timeout(None)
        .acquire_timeout(PING_TIMEOUT);
    let mut connection = PgListener::connect_with(&one.connect_lazy_with(shared.options.clone())).await?;
    // It reports a lost connection, and we reconnect.
    connection.eager_reconnect(false);
    connection.listen_all(channels.iter().map(String::as_str)).await?;
    Ok(connection)
}

async fn ping(connection: &mut PgListener) -> bool {
    let ping = sqlx::query("SELECT 1").execute(connection);
    tokio::time::timeout(PING_TIMEOUT, ping).await.is_ok_and(|answer| answer.is_ok())
}
