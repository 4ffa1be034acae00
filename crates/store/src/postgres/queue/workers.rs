//! Workers: each sends a heartbeat every few seconds, which renews its leases. Workers without one for an hour are forgotten.

use super::NOW;
use crate::{Heartbeat, Store, StoreError, WaitingGames, WorkerId, WorkerRow};
use sqlx::{AssertSqlSafe, Row};
use std::time::Duration;

/// In milliseconds: workers without a heartbeat for this long are deleted.
const RETENTION: i64 = 3_600_000;

impl Store {
    /// Writes the heartbeat of a worker and renews its leases of these jobs. Returns the jobs whose leases it still holds.
    pub async fn renew_leases(
        &self,
        worker: &WorkerId,
        heartbeat: Heartbeat,
        ids: &[i64],
    ) -> Result<Vec<i64>, StoreError> {
        let pool = &self.queue()?.async_commit;
        let text = format!(
            "INSERT INTO worker (name, version, seen, games, seats, analyses) VALUES ($1, $2, {NOW}, $3, $4, $5) \
             ON CONFLICT (name) DO UPDATE SET seen = {NOW}, games = $3, seats = $4"
        );
        let seen = sqlx::query(AssertSqlSafe(text)).bind(&worker.name).bind(&worker.version);
        let seen = seen
            .bind(heartbeat.finished_games as i64)
            .bind(heartbeat.concurrency as i64)
            .bind(heartbeat.answers_questions);
        self.track_availability(seen.execute(pool).await.map_err(StoreError::from))?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let text = format!(
            "UPDATE job SET until = {NOW} + $3 WHERE id IN (SELECT id FROM job WHERE id = ANY($2) AND worker = $1 \
             AND state = 'taken' ORDER BY id FOR UPDATE) RETURNING id"
        );
        let held = sqlx::query_scalar(AssertSqlSafe(text)).bind(&worker.name).bind(ids);
        Ok(held.bind(worker.lease_millis()).fetch_all(pool).await?)
    }

    /// Releases the jobs of a worker that stops, and removes it from the list.
    pub async fn deregister_worker(&self, worker: &str) -> Result<(), StoreError> {
        let held =
            sqlx::query_scalar("SELECT id FROM job WHERE worker = $1 AND state = 'taken'").bind(worker);
        let held: Vec<i64> = held.fetch_all(&self.queue()?.jobs).await?;
        self.release_jobs(worker, &held).await?;
        let text = format!("DELETE FROM worker WHERE name = $1 OR seen < {NOW} - $2");
        let delete = sqlx::query(AssertSqlSafe(text)).bind(worker).bind(RETENTION);
        Ok(delete.execute(&self.queue()?.jobs).await.map(drop)?)
    }

    /// The workers with a heartbeat within the last hour, by name.
    pub async fn workers(&self) -> Result<Vec<WorkerRow>, StoreError> {
        let text = format!(
            "SELECT name, version, {NOW} - seen, games, seats, analyses, \
             (SELECT COUNT(*) FROM job WHERE job.worker = worker.name AND state = 'taken') \
             FROM worker WHERE seen >= {NOW} - $1 ORDER BY name"
        );
        let rows =
            sqlx::query(AssertSqlSafe(text)).bind(RETENTION).fetch_all(&self.queue()?.async_commit).await?;
        let count = |number: i64| number.max(0) as u64;
        let read = |row: &sqlx::postgres::PgRow| {
            Ok(WorkerRow {
                name: row.try_get(0)?,
                version: row.try_get(1)?,
                since_heartbeat: Duration::from_millis(count(row.try_get(2)?)),
                heartbeat: Heartbeat {
                    finished_games: count(row.try_get(3)?),
                    concurrency: count(row.try_get(4)?),
                    answers_questions: row.try_get(5)?,
                },
                leased_jobs: count(row.try_get(6)?),
            })
        };
        rows.iter().map(read).collect()
    }

    /// Whether a worker of this version that answers questions has sent a heartbeat within this time.
    pub async fn has_analysis_worker(&self, version: &str, within: Duration) -> Result<bool, StoreError> {
        let text = format!(
            "SELECT EXISTS (SELECT 1 FROM worker WHERE analyses AND version = $1 AND seen >= {NOW} - $2)"
        );
        let within = i64::try_from(within.as_millis()).unwrap_or(i64::MAX / 2);
        let found = sqlx::query_scalar(AssertSqlSafe(text)).bind(version).bind(within);
        Ok(found.fetch_one(&self.queue()?.async_commit).await?)
    }

    /// The games that no worker has taken, by tournament and version.
    pub async fn waiting_games(&self) -> Result<Vec<WaitingGames>, StoreError> {
        let text = "SELECT tournament, version, COUNT(*) FROM job WHERE kind = 'game' AND state = 'ready' \
                    GROUP BY tournament, version ORDER BY tournament, version";
        let rows = sqlx::query(text).fetch_all(&self.queue()?.async_commit).await?;
        let read = |row: &sqlx::postgres::PgRow| {
            Ok(WaitingGames {
                tournament: row.try_get(0)?,
                version: row.try_get(1)?,
                games: row.try_get::<i64, _>(2)?.max(0) as u64,
            })
        };
        rows.iter().map(read).collect()
    }
}
