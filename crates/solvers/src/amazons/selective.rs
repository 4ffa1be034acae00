//! Amazons by alpha-beta that looks at the best-looking moves alone: the rival of the tries. It stands here so that games can
//! decide between them again whenever either gets better; players do not use it.
//!
//! Every position has its stages judged one ply ahead. The best-looking go on, deeper and deeper by whole turns, and nothing
//! that it says is ever proved.

use super::race::Racer;
use parlor_core::{Evaluator, Game, LARGE, Limits, Margin, Match, Report, Value};
use parlor_engine::{Clock, Deadline, Found, Judged, Think};
use parlor_games::amazons::{Amazons, Shot, Stage, Step, Steps, Territory};
use std::sync::{Arc, atomic::AtomicBool};

/// What a won race is worth: more than all judgements.
const RACE: Value = LARGE / 2;
/// Turns that are tried to fill a region before its bounds must do.
const FILLING: u64 = 200;

/// Selective alpha-beta.
pub struct Selective {
    /// How many moves of a queen, and then how many arrows, are looked at.
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
    game: Steps,
    widths: [usize; 2],
    territory: Territory,
    racer: Racer,
    deadline: Deadline<'a>,
    nodes: u64,
    most_nodes: u64,
}

impl Walk<'_> {
    /// The moves that are looked at, best-looking first, with what they look like to the side that makes them.
    fn sights(&mut self, stage: &Stage, width: usize) -> Vec<(Value, Step, Stage)> {
        let mut moves = Vec::new();
        self.game.moves(stage, &mut moves);
        self.nodes += moves.len() as u64;
        let mut sights: Vec<(Value, Step, Stage)> = moves
            .into_iter()
            .map(|mv| {
                let mut next = *stage;
                self.game.play(&mut next, mv);
                (self.at_sight(stage, &next), mv, next)
            })
            .collect();
        sights.sort_by_key(|sight| -sight.0);
        sights.truncate(width);
        sights
    }

    fn at_sight(&self, before: &Stage, after: &Stage) -> Value {
        let value = match self.game.result(after) {
            Some(margin) => RACE * Value::from(margin.0),
            None => self.territory.evaluate(&self.game, after),
        };
        if self.game.turn(before) == self.game.turn(after) { value } else { -value }
    }

    /// The value for the side to move; none when a limit is reached. Never asked at depth 0.
    fn value(&mut self, stage: &Stage, depth: u32, mut alpha: Value, beta: Value) -> Option<Value> {
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
        for (seen, _, next) in self.sights(stage, width) {
            let value = if depth == 1 { seen } else { self.behind(stage, &next, depth - 1, alpha, beta)? };
            best = best.max(value);
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        Some(best)
    }

    /// The value of a move for the side that makes it.
    fn behind(
        &mut self,
        before: &Stage,
        after: &Stage,
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

    /// The turns at the root that are looked at, and what they look like.
    fn turns(&mut self, root: &Stage) -> Vec<(Value, Shot, Stage)> {
        let mut turns = Vec::new();
        for (_, go, between) in self.sights(root, 3 * self.widths[0]) {
            for (value, shoot, next) in self.sights(&between, 2 * self.widths[1]) {
                turns.extend(Steps::joined(go, shoot).map(|mv| (value, mv, next)));
            }
        }
        turns.sort_by_key(|turn| -turn.0);
        turns
    }

    /// One depth of the root; whether it came to its end.
    fn deepen(&mut self, root: &Stage, turns: &mut [(Value, Shot, Stage)], depth: u32) -> bool {
        let mut alpha = -LARGE;
        for i in 0..turns.len() {
            let next = turns[i].2;
            let Some(value) = self.behind(root, &next, depth, alpha, LARGE) else {
                // What was looked at so far is in order already: the best of it stands first.
                return false;
            };
            turns[i].0 = value;
            alpha = alpha.max(value);
            // A better move goes to the front of those that were looked at; what is only known to be no better stays behind.
            let place = turns[..i].iter().position(|turn| turn.0 < value).unwrap_or(i);
            turns[place..=i].rotate_right(1);
        }
        true
    }
}

impl Think<Amazons> for Selective {
    fn run(
        &mut self,
        played: &Match<Amazons>,
        limits: &Limits,
        stop: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Found<Shot> {
        let game = *played.game();
        let mut walk = Walk {
            game: Steps(game),
            widths: self.widths,
            territory: self.territory,
            racer: Racer::new(&game),
            deadline: Deadline::after(limits.time, self.clock.clone(), stop),
            nodes: 0,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
        };
        let root = Stage::before(played.position());
        let mut turns = walk.turns(&root);
        let mut depth = 0;
        while depth < limits.depth.unwrap_or(60) && walk.deepen(&root, &mut turns, 2 * (depth + 1)) {
            depth += 1;
        }
        let moves = turns.iter().map(|&(value, mv, _)| Judged { mv, value, line: vec![mv] }).collect();
        Found { moves, depth, nodes: walk.nodes, whole: false }
    }

    fn forget(&mut self) {}

    fn widen(&mut self, _: Value) {}
}
