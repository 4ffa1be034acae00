//! The servers that share a database, and the owner of each live game. Only PostgreSQL has these.
//!
//! A server is alive while its heartbeat is recent by the database's clock, so the servers' clocks need not agree. A game has one
//! owner at a time, but correctness does not depend on it: sequence numbers are unique in the log, whichever server writes.

use crate::{Store, StoreError};
use sqlx::{PgPool, Row};

/// In milliseconds: a server without a heartbeat for this long is dead.
pub const HEARTBEAT_TIMEOUT: i64 = 3000;
/// In milliseconds: games without a change for this long are opened only on request.
const RECENT: i64 = 24 * 3_600_000;
/// In milliseconds: older heartbeats are deleted.
const RETENTION: i64 = 3_600_000;

/// The database's clock, in milliseconds.
const NOW: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

impl Store {
    /// Connections whose commits need not be durable: heartbeats and owners are renewed after a crash.
    fn async_commit_pool(&self) -> Result<&PgPool, StoreError> {
        self.shared.as_ref().map(|shared| &shared.async_commit).ok_or(StoreError::NotShared)
    }

    /// Writes the heartbeat of a server. Returns the names of all live servers.
    pub async fn server_heartbeat(&self, name: &str) -> Result<Vec<String>, StoreError> {
        let text = format!(
            "INSERT INTO server (name, seen) VALUES ($1, {NOW}) ON CONFLICT (name) DO UPDATE SET seen = {NOW}"
        );
        let seen = sqlx::query(sqlx::AssertSqlSafe(text)).bind(name).execute(self.async_commit_pool()?).await;
        self.track_availability(seen.map_err(StoreError::from))?;
        let text = format!("SELECT name FROM server WHERE seen > {NOW} - $1 ORDER BY name");
        let rows = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(HEARTBEAT_TIMEOUT)
            .fetch_all(self.async_commit_pool()?)
            .await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Makes a server the owner of a game, unless the owner is another live server. Returns the owner after the call.
    pub async fn take_ownership(&self, id: &str, name: &str) -> Result<String, StoreError> {
        let text = format!(
            "WITH before AS MATERIALIZED (SELECT id, owner FROM live_game WHERE id = $1 AND (owner IS NULL OR owner <> $2) \
             AND NOT EXISTS (SELECT 1 FROM server WHERE server.name = live_game.owner AND server.seen > {NOW} - $3) \
             FOR UPDATE) \
             UPDATE live_game SET owner = $2 FROM before WHERE live_game.id = before.id RETURNING before.owner"
        );
        let update = sqlx::query(sqlx::AssertSqlSafe(text)).bind(id).bind(name).bind(HEARTBEAT_TIMEOUT);
        let taken = update.fetch_optional(self.async_commit_pool()?).await.map_err(StoreError::from);
        if let Some(row) = self.track_availability(taken)? {
            // A new game has no owner yet.
            if let Some(before) = row.try_get::<Option<String>, _>(0)? {
                log_take_over(id, &before, name);
            }
        }
        let owner = sqlx::query("SELECT owner FROM live_game WHERE id = $1").bind(id);
        let owner =
            owner.fetch_optional(self.async_commit_pool()?).await?.ok_or_else(|| StoreError::no_game(id))?;
        // Without an owner, the game was released at this moment; the next call gets it.
        Ok(owner.try_get::<Option<String>, _>(0)?.unwrap_or_default())
    }

    /// Takes over at most `most` games of dead servers that cannot wait for a client: those with a clock, and those with an engine
    /// or bot of the server. Returns their ids.
    pub async fn take_over_games(&self, name: &str, most: i64) -> Result<Vec<String>, StoreError> {
        let text = format!(
            "WITH before AS MATERIALIZED (SELECT id, owner FROM live_game WHERE ended IS NULL AND owner IS NOT NULL \
             AND touched > {NOW} - $4 AND (clock IS NOT NULL OR first_kind IN ('player', 'house') OR second_kind IN ('player', 'house')) \
             AND NOT EXISTS (SELECT 1 FROM server WHERE server.name = live_game.owner AND server.seen > {NOW} - $2) \
             ORDER BY touched DESC LIMIT $3 FOR UPDATE SKIP LOCKED) \
             UPDATE live_game SET owner = $1 FROM before WHERE live_game.id = before.id RETURNING before.id, before.owner"
        );
        let update =
            sqlx::query(sqlx::AssertSqlSafe(text)).bind(name).bind(HEARTBEAT_TIMEOUT).bind(most).bind(RECENT);
        let rows = self.track_availability(
            update.fetch_all(self.async_commit_pool()?).await.map_err(StoreError::from),
        )?;
        let mut ids = Vec::with_capacity(rows.len());
        for row in &rows {
            let (id, before): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            log_take_over(&id, &before, name);
            ids.push(id);
        }
        Ok(ids)
    }

    /// Removes a server that shuts down, so that other servers can take over its games at once.
    pub async fn deregister_server(&self, name: &str) -> Result<(), StoreError> {
        let text = format!("DELETE FROM server WHERE name = $1 OR seen < {NOW} - $2");
        let delete = sqlx::query(sqlx::AssertSqlSafe(text)).bind(name).bind(RETENTION);
        Ok(delete.execute(self.async_commit_pool()?).await.map(drop)?)
    }
}

fn log_take_over(game: &str, old_owner: &str, new_owner: &str) {
    tracing::info!(game, old_owner, new_owner, "game taken over");
}
