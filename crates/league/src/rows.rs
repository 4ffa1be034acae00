//! Finished games as rows of the store, and back: names instead of numbers, so that a row can be
//! read by itself.

use parlor_core::{Record, Side};
use parlor_session::{Violation, ViolationKind};
use parlor_store::{FoulRow, GameRow};
use parlor_tournament::{Delays, Entry, Plan, Slot};
use std::time::Duration;

/// A finished game as a row.
pub fn row(plan: &Plan, entry: &Entry) -> GameRow {
    let Entry { slot, record, thought, cpu, violation, asides, .. } = entry;
    let nanos = |time: Duration| time.as_nanos().min(i64::MAX as u128) as i64;
    GameRow {
        number: slot.number as i64,
        game: plan.games[slot.game].clone(),
        round: slot.round as i64,
        players: slot.seats.map(|seat| plan.players[seat].name.clone()),
        record: record.to_string(),
        nanos: thought.map(nanos),
        cpu_nanos: cpu.map(|time| time.map(nanos)),
        foul: violation.as_ref().map(|violation| FoulRow {
            side: violation.side.to_string(),
            kind: violation.kind.to_string(),
            why: violation.reason.clone(),
        }),
        asides: asides.clone(),
    }
}

/// A row as a finished game. The error says why it is none of the plan's games.
pub fn entry(plan: &Plan, row: GameRow) -> Result<Entry, String> {
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
    let violation = match row.foul {
        None => None,
        Some(FoulRow { side, kind, why }) => {
            let known = Side::BOTH.into_iter().find(|known| known.to_string() == side);
            let side = known.ok_or_else(|| format!("unknown side '{side}'"))?;
            let kind = ViolationKind::parse(&kind).ok_or_else(|| format!("unknown failure '{kind}'"))?;
            Some(Violation { side, kind, reason: why })
        }
    };
    let time = |nanos: i64| Duration::from_nanos(nanos.max(0) as u64);
    Ok(Entry {
        slot,
        record: Record::parse(&row.record).map_err(|bad| format!("its record: {}", bad.0))?,
        thought: row.nanos.map(time),
        cpu: row.cpu_nanos.map(|nanos| nanos.map(time)),
        violation,
        remaining: [None; 2],
        asides: row.asides,
        delays: Delays::default(),
    })
}
