//! A consistent snapshot of a stored tournament, from which tables and pages are made. If the plan
//! was not stored, players and games are derived from the rows.

use crate::{ledger::entry, stored_plan::read_plan};
use parlor_session::TimeControl;
use parlor_store::{TournamentGameRow, TournamentRow};
use parlor_tournament::{Entrant, LedgerEntry, Openings, Standings, TournamentPlan, TournamentState};
use serde::Deserialize;

pub const GAMES_PER_PAGE: usize = 50;

pub struct Snapshot {
    /// The plan. If it was not stored, only its name, players and games are valid.
    pub plan: TournamentPlan,
    /// Whether the plan was stored.
    pub planned: bool,
    pub state: TournamentState,
    pub table: Standings,
    /// Start time, in milliseconds since 1970.
    pub begun: i64,
    row: TournamentRow,
}

impl Snapshot {
    /// Makes a snapshot from rows. Corrupt rows are logged and omitted.
    pub fn of(row: TournamentRow, games: Vec<TournamentGameRow>) -> Snapshot {
        let kept = stored_plan(&row);
        let planned = kept.is_some();
        let plan = kept.unwrap_or_else(|| guessed(&row.name, &games));
        let entries = readable(&plan, games);
        let state = if planned { TournamentState::of(&plan, entries) } else { unplanned(entries) };
        let table = state.standings(&plan);
        Snapshot { plan, planned, state, table, begun: row.begun.saturating_mul(1000), row }
    }

    /// Whether the row is unchanged since the snapshot.
    pub fn is_of(&self, row: &TournamentRow) -> bool {
        (row.changes, &row.plan) == (self.row.changes, &self.row.plan) && self.is_same(row)
    }

    /// Whether the row is of the same tournament, not of a later one with the same name.
    pub fn is_same(&self, row: &TournamentRow) -> bool {
        (row.begun, &row.fingerprint) == (self.row.begun, &self.row.fingerprint)
    }

    /// Whether all games are played; false if the plan was not stored.
    pub fn is_over(&self) -> bool {
        self.planned && self.state.is_over()
    }

    /// The total number of games that are known so far; `None` without a plan.
    pub fn known(&self) -> Option<u64> {
        self.planned.then(|| self.state.schedule.games())
    }

    pub fn name(&self, player: usize) -> &str {
        &self.plan.players[player].name
    }

    /// The name of the first player in the standings, if a player has points.
    pub fn leader(&self) -> Option<&str> {
        let first = self.table.lines.first().filter(|line| line.halves > 0)?;
        Some(self.name(first.player))
    }

    /// A page of the games that match the filter, latest first.
    pub fn games(&self, wish: &GameFilter) -> GamePage<'_> {
        let player = wish.player.as_deref().filter(|name| !name.is_empty());
        let wanted = |entry: &&LedgerEntry| {
            let theirs = |name| entry.slot.seats.iter().any(|&seat| self.name(seat) == name);
            player.is_none_or(theirs) && (wish.failed.is_none() || entry.violation.is_some())
        };
        let found: Vec<&LedgerEntry> = self.state.entries.values().rev().filter(wanted).collect();
        let pages = found.len().div_ceil(GAMES_PER_PAGE).max(1);
        let page = wish.page.unwrap_or(1).clamp(1, pages);
        let total = found.len();
        GamePage {
            games: found.into_iter().skip((page - 1) * GAMES_PER_PAGE).take(GAMES_PER_PAGE).collect(),
            page,
            pages,
            total,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct GameFilter {
    /// Only games of this player.
    pub player: Option<String>,
    /// Only games that a player lost by a failure. Any value turns the filter on.
    pub failed: Option<String>,
    /// From 1.
    pub page: Option<usize>,
}

/// A page of the list of games.
pub struct GamePage<'a> {
    pub games: Vec<&'a LedgerEntry>,
    /// From 1.
    pub page: usize,
    pub pages: usize,
    /// Number of games on all pages.
    pub total: usize,
}

/// The public part of a player spec: only the kind of a program, because its command names files of
/// the organiser.
pub fn public_spec(spec: &str) -> &str {
    let kind = spec.split(':').next().unwrap_or_default();
    let ours =
        parlor_catalog::entries().iter().flat_map(|entry| &entry.kinds).any(|known| known.name == kind);
    if ours { spec } else { kind }
}

/// The stored plan; `None` if there is none or it is corrupt.
fn stored_plan(row: &TournamentRow) -> Option<TournamentPlan> {
    let reason = match read_plan(row.plan.as_deref()?) {
        Ok(plan) if plan.name == row.name => return Some(plan),
        Ok(plan) => format!("it is the plan of '{}'", plan.name),
        Err(why) => why,
    };
    tracing::error!(table = "tournament", column = "plan", tournament = row.name, reason, "corrupt row");
    None
}

/// The rows that match the plan. Logs the others in one line.
fn readable(plan: &TournamentPlan, rows: Vec<TournamentGameRow>) -> Vec<LedgerEntry> {
    let (mut entries, mut corrupt) = (Vec::with_capacity(rows.len()), Vec::new());
    for row in rows {
        let number = row.number;
        match entry(plan, row) {
            Ok(entry) => entries.push(entry),
            Err(why) => corrupt.push((number, why)),
        }
    }
    if let Some((number, reason)) = corrupt.first() {
        let (tournament, rows) = (&plan.name, corrupt.len());
        tracing::error!(table = "tournament_game", tournament, number, rows, reason, "corrupt row");
    }
    entries
}

/// Derives a plan from the rows.
fn guessed(name: &str, rows: &[TournamentGameRow]) -> TournamentPlan {
    let (mut players, mut games): (Vec<Entrant>, Vec<String>) = (Vec::new(), Vec::new());
    for row in rows {
        for name in &row.players {
            if !players.iter().any(|player| player.name == *name) {
                players.push(Entrant { name: name.clone(), ..Entrant::default() });
            }
        }
        if !games.contains(&row.game) {
            games.push(row.game.clone());
        }
    }
    TournamentPlan {
        name: name.to_string(),
        games,
        time: TimeControl::Unlimited,
        openings: Openings::Random { plies: 0, seed: 0 },
        seed: 0,
        players,
        ..TournamentPlan::default()
    }
}

/// The state of a tournament without a plan: all games count.
fn unplanned(entries: Vec<LedgerEntry>) -> TournamentState {
    let mut state = TournamentState::default();
    for entry in entries {
        if let Some(halves) = entry.halves() {
            state.results.insert(entry.slot.number, halves);
            state.entries.insert(entry.slot.number, entry);
        }
    }
    state
}
