//! Adding to the logs of many games in one transaction, with what that changes in the rows of the games: the last append counts.
//!
//! An append goes in whole or not at all, and one that is refused takes no other along. Only when the database itself fails do
//! all of them fail. Statements have many rows: each statement is a way to the database and back, and with one for each row the
//! ways would take longer than the writing.

use crate::{EventRow, SeatRow, Store, StoreError, store::kept};
use sqlx::{Any, AnyConnection, Connection, any::AnyArguments, query::Query};
use std::{collections::BTreeMap, fmt::Write, iter};

type Answer = Result<(), StoreError>;

/// What an append brings beside the events: how the list of games shows it from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Number of moves on the record.
    pub plies: i64,
    /// The seats of both sides, if they changed.
    pub seats: Option<[SeatRow; 2]>,
    /// When it ended, its result, and why, if it did.
    pub ended: Option<(i64, String, String)>,
    /// When the side to move of a correspondence game runs out of time.
    pub deadline: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    pub game: String,
    /// In order.
    pub events: Vec<EventRow>,
    /// State of the game after the events.
    pub standing: Standing,
}

impl Store {
    /// Writes all of them in one transaction, and says of each whether it is on the disk. One with an event whose number is
    /// there already is [`StoreError::Stale`] and changes nothing. After [`StoreError::Failed`] it may be there, though never
    /// half: only reading the game again tells.
    pub async fn append(&self, appends: &[Append]) -> Vec<Result<(), StoreError>> {
        if appends.is_empty() {
            return Vec::new();
        }
        // Refusals are rare, and a savepoint for each append would double the work of all the others.
        let mut done = self.append_together(appends).await;
        if let Err(StoreError::Stale(..) | StoreError::Missing(_)) = done {
            done = self.append_singly(appends).await;
        }
        // A shared database that is away is waited for, and the append repeated: that is no failed write.
        let done = match done {
            Err(error @ StoreError::Away(_)) if self.is_shared() => self.recorded(self.observed(Err(error))),
            done => {
                let games: Vec<&str> = appends.iter().map(|append| append.game.as_str()).collect();
                self.written("events of live games", &games, done)
            }
        };
        match done {
            Ok(answers) => answers,
            Err(error) => appends.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Writes them in a few statements; a refusal undoes them all.
    async fn append_together(&self, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
        let mut transaction = self.write().await?;
        let mut rows = Vec::with_capacity(appends.len());
        for append in appends {
            rows.extend(append.events.iter().map(|event| (append.game.as_str(), event)));
        }
        // By game: two servers that write to the same games at once then wait for each other in one direction only.
        rows.sort_by_key(|&(game, _)| game);
        for part in parts(&rows) {
            insert_events(&mut transaction, part).await?;
        }
        let answers = vec![Ok(()); appends.len()];
        show_together(&mut transaction, &news(appends, &answers)).await?;
        transaction.commit().await?;
        Ok(answers)
    }

    /// Writes them one by one, and undoes a refused one alone.
    async fn append_singly(&self, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
        let mut transaction = self.write().await?;
        let mut answers = log_singly(&mut transaction, appends).await?;
        for game in show_singly(&mut transaction, &news(appends, &answers)).await? {
            // Those with events were refused before; this one had none.
            let of_it = appends.iter().zip(&mut answers).filter(|(append, _)| append.game == game);
            of_it.for_each(|(_, answer)| *answer = Err(StoreError::no_game(game)));
        }
        transaction.commit().await?;
        Ok(answers)
    }
}

async fn log_singly(connection: &mut AnyConnection, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        let answer = log(connection, append).await;
        // After a failure of its own the database may have undone everything so far: nothing can go on from there.
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

/// Writes events into a game's log. Those before one that is refused are written: the caller undoes them.
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

/// Writes events of any games in one statement, all or none. Of several the refusal names the first one, whichever it was.
async fn insert_events(connection: &mut AnyConnection, rows: &[(&str, &EventRow)]) -> Result<(), StoreError> {
    let text = format!(
        "INSERT INTO live_event (game, seq, kind, text, at, first_left, second_left, first_periods, second_periods) \
         VALUES {}",
        values(rows.len(), 9)
    );
    let mut insert = sqlx::query(sqlx::AssertSqlSafe(text));
    for (game, event) in rows {
        insert = insert
            .bind(kept(game))
            .bind(event.seq)
            .bind(kept(&event.kind))
            .bind(kept(&event.text))
            .bind(event.at)
            .bind(event.left.map(|left| left[0]))
            .bind(event.left.map(|left| left[1]))
            .bind(event.periods.map(|periods| periods[0]))
            .bind(event.periods.map(|periods| periods[1]));
    }
    let done = insert.execute(connection).await;
    done.map(drop).map_err(|error| match (error.as_database_error(), rows) {
        (Some(database), [(game, event), ..]) if database.is_unique_violation() => {
            StoreError::Stale((*game).to_string(), event.seq)
        }
        (Some(database), [(game, _), ..]) if database.is_foreign_key_violation() => StoreError::no_game(game),
        _ => error.into(),
    })
}

const COLUMNS: usize = 13;
/// Named as the columns they go to. What is not new is nothing, and stays what it was.
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
struct News<'a> {
    game: &'a str,
    plies: i64,
    touched: Option<i64>,
    seats: Option<&'a [SeatRow; 2]>,
    ended: Option<&'a (i64, String, String)>,
    deadline: Option<i64>,
}

/// What those appends that were not refused say of each game, by its id.
fn news<'a>(appends: &'a [Append], answers: &[Answer]) -> Vec<News<'a>> {
    let mut all = BTreeMap::<&str, News<'a>>::new();
    for (append, _) in appends.iter().zip(answers).filter(|(_, answer)| answer.is_ok()) {
        let news = all.entry(&append.game).or_default();
        news.game = &append.game;
        news.plies = append.standing.plies;
        news.touched = append.events.last().map(|event| event.at).or(news.touched);
        news.seats = append.standing.seats.as_ref().or(news.seats);
        news.ended = append.standing.ended.as_ref().or(news.ended);
        news.deadline = append.standing.deadline;
    }
    all.into_values().collect()
}

