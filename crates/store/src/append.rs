//! Appends to the logs of many games in one transaction, and updates the rows of the games. Of several appends to one game the last
//! status counts.
//!
//! An append is atomic, and a refused one does not affect the others; if the database itself fails, all of them fail. Each statement
//! inserts many rows, because round trips would take longer than the writing.

use crate::{EventRow, SeatRow, Store, StoreError, store::without_nul};
use sqlx::{Any, AnyConnection, Connection, any::AnyArguments, query::Query};
use std::{collections::BTreeMap, fmt::Write, iter};

type Answer = Result<(), StoreError>;

/// The status of a game after an append, as lists show it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameStatus {
    /// Number of moves on the record.
    pub plies: i64,
    /// The seats of both sides, if they changed.
    pub seats: Option<[SeatRow; 2]>,
    /// When it ended, its result, and why, if it did.
    pub ended: Option<(i64, String, String)>,
    /// When the side to move of a correspondence game runs out of time.
    pub deadline: Option<i64>,
}

/// Events for the log of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    pub game: String,
    /// In order.
    pub events: Vec<EventRow>,
    /// State of the game after the events.
    pub status: GameStatus,
}

impl Store {
    /// Writes all appends in one transaction, and returns a result for each. An append with a sequence number that exists
    /// already is refused with [`StoreError::Conflict`] (optimistic concurrency) and changes nothing. After
    /// [`StoreError::Failed`] it is unknown whether an append was written; it is never written in part.
    pub async fn append(&self, appends: &[Append]) -> Vec<Result<(), StoreError>> {
        if appends.is_empty() {
            return Vec::new();
        }
        // Refusals are rare, and a savepoint for each append would double the work of all the others.
        let mut done = self.append_batch(appends).await;
        if let Err(StoreError::Conflict(..) | StoreError::NotFound(_)) = done {
            done = self.append_one_by_one(appends).await;
        }
        // The journal waits for a shared database and repeats the append: that is no failed write.
        let done = match done {
            Err(error @ StoreError::Unavailable(_)) if self.is_shared() => {
                self.count_write(self.track_availability(Err(error)))
            }
            done => {
                let games: Vec<&str> = appends.iter().map(|append| append.game.as_str()).collect();
                self.track_write("events of live games", &games, done)
            }
        };
        match done {
            Ok(answers) => answers,
            Err(error) => appends.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Writes all appends in a few statements; a refusal rolls back all of them.
    async fn append_batch(&self, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
        let mut transaction = self.begin_write().await?;
        let mut rows = Vec::with_capacity(appends.len());
        for append in appends {
            rows.extend(append.events.iter().map(|event| (append.game.as_str(), event)));
        }
        // Ordered by game, so that two servers that write to the same games cannot deadlock.
        rows.sort_by_key(|&(game, _)| game);
        for part in chunks(&rows) {
            insert_events(&mut transaction, part).await?;
        }
        let answers = vec![Ok(()); appends.len()];
        update_batch(&mut transaction, &row_updates(appends, &answers)).await?;
        transaction.commit().await?;
        Ok(answers)
    }

    /// Writes appends one by one, and rolls back only the refused ones.
    async fn append_one_by_one(&self, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
        let mut transaction = self.begin_write().await?;
        let mut answers = log_one_by_one(&mut transaction, appends).await?;
        for game in update_one_by_one(&mut transaction, &row_updates(appends, &answers)).await? {
            // Appends with events were refused before; this one has none.
            let of_it = appends.iter().zip(&mut answers).filter(|(append, _)| append.game == game);
            of_it.for_each(|(_, answer)| *answer = Err(StoreError::no_game(game)));
        }
        transaction.commit().await?;
        Ok(answers)
    }
}

async fn log_one_by_one(
    connection: &mut AnyConnection,
    appends: &[Append],
) -> Result<Vec<Answer>, StoreError> {
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        let answer = log(connection, append).await;
        // After a failure the database may have rolled back everything so far.
        if answer.as_ref().is_err_and(StoreError::is_failure) {
            return answer.map(|()| Vec::new());
        }
        answers.push(answer);
    }
    Ok(answers)
}

/// Writes all events of one append or none.
async fn log(connection: &mut AnyConnection, append: &Append) -> Answer {
    let mut savepoint = connection.begin().await?;
    match log_events(&mut savepoint, &append.game, &append.events).await {
        Ok(()) => Ok(savepoint.commit().await?),
        Err(refused) => {
            savepoint.rollback().await?;
            Err(refused)
        }
    }
}

/// Writes events into a game's log. The caller rolls back if one of them is refused.
pub(crate) async fn log_events(
    connection: &mut AnyConnection,
    game: &str,
    events: &[EventRow],
) -> Result<(), StoreError> {
    for event in events {
        insert_events(connection, &[(game, event)]).await?;
    }
    Ok(())
}

/// Writes events of any games in one statement, all or none. A refusal of several events names the first of them.
async fn insert_events(connection: &mut AnyConnection, rows: &[(&str, &EventRow)]) -> Result<(), StoreError> {
    let text = format!(
        "INSERT INTO live_event (game, seq, kind, text, at, first_left, second_left, first_periods, second_periods) \
         VALUES {}",
        values(rows.len(), 9)
    );
    let mut insert = sqlx::query(sqlx::AssertSqlSafe(text));
    for (game, event) in rows {
        insert = insert
            .bind(without_nul(game))
            .bind(event.seq)
            .bind(without_nul(&event.kind))
            .bind(without_nul(&event.text))
            .bind(event.at)
            .bind(event.left.map(|left| left[0]))
            .bind(event.left.map(|left| left[1]))
            .bind(event.periods.map(|periods| periods[0]))
            .bind(event.periods.map(|periods| periods[1]));
    }
    let done = insert.execute(connection).await;
    done.map(drop).map_err(|error| match (error.as_database_error(), rows) {
        (Some(database), [(game, event), ..]) if database.is_unique_violation() => {
            StoreError::Conflict((*game).to_string(), event.seq)
        }
        (Some(database), [(game, _), ..]) if database.is_foreign_key_violation() => StoreError::no_game(game),
        _ => error.into(),
    })
}

const COLUMNS: usize = 13;
/// `news` has the columns of the table; a column that is NULL keeps its value.
const UPDATE: &str = "UPDATE live_game SET plies = news.plies, touched = COALESCE(news.touched, live_game.touched), \
                      first_kind = COALESCE(news.first_kind, live_game.first_kind), \
                      first_name = COALESCE(news.first_name, live_game.first_name), \
                      first_spec = COALESCE(news.first_spec, live_game.first_spec), \
                      second_kind = COALESCE(news.second_kind, live_game.second_kind), \
                      second_name = COALESCE(news.second_name, live_game.second_name), \
                      second_spec = COALESCE(news.second_spec, live_game.second_spec), \
                      ended = COALESCE(news.ended, live_game.ended), \
                      result = COALESCE(news.result, live_game.result), \
                      cause = COALESCE(news.cause, live_game.cause), deadline = news.deadline FROM news WHERE live_game.id = news.id";

/// Changes to the row of one game.
#[derive(Default)]
struct RowUpdate<'a> {
    game: &'a str,
    plies: i64,
    touched: Option<i64>,
    seats: Option<&'a [SeatRow; 2]>,
    ended: Option<&'a (i64, String, String)>,
    deadline: Option<i64>,
}

