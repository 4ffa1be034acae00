//! The games in the queue, for the process that runs a tournament: enqueued, collected when they are finished, removed.

use super::{NOW, payload};
use crate::{
    CollectedGames, DONE_CHANNEL, FailedGame, JOBS_CHANNEL, MAX_ATTEMPTS, QueuedGame, Store, StoreError,
    TournamentGameRow,
    store::without_nul,
    tournaments::{COLUMNS, read},
};
use sqlx::{AssertSqlSafe, PgConnection, Row};

/// Games inserted per statement.
const BATCH: usize = 1000;

impl Store {
    /// Enqueues games of a tournament, for workers of this version that meet the requirements. Games that are enqueued or finished
    /// already are skipped.
    pub async fn enqueue_games(
        &self,
        tournament: &str,
        terms: &str,
        version: &str,
        games: &[QueuedGame],
    ) -> Result<(), StoreError> {
        let pool = &self.queue()?.jobs;
        for games in games.chunks(BATCH) {
            let numbers: Vec<i64> = games.iter().map(|game| game.number).collect();
            let side =
                |side: usize| games.iter().map(|game| without_nul(&game.players[side])).collect::<Vec<_>>();
            let texts: Vec<String> = games.iter().map(|game| without_nul(&game.text)).collect();
            let put = sqlx::query(
                "INSERT INTO job (kind, tournament, number, first, second, terms, text, version) \
                 SELECT 'game', $1, g.number, g.first, g.second, $2, g.text, $3 \
                 FROM UNNEST($4::BIGINT[], $5::TEXT[], $6::TEXT[], $7::TEXT[]) AS g (number, first, second, text) \
                 WHERE NOT EXISTS (SELECT 1 FROM tournament_game k WHERE k.tournament = $1 AND k.number = g.number) \
                 ORDER BY g.number ON CONFLICT DO NOTHING",
            );
            let put = put.bind(without_nul(tournament)).bind(terms).bind(version).bind(numbers);
            let put = put.bind(side(0)).bind(side(1)).bind(texts).execute(pool).await;
            self.track_write("games for the queue", &[tournament], put.map_err(StoreError::from))?;
        }
        self.notify(JOBS_CHANNEL, "").await
    }

    /// Removes the games of a tournament that were finished or have failed since the last call from the queue, and returns them.
    pub async fn collect_games(&self, tournament: &str) -> Result<CollectedGames, StoreError> {
        let mut transaction =
            self.track_availability(self.queue()?.jobs.begin().await.map_err(StoreError::from))?;
        fail_abandoned(&mut transaction, tournament).await?;
        let over = sqlx::query(
            "DELETE FROM job WHERE tournament = $1 AND state IN ('done', 'failed') RETURNING number, state, attempts, why",
        );
        let over = over.bind(without_nul(tournament)).fetch_all(&mut *transaction).await?;
        let (mut numbers, mut failed) = (Vec::new(), Vec::new());
        for row in &over {
            let (number, state): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
            match state.as_str() {
                "done" => numbers.push(number),
                _ => failed.push(FailedGame { number, attempts: row.try_get(2)?, why: row.try_get(3)? }),
            }
        }
        let games = match numbers.is_empty() {
            true => Vec::new(),
            false => select_games(&mut transaction, tournament, &numbers).await?,
        };
        transaction.commit().await?;
        Ok(CollectedGames { games, failed })
    }

    /// Removes the games of a tournament from the queue, also leased ones, whose results are ignored from then on. With `except`,
    /// games with these requirements and this version stay.
    pub async fn remove_queued_games(
        &self,
        tournament: &str,
        except: Option<(&str, &str)>,
    ) -> Result<(), StoreError> {
        let (terms, version) = except.unzip();
        let delete = sqlx::query(
            "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE kind = 'game' AND tournament = $1 \
             AND ($2::TEXT IS NULL OR terms <> $2 OR version <> $3) ORDER BY id FOR UPDATE)",
        );
        let delete = delete.bind(without_nul(tournament)).bind(terms).bind(version);
        Ok(delete.execute(&self.queue()?.jobs).await.map(drop)?)
    }

    /// Stores finished games of a tournament, each with the id of its job, in one transaction. Returns the numbers of those that
    /// count: others were finished by another worker or removed from the queue.
    pub async fn finish_games(
        &self,
        worker: &str,
        tournament: &str,
        games: &[(i64, TournamentGameRow)],
    ) -> Result<Vec<i64>, StoreError> {
        let done = self.insert_finished(worker, tournament, games).await;
        // The worker waits for an unavailable database and repeats the call.
        match done {
            Err(error @ StoreError::Unavailable(_)) => self.count_write(self.track_availability(Err(error))),
            done => self.track_write("finished games of a tournament", &[tournament], done),
        }
    }

