//! Selective alpha-beta for Amazons: it searches only the best-evaluated moves. Players do not use it; it serves matches
//! against the Monte Carlo tree search.
//!
//! The stages of every position are evaluated one ply ahead. The best of them are searched, by iterative deepening in whole
//! turns, and no value is ever proved.

use super::race::Racer;
use parlor_core::{Evaluator, Game, LARGE, Limits, Margin, Match, Report, Value};
use parlor_engine::{Clock, Deadline, ScoredMove, SearchResult, Searcher};
use parlor_games::amazons::{Amazons, HalfTurn, HalfTurnPosition, HalfTurns, Shot, Territory};
use std::sync::{Arc, atomic::AtomicBool};

/// The value of a won race: above every evaluation.
const RACE: Value = LARGE / 2;
/// The turn limit for filling a region; beyond it the bounds are used.
const FILLING: u64 = 200;

/// Selective alpha-beta.
pub struct Selective {
    /// How many queen moves, and then how many arrows, are searched.
    pub widths: [usize; 2],
    territory: Territory,
    clock: Arc<dyn Clock>,
}

impl Selective {
    /// With widths tuned in games.
    pub fn new(territory: Territory, clock: Arc<dyn Clock>) -> Selective {
        Selective { widths: [12, 5], territory, clock }
    }
}

/// State of one search.
struct Walk<'a> {
    game: HalfTurns,
    widths: [usize; 2],
    territory: Territory,
    racer: Racer,
    deadline: Deadline<'a>,
    nodes: u64,
    most_nodes: u64,
}

impl Walk<'_> {
    /// The moves that are searched, best first, with their static values for the side that makes them.
    fn static_values(
        &mut self,
        stage: &HalfTurnPosition,
        width: usize,
    ) -> Vec<(Value, HalfTurn, HalfTurnPosition)> {
        let mut moves = Vec::new();
        self.game.moves(stage, &mut moves);
        self.nodes += moves.len() as u64;
        let mut static_values: Vec<(Value, HalfTurn, HalfTurnPosition)> = moves
            .into_iter()
            .map(|mv| {
                let mut next = *stage;
                self.game.play(&mut next, mv);
                (self.static_value(stage, &next), mv, next)
            })
            .collect();
        static_values.sort_by_key(|sight| -sight.0);
        static_values.truncate(width);
        static_values
    }

    fn static_value(&self, before: &HalfTurnPosition, after: &HalfTurnPosition) -> Value {
        let value = match self.game.result(after) {
            Some(margin) => RACE * Value::from(margin.0),
            None => self.territory.evaluate(&self.game, after),
        };
        if self.game.turn(before) == self.game.turn(after) { value } else { -value }
    }

    /// The value for the side to move; `None` if a limit is reached. Never called at depth 0.
    fn value(
        &mut self,
        stage: &HalfTurnPosition,
        depth: u32,
        mut alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if self.deadline.passed() || self.nodes >= self.most_nodes {
            return None;
        }
        let race = |walk: &mut Self| walk.game.result(stage).or_else(|| walk.racer.race(&stage.pos, FILLING));
        if stage.shooter.is_none()
            && let Some(Margin(who)) = race(self)
        {
            return Some(RACE * Value::from(who));
        }
        let width = self.widths[usize::from(stage.shooter.is_some())];
        let mut best = -LARGE;
        for (seen, _, next) in self.static_values(stage, width) {
            let value =
                if depth == 1 { seen } else { self.child_value(stage, &next, depth - 1, alpha, beta)? };
            best = best.max(value);
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        Some(best)
    }

    /// The value of a move for the side that makes it.
    fn child_value(
        &mut self,
        before: &HalfTurnPosition,
        after: &HalfTurnPosition,
        depth: u32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        if self.game.turn(before) == self.game.turn(after) {
            self.value(after, depth, alpha, beta)
        } else {
            self.value(after, depth, -beta, -alpha).map(|value| -value)
        }
    }

    /// The turns at the root that are searched, with their static values.
    fn turns(&mut self, root: &HalfTurnPosition) -> Vec<(Value, Shot, HalfTurnPosition)> {
        let mut turns = Vec::new();
        for (_, go, between) in self.static_values(root, 3 * self.widths[0]) {
            for (value, shoot, next) in self.static_values(&between, 2 * self.widths[1]) {
                turns.extend(HalfTurns::joined(go, shoot).map(|mv| (value, mv, next)));
            }
        }
        turns.sort_by_key(|turn| -turn.0);
        turns
    }

    /// Searches the root to one depth; returns whether it was completed.
    fn deepen(
        &mut self,
        root: &HalfTurnPosition,
        turns: &mut [(Value, Shot, HalfTurnPosition)],
        depth: u32,
    ) -> bool {
        let mut alpha = -LARGE;
        for i in 0..turns.len() {
            let next = turns[i].2;
            let Some(value) = self.child_value(root, &next, depth, alpha, LARGE) else {
                // What was searched so far is in order already: the best of it comes first.
                return false;
            };
            turns[i].0 = value;
            alpha = alpha.max(value);
            // A better move goes to the front of those that were searched; a move that is only known to be no better stays
            // behind.
            let place = turns[..i].iter().position(|turn| turn.0 < value).unwrap_or(i);
            turns[place..=i].rotate_right(1);
        }
        true
    }
}

impl Searcher<Amazons> for Selective {
    fn run(
        &mut self,
        played: &Match<Amazons>,
        limits: &Limits,
        stop: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> SearchResult<Shot> {
        let game = *played.game();
        let mut walk = Walk {
            game: HalfTurns(game),
            widths: self.widths,
            territory: self.territory,
            racer: Racer::new(&game),
            deadline: Deadline::after(limits.time, self.clock.clone(), stop),
            nodes: 0,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let root = HalfTurnPosition::before(played.position());
        let mut turns = walk.turns(&root);
        let mut depth = 0;
        while depth < limits.depth.unwrap_or(60) && walk.deepen(&root, &mut turns, 2 * (depth + 1)) {
            depth += 1;
        }
        let moves = turns.iter().map(|&(value, mv, _)| ScoredMove { mv, value, line: vec![mv] }).collect();
        SearchResult { moves, depth, nodes: walk.nodes, exact: false }
    }

    fn forget(&mut self) {}

    fn widen(&mut self, _: Value) {}
}
