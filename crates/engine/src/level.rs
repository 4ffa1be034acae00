//! The `engine` player: the deep search with a strength that can be chosen.
//!
//! A level fixes the nodes and the memory of the search, and how much worse than the best a move may
//! seem and still be played. It knows no clock, so that it is the same on every machine, and its answer
//! depends on nothing but record, level and seed. Weak levels search fewer nodes and sometimes play the
//! second best move; they never move at random.

use crate::{MoveChooser, Random, Think, Thinking, memory_for_nodes};
use parlor_core::{Game, Limits, Match, Notation, Value, is_finished};
use std::{sync::atomic::AtomicBool, time::Duration};

/// How strong, from 1 (a beginner) to 10 (all it has).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(u8);

/// The least memory of a level in bytes: enough for every move of a position, however few the nodes.
const LEAST_MEMORY: usize = 1 << 20;

/// How long level 10 thinks when nothing else says so.
const USUAL_TIME: Duration = Duration::from_secs(1);

impl Level {
    /// Full strength.
    pub const FULL: Level = Level(10);
    /// What a person meets who asks for nothing else.
    pub const USUAL: Level = Level(5);

    /// The level of this number, as near as there is one.
    pub fn new(number: u8) -> Level {
        Level(number.clamp(1, 10))
    }

    /// Whether somebody at this level still judges positions as simply as can be.
    pub fn is_beginner(self) -> bool {
        self.0 <= 3
    }

    /// Positions to look at; full strength has no such limit.
    fn nodes(self) -> Option<u64> {
        let nodes = [40, 120, 400, 1_200, 4_000, 12_000, 40_000, 150_000, 600_000];
        nodes.get(usize::from(self.0) - 1).copied()
    }

    /// The memory of the search's tree or transposition table in bytes: as much as its nodes can fill.
    /// The size of a table influences the answer, so it belongs to the level. None at full strength.
    pub fn memory(self) -> Option<usize> {
        self.nodes().map(|nodes| memory_for_nodes(nodes).max(LEAST_MEMORY))
    }

    /// How much worse than the best a move may seem, in hundredths of what lies between the best and the worst.
    fn slack(self) -> i64 {
        [70, 50, 35, 25, 15, 6, 3, 0, 0, 0][usize::from(self.0) - 1]
    }
}

/// The deep search as a player.
pub struct Engine<G: Game> {
    /// What it searches with.
    pub search: Box<dyn Think<G>>,
    /// How strong it is.
    pub level: Level,
    /// Its own limits, beside the level's and the referee's.
    pub limits: Limits,
    /// All its randomness.
    pub seed: u64,
}

impl<G: Notation> MoveChooser<G> for Engine<G> {
    fn choose(&mut self, played: &Match<G>, thinking: &mut Thinking<'_>) -> Option<G::Move> {
        let limits = self.limits_here(played, thinking.limits);
        // Without a clock the answer shall depend on the question alone, not on what was asked before.
        if self.level != Level::FULL || limits.time.is_none() {
            self.search.forget();
        }
        let slack = self.slack_here(played, thinking.stop);
        // One more than the slack: at the very edge of the width a value may be a bound, and the move much worse.
        let width = slack.map_or(0, |slack| slack.saturating_add(1));
        self.search.widen(width);
        let found = self.search.run(played, &limits, thinking.stop, thinking.report);
        let best = found.moves.first()?;
        let slack = slack.filter(|_| !is_finished(best.value)).unwrap_or(0);
        let mut random = Random::new(self.seed ^ (played.moves().len() as u64).wrapping_mul(0x9E37_79B9));
        // The better a move seems, the likelier; at low levels the difference tells less.
        let weight = |value: Value| {
            let above = i64::from(slack - (best.value - value)) * 64 / i64::from(slack + 1);
            above as usize + 64 / usize::from(self.level.0)
        };
        let good: Vec<(G::Move, usize)> = found
            .moves
            .iter()
            .filter(|judged| best.value.saturating_sub(judged.value) <= slack && width > 0)
            .map(|judged| (judged.mv, weight(judged.value)))
            .collect();
        let mut ticket = random.below(good.iter().map(|(_, weight)| weight).sum());
        for (mv, weight) in good {
            match ticket.checked_sub(weight) {
                Some(rest) => ticket = rest,
                None => return Some(mv),
            }
        }
        Some(best.mv)
    }
}

impl<G: Notation> Engine<G> {
    /// The narrowest of all limits. A level looks at every move at least, and only full strength thinks by the clock.
    fn limits_here(&self, played: &Match<G>, asked: &Limits) -> Limits {
        let own = &self.limits;
        let depth = [own.depth, asked.depth].into_iter().flatten().min();
        let few = 2 * played.game().count(played.position());
        let by_level = self.level.nodes().map(|nodes| nodes.max(few));
        let nodes = [own.nodes, asked.nodes, by_level].into_iter().flatten().min();
        let unlimited = own.time.is_none() && depth.is_none() && nodes.is_none() && asked.time.is_none();
        let time = [own.time, asked.time, unlimited.then_some(USUAL_TIME)].into_iter().flatten().min();
        Limits { time, depth, nodes, ..Limits::default() }
    }

    /// How much worse than the best a move may be here; none at levels that always want the best.
    fn slack_here(&mut self, played: &Match<G>, stop: &AtomicBool) -> Option<Value> {
        let hundredths = Some(self.level.slack()).filter(|&slack| slack > 0)?;
        self.search.widen(Value::MAX);
        let shallow = Limits { depth: Some(2), nodes: self.level.nodes(), ..Limits::default() };
        let found = self.search.run(played, &shallow, stop, &mut |_| ());
        let values = || found.moves.iter().map(|judged| judged.value).filter(|&value| !is_finished(value));
        let spread = i64::from(values().max().unwrap_or(0)) - i64::from(values().min().unwrap_or(0));
        // Where judgements are small whole numbers, the next one is not out of a beginner's reach.
        let up = if self.level.is_beginner() { 99 } else { 0 };
        Some(((spread * hundredths + up) / 100) as Value)
    }
}
