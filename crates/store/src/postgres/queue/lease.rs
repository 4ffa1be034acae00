//! Leases: a worker leases several jobs at once, renews the leases by its heartbeat, and releases jobs when it stops. A lease need not
//! be durable: if it is lost in a crash, another worker leases the job, and its result still counts once.

use super::NOW;
use crate::{JOBS_CHANNEL, LeasedJob, MAX_ATTEMPTS, Store, StoreError, WorkerId, store::without_nul};
use sqlx::{AssertSqlSafe, Row, postgres::PgRow};

impl WorkerId {
    pub(super) fn lease_millis(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX)
    }
}

impl Store {
    /// Leases up to `most` games, oldest first. `only` restricts them to one tournament. `excluded` has pairs of tournament and
    /// player whose games are left to other workers; an empty name excludes the whole tournament.
    pub async fn lease_games(
        &self,
        worker: &WorkerId,
        only: Option<&str>,
        excluded: &[(String, String)],
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let (tournaments, players): (Vec<String>, Vec<String>) = excluded
            .iter()
            .map(|(tournament, player)| (without_nul(tournament), without_nul(player)))
            .unzip();
        let filter = "($5::TEXT IS NULL OR tournament = $5) AND NOT EXISTS (SELECT 1 FROM UNNEST($6::TEXT[], $7::TEXT[]) \
                      AS l (tournament, player) WHERE l.tournament = job.tournament AND l.player IN ('', job.first, job.second))";
        let text = lease_statement("game", filter);
        let lease = sqlx::query(AssertSqlSafe(text));
        let lease =
            lease.bind(&worker.name).bind(&worker.version).bind(worker.lease_millis()).bind(most as i64);
        let rows = lease.bind(only.map(without_nul)).bind(tournaments).bind(players);
        rows.fetch_all(&self.queue()?.async_commit).await?.iter().map(read_job).collect()
    }

    /// Leases up to `most` questions, oldest first.
    pub async fn lease_questions(
        &self,
        worker: &WorkerId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let lease = sqlx::query(AssertSqlSafe(lease_statement("analysis", "TRUE")));
        let lease =
            lease.bind(&worker.name).bind(&worker.version).bind(worker.lease_millis()).bind(most as i64);
        lease.fetch_all(&self.queue()?.async_commit).await?.iter().map(read_job).collect()
    }

    /// Releases jobs that were not done, without counting an attempt. Jobs that another worker has leased meanwhile are skipped.
    pub async fn release_jobs(&self, worker: &str, ids: &[i64]) -> Result<(), StoreError> {
        let text = "UPDATE job SET state = 'ready', worker = NULL, attempts = attempts - 1 WHERE id IN \
                    (SELECT id FROM job WHERE id = ANY($2) AND worker = $1 AND state = 'taken' ORDER BY id FOR UPDATE)";
        sqlx::query(text).bind(worker).bind(ids).execute(&self.queue()?.jobs).await?;
        self.notify(JOBS_CHANNEL, "").await
    }

    /// Negative acknowledgement: the game could not be played, for this reason. It goes to another worker, or fails after
    /// [`MAX_ATTEMPTS`].
    pub async fn nack_game(&self, worker: &str, id: i64, why: &str) -> Result<(), StoreError> {
        let text = "UPDATE job SET state = CASE WHEN attempts >= $4 THEN 'failed' ELSE 'ready' END, worker = NULL, why = $3 \
                    WHERE id = $2 AND worker = $1 AND state = 'taken'";
        let update = sqlx::query(text).bind(worker).bind(id).bind(without_nul(why)).bind(MAX_ATTEMPTS);
        update.execute(&self.queue()?.jobs).await?;
        self.notify(JOBS_CHANNEL, "").await
    }
}

/// The statement that leases jobs of a kind: those that are ready, and those with an expired lease. `SKIP LOCKED` passes over
/// rows that another worker is leasing at the same time, so that no worker waits and no job is leased twice.
fn lease_statement(kind: &str, filter: &str) -> String {
    format!(
        "WITH free AS MATERIALIZED (SELECT id FROM job WHERE kind = '{kind}' AND state IN ('ready', 'taken') AND version = $2 \
         AND (state = 'ready' OR (until < {NOW} AND attempts < {MAX_ATTEMPTS})) AND {filter} \
         ORDER BY kind, id LIMIT $4 FOR UPDATE SKIP LOCKED) \
         UPDATE job SET state = 'taken', worker = $1, until = {NOW} + $3, attempts = attempts + 1 FROM free \
         WHERE job.id = free.id RETURNING job.id, job.tournament, job.number, job.terms, job.text, job.attempts"
    )
}

fn read_job(row: &PgRow) -> Result<LeasedJob, StoreError> {
    Ok(LeasedJob {
        id: row.try_get(0)?,
        tournament: row.try_get::<Option<String>, _>(1)?.unwrap_or_default(),
        number: row.try_get::<Option<i64>, _>(2)?.unwrap_or_default(),
        requirements: row.try_get(3)?,
        text: row.try_get(4)?,
        attempts: row.try_get(5)?,
    })
}
