//! The standings of a tournament: points, results, ratings with their errors, time and violations; the cross table; and the
//! same by game and by side. Only numbers: the front end words them.

use crate::{Delays, Elo, Format, Tally, TournamentPlan, TournamentState, ratings};
use parlor_core::Side;
use parlor_session::ViolationKind;
use std::{cmp::Reverse, collections::BTreeMap, time::Duration};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StandingsRow {
    /// Index of the player in the plan.
    pub player: usize,
    /// Half points, including those of byes.
    pub halves: u64,
    /// Number of rounds without an opponent.
    pub byes: u64,
    /// Results, including pairs of games.
    pub tally: Tally,
    /// Its rating among the players, the mean of all 0.
    pub rating: Elo,
    /// Total thinking time, and the number of games.
    pub thought: Duration,
    /// Total processor time; `None` if it was measured in no game.
    pub cpu: Option<Duration>,
    /// Games that it lost by a violation, by kind.
    pub violations: BTreeMap<ViolationKind, u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings {
    /// Best first.
    pub lines: Vec<StandingsRow>,
    /// The results of each player against each other one, by their indices in the plan.
    pub cross: Vec<Vec<Tally>>,
    /// The results of each player in each game of the plan, with the first and the second side.
    pub by_game: Vec<Vec<[Tally; 2]>>,
    /// The results of the first side in each game of the plan.
    pub by_side: Vec<Tally>,
    /// The referee's own overhead.
    pub delays: Delays,
}

impl Standings {
    /// The standings at this moment.
    pub(crate) fn of(plan: &TournamentPlan, state: &TournamentState) -> Standings {
        let (players, games) = (plan.players.len(), plan.games.len());
        let mut table = Standings {
            lines: (0..players).map(|player| StandingsRow { player, ..StandingsRow::default() }).collect(),
            cross: vec![vec![Tally::default(); players]; players],
            by_game: vec![vec![[Tally::default(); 2]; games]; players],
            by_side: vec![Tally::default(); games],
            delays: Delays::default(),
        };
        for entry in state.entries.values() {
            table.count(entry);
        }
        table.pair_up(state);
        for (line, score) in table.lines.iter_mut().zip(state.schedule.scores(plan, &state.results)) {
            let bye = 4 * score.byes * games as u64;
            line.byes = score.byes;
            line.halves = 2 * line.tally.wins + line.tally.draws + bye;
        }
        let points = |tally: &Tally| ((2 * tally.wins + tally.draws) as f64, tally.games() as f64);
        let matrix: Vec<Vec<_>> = table.cross.iter().map(|row| row.iter().map(points).collect()).collect();
        for (line, rating) in table.lines.iter_mut().zip(ratings(&matrix)) {
            line.rating = rating;
        }
        let mut lines: Vec<Option<StandingsRow>> =
            std::mem::take(&mut table.lines).into_iter().map(Some).collect();
        let mut order = state.schedule.ranking(plan, &state.results);
        if !matches!(plan.format, Format::Knockout | Format::Ladder) {
            // While games are in progress, a player that has played more of them may be ahead for a moment.
            order.sort_by_key(|&player| Reverse(lines[player].as_ref().map_or(0, |line| line.halves)));
        }
        table.lines = order.into_iter().filter_map(|player| lines[player].take()).collect();
        table
    }

    fn count(&mut self, entry: &crate::LedgerEntry) {
        let Some(first) = entry.halves() else { return };
        for side in Side::BOTH {
            let halves = if side == Side::First { first } else { 2 - first };
            let tally = Tally::of_game(halves);
            let [own, other] = [side, side.other()].map(|side| entry.slot.seats[side.index()]);
            let line = &mut self.lines[own];
            line.tally = line.tally.and(tally);
            line.thought += entry.thought[side.index()];
            if let Some(cpu) = entry.cpu[side.index()] {
                *line.cpu.get_or_insert_default() += cpu;
            }
            if let Some(violation) = entry.violation.as_ref().filter(|violation| violation.side == side) {
                *line.violations.entry(violation.kind).or_default() += 1;
            }
            self.cross[own][other] = self.cross[own][other].and(tally);
            let place = &mut self.by_game[own][entry.slot.game][side.index()];
            *place = place.and(tally);
        }
        let place = &mut self.by_side[entry.slot.game];
        *place = place.and(Tally::of_game(first));
        self.delays.merge(&entry.delays);
    }

    /// Counts the pairs of games.
    fn pair_up(&mut self, state: &TournamentState) {
        for (&number, entry) in state.entries.iter().filter(|(number, _)| number.is_multiple_of(2)) {
            let Some(halves) = state.schedule.halves(number / 2, &state.results) else { continue };
            for (i, player) in entry.slot.seats.into_iter().enumerate() {
                let pair = halves[i] as usize;
                self.lines[player].tally.pairs[pair] += 1;
                self.cross[player][entry.slot.seats[1 - i]].pairs[pair] += 1;
            }
        }
    }
}