/// The row updates of all appends that were not refused, one per game.
fn row_updates<'a>(appends: &'a [Append], answers: &[Answer]) -> Vec<RowUpdate<'a>> {
    let mut all = BTreeMap::<&str, RowUpdate<'a>>::new();
    for (append, _) in appends.iter().zip(answers).filter(|(_, answer)| answer.is_ok()) {
        let update = all.entry(&append.game).or_default();
        update.game = &append.game;
        update.plies = append.status.plies;
        update.touched = append.events.last().map(|event| event.at).or(update.touched);
        update.seats = append.status.seats.as_ref().or(update.seats);
        update.ended = append.status.ended.as_ref().or(update.ended);
        update.deadline = append.status.deadline;
    }
    all.into_values().collect()
}

/// Writes all updates; refused if one of the games does not exist, without its name.
async fn update_batch(connection: &mut AnyConnection, updates: &[RowUpdate<'_>]) -> Answer {
    for part in chunks(updates) {
        if update_rows(connection, part).await? < part.len() as u64 {
            return Err(StoreError::no_game("of a batch"));
        }
    }
    Ok(())
}

/// Writes the updates one by one, and returns the games that do not exist.
async fn update_one_by_one<'a>(
    connection: &mut AnyConnection,
    updates: &[RowUpdate<'a>],
) -> Result<Vec<&'a str>, StoreError> {
    let mut missing = Vec::new();
    for part in updates.chunks(1) {
        if update_rows(connection, part).await? == 0 {
            missing.extend(part.iter().map(|update| update.game));
        }
    }
    Ok(missing)
}

