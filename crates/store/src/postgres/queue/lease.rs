//! Work, for whoever takes it: several at once, for a while that must be renewed, and handed back by whoever leaves. What is taken
//! need not be on the disk: if it is forgotten there, somebody else takes it, and it still counts once.

use super::NOW;
use crate::{JOBS_CHANNEL, LeasedJob, MAX_ATTEMPTS, Store, StoreError, WorkerId, store::without_nul};
use sqlx::{AssertSqlSafe, Row, postgres::PgRow};

impl WorkerId {
    pub(super) fn lease_millis(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX)
    }
}

impl Store {
    /// Takes up to `most` games, the oldest first: of one tournament if there is an `only`, and none in which a player takes part
    /// that is `left` to others. Those are told with their tournaments; an empty name means everybody there.
    pub async fn lease_games(
        &self,
        worker: &WorkerId,
        only: Option<&str>,
        left: &[(String, String)],
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let (tournaments, players): (Vec<String>, Vec<String>) =
            left.iter().map(|(tournament, player)| (without_nul(tournament), without_nul(player))).unzip();
        let filter = "($5::TEXT IS NULL OR tournament = $5) AND NOT EXISTS (SELECT 1 FROM UNNEST($6::TEXT[], $7::TEXT[]) \
                      AS l (tournament, player) WHERE l.tournament = job.tournament AND l.player IN ('', job.first, job.second))";
        let text = lease_statement("game", filter);
        let take = sqlx::query(AssertSqlSafe(text));
        let take =
            take.bind(&worker.name).bind(&worker.version).bind(worker.lease_millis()).bind(most as i64);
        let rows = take.bind(only.map(without_nul)).bind(tournaments).bind(players);
        rows.fetch_all(&self.queue()?.async_commit).await?.iter().map(read_job).collect()
    }

    /// Takes up to `most` questions.
    pub async fn lease_questions(
        &self,
        worker: &WorkerId,
        most: usize,
    ) -> Result<Vec<LeasedJob>, StoreError> {
        let take = sqlx::query(AssertSqlSafe(lease_statement("analysis", "TRUE")));
        let take =
            take.bind(&worker.name).bind(&worker.version).bind(worker.lease_millis()).bind(most as i64);
        take.fetch_all(&self.queue()?.async_commit).await?.iter().map(read_job).collect()
    }

    /// Hands work back that was not done: it does not count as an attempt. What is another's by now stays so.
    pub async fn release_jobs(&self, worker: &str, ids: &[i64]) -> Result<(), StoreError> {
        let text = "UPDATE job SET state = 'ready', worker = NULL, attempts = attempts - 1 WHERE id IN \
                    (SELECT id FROM job WHERE id = ANY($2) AND worker = $1 AND state = 'taken' ORDER BY id FOR UPDATE)";
        sqlx::query(text).bind(worker).bind(ids).execute(&self.queue()?.jobs).await?;
        self.notify(JOBS_CHANNEL, "").await
    }

    /// Says that a game could not be played, and why. It goes to somebody else, if it was not tried too often already.
    pub async fn nack_game(&self, worker: &str, id: i64, why: &str) -> Result<(), StoreError> {
        let text = "UPDATE job SET state = CASE WHEN attempts >= $4 THEN 'failed' ELSE 'ready' END, worker = NULL, why = $3 \
                    WHERE id = $2 AND worker = $1 AND state = 'taken'";
        let update = sqlx::query(text).bind(worker).bind(id).bind(without_nul(why)).bind(MAX_ATTEMPTS);
        update.execute(&self.queue()?.jobs).await?;
        self.notify(JOBS_CHANNEL, "").await
    }
}

/// The statement that takes work of a kind: what nobody has, and what was left by somebody who was silent for too long. Rows that
/// another is taking at this moment are passed over, so that nobody waits and no two get the same.
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
