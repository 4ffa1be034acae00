//! Expected thinking times of players: first by their specs, then by the times of their earlier moves.

use parlor_catalog::{PlayerSpec, duration};
use std::{collections::HashMap, time::Duration};

/// Time per search node on a slow machine.
const NODE: Duration = Duration::from_micros(10);
/// Expected time of a player without a search.
const NO_SEARCH: Duration = Duration::from_millis(10);
/// Thinking times of the engine's levels in milliseconds; the highest level uses all of its time.
const LEVELS: [u64; 9] = [20, 20, 30, 50, 80, 200, 600, 2_000, 8_000];
/// Level of an engine whose spec sets no limit.
const USUAL_LEVEL: usize = 5;
/// Players whose cost is remembered; when the map is full, it is cleared.
const REMEMBERED: usize = 4096;

/// Expected thinking time per move, by player spec.
#[derive(Debug)]
pub struct Costs {
    /// Upper bound of every estimate.
    longest: Duration,
    taken: HashMap<String, Duration>,
}

impl Costs {
    /// An empty table; no move takes longer than `longest`.
    pub fn new(longest: Duration) -> Costs {
        Costs { longest, taken: HashMap::new() }
    }

    /// The expected time of a move. The spec of a program says nothing about it.
    pub fn expect(&self, game: &str, spec: &str, is_program: bool) -> Duration {
        let known = self.taken.get(&name(game, spec)).copied();
        let by_spec = || if is_program { self.longest } else { self.by_spec(spec) };
        known.unwrap_or_else(by_spec).min(self.longest)
    }

    /// Records the time of a move: the maximum, which decays towards shorter times.
    pub fn learn(&mut self, game: &str, spec: &str, taken: Duration) {
        if self.taken.len() >= REMEMBERED {
            self.taken.clear();
        }
        let known = self.taken.entry(name(game, spec)).or_insert(taken);
        *known = if taken > *known { taken } else { (*known * 3 + taken) / 4 };
    }

    /// The tightest limit of a spec; `longest` if it has none, or only a depth.
    fn by_spec(&self, text: &str) -> Duration {
        let Ok(spec) = text.parse::<PlayerSpec>() else { return self.longest };
        let option = |name: &str| spec.options.iter().find(|(own, _)| own == name).map(|(_, value)| value);
        let time = option("time").and_then(|time| duration(time));
        let nodes = option("nodes").and_then(|nodes| nodes.parse::<u32>().ok()).map(|nodes| NODE * nodes);
        let level = option("level").and_then(|level| level.parse().ok());
        let level = level.or((spec.kind == "engine" && spec.options.is_empty()).then_some(USUAL_LEVEL));
        let level = level.and_then(|level: usize| LEVELS.get(level.wrapping_sub(1)));
        let level = level.map(|millis| Duration::from_millis(*millis));
        let simple = ["random", "bad"].contains(&spec.kind.as_str()).then_some(NO_SEARCH);
        [time, nodes, level, simple].into_iter().flatten().min().unwrap_or(self.longest)
    }
}

/// The key of a player of a game, without its random seed.
fn name(game: &str, spec: &str) -> String {
    let Ok(mut spec) = spec.parse::<PlayerSpec>() else { return format!("{game} {spec}") };
    spec.options.retain(|(name, _)| name != "seed");
    format!("{game} {spec}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(10);

    #[test]
    fn the_spec_gives_the_first_estimate() {
        let costs = Costs::new(LONGEST);
        for (spec, millis) in [
            ("engine:level=1", 20),
            ("engine", 80),
            ("engine:level=10", 10_000),
            ("engine:time=600s", 10_000),
            ("engine:time=300ms", 300),
            ("engine:level=9,time=1s", 1_000),
            ("engine:nodes=1000", 10),
            ("engine:depth=3", 10_000),
            ("perfect", 10_000),
            ("random", 10),
            ("random:seed=7", 10),
        ] {
            assert_eq!(costs.expect("g", spec, false), Duration::from_millis(millis), "{spec}");
        }
    }

    #[test]
    fn measured_times_replace_the_estimate_of_the_spec() {
        let mut costs = Costs::new(LONGEST);
        costs.learn("g", "engine:depth=3,seed=1", Duration::from_millis(5));
        assert_eq!(costs.expect("g", "engine:depth=3,seed=2", false), Duration::from_millis(5));
        assert_eq!(costs.expect("h", "engine:depth=3", false), LONGEST, "another game");
        costs.learn("g", "engine:depth=3", Duration::from_secs(4));
        assert_eq!(costs.expect("g", "engine:depth=3", false), Duration::from_secs(4));
    }

    #[test]
    fn a_program_is_expected_to_take_long_until_it_is_known() {
        let mut costs = Costs::new(LONGEST);
        assert_eq!(costs.expect("g", "random", true), LONGEST);
        costs.learn("g", "random", Duration::from_millis(70));
        assert_eq!(costs.expect("g", "random", true), Duration::from_millis(70));
    }
}
