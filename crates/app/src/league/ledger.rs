//! The store as a tournament's ledger. Rows are those that the server shows.

use parlor_arena::{Entry, Ledger, NotKept, Plan};
use parlor_server::tournament::{entry, row};
use parlor_store::{Blocking, GameRow, StoreError};

/// A tournament's games in a store.
pub struct Kept<'a> {
    pub store: &'a Blocking,
    pub plan: &'a Plan,
}

impl Ledger for Kept<'_> {
    fn kept(&mut self) -> Result<Vec<Entry>, NotKept> {
        let rows = self.store.games(&self.plan.name).map_err(not_kept)?;
        // A row that is none of the plan's games has no place in it; the games of those numbers are played again.
        let (known, strange): (Vec<_>, Vec<_>) = rows
            .into_iter()
            .map(|row| (row.number, entry(self.plan, row)))
            .partition(|(_, entry)| entry.is_some());
        if !strange.is_empty() {
            let numbers: Vec<i64> = strange.into_iter().map(|(number, _)| number).collect();
            self.store.forget(&self.plan.name, &numbers).map_err(not_kept)?;
        }
        Ok(known.into_iter().filter_map(|(_, entry)| entry).collect())
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
