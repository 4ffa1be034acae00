//! The store as a tournament's ledger. Rows are those that the server shows.

use crate::rows::{entry, row};
use parlor_store::{Blocking, GameRow, StoreError};
use parlor_tournament::{Entry, Ledger, NotKept, Plan};

/// A tournament's games in a store.
pub struct StoreLedger<'a> {
    pub store: &'a Blocking,
    pub plan: &'a Plan,
}

impl Ledger for StoreLedger<'_> {
    fn kept(&mut self) -> Result<Vec<Entry>, NotKept> {
        let rows = self.store.games(&self.plan.name).map_err(not_kept)?;
        // A row that is none of the plan's games has no place in it; the games of those numbers are
        // played again.
        let (mut known, mut strange) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            let number = row.number;
            match entry(self.plan, row) {
                Ok(entry) => known.push(entry),
                Err(reason) => {
                    let (tournament, game) = (&self.plan.name, number + 1);
                    tracing::warn!(
                        tournament,
                        game,
                        reason,
                        "game deleted: it is none of the plan's, and is played again"
                    );
                    strange.push(number);
                }
            }
        }
        if !strange.is_empty() {
            self.store.forget(&self.plan.name, &strange).map_err(not_kept)?;
        }
        Ok(known)
    }

    fn keep(&mut self, entries: &[Entry]) -> Result<(), NotKept> {
        let rows: Vec<GameRow> = entries.iter().map(|entry| row(self.plan, entry)).collect();
        self.store.keep(&self.plan.name, &rows).map_err(not_kept)
    }

    fn forget(&mut self, numbers: &[u64]) -> Result<(), NotKept> {
        let numbers: Vec<i64> = numbers.iter().map(|&number| number as i64).collect();
        self.store.forget(&self.plan.name, &numbers).map_err(not_kept)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn not_kept(error: StoreError) -> NotKept {
    NotKept(error.to_string())
}
