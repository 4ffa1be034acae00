//! The state of a tournament: the games known so far and those finished. Results are evaluated in the order of the games'
//! numbers, so it does not matter which of several games ended first.

use crate::{Format, LedgerEntry, Results, Schedule, Standings, Tally, TournamentPlan, Verdict};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct TournamentState {
    /// The games known so far.
    pub schedule: Schedule,
    /// Finished games that count, by number.
    pub entries: BTreeMap<u64, LedgerEntry>,
    /// The half points of the first side of each of them.
    pub results: Results,
    /// The number of games after which the sequential test decided, if it has.
    pub decided: Option<u64>,
    /// The number of meetings, in order, that the test has evaluated.
    seen: u64,
    tally: Tally,
}

impl TournamentState {
    /// The state before the first game.
    pub fn new(plan: &TournamentPlan) -> TournamentState {
        let mut state = TournamentState::default();
        state.schedule.extend(plan, &state.results);
        state
    }

    /// The state of a tournament with these finished games; games outside the plan do not count.
    pub fn of(plan: &TournamentPlan, entries: Vec<LedgerEntry>) -> TournamentState {
        let mut state = TournamentState::new(plan);
        state.take(plan, entries);
        state
    }

    pub fn standings(&self, plan: &TournamentPlan) -> Standings {
        Standings::of(plan, self)
    }

    /// Whether no game is left to play.
    pub fn is_over(&self) -> bool {
        self.decided.is_some() || self.entries.len() as u64 == self.schedule.games()
    }

    /// Results of whole meetings in the order of their numbers, for a test between two players: up to the first that is not
    /// finished.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Adds games of an earlier run that belong to the plan; returns the numbers of the others.
    pub(crate) fn take(&mut self, plan: &TournamentPlan, entries: Vec<LedgerEntry>) -> Vec<u64> {
        let mut waiting: BTreeMap<u64, LedgerEntry> =
            entries.into_iter().map(|entry| (entry.slot.number, entry)).collect();
        loop {
            let later = waiting.split_off(&self.schedule.games());
            let known = std::mem::replace(&mut waiting, later);
            if known.is_empty() {
                break;
            }
            let fits = |entry: &LedgerEntry| self.schedule.slot(entry.slot.number) == Some(entry.slot);
            let (own, foreign): (Vec<LedgerEntry>, Vec<LedgerEntry>) =
                known.into_values().partition(|entry| fits(entry) && entry.halves().is_some());
            self.count(plan, own);
            if !foreign.is_empty() {
                return foreign.iter().map(|entry| entry.slot.number).chain(waiting.into_keys()).collect();
            }
        }
        // If all pairings are known from the beginning, games of later rounds are kept for a plan with more rounds.
        let fixed = matches!(plan.format, Format::RoundRobin | Format::Gauntlet);
        if fixed { Vec::new() } else { waiting.into_keys().collect() }
    }

    pub(crate) fn count(&mut self, plan: &TournamentPlan, entries: Vec<LedgerEntry>) {
        for entry in entries {
            if let Some(halves) = entry.halves().filter(|_| self.decided.is_none()) {
                self.results.insert(entry.slot.number, halves);
                self.entries.insert(entry.slot.number, entry);
            }
        }
        self.schedule.extend(plan, &self.results);
        self.test(plan);
    }

    /// Continues the sequential test, meeting by meeting; games after the decision are left out.
    fn test(&mut self, plan: &TournamentPlan) {
        let Some(sprt) = plan.sprt else { return };
        while self.decided.is_none() {
            let (Some(&one), Some(&other)) =
                (self.results.get(&(2 * self.seen)), self.results.get(&(2 * self.seen + 1)))
            else {
                return;
            };
            self.tally = self.tally.and(Tally::of_pair([one, 2 - other]));
            self.seen += 1;
            if sprt.verdict(&self.tally) != Verdict::Open {
                self.decided = Some(2 * self.seen);
                self.entries.split_off(&(2 * self.seen));
                self.results.split_off(&(2 * self.seen));
            }
        }
    }
}
