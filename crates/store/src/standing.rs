//! What a batch of appends changes in the rows of its games: the last word on each counts.

use crate::{Append, SeatRow, StoreError, append::Answer, many, store::kept};
use sqlx::{Any, AnyConnection, any::AnyArguments, query::Query};
use std::collections::BTreeMap;

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

/// What changes in the row of one game.
#[derive(Default)]
pub struct News<'a> {
    game: &'a str,
    plies: i64,
    touched: Option<i64>,
    seats: Option<&'a [SeatRow; 2]>,
    ended: Option<&'a (i64, String, String)>,
    deadline: Option<i64>,
}

/// What those appends that were not refused say of each game, by its id.
pub fn news<'a>(appends: &'a [Append], answers: &[Answer]) -> Vec<News<'a>> {
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
pub async fn show_together(connection: &mut AnyConnection, news: &[News<'_>]) -> Answer {
    for part in many::parts(news) {
        if show(connection, part).await? < part.len() as u64 {
            return Err(StoreError::no_game("of a batch"));
        }
    }
    Ok(())
}

/// Writes what can be written, and returns the games that are not there.
pub async fn show_singly<'a>(
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
        many::values(part.len(), COLUMNS)
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
