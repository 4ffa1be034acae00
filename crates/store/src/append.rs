//! Adding to the logs of many games in one transaction.
//!
//! An append goes in whole or not at all, and one that is refused takes no other along. Only when the database itself fails do
//! all of them fail.

use crate::{EventRow, SeatRow, Store, StoreError, games::insert_events, store::kept};
use sqlx::{AnyConnection, Connection};
use std::collections::BTreeMap;

/// What became of one append.
type Answer = Result<(), StoreError>;

/// What an append brings beside the events: how the list of games shows it from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// How many moves stand on its record.
    pub plies: i64,
    /// Who sits at both sides, if that changed.
    pub seats: Option<[SeatRow; 2]>,
    /// When it ended, its result, and why, if it did.
    pub ended: Option<(i64, String, String)>,
}

/// New events of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// The game's id.
    pub game: String,
    /// What happened, in its order.
    pub events: Vec<EventRow>,
    /// How the game stands after it.
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
        let mut done = self.append_all(appends, false).await;
        if let Err(StoreError::Stale(..) | StoreError::Missing(_)) = done {
            done = self.append_all(appends, true).await;
        }
        match done {
            Ok(answers) => answers,
            Err(error) => appends.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    /// Writes them, and undoes a refused one alone if each is to be singled out; otherwise a refusal undoes them all.
    async fn append_all(&self, appends: &[Append], singly: bool) -> Result<Vec<Answer>, StoreError> {
        let mut transaction = self.write().await?;
        let mut answers = match singly {
            true => log_singly(&mut transaction, appends).await?,
            false => log_together(&mut transaction, appends).await?,
        };
        for (game, news) in news(appends, &answers) {
            if news.show(&mut transaction, game).await? == 0 {
                // Those with events were refused before; this one had none.
                let of_it = appends.iter().zip(&mut answers).filter(|(append, _)| append.game == game);
                of_it.for_each(|(_, answer)| *answer = Err(StoreError::no_game(game)));
            }
        }
        transaction.commit().await?;
        Ok(answers)
    }
}

async fn log_together(connection: &mut AnyConnection, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
    for append in appends {
        insert_events(connection, &append.game, &append.events).await?;
    }
    Ok(vec![Ok(()); appends.len()])
}

async fn log_singly(connection: &mut AnyConnection, appends: &[Append]) -> Result<Vec<Answer>, StoreError> {
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        let answer = log(connection, append).await;
        // After a failure of its own the database may have undone everything so far: nothing can go on from there.
        if let Err(error @ (StoreError::Failed(_) | StoreError::Away(_))) = answer {
            return Err(error);
        }
        answers.push(answer);
    }
    Ok(answers)
}

/// Writes one append's events, or none of them.
async fn log(connection: &mut AnyConnection, append: &Append) -> Answer {
    let mut savepoint = connection.begin().await?;
    match insert_events(&mut savepoint, &append.game, &append.events).await {
        Ok(()) => Ok(savepoint.commit().await?),
        Err(refused) => {
            savepoint.rollback().await?;
            Err(refused)
        }
    }
}

/// What a batch changes in the row of one game.
#[derive(Default)]
struct News<'a> {
    plies: i64,
    touched: Option<i64>,
    seats: Option<&'a [SeatRow; 2]>,
    ended: Option<&'a (i64, String, String)>,
}

/// The last word of a batch on each of its games.
fn news<'a>(appends: &'a [Append], answers: &[Answer]) -> BTreeMap<&'a str, News<'a>> {
    let mut all = BTreeMap::<&str, News<'a>>::new();
    for (append, _) in appends.iter().zip(answers).filter(|(_, answer)| answer.is_ok()) {
        let news = all.entry(&append.game).or_default();
        news.plies = append.standing.plies;
        news.touched = append.events.last().map(|event| event.at).or(news.touched);
        news.seats = append.standing.seats.as_ref().or(news.seats);
        news.ended = append.standing.ended.as_ref().or(news.ended);
    }
    all
}

impl News<'_> {
    /// Writes it, and returns how many rows there were to write it to.
    async fn show(&self, connection: &mut AnyConnection, game: &str) -> Result<u64, StoreError> {
        let seat = |side: usize| self.seats.map(|seats| &seats[side]);
        let update = sqlx::query(
            "UPDATE live_game SET plies = $2, touched = COALESCE($3, touched), \
             first_kind = COALESCE($4, first_kind), first_name = COALESCE($5, first_name), \
             first_spec = COALESCE($6, first_spec), second_kind = COALESCE($7, second_kind), \
             second_name = COALESCE($8, second_name), second_spec = COALESCE($9, second_spec), \
             ended = COALESCE($10, ended), result = COALESCE($11, result), cause = COALESCE($12, cause) WHERE id = $1",
        )
        .bind(kept(game))
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
        .bind(self.ended.map(|ended| kept(&ended.2)));
        Ok(update.execute(connection).await?.rows_affected())
    }
}