    async fn insert_finished(
        &self,
        worker: &str,
        tournament: &str,
        games: &[(i64, TournamentGameRow)],
    ) -> Result<Vec<i64>, StoreError> {
        let mut transaction = self.queue()?.jobs.begin().await?;
        let update = sqlx::query("UPDATE tournament SET changes = changes + 1 WHERE name = $1");
        if update.bind(without_nul(tournament)).execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(Vec::new());
        }
        let ids: Vec<i64> = games.iter().map(|(id, _)| *id).collect();
        let done = sqlx::query_scalar(
            "UPDATE job SET state = 'done', worker = $3 WHERE id IN (SELECT id FROM job WHERE id = ANY($1) AND tournament = $2 \
             AND kind = 'game' AND state <> 'done' ORDER BY id FOR UPDATE) RETURNING number",
        );
        let done: Vec<i64> =
            done.bind(ids).bind(without_nul(tournament)).bind(worker).fetch_all(&mut *transaction).await?;
        let rows: Vec<&TournamentGameRow> =
            games.iter().map(|(_, row)| row).filter(|row| done.contains(&row.number)).collect();
        if !rows.is_empty() {
            insert(&mut transaction, tournament, &rows).await?;
            let notify = sqlx::query("SELECT pg_notify($1, $2)").bind(DONE_CHANNEL).bind(payload(tournament));
            notify.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(done)
    }
}

/// Marks games as failed whose last lease has expired after too many attempts.
async fn fail_abandoned(connection: &mut PgConnection, tournament: &str) -> Result<(), StoreError> {
    let text = format!(
        "UPDATE job SET state = 'failed' WHERE id IN (SELECT id FROM job WHERE kind = 'game' AND tournament = $1 \
         AND state = 'taken' AND until < {NOW} AND attempts >= $2 ORDER BY id FOR UPDATE SKIP LOCKED)"
    );
    let update = sqlx::query(AssertSqlSafe(text)).bind(without_nul(tournament)).bind(MAX_ATTEMPTS);
    Ok(update.execute(connection).await.map(drop)?)
}

async fn select_games(
    connection: &mut PgConnection,
    tournament: &str,
    numbers: &[i64],
) -> Result<Vec<TournamentGameRow>, StoreError> {
    let text = format!(
        "SELECT {COLUMNS} FROM tournament_game WHERE tournament = $1 AND number = ANY($2) ORDER BY number"
    );
    let rows = sqlx::query(AssertSqlSafe(text)).bind(without_nul(tournament)).bind(numbers);
    rows.fetch_all(connection).await?.iter().map(|row| read(row, tournament)).collect()
}

/// Inserts any number of rows in one statement. Existing games are skipped.
async fn insert(
    connection: &mut PgConnection,
    tournament: &str,
    rows: &[&TournamentGameRow],
) -> Result<(), StoreError> {
    let text = format!(
        "INSERT INTO tournament_game (tournament, {COLUMNS}) SELECT $1, g.* FROM UNNEST($2::BIGINT[], $3::TEXT[], $4::BIGINT[], \
         $5::TEXT[], $6::TEXT[], $7::TEXT[], $8::BIGINT[], $9::BIGINT[], $10::TEXT[], $11::TEXT[], $12::TEXT[], $13::TEXT[], \
         $14::TEXT[], $15::BIGINT[], $16::BIGINT[]) AS g ON CONFLICT DO NOTHING"
    );
    let numbers =
        |number: fn(&TournamentGameRow) -> i64| rows.iter().map(|row| number(row)).collect::<Vec<i64>>();
    let texts = |text: fn(&TournamentGameRow) -> &str| {
        rows.iter().map(|row| without_nul(text(row))).collect::<Vec<String>>()
    };
    let violation = |text: fn(&crate::ViolationRow) -> &str| {
        rows.iter()
            .map(|row| row.violation.as_ref().map(|violation| without_nul(text(violation))))
            .collect::<Vec<Option<String>>>()
    };
    let insert = sqlx::query(AssertSqlSafe(text))
        .bind(without_nul(tournament))
        .bind(numbers(|row| row.number))
        .bind(texts(|row| &row.game))
        .bind(numbers(|row| row.round))
        .bind(texts(|row| &row.players[0]))
        .bind(texts(|row| &row.players[1]))
        .bind(texts(|row| &row.record))
        .bind(numbers(|row| row.nanos[0]))
        .bind(numbers(|row| row.nanos[1]))
        .bind(violation(|violation| &violation.side))
        .bind(violation(|violation| &violation.kind))
        .bind(violation(|violation| &violation.why))
        .bind(texts(|row| &row.stderr[0]))
        .bind(texts(|row| &row.stderr[1]))
        .bind(rows.iter().map(|row| row.cpu_nanos[0]).collect::<Vec<Option<i64>>>())
        .bind(rows.iter().map(|row| row.cpu_nanos[1]).collect::<Vec<Option<i64>>>());
    Ok(insert.execute(connection).await.map(drop)?)
}
