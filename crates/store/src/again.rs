//! Appending to a database that goes away and comes back.
//!
//! A connection that is lost takes the answer along: the events may be written or not, and only the database knows. So they are
//! appended once more, and one whose very events are there already is the one that was written. It may still be on its way there
//! when the database is back; then the second attempt waits for the first by itself, as both want the same numbers.

use crate::{Append, EventRow, Store, StoreError, games::read_event, store::kept};
use std::{collections::BTreeSet, time::Duration};

/// After how long without an answer a shared database counts as away: a machine that vanished says no word of it.
const PATIENCE: Duration = Duration::from_secs(30);

impl Store {
    /// Like [`Store::append`], and a shared database that is away is waited for.
    pub(crate) async fn append_surely(&self, appends: &[Append]) -> Vec<Result<(), StoreError>> {
        if !self.is_shared() {
            return self.append(appends).await;
        }
        let mut answers = self.append_in_time(appends).await;
        while answers.iter().any(is_away) {
            self.back().await;
            answers = self.append_in_time(appends).await;
            self.own_up(appends, &mut answers).await;
        }
        answers
    }

    async fn append_in_time(&self, appends: &[Append]) -> Vec<Result<(), StoreError>> {
        let answers = tokio::time::timeout(PATIENCE, self.append(appends)).await;
        answers.unwrap_or_else(|_| {
            let away = StoreError::Away(format!("no answer within {} s", PATIENCE.as_secs()));
            let away = self.recorded::<()>(self.observed(Err(away)));
            vec![away; appends.len()]
        })
    }

    /// Those that are refused because their own events were written before are not refused. Of two that claim the same number the
    /// first one has it, as ever.
    async fn own_up(&self, appends: &[Append], answers: &mut [Result<(), StoreError>]) {
        let mut claimed = BTreeSet::new();
        for (append, answer) in appends.iter().zip(answers) {
            let mut numbers = append.events.iter().map(|event| (append.game.as_str(), event.seq));
            if let Err(StoreError::Stale(..)) = answer
                && !numbers.clone().any(|number| claimed.contains(&number))
            {
                match self.has(append).await {
                    Ok(true) => *answer = Ok(()),
                    Ok(false) => {}
                    Err(error) => *answer = Err(error),
                }
            }
            if answer.is_ok() {
                claimed.extend(&mut numbers);
            }
        }
    }

    /// Whether all these events are in the log as they are here.
    async fn has(&self, append: &Append) -> Result<bool, StoreError> {
        let numbers = append.events.iter().map(|event| event.seq);
        let (Some(first), Some(last)) = (numbers.clone().min(), numbers.max()) else { return Ok(false) };
        let rows = sqlx::query(
            "SELECT seq, kind, text, at, first_left, second_left, first_periods, second_periods FROM live_event \
             WHERE game = $1 AND seq >= $2 AND seq <= $3 ORDER BY seq",
        );
        let rows = rows.bind(kept(&append.game)).bind(first).bind(last).fetch_all(&self.pool).await?;
        let there = rows.iter().map(read_event).collect::<Result<Vec<EventRow>, StoreError>>()?;
        Ok(append.events.iter().all(|event| there.contains(&as_kept(event))))
    }
}

fn is_away(answer: &Result<(), StoreError>) -> bool {
    matches!(answer, Err(StoreError::Away(_)))
}

fn as_kept(event: &EventRow) -> EventRow {
    EventRow { kind: kept(&event.kind), text: kept(&event.text), ..event.clone() }
}
