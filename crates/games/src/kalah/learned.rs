//! The learned evaluation for boards with six holes a side: a network over the contents of all holes, what each side still needs
//! to win, the best captures, and the holes whose last bean falls into the pot.

use super::{Kalah, Position};
use crate::network::{Inputs, NeuralNetwork};
use parlor_core::Value;
use std::sync::{Arc, OnceLock};

/// The holes a side of the boards that the network evaluates.
pub const NETWORK_HOLES: usize = 6;
const HOLES: usize = NETWORK_HOLES;
/// A sowing of this many beans ends where it began.
const ROUND: u64 = 2 * HOLES as u64 + 1;
/// Inputs of a hole: 0 to 18 beans, and 19 or more.
const CONTENTS: usize = 20;
/// Inputs of what a side needs for more than half of all beans: 0 to 39, and 40 or more.
const NEEDS: usize = 41;
/// Inputs of the beans that a capture takes: none to 14, and 15 or more.
const CAPTURES: usize = 16;
/// Inputs of a set of holes.
const SETS: usize = 64;
/// Where the inputs of each kind begin.
const NEED: usize = 2 * HOLES * CONTENTS;
const CAPTURE: usize = NEED + 2 * NEEDS;
const AGAIN: usize = CAPTURE + 2 * CAPTURES;
const COUNT: usize = AGAIN + 2 * SETS;

static WEIGHTS: &[u8] = include_bytes!("data/network.bin");

/// The weights, read once. They are for boards with six holes a side.
pub fn network() -> &'static Arc<NeuralNetwork> {
    static NETWORK: OnceLock<Arc<NeuralNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| Arc::new(NeuralNetwork::parse(WEIGHTS).unwrap_or_default()))
}

/// The beans of a lane.
#[inline(always)]
fn lane(row: u64, at: usize) -> u64 {
    row >> (8 * at) & 0xFF
}

/// The most beans that a move of a row takes from the other by a capture of less than a round.
#[inline(always)]
fn best_capture(own: u64, other: u64) -> usize {
    let mut best = 0;
    for at in 0..HOLES {
        let last = at + lane(own, at) as usize;
        if last > at && last < HOLES && lane(own, last) == 0 {
            best = best.max(lane(other, HOLES - 1 - last) as usize);
        }
    }
    best.min(CAPTURES - 1)
}

/// The holes of a row whose last bean falls into the pot, a bit each.
#[inline(always)]
fn extra_turns(row: u64) -> usize {
    (0..HOLES).map(|at| usize::from(lane(row, at) % ROUND == (HOLES - at) as u64) << at).sum()
}

/// The active inputs of a position, from both rows and both pots, the mover's first, and the number of all beans.
#[inline(always)]
fn active(own: u64, other: u64, pots: [usize; 2], all: usize) -> [usize; 18] {
    let needs = pots.map(|pot| (all / 2 + 1).saturating_sub(pot));
    std::array::from_fn(|i| match i {
        0..12 => {
            let row = if i < HOLES { own } else { other };
            CONTENTS * i + (lane(row, i % HOLES) as usize).min(CONTENTS - 1)
        }
        12 | 13 => NEED + NEEDS * (i - 12) + needs[i - 12].min(NEEDS - 1),
        14 => CAPTURE + best_capture(own, other),
        15 => CAPTURE + CAPTURES + best_capture(other, own),
        16 => AGAIN + extra_turns(own),
        _ => AGAIN + SETS + extra_turns(other),
    })
}

/// The value of a position with six holes a side for the side to move, from both rows and both pots, the mover's first,
/// and the number of all beans.
#[inline(always)]
pub fn learned(network: &NeuralNetwork, own: u64, other: u64, pots: [usize; 2], all: usize) -> Value {
    network.value(active(own, other, pots, all).into_iter())
}

impl Inputs for Kalah {
    const COUNT: usize = COUNT;

    /// Boards with another number of holes have no active inputs.
    fn active(&self, pos: &Position, each: &mut dyn FnMut(usize)) {
        let Some((own, other)) = pos.lanes().filter(|_| pos.board().holes() == HOLES) else { return };
        let sides = [pos.turn(), pos.turn().other()];
        let pots = sides.map(|side| usize::from(pos.board().pot(side)));
        let in_play: u16 = sides.iter().map(|&side| pos.board().beans_in_play(side)).sum();
        let all = pots[0] + pots[1] + usize::from(in_play);
        active(own, other, pots, all).into_iter().for_each(each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Notation;

    #[test]
    fn the_embedded_weights_fit_the_inputs() {
        assert_eq!(NeuralNetwork::parse(WEIGHTS).map(|network| network.inputs()), Some(COUNT));
    }

    #[test]
    fn captures_and_extra_turns_are_inputs() {
        let game = Kalah::sized(6, 4).expect("a game");
        let inputs = |text: &str| {
            let mut inputs = Vec::new();
            game.active(&game.parse_position(text).expect("a position"), &mut |input| inputs.push(input));
            inputs
        };
        // Hole 1 ends in the empty hole 3, opposite 4 beans; the last beans of holes 5 and 6 fall into the pot.
        let seen = inputs("0,0,4,0,0,0/2,0,0,0,2,1 19/20 s");
        assert_eq!(seen.len(), 18);
        assert_eq!((seen[12] - NEED, seen[14] - CAPTURE, seen[16] - AGAIN), (5, 4, 0b11_0000));
        assert!(seen.iter().all(|&input| input < COUNT));
    }
}
