//! The JSON report of a tournament, in the results file and in the server's API.

use crate::snapshot::public_spec;
use parlor_core::write_duration;
use parlor_tournament::{Standings, StandingsRow, Tally, TournamentPlan, TournamentState};
use serde::Serialize;
use std::collections::BTreeMap;

/// A tournament with its standings.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Report))]
pub struct TournamentReport {
    name: String,
    /// The specs of its games.
    games: Vec<String>,
    /// `round-robin`, `gauntlet`, `swiss`, `knockout` or `ladder`.
    format: String,
    /// The time control of players without their own, such as `move=100ms`.
    time: String,
    /// Time margin of players without their own; absent: 20 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<String>,
    seed: u64,
    /// Number of finished games that count.
    played: usize,
    /// Whether the tournament is finished.
    over: bool,
    /// The players, the best first.
    standings: Vec<Place>,
}

/// A player's row in the standings.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Place {
    /// Rank, from 1.
    place: usize,
    player: String,
    /// The player spec; for a program only its kind.
    spec: String,
    /// Its own time control; absent: that of the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// Its own time margin; absent: that of the tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<String>,
    points: f64,
    won: u64,
    drawn: u64,
    lost: u64,
    /// Number of game pairs that scored 0, ½, 1, 1½ and 2 points.
    pairs: [u64; 5],
    /// Elo rating; the mean of all players is 0.
    elo: f64,
    /// Half the width of the 95% confidence interval.
    error: f64,
    /// Likelihood of superiority over its opponents.
    superiority: f64,
    /// Total thinking time.
    seconds: f64,
    /// Total CPU time; absent if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<f64>,
    /// Number of failures by kind.
    failures: BTreeMap<String, u64>,
    byes: u64,
    /// Results against each opponent, by name.
    against: BTreeMap<String, Against>,
}

/// Results of one player against another.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Against {
    won: u64,
    drawn: u64,
    lost: u64,
    /// Number of game pairs that scored 0, ½, 1, 1½ and 2 points.
    pairs: [u64; 5],
}

impl TournamentReport {
    pub fn of(plan: &TournamentPlan, state: &TournamentState, table: &Standings) -> TournamentReport {
        let lines = (1..).zip(&table.lines);
        TournamentReport {
            name: plan.name.clone(),
            games: plan.games.clone(),
            format: plan.format.to_string(),
            time: plan.time.to_string(),
            margin: plan.margin.map(write_duration),
            seed: plan.seed,
            played: state.entries.len(),
            over: state.is_over(),
            standings: lines.map(|(place, line)| Place::of(plan, table, place, line)).collect(),
        }
    }

    /// The report without the commands of programs, for the public.
    #[must_use]
    pub fn without_commands(mut self) -> TournamentReport {
        for place in &mut self.standings {
            place.spec = public_spec(&place.spec).to_string();
        }
        self
    }
}

impl Place {
    fn of(plan: &TournamentPlan, table: &Standings, place: usize, line: &StandingsRow) -> Place {
        let Tally { wins, draws, losses, pairs } = line.tally;
        let player = &plan.players[line.player];
        let others = plan.players.iter().zip(&table.cross[line.player]);
        let met = others.filter(|(_, tally)| tally.games() > 0);
        Place {
            place,
            player: player.name.clone(),
            spec: player.spec.clone(),
            time: player.time.map(|time| time.to_string()),
            margin: player.margin.map(write_duration),
            points: line.halves as f64 / 2.0,
            won: wins,
            drawn: draws,
            lost: losses,
            pairs,
            elo: line.rating.difference,
            error: line.rating.error,
            superiority: line.tally.superiority(),
            seconds: line.thought.as_secs_f64(),
            cpu_seconds: line.cpu.map(|time| time.as_secs_f64()),
            failures: line.violations.iter().map(|(kind, &count)| (kind.to_string(), count)).collect(),
            byes: line.byes,
            against: met.map(|(other, tally)| (other.name.clone(), Against::from(tally))).collect(),
        }
    }
}

impl From<&Tally> for Against {
    fn from(tally: &Tally) -> Against {
        let Tally { wins, draws, losses, pairs } = *tally;
        Against { won: wins, drawn: draws, lost: losses, pairs }
    }
}
