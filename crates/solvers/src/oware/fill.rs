//! Fills layers of an Oware endgame table: exact values by the rules of the literature (awari), where endless play pays
//! nothing; bounds and an estimate between them by the usual rules, where the payoff depends on where it is stopped.

use super::{bounds, progress, retrograde};
use parlor_core::Indexed;
use parlor_games::oware::{Oware, RuleSet};
use parlor_tables::{Filler, Work};
use std::sync::atomic::Ordering::Relaxed;

#[derive(Clone, Copy, Debug, Default)]
pub struct OwareFiller;

impl Filler<Oware> for OwareFiller {
    fn fill(&self, game: &Oware, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        let seeds = layer as usize;
        if game.rules() == RuleSet::Awari {
            return retrograde::fill(game.rules(), seeds, below, out, work);
        }
        let len = out.len() / game.planes();
        // Progress is counted in entries. The first two parts count one per position, and the last one none.
        let count = |planes: usize| work.done.fetch_add((planes * len) as u64, Relaxed);
        let (lo, rest) = out.split_at_mut(len);
        let (hi, rest) = rest.split_at_mut(len);
        let (guess, progress) = rest.split_at_mut(len);
        let (mine, theirs) = progress.split_at_mut(len);
        // The estimate: the value if endless play paid nothing.
        let guesses: Vec<&[i8]> = below.iter().map(|layer| plane(layer, 2)).collect();
        if !retrograde::fill(game.rules(), seeds, &guesses, guess, work) {
            return false;
        }
        let bounded: Vec<[&[i8]; 2]> = below.iter().map(|layer| [plane(layer, 0), plane(layer, 1)]).collect();
        if !bounds::fill(game.rules(), seeds, &bounded, [lo, hi], work) {
            return false;
        }
        count(1);
        if !progress::fill(game.rules(), seeds, &bounded, [lo, hi], [mine, theirs], work) {
            return false;
        }
        count(2);
        for (guess, (lo, hi)) in guess.iter_mut().zip(lo.iter().zip(hi.iter())) {
            *guess = (*guess).clamp(*lo, (*hi).max(*lo));
        }
        true
    }

    /// For exact values a state of one or two bytes, two bits for marks, and lists of the positions that are settled together,
    /// which are few. For bounds eight bytes; then, for progress measures, five, and four for each position and side in the
    /// work list, at most twice as many as positions.
    fn room(&self, game: &Oware, layer: u32) -> u64 {
        let exact = retrograde::room(layer as usize);
        game.len(layer).saturating_mul(if game.rules() == RuleSet::Awari { exact } else { 13 })
    }
}

/// One of the five byte planes of a layer.
fn plane(layer: &[i8], number: usize) -> &[i8] {
    let len = layer.len() / 5;
    &layer[number * len..(number + 1) * len]
}
