//! Questions in the queue: enqueued by a server, answered by a worker. The server deletes a question whose answer it no longer needs.
//! Commits need not be durable.

use super::NOW;
use crate::{ANSWERS_CHANNEL, JOBS_CHANNEL, QuestionState, Store, StoreError, store::without_nul};
use sqlx::{AssertSqlSafe, Row};

/// In milliseconds: questions that were not collected are deleted after this time.
const RETENTION: i64 = 600_000;

impl Store {
    /// Enqueues a question for workers of this version, and returns its id. Abandoned questions are deleted.
    pub async fn enqueue_question(&self, version: &str, text: &str) -> Result<i64, StoreError> {
        let pool = &self.queue()?.async_commit;
        let old = format!("DELETE FROM job WHERE kind = 'analysis' AND created < {NOW} - $1");
        sqlx::query(AssertSqlSafe(old)).bind(RETENTION).execute(pool).await?;
        let ask = "INSERT INTO job (kind, terms, text, version) VALUES ('analysis', '', $1, $2) RETURNING id";
        let id = sqlx::query_scalar(ask).bind(without_nul(text)).bind(version).fetch_one(pool).await?;
        self.notify(JOBS_CHANNEL, "").await?;
        Ok(id)
    }

    /// Stores the answer to a question that this worker has leased, and notifies the server.
    pub async fn answer_question(&self, worker: &str, id: i64, text: &str) -> Result<(), StoreError> {
        let answer =
            "UPDATE job SET state = 'done', answer = $3 WHERE id = $2 AND kind = 'analysis' AND worker = $1";
        let answer = sqlx::query(answer).bind(worker).bind(id).bind(without_nul(text));
        answer.execute(&self.queue()?.async_commit).await?;
        self.notify(ANSWERS_CHANNEL, &id.to_string()).await
    }

    /// The state of a question.
    pub async fn question_state(&self, id: i64) -> Result<QuestionState, StoreError> {
        let row = sqlx::query("SELECT state, answer FROM job WHERE id = $1 AND kind = 'analysis'");
        let Some(row) = row.bind(id).fetch_optional(&self.queue()?.async_commit).await? else {
            return Ok(QuestionState::Missing);
        };
        Ok(match (row.try_get::<String, _>(0)?.as_str(), row.try_get::<Option<String>, _>(1)?) {
            ("done", Some(answer)) => QuestionState::Answered(answer),
            ("taken", _) => QuestionState::Leased,
            ("ready", _) => QuestionState::Waiting,
            _ => QuestionState::Missing,
        })
    }

    /// Deletes a question whose answer is no longer needed.
    pub async fn delete_question(&self, id: i64) -> Result<(), StoreError> {
        let delete = sqlx::query("DELETE FROM job WHERE id = $1 AND kind = 'analysis'").bind(id);
        Ok(delete.execute(&self.queue()?.async_commit).await.map(drop)?)
    }
}