/// Writes updates in one statement, and returns the number of rows that exist.
async fn update_rows(connection: &mut AnyConnection, part: &[RowUpdate<'_>]) -> Result<u64, StoreError> {
    let text = format!(
        "WITH news (id, plies, touched, first_kind, first_name, first_spec, second_kind, second_name, second_spec, \
         ended, result, cause, deadline) AS (VALUES {}) {UPDATE}",
        values(part.len(), COLUMNS)
    );
    let update = sqlx::query(sqlx::AssertSqlSafe(text));
    let update = part.iter().fold(update, |update, row| row.bind(update));
    Ok(update.execute(connection).await?.rows_affected())
}

impl RowUpdate<'_> {
    fn bind<'q>(&self, update: Query<'q, Any, AnyArguments>) -> Query<'q, Any, AnyArguments> {
        let seat = |side: usize| self.seats.map(|seats| &seats[side]);
        update
            .bind(without_nul(self.game))
            .bind(self.plies)
            .bind(self.touched)
            .bind(seat(0).map(|seat| without_nul(&seat.kind)))
            .bind(seat(0).map(|seat| without_nul(&seat.name)))
            .bind(seat(0).map(|seat| without_nul(&seat.spec)))
            .bind(seat(1).map(|seat| without_nul(&seat.kind)))
            .bind(seat(1).map(|seat| without_nul(&seat.name)))
            .bind(seat(1).map(|seat| without_nul(&seat.spec)))
            .bind(self.ended.map(|ended| ended.0))
            .bind(self.ended.map(|ended| without_nul(&ended.1)))
            .bind(self.ended.map(|ended| without_nul(&ended.2)))
            .bind(self.deadline)
    }
}

/// Rows per statement. There are few sizes, so that the prepared statements are reused.
const SIZES: [usize; 4] = [64, 16, 4, 1];

/// Splits rows into chunks of these sizes, in order.
fn chunks<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    iter::from_fn(move || {
        let &size = SIZES.iter().find(|&&size| size <= rest.len())?;
        let (part, others) = rest.split_at(size);
        rest = others;
        Some(part)
    })
}

/// The list of values for `rows` rows of `columns` columns: `($1, $2), ($3, $4)`.
fn values(rows: usize, columns: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 6);
    for number in 1..=rows * columns {
        let before = match (number - 1) % columns {
            0 if number == 1 => "(",
            0 => "), (",
            _ => ", ",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "{before}${number}");
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_have_few_sizes_and_cover_all_rows() {
        let rows: Vec<usize> = (0..151).collect();
        assert_eq!(chunks(&rows).map(<[usize]>::len).collect::<Vec<_>>(), [64, 64, 16, 4, 1, 1, 1]);
        assert_eq!(chunks(&rows).flatten().copied().collect::<Vec<_>>(), rows);
        assert_eq!(chunks(&rows[..0]).count(), 0);
    }

    #[test]
    fn placeholders_are_numbered() {
        assert_eq!(values(1, 1), "($1)");
        assert_eq!(values(2, 3), "($1, $2, $3), ($4, $5, $6)");
    }
}
