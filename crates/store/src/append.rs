//! Adding to the logs of many games in one transaction.
//!
//! An append goes in whole or not at all, and one that is refused takes no other along. Only when the database itself fails do
//! all of them fail.

use crate::{
    EventRow, SeatRow, Store, StoreError,
    games::{insert_events, log_events},
    many,
    standing::{news, show_singly, show_together},
};
use sqlx::{AnyConnection, Connection};

/// What became of one append.
pub type Answer = Result<(), StoreError>;

/// What an append brings beside the events: how the list of games shows it from now on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// How many moves stand on its record.
    pub plies: i64,
    /// Who sits at both sides, if that changed.
    pub seats: Option<[SeatRow; 2]>,
    /// When it ended, its result, and why, if it did.
    pub ended: Option<(i64, String, String)>,
    /// When the side to move of a correspondence game runs out of time.
    pub deadline: Option<i64>,
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
        for part in many::parts(&rows) {
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

/// Writes one append's events, or none of them.
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
