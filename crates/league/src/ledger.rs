//! A tournament's ledger in the store: converts finished games to rows and back. A row contains names of players and games
//! instead of indices, so that it can be read without the plan.

use parlor_core::{Record, Side};
use parlor_session::{Violation, ViolationKind};
use parlor_store::{BlockingStore, StoreError, TournamentGameRow, ViolationRow};
use parlor_tournament::{Delays, Ledger, LedgerEntry, NotKept, Slot, TournamentPlan};
use std::time::Duration;

/// Ledger of one tournament in a store.
pub struct StoreLedger<'a> {
    pub store: &'a BlockingStore,
    pub plan: &'a TournamentPlan,
}

impl Ledger for StoreLedger<'_> {
    fn kept(&mut self) -> Result<Vec<LedgerEntry>, NotKept> {
        let rows = self.store.tournament_games(&self.plan.name).map_err(not_kept)?;
        // Rows that do not match the plan are deleted, and their games are played again.
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
                        "deleted a game that does not match the plan; it is played again"
                    );
                    strange.push(number);
                }
            }
        }
        if !strange.is_empty() {
            self.store.delete_games(&self.plan.name, &strange).map_err(not_kept)?;
        }
        Ok(known)
    }

    fn keep(&mut self, entries: &[LedgerEntry]) -> Result<(), NotKept> {
        let rows: Vec<TournamentGameRow> = entries.iter().map(|entry| row(self.plan, entry)).collect();
        self.store.add_games(&self.plan.name, &rows).map_err(not_kept)
    }

    fn forget(&mut self, numbers: &[u64]) -> Result<(), NotKept> {
        let numbers: Vec<i64> = numbers.iter().map(|&number| number as i64).collect();
        self.store.delete_games(&self.plan.name, &numbers).map_err(not_kept)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is handed to map_err")]
fn not_kept(error: StoreError) -> NotKept {
    NotKept(error.to_string())
}

/// Converts a finished game to a row.
pub fn row(plan: &TournamentPlan, entry: &LedgerEntry) -> TournamentGameRow {
    let LedgerEntry { slot, record, thought, cpu, violation, asides, .. } = entry;
    let nanos = |time: Duration| time.as_nanos().min(i64::MAX as u128) as i64;
    TournamentGameRow {
        number: slot.number as i64,
        game: plan.games[slot.game].clone(),
        round: slot.round as i64,
        players: slot.seats.map(|seat| plan.players[seat].name.clone()),
        record: record.to_string(),
        nanos: thought.map(nanos),
        cpu_nanos: cpu.map(|time| time.map(nanos)),
        violation: violation.as_ref().map(|violation| ViolationRow {
            side: violation.side.to_string(),
            kind: violation.kind.to_string(),
            why: violation.reason.clone(),
        }),
        stderr: asides.clone(),
    }
}

/// Converts a row to a finished game. The error says why the row does not match the plan.
pub fn entry(plan: &TournamentPlan, row: TournamentGameRow) -> Result<LedgerEntry, String> {
    let number =
        |what: &str, number: i64| u64::try_from(number).map_err(|_| format!("{what} {number} is negative"));
    let seat = |name: &String| {
        let known = plan.players.iter().position(|player| player.name == *name);
        known.ok_or_else(|| format!("the plan has no player '{name}'"))
    };
    let game = plan.games.iter().position(|game| *game == row.game);
    let slot = Slot {
        number: number("number", row.number)?,
        seats: [seat(&row.players[0])?, seat(&row.players[1])?],
        game: game.ok_or_else(|| format!("the plan has no game '{}'", row.game))?,
        round: number("round", row.round)?,
    };
    let violation = match row.violation {
        None => None,
        Some(ViolationRow { side, kind, why }) => {
            let known = Side::BOTH.into_iter().find(|known| known.to_string() == side);
            let side = known.ok_or_else(|| format!("unknown side '{side}'"))?;
            let kind = ViolationKind::parse(&kind).ok_or_else(|| format!("unknown failure '{kind}'"))?;
            Some(Violation { side, kind, reason: why })
        }
    };
    let time = |nanos: i64| Duration::from_nanos(nanos.max(0) as u64);
    Ok(LedgerEntry {
        slot,
        record: Record::parse(&row.record).map_err(|bad| format!("its record: {}", bad.0))?,
        thought: row.nanos.map(time),
        cpu: row.cpu_nanos.map(|nanos| nanos.map(time)),
        violation,
        remaining: [None; 2],
        asides: row.stderr,
        delays: Delays::default(),
    })
}