/// Writes it all; refused if one of the games is not there, and does not say which one.
async fn show_together(connection: &mut AnyConnection, news: &[News<'_>]) -> Answer {
    for part in parts(news) {
        if show(connection, part).await? < part.len() as u64 {
            return Err(StoreError::no_game("of a batch"));
        }
    }
    Ok(())
}

/// Writes what can be written, and returns the games that are not there.
async fn show_singly<'a>(
    connection: &mut AnyConnection,
    news: &[News<'a>],
) -> Result<Vec<&'a str>, StoreError> {
    let mut missing = Vec::new();
    for part in news.chunks(1) {
        if show(connection, part).await? == 0 {
            missing.extend(part.iter().map(|news| news.game));
        }
    }
    Ok(missing)
}

/// Writes it, and returns how many rows there were to write it to.
async fn show(connection: &mut AnyConnection, part: &[News<'_>]) -> Result<u64, StoreError> {
    let text = format!(
        "WITH news (id, plies, touched, first_kind, first_name, first_spec, second_kind, second_name, second_spec, \
         ended, result, cause, deadline) AS (VALUES {}) {UPDATE}",
        values(part.len(), COLUMNS)
    );
    let update = sqlx::query(sqlx::AssertSqlSafe(text));
    let update = part.iter().fold(update, |update, news| news.bind(update));
    Ok(update.execute(connection).await?.rows_affected())
}

impl News<'_> {
    fn bind<'q>(&self, update: Query<'q, Any, AnyArguments>) -> Query<'q, Any, AnyArguments> {
        let seat = |side: usize| self.seats.map(|seats| &seats[side]);
        update
            .bind(kept(self.game))
            .bind(self.plies)
            .bind(self.touched)
            .bind(seat(0).map(|seat| kept(&seat.kind)))
            .bind(seat(0).map(|seat| kept(&seat.name)))
            .bind(seat(0).map(|seat| kept(&seat.spec)))
            .bind(seat(1).map(|seat| kept(&seat.kind)))
            .bind(seat(1).map(|seat| kept(&seat.name)))
            .bind(seat(1).map(|seat| kept(&seat.spec)))
            .bind(self.ended.map(|ended| ended.0))
            .bind(self.ended.map(|ended| kept(&ended.1)))
            .bind(self.ended.map(|ended| kept(&ended.2)))
            .bind(self.deadline)
    }
}

/// How many rows one statement may have. A few sizes do for all, so that the database need not learn a new statement each time.
const SIZES: [usize; 4] = [64, 16, 4, 1];

/// All rows in their order, in parts of those sizes.
fn parts<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
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
    fn parts_have_few_sizes_and_leave_nothing_out() {
        let rows: Vec<usize> = (0..151).collect();
        assert_eq!(parts(&rows).map(<[usize]>::len).collect::<Vec<_>>(), [64, 64, 16, 4, 1, 1, 1]);
        assert_eq!(parts(&rows).flatten().copied().collect::<Vec<_>>(), rows);
        assert_eq!(parts(&rows[..0]).count(), 0);
    }

    #[test]
    fn values_are_numbered_through() {
        assert_eq!(values(1, 1), "($1)");
        assert_eq!(values(2, 3), "($1, $2, $3), ($4, $5, $6)");
    }
}
