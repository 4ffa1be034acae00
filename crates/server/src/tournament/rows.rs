//! Finished games as rows of the store, and back: names instead of numbers, so that a row can be read by itself.

use parlor_arena::{Delays, Entry, Foul, FoulKind, Plan, Slot};
use parlor_play::{Record, Side};
use parlor_store::{FoulRow, GameRow};
use std::time::Duration;

/// A finished game as a row.
pub fn row(plan: &Plan, entry: &Entry) -> GameRow {
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

/// A row as a finished game; none where it cannot be one of the plan's.
pub fn entry(plan: &Plan, row: GameRow) -> Option<Entry> {
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
