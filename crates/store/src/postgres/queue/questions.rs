//! Questions in the queue: asked by one process, answered by another. Whoever asks takes the question away when the answer is no
//! longer wanted; nothing of this needs to outlive a crash.

use super::NOW;
use crate::{ANSWERS, Asked, JOBS, Store, StoreError, store::kept};
use sqlx::{AssertSqlSafe, Row};

/// In milliseconds: questions that were not collected are deleted after this time.
const FORGOTTEN: i64 = 600_000;

impl Store {
    /// Asks workers of a version; gives the number of the question. Questions that somebody left behind are forgotten.
    pub async fn ask(&self, version: &str, text: &str) -> Result<i64, StoreError> {
        let pool = &self.queue()?.notes;
        let old = format!("DELETE FROM job WHERE kind = 'analysis' AND created < {NOW} - $1");
        sqlx::query(AssertSqlSafe(old)).bind(FORGOTTEN).execute(pool).await?;
        let ask = "INSERT INTO job (kind, terms, text, version) VALUES ('analysis', '', $1, $2) RETURNING id";
        let id = sqlx::query_scalar(ask).bind(kept(text)).bind(version).fetch_one(pool).await?;
        self.notify(JOBS, "").await?;
        Ok(id)
    }

    /// Answers a question that this worker took.
    pub async fn answer(&self, worker: &str, id: i64, text: &str) -> Result<(), StoreError> {
        let answer =
            "UPDATE job SET state = 'done', answer = $3 WHERE id = $2 AND kind = 'analysis' AND worker = $1";
        let answer = sqlx::query(answer).bind(worker).bind(id).bind(kept(text));
        answer.execute(&self.queue()?.notes).await?;
        self.notify(ANSWERS, &id.to_string()).await
    }

    /// The state of a question.
    pub async fn asked(&self, id: i64) -> Result<Asked, StoreError> {
        let row = sqlx::query("SELECT state, answer FROM job WHERE id = $1 AND kind = 'analysis'");
        let Some(row) = row.bind(id).fetch_optional(&self.queue()?.notes).await? else {
            return Ok(Asked::Gone);
        };
        Ok(match (row.try_get::<String, _>(0)?.as_str(), row.try_get::<Option<String>, _>(1)?) {
            ("done", Some(answer)) => Asked::Answered(answer),
            ("taken", _) => Asked::Taken,
            ("ready", _) => Asked::Waiting,
            _ => Asked::Gone,
        })
    }

    /// Deletes a question whose answer is no longer needed.
    pub async fn unask(&self, id: i64) -> Result<(), StoreError> {
        let delete = sqlx::query("DELETE FROM job WHERE id = $1 AND kind = 'analysis'").bind(id);
        Ok(delete.execute(&self.queue()?.notes).await.map(drop)?)
    }
}
