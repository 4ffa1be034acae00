//! Live games: one row per game, as lists show it, and the log of its events, from which everything else is derived.
//!
//! Events are never changed or interpreted here. [`Store::append`](crate::Store::append) adds them.

use crate::{Store, StoreError, append::log_events, store::without_nul};
use sqlx::{AnyConnection, Row, any::AnyRow};

/// The player of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatRow {
    /// Kind of player; the server defines the words.
    pub kind: String,
    pub name: String,
    /// What the server needs to restore the player.
    pub spec: String,
}

/// A game as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveGameRow {
    /// As in the game's URLs.
    pub id: String,
    pub game: String,
    /// The position it started from, if not from the usual one.
    pub start: Option<String>,
    /// Such as `5m+3s`.
    pub clock: Option<String>,
    /// First side first.
    pub seats: [SeatRow; 2],
    /// Whether it is in public lists; a private game is found by its id only.
    pub listed: bool,
    /// In milliseconds since 1970.
    pub created: i64,
    /// When its last event happened, in milliseconds since 1970.
    pub touched: i64,
    /// Number of moves on the record.
    pub plies: i64,
    /// In milliseconds since 1970.
    pub ended: Option<i64>,
    /// The result as in records.
    pub result: Option<String>,
    pub cause: Option<String>,
    /// Version of the rules by which it is played.
    pub rules: i64,
    /// When the side to move of a correspondence game runs out of time, in milliseconds since 1970.
    pub deadline: Option<i64>,
}

/// One event of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventRow {
    /// Sequence number in the game.
    pub seq: i64,
    /// Kind of event; the server defines the words.
    pub kind: String,
    /// Payload of the event.
    pub text: String,
    /// In milliseconds since 1970.
    pub at: i64,
    /// Remaining time of both sides after it, in milliseconds.
    pub left: Option<[i64; 2]>,
    /// Remaining periods of byo-yomi of both sides after it.
    pub periods: Option<[i64; 2]>,
}

const COLUMNS: &str = "id, game, start, clock, first_kind, first_name, first_spec, second_kind, second_name, second_spec, \
                       listed, created, touched, plies, ended, result, cause, rules, deadline";

impl Store {
    /// Stores a new game with its first events in one transaction.
    pub async fn create_game(&self, game: &LiveGameRow, events: &[EventRow]) -> Result<(), StoreError> {
        let write = async {
            let mut transaction = self.begin_write().await?;
            insert_game(&mut transaction, game).await?;
            log_events(&mut transaction, &game.id, events).await?;
            Ok(transaction.commit().await?)
        };
        self.track_write("new live game", &[&game.id], write.await)
    }

    /// A game with its events in order.
    pub async fn live_game(&self, id: &str) -> Result<Option<(LiveGameRow, Vec<EventRow>)>, StoreError> {
        // One transaction, so that row and log are consistent.
        let mut transaction = self.begin_read().await?;
        let text = format!("SELECT {COLUMNS} FROM live_game WHERE id = $1");
        let row = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(without_nul(id))
            .fetch_optional(&mut *transaction)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let events = sqlx::query(
            "SELECT seq, kind, text, at, first_left, second_left, first_periods, second_periods FROM live_event \
             WHERE game = $1 ORDER BY seq",
        );
        let events = events.bind(without_nul(id)).fetch_all(&mut *transaction).await?;
        let read = |event| read_event(event).map_err(|error| error.in_row("live_event", of_event(id, event)));
        let events = events.iter().map(read).collect::<Result<Vec<EventRow>, StoreError>>()?;
        Ok(Some((read_game(&row)?, events)))
    }

    /// Games in progress with an event since this time, private ones too, latest first; at most `most`.
    pub async fn live_games(&self, since: i64, most: i64) -> Result<Vec<LiveGameRow>, StoreError> {
        self.list("ended IS NULL AND touched >= $1 ORDER BY touched DESC, id", since, most).await
    }

    /// Public games that ended before this time, latest first; at most `most`.
    pub async fn recent_games(&self, before: i64, most: i64) -> Result<Vec<LiveGameRow>, StoreError> {
        self.list("ended < $1 AND listed = 1 ORDER BY ended DESC, id", before, most).await
    }

