//! The store as a tournament's ledger: names instead of numbers, so that a row can be read by itself.

use parlor_arena::{Delays, Entry, Foul, FoulKind, Ledger, NotKept, Plan, Slot};
use parlor_play::{Record, Side};
use parlor_store::{Blocking, FoulRow, GameRow, StoreError};
use std::time::Duration;

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

fn row(plan: &Plan, entry: &Entry) -> GameRow {
    let Entry { slot, record, thought, foul, asides, .. } = entry;
    GameRow {
        number: slot.number as i64,
        game: plan.games[slot.game].clone(),
        round: slot.round as i64,
        players: slot.seats.map(|seat| plan.players[seat].name.clone()),
        record: record.to_string(),
        nanos: thought.map(|time| time.as_nanos().min(i64::MAX as u128) as i64),
        foul: foul.as_ref().map(|foul| FoulRow {
            side: foul.side.to_string(),
            kind: foul.kind.to_string(),
            why: foul.why.clone(),
        }),
        asides: asides.clone(),
    }
}

fn entry(plan: &Plan, row: GameRow) -> Option<Entry> {
    let seat = |name: &String| plan.players.iter().position(|player| player.name == *name);
    let slot = Slot {
        number: u64::try_from(row.number).ok()?,
        seats: [seat(&row.players[0])?, seat(&row.players[1])?],
        game: plan.games.iter().position(|game| *game == row.game)?,
        round: u64::try_from(row.round).ok()?,
    };
    let foul = match row.foul {
        None => None,
        Some(FoulRow { side, kind, why }) => {
            let side = Side::BOTH.into_iter().find(|known| known.to_string() == side)?;
            Some(Foul { side, kind: FoulKind::parse(&kind)?, why })
        }
    };
    Some(Entry {
        slot,
        record: Record::parse(&row.record).ok()?,
        thought: row.nanos.map(|nanos| Duration::from_nanos(nanos.max(0) as u64)),
        foul,
        asides: row.asides,
        delays: Delays::default(),
    })
}
