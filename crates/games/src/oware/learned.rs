//! The learned evaluation: a network over the contents of all pits, the scores, and the sets of pits that can be captured.

use super::{Oware, Position, Prospects, eval::captures};
use crate::network::{Inputs, NeuralNetwork};
use parlor_core::{Evaluator, Game, Value};
use std::sync::{Arc, OnceLock};

/// Inputs of a pit: 0 to 14 seeds, and 15 or more.
const CONTENTS: usize = 16;
/// Inputs of a score: 0 to 24 seeds.
const POINTS: usize = 25;
/// Inputs of a set of pits of one row.
const SETS: usize = 64;
/// Where the inputs of the scores, and those of the sets, begin.
const SCORES: usize = 12 * CONTENTS;
const READY: usize = SCORES + 2 * POINTS;
const COUNT: usize = READY + 2 * SETS;

static WEIGHTS: &[u8] = include_bytes!("data/network.bin");

/// The active inputs of a position: one for each pit, for each score, and for the sets of pits that the side to move and the
/// opponent can capture.
#[inline(always)]
fn active(own: u64, other: u64, scores: [u8; 2]) -> [usize; 16] {
    std::array::from_fn(|i| match i {
        0..12 => {
            let row = if i < 6 { own } else { other };
            let seeds = (row >> (8 * (i % 6)) & 0xFF) as usize;
            CONTENTS * i + seeds.min(CONTENTS - 1)
        }
        12 | 13 => SCORES + POINTS * (i - 12) + usize::from(scores[i - 12]).min(POINTS - 1),
        14 => READY + captures(own, other),
        _ => READY + SETS + captures(other, own),
    })
}

/// The weights, read once. Without weights every position is worth 0.
pub fn network() -> &'static Arc<NeuralNetwork> {
    static NETWORK: OnceLock<Arc<NeuralNetwork>> = OnceLock::new();
    NETWORK.get_or_init(|| Arc::new(NeuralNetwork::parse(WEIGHTS).unwrap_or_default()))
}

/// The value of a position for the side to move, from both rows and both scores, the mover's first.
#[inline(always)]
pub fn learned(network: &NeuralNetwork, own: u64, other: u64, scores: [u8; 2]) -> Value {
    network.value(active(own, other, scores).into_iter())
}

impl Inputs for Oware {
    const COUNT: usize = COUNT;

    fn active(&self, pos: &Position, each: &mut dyn FnMut(usize)) {
        let ([own, other], turn) = (pos.rows(), self.turn(pos));
        let scores = [turn, turn.other()].map(|side| pos.scores()[side.index()]);
        active(own, other, scores).into_iter().for_each(each);
    }
}

/// Evaluates by the network; by hand where play goes on to the last seed, because the network was trained with games that end at
/// 25 seeds.
#[derive(Clone, Copy, Debug)]
pub struct OwareNetwork;

impl Evaluator<Oware> for OwareNetwork {
    fn evaluate(&self, game: &Oware, pos: &Position) -> Value {
        if *game == game.to_the_last_seed() {
            return Prospects.evaluate(game, pos);
        }
        let mut inputs = Vec::new();
        game.active(pos, &mut |input| inputs.push(input));
        network().value(inputs.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Notation;

    #[test]
    fn the_embedded_weights_fit_the_inputs() {
        let network = NeuralNetwork::parse(WEIGHTS).expect("a network");
        assert_eq!(network.inputs(), COUNT);
    }

    #[test]
    fn both_sides_have_the_same_value_in_the_same_situation() {
        let game = Oware::new(&[0]).expect("a game");
        let value = |text: &str| {
            let pos = game.parse_position(text).expect("a position");
            OwareNetwork.evaluate(&game, &pos)
        };
        assert_eq!(value("0-3-0-1-0-2-0-1-0-0-0-5-16-20-S"), value("0-1-0-0-0-5-0-3-0-1-0-2-20-16-N"));
    }
}
