//! The schedule of a tournament: stages one after the other, each a list of meetings that is known when all games of the stages
//! before it are finished. It follows from the plan and the results alone, so a resumed tournament has the same games with the
//! same numbers.

use crate::{Format, TournamentPlan, formats};
use std::collections::BTreeMap;

/// Two players at one game: two games in a row with the same opening, sides swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The players; the first of them has the first side in the first of the two games.
    pub players: [usize; 2],
    /// Index of the game in the plan.
    pub game: usize,
    /// Number of the opening.
    pub round: u64,
}

/// Meetings that may be played in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    pub meetings: Vec<Meeting>,
    /// Players without an opponent, who get the points.
    pub byes: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its number, from 0; the games of a meeting are 2n and 2n + 1.
    pub number: u64,
    /// The players of the first and the second side.
    pub seats: [usize; 2],
    /// Index of the game in the plan.
    pub game: usize,
    /// Number of the opening.
    pub round: u64,
}

/// The half points of the first side of each finished game, by the game's number.
pub type Results = BTreeMap<u64, u8>;

/// The games known so far.
///
/// # Examples
///
/// ```
/// use parlor_tournament::{Entrant, TournamentPlan, Results, Schedule};
///
/// let players = ["a", "b", "c"].map(|name| Entrant { name: name.into(), ..Entrant::default() });
/// let plan = TournamentPlan { games: vec!["oware".into()], players: players.into(), ..TournamentPlan::default() };
/// let mut schedule = Schedule::default();
/// schedule.extend(&plan, &Results::new());
/// assert_eq!(schedule.games(), 6, "three pairs of players, both sides");
/// let seats = |number| schedule.slot(number).map(|slot| slot.seats);
/// assert_eq!(seats(1), seats(0).map(|[first, second]| [second, first]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    stages: Vec<Stage>,
    /// The number of each stage's first meeting, and of the one after the last.
    starts: Vec<u64>,
}

/// A player's score so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// Half points, including those of byes.
    pub halves: u64,
    /// Opponents, once per meeting.
    pub met: Vec<usize>,
    pub byes: u64,
}

impl Schedule {
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Number of games in the stages so far.
    pub fn games(&self) -> u64 {
        2 * self.starts.last().copied().unwrap_or(0)
    }

    /// The game of this number, if it is known yet.
    pub fn slot(&self, number: u64) -> Option<Slot> {
        let meeting = number / 2;
        let stage = self.starts.partition_point(|&start| start <= meeting).checked_sub(1)?;
        let start = self.starts[stage];
        let Meeting { players: [one, other], game, round } =
            *self.stages.get(stage)?.meetings.get((meeting - start) as usize)?;
        let seats = if number.is_multiple_of(2) { [one, other] } else { [other, one] };
        Some(Slot { number, seats, game, round })
    }

    /// Adds the stages that the results allow: the first one, and the next where all games so far are finished.
    pub fn extend(&mut self, plan: &TournamentPlan, results: &Results) {
        // Results are of known games only.
        while results.len() as u64 == self.games() {
            let next = match plan.format {
                Format::RoundRobin => self.stages.is_empty().then(|| formats::round_robin(plan)),
                Format::Gauntlet => self.stages.is_empty().then(|| formats::gauntlet(plan)),
                Format::Swiss => formats::swiss(plan, self, results),
                Format::Knockout => formats::knockout(plan, self, results).ok(),
                Format::Ladder => formats::ladder(plan, self, results).ok(),
            };
            let Some(stage) = next else { return };
            let start = self.starts.last().copied().unwrap_or(0);
            if self.starts.is_empty() {
                self.starts.push(0);
            }
            self.starts.push(start + stage.meetings.len() as u64);
            self.stages.push(stage);
        }
    }

    /// The half points of both players of a meeting, if both of its games are finished.
    pub(crate) fn halves(&self, meeting: u64, results: &Results) -> Option<[u64; 2]> {
        let [one, other] = [*results.get(&(2 * meeting))?, *results.get(&(2 * meeting + 1))?].map(u64::from);
        Some([one + 2 - other, 2 - one + other])
    }

    /// The meetings of a stage with their numbers.
    pub(crate) fn meetings(&self, stage: usize) -> impl Iterator<Item = (u64, &Meeting)> {
        (self.starts[stage]..).zip(&self.stages[stage].meetings)
    }

    /// The score of each player, by complete meetings only.
    pub(crate) fn scores(&self, plan: &TournamentPlan, results: &Results) -> Vec<Score> {
        let mut scores = vec![Score::default(); plan.players.len()];
        for stage in 0..self.stages.len() {
            for (number, meeting) in self.meetings(stage) {
                let Some(halves) = self.halves(number, results) else { continue };
                for (i, &player) in meeting.players.iter().enumerate() {
                    scores[player].halves += halves[i];
                    scores[player].met.push(meeting.players[1 - i]);
                }
            }
            for &player in &self.stages[stage].byes {
                scores[player].halves += 4 * plan.games.len() as u64;
                scores[player].byes += 1;
            }
        }
        scores
    }

    /// Best first.
    pub fn ranking(&self, plan: &TournamentPlan, results: &Results) -> Vec<usize> {
        let by_points = || {
            let scores = self.scores(plan, results);
            let mut order: Vec<usize> = (0..plan.players.len()).collect();
            order.sort_by_key(|&player| std::cmp::Reverse(formats::strength(player, &scores)));
            order
        };
        match plan.format {
            Format::Knockout => formats::knockout(plan, self, results).err().unwrap_or_else(by_points),
            Format::Ladder => formats::ladder(plan, self, results).err().unwrap_or_else(by_points),
            _ => by_points(),
        }
    }
}
