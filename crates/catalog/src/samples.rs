//! Test data of a game for code that covers all games: tests, fuzz targets, `parlor bench`. The data belongs to the game
//! ([`Samples`]), so that a new game is covered without a change elsewhere.

use crate::{DynGame, Entry};
use parlor_core::{BadParams, Samples, split_spec};
use std::sync::Arc;

/// Plain alpha-beta with perfect ordering visits about the square root of a game tree. The default depth of `parlor bench`
/// is the largest whose tree has at most this many leaves: about 50,000 positions.
const BENCH_LEAVES: u64 = 2_500_000_000;

impl Entry {
    /// Makes the game of a spec, which must name this game.
    pub fn game(&self, spec: &str) -> Result<Arc<dyn DynGame>, BadParams> {
        let (name, parameters) = split_spec(spec)?;
        if name != self.name {
            return Err(BadParams(format!("'{spec}' is not a spec of {}", self.name)));
        }
        self.build(parameters)
    }

    /// Specs of a small size, the usual size, extreme sizes and every variant, in this order.
    pub fn sizes(&self) -> impl Iterator<Item = &'static str> {
        Samples::lines(self.samples.sizes)
    }

    /// The spec with the shortest games.
    pub fn small(&self) -> &'static str {
        self.sizes().next().unwrap_or(self.name)
    }

    /// The searches of `parlor bench` as pairs of spec and depth.
    pub fn bench(&self) -> Result<Vec<(String, u32)>, BadParams> {
        let stated = self.samples.bench;
        if !stated.is_empty() {
            return Ok(stated.iter().map(|&(spec, depth)| (spec.to_string(), depth)).collect());
        }
        let usual = self.build("")?;
        Ok(vec![(usual.spec(), bench_depth(usual.board().moves().len()))])
    }
}

/// The default depth for a game with this many first moves.
fn bench_depth(moves: usize) -> u32 {
    BENCH_LEAVES.ilog(moves.max(2) as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entries;

    #[test]
    fn the_default_depth_of_bench_equals_the_stated_depth_of_usual_sizes() {
        for entry in entries() {
            let usual = entry.build("").expect("the usual game");
            for (spec, depth) in entry.bench().expect("searches") {
                if spec == usual.spec() {
                    assert_eq!(depth, bench_depth(usual.board().moves().len()), "{spec}");
                }
            }
        }
        assert_eq!([0, 1, 2, 1_000_000].map(bench_depth), [31, 31, 31, 1]);
    }
}