    /// Correspondence games whose side to move has run out of time, longest overdue first; at most `most`.
    pub async fn overdue_games(&self, now: i64, most: i64) -> Result<Vec<LiveGameRow>, StoreError> {
        self.list("deadline < $1 AND ended IS NULL ORDER BY deadline, id", now, most).await
    }

    async fn list(&self, which: &'static str, when: i64, most: i64) -> Result<Vec<LiveGameRow>, StoreError> {
        let text = format!("SELECT {COLUMNS} FROM live_game WHERE {which} LIMIT $2");
        let rows = sqlx::query(sqlx::AssertSqlSafe(text)).bind(when).bind(most.max(0));
        rows.fetch_all(&self.pool).await?.iter().map(read_game).collect()
    }
}

async fn insert_game(connection: &mut AnyConnection, game: &LiveGameRow) -> Result<(), StoreError> {
    let text = format!(
        "INSERT INTO live_game ({COLUMNS}) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)"
    );
    let [first, second] = &game.seats;
    let insert = sqlx::query(sqlx::AssertSqlSafe(text))
        .bind(without_nul(&game.id))
        .bind(without_nul(&game.game))
        .bind(game.start.as_deref().map(without_nul))
        .bind(game.clock.as_deref().map(without_nul))
        .bind(without_nul(&first.kind))
        .bind(without_nul(&first.name))
        .bind(without_nul(&first.spec))
        .bind(without_nul(&second.kind))
        .bind(without_nul(&second.name))
        .bind(without_nul(&second.spec))
        .bind(i64::from(game.listed))
        .bind(game.created)
        .bind(game.touched)
        .bind(game.plies)
        .bind(game.ended)
        .bind(game.result.as_deref().map(without_nul))
        .bind(game.cause.as_deref().map(without_nul))
        .bind(game.rules)
        .bind(game.deadline);
    let done = insert.execute(connection).await;
    done.map(drop).map_err(|error| match error.as_database_error() {
        Some(database) if database.is_unique_violation() => StoreError::IdTaken(game.id.clone()),
        _ => error.into(),
    })
}

fn read_game(row: &AnyRow) -> Result<LiveGameRow, StoreError> {
    let id = row.try_get::<String, _>("id");
    read_columns(row)
        .map_err(|error| error.in_row("live_game", format_args!("game {}", id.unwrap_or_default())))
}

/// The key of an event for error messages: its game and, if it can be read, its sequence number.
fn of_event(game: &str, row: &AnyRow) -> String {
    match row.try_get::<i64, _>("seq") {
        Ok(seq) => format!("game {game}, event {seq}"),
        Err(_) => format!("game {game}"),
    }
}

fn read_columns(row: &AnyRow) -> Result<LiveGameRow, StoreError> {
    let seat = |kind, name, spec| -> Result<SeatRow, StoreError> {
        Ok(SeatRow { kind: row.try_get(kind)?, name: row.try_get(name)?, spec: row.try_get(spec)? })
    };
    Ok(LiveGameRow {
        id: row.try_get("id")?,
        game: row.try_get("game")?,
        start: row.try_get("start")?,
        clock: row.try_get("clock")?,
        seats: [
            seat("first_kind", "first_name", "first_spec")?,
            seat("second_kind", "second_name", "second_spec")?,
        ],
        listed: row.try_get::<i64, _>("listed")? != 0,
        created: row.try_get("created")?,
        touched: row.try_get("touched")?,
        plies: row.try_get("plies")?,
        ended: row.try_get("ended")?,
        result: row.try_get("result")?,
        cause: row.try_get("cause")?,
        rules: row.try_get("rules")?,
        deadline: row.try_get("deadline")?,
    })
}

pub(crate) fn read_event(row: &AnyRow) -> Result<EventRow, StoreError> {
    let pair = |first, second| -> Result<Option<[i64; 2]>, StoreError> {
        let both: [Option<i64>; 2] = [row.try_get(first)?, row.try_get(second)?];
        Ok(both[0].zip(both[1]).map(|(first, second)| [first, second]))
    };
    Ok(EventRow {
        seq: row.try_get("seq")?,
        kind: row.try_get("kind")?,
        text: row.try_get("text")?,
        at: row.try_get("at")?,
        left: pair("first_left", "second_left")?,
        periods: pair("first_periods", "second_periods")?,
    })
}
