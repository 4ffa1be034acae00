//! Whoever works: heard of every few seconds, shown to whoever asks, forgotten after an hour of silence.

use super::NOW;
use crate::{Pulse, Store, StoreError, Taker, Waiting, WorkerRow};
use sqlx::{AssertSqlSafe, Row};
use std::time::Duration;

/// How long a worker that fell silent is remembered, in milliseconds.
const REMEMBERED: i64 = 3_600_000;

impl Store {
    /// Says that a worker is alive, and that it is still at these jobs. Gives those that are still its own.
    pub async fn at_work(&self, taker: &Taker, pulse: Pulse, ids: &[i64]) -> Result<Vec<i64>, StoreError> {
        let pool = &self.queue()?.notes;
        let text = format!(
            "INSERT INTO worker (name, version, seen, games, seats, analyses) VALUES ($1, $2, {NOW}, $3, $4, $5) \
             ON CONFLICT (name) DO UPDATE SET seen = {NOW}, games = $3, seats = $4"
        );
        let seen = sqlx::query(AssertSqlSafe(text)).bind(&taker.name).bind(&taker.version);
        let seen = seen.bind(pulse.games as i64).bind(pulse.seats as i64).bind(pulse.analyses);
        self.observed(seen.execute(pool).await.map_err(StoreError::from))?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let text = format!(
            "UPDATE job SET until = {NOW} + $3 WHERE id IN (SELECT id FROM job WHERE id = ANY($2) AND worker = $1 \
             AND state = 'taken' ORDER BY id FOR UPDATE) RETURNING id"
        );
        let held = sqlx::query_scalar(AssertSqlSafe(text)).bind(&taker.name).bind(ids);
        Ok(held.bind(taker.lease_millis()).fetch_all(pool).await?)
    }

    /// A worker leaves: what it has is handed back, and it is not shown any more.
    pub async fn go_home(&self, worker: &str) -> Result<(), StoreError> {
        let held =
            sqlx::query_scalar("SELECT id FROM job WHERE worker = $1 AND state = 'taken'").bind(worker);
        let held: Vec<i64> = held.fetch_all(&self.queue()?.jobs).await?;
        self.hand_back(worker, &held).await?;
        let text = format!("DELETE FROM worker WHERE name = $1 OR seen < {NOW} - $2");
        let delete = sqlx::query(AssertSqlSafe(text)).bind(worker).bind(REMEMBERED);
        Ok(delete.execute(&self.queue()?.jobs).await.map(drop)?)
    }

    /// The workers, by name: those that were heard of within the last hour.
    pub async fn workers(&self) -> Result<Vec<WorkerRow>, StoreError> {
        let text = format!(
            "SELECT name, version, {NOW} - seen, games, seats, analyses, \
             (SELECT COUNT(*) FROM job WHERE job.worker = worker.name AND state = 'taken') \
             FROM worker WHERE seen >= {NOW} - $1 ORDER BY name"
        );
        let rows = sqlx::query(AssertSqlSafe(text)).bind(REMEMBERED).fetch_all(&self.queue()?.notes).await?;
        let count = |number: i64| number.max(0) as u64;
        let read = |row: &sqlx::postgres::PgRow| {
            Ok(WorkerRow {
                name: row.try_get(0)?,
                version: row.try_get(1)?,
                silent: Duration::from_millis(count(row.try_get(2)?)),
                pulse: Pulse {
                    games: count(row.try_get(3)?),
                    seats: count(row.try_get(4)?),
                    analyses: row.try_get(5)?,
                },
                holds: count(row.try_get(6)?),
            })
        };
        rows.iter().map(read).collect()
    }

    /// Whether a worker of this version that answers questions was heard of within this time.
    pub async fn is_attended(&self, version: &str, within: Duration) -> Result<bool, StoreError> {
        let text = format!(
            "SELECT EXISTS (SELECT 1 FROM worker WHERE analyses AND version = $1 AND seen >= {NOW} - $2)"
        );
        let within = i64::try_from(within.as_millis()).unwrap_or(i64::MAX / 2);
        let found = sqlx::query_scalar(AssertSqlSafe(text)).bind(version).bind(within);
        Ok(found.fetch_one(&self.queue()?.notes).await?)
    }

    /// The games that no worker has taken, by tournament and version.
    pub async fn waiting(&self) -> Result<Vec<Waiting>, StoreError> {
        let text = "SELECT tournament, version, COUNT(*) FROM job WHERE kind = 'game' AND state = 'ready' \
                    GROUP BY tournament, version ORDER BY tournament, version";
        let rows = sqlx::query(text).fetch_all(&self.queue()?.notes).await?;
        let read = |row: &sqlx::postgres::PgRow| {
            Ok(Waiting {
                tournament: row.try_get(0)?,
                version: row.try_get(1)?,
                games: row.try_get::<i64, _>(2)?.max(0) as u64,
            })
        };
        rows.iter().map(read).collect()
    }
}
