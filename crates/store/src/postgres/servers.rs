//! The servers that share a database, and whose each live game is. Only PostgreSQL has this: a file is one server's alone.
//!
//! A server is alive that gave a sign of life lately, by the database's own time: no two machines need to agree on theirs. A game
//! belongs to one server at a time, but nothing rests on that: an event's number is in the log once, whoever writes it.

use crate::{Store, StoreError};
use sqlx::{PgPool, Row};

/// In milliseconds: a server without a heartbeat for this long is gone.
pub const HEARTBEAT_TIMEOUT: i64 = 3000;
/// In milliseconds: games without a change for this long are opened only on request.
const RECENT: i64 = 24 * 3_600_000;
/// Signs of life are kept for so long, in milliseconds.
const RETENTION: i64 = 3_600_000;

/// The database's own time, in milliseconds.
const NOW: &str = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

impl Store {
    /// Connections for what needs no disk: who lives and whose a game is are seen anew after a crash.
    fn async_commit_pool(&self) -> Result<&PgPool, StoreError> {
        self.shared.as_ref().map(|shared| &shared.async_commit).ok_or(StoreError::NotShared)
    }

    /// A sign of life of a server. The names of all that are alive.
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

    /// Makes a game this server's, unless it is that of another one that is alive. Returns its owner then.
    pub async fn take_ownership(&self, id: &str, name: &str) -> Result<String, StoreError> {
        let text = format!(
            "WITH before AS MATERIALIZED (SELECT id, owner FROM live_game WHERE id = $1 AND (owner IS NULL OR owner <> $2) \
             AND NOT EXISTS (SELECT 1 FROM server WHERE server.name = live_game.owner AND server.seen > {NOW} - $3) \
             FOR UPDATE) \
             UPDATE live_game SET owner = $2 FROM before WHERE live_game.id = before.id RETURNING before.owner"
        );
        let update = sqlx::query(sqlx::AssertSqlSafe(text)).bind(id).bind(name).bind(HEARTBEAT_TIMEOUT);
        let claimed = update.fetch_optional(self.async_commit_pool()?).await.map_err(StoreError::from);
        if let Some(row) = self.track_availability(claimed)? {
            // A new game has no owner yet.
            if let Some(before) = row.try_get::<Option<String>, _>(0)? {
                log_take_over(id, &before, name);
            }
        }
        let owner = sqlx::query("SELECT owner FROM live_game WHERE id = $1").bind(id);
        let owner =
            owner.fetch_optional(self.async_commit_pool()?).await?.ok_or_else(|| StoreError::no_game(id))?;
        // One that nobody owns now has been given up in this moment; whoever asks next gets it.
        Ok(owner.try_get::<Option<String>, _>(0)?.unwrap_or_default())
    }

    /// Makes at most `most` games this server's whose owner is gone and that cannot wait for a visitor: those with a clock, and
    /// those with a player of the server's. Returns their ids.
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

    /// A server ends: it is gone at once, and its games wait for whoever takes them over.
    pub async fn deregister_server(&self, name: &str) -> Result<(), StoreError> {
        let text = format!("DELETE FROM server WHERE name = $1 OR seen < {NOW} - $2");
        let delete = sqlx::query(sqlx::AssertSqlSafe(text)).bind(name).bind(RETENTION);
        Ok(delete.execute(self.async_commit_pool()?).await.map(drop)?)
    }
}

fn log_take_over(game: &str, old_owner: &str, new_owner: &str) {
    tracing::info!(game, old_owner, new_owner, "game taken over");
}
