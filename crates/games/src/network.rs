//! A small neural network over sparse binary inputs, as an evaluation: an efficiently updatable network (NNUE, Y. Nasu 2018) with
//! one hidden layer. A game lists its active inputs ([`Inputs`]); the weights are a data file in the game's folder.
//!
//! ```text
//!   inputs, 0 or 1            hidden layer, 32 lanes of 16 bits                   output
//!   o o x o o x o o o  ──►    bias + the rows of the active inputs  ──►  Σ weight · clamp(lane, 0, 255)²  + lane 31
//! ```
//!
//! The last lane is linear: it holds what inputs contribute on their own. A game with few active inputs adds up all of their rows
//! for each position, because that takes about as long as updating the sum of the position before.
//!
//! All arithmetic is in integers, so that a network has the same values on every machine.

use parlor_core::{Game, Value};
use std::fmt;

/// Lanes of the hidden layer. The last one is linear.
pub const LANES: usize = 32;
/// The activation that stands for 1: the lanes are clamped to 0..=255.
pub const ONE: i16 = 255;

/// A row of the hidden layer.
pub type Row = [i16; LANES];

/// The inputs of a game's network.
pub trait Inputs: Game {
    /// The number of inputs.
    const COUNT: usize;

    /// Calls `each` with the number of every active input, seen by the side to move.
    fn active(&self, pos: &Self::Position, each: &mut dyn FnMut(usize));
}

/// The weights of a network. The default has no inputs.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NeuralNetwork {
    /// By input.
    rows: Vec<Row>,
    bias: Row,
    /// Weights of the lanes, from -127 to 127; that of the last lane is not used.
    output: Row,
    /// Multiplied by the weighted sum of squares, and then shifted right by 32 bits, gives a value.
    scale: i32,
}

impl fmt::Debug for NeuralNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NeuralNetwork({} inputs)", self.rows.len())
    }
}

/// The first line of a file of weights.
const MAGIC: &str = "parlor-network 1";

impl NeuralNetwork {
    /// A network with these weights.
    pub fn new(rows: Vec<Row>, bias: Row, output: Row, scale: i32) -> NeuralNetwork {
        NeuralNetwork { rows, bias, output, scale }
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.rows.len()
    }

    /// The value of a position with these active inputs. Inputs that the network does not have count nothing.
    #[inline(always)]
    pub fn value(&self, active: impl Iterator<Item = usize>) -> Value {
        let mut lanes = self.bias;
        for input in active {
            if let Some(row) = self.rows.get(input) {
                lanes.iter_mut().zip(row).for_each(|(lane, weight)| *lane = lane.wrapping_add(*weight));
            }
        }
        let linear = lanes[LANES - 1];
        let mut sum = 0_i32;
        for (lane, weight) in lanes[..LANES - 1].iter().zip(&self.output) {
            let lane = (*lane).clamp(0, ONE);
            // 255 * 127 fits 16 bits, which processors multiply side by side.
            sum = sum.wrapping_add(i32::from(lane.wrapping_mul(*weight)) * i32::from(lane));
        }
        i32::from(linear) + ((i64::from(sum) * i64::from(self.scale)) >> 32) as i32
    }

    /// The file of these weights: lines that say where they come from, an empty line, and the weights as little-endian words of
    /// 16 bits. `provenance` is pairs of key and text, without line breaks.
    pub fn to_bytes(&self, provenance: &[(&str, String)]) -> Vec<u8> {
        let mut head = format!("{MAGIC}\ninputs {}\nscale {}\n", self.rows.len(), self.scale);
        for (key, text) in provenance {
            head += &format!("{key} {text}\n");
        }
        let mut bytes = (head + "\n").into_bytes();
        let rows = self.rows.iter().chain([&self.bias, &self.output]);
        rows.flatten().for_each(|weight| bytes.extend(weight.to_le_bytes()));
        bytes
    }

    /// Reads a file of weights; `None` if it is not one, or not whole.
    pub fn parse(bytes: &[u8]) -> Option<NeuralNetwork> {
        let head = bytes.windows(2).position(|pair| pair == b"\n\n")?;
        let mut lines = std::str::from_utf8(&bytes[..head]).ok()?.lines();
        (lines.next()? == MAGIC).then_some(())?;
        let inputs: usize = lines.next()?.strip_prefix("inputs ")?.parse().ok()?;
        let scale = lines.next()?.strip_prefix("scale ")?.parse().ok()?;
        let (words, rest) = bytes[head + 2..].as_chunks::<2>();
        let words: Vec<i16> = words.iter().map(|&word| i16::from_le_bytes(word)).collect();
        let (rows, more) = words.as_chunks::<LANES>();
        let whole = rest.is_empty() && more.is_empty() && rows.len() == inputs.checked_add(2)?;
        whole.then(|| NeuralNetwork::new(rows[..inputs].to_vec(), rows[inputs], rows[inputs + 1], scale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> NeuralNetwork {
        let row = |i: i16| std::array::from_fn(|lane| 7 * i - lane as i16);
        NeuralNetwork::new((0..5).map(row).collect(), [100; LANES], row(9), 1 << 16)
    }

    #[test]
    fn a_file_of_weights_is_read_back() {
        let bytes = network().to_bytes(&[("command", "cargo lab fit".to_string())]);
        assert_eq!(NeuralNetwork::parse(&bytes), Some(network()));
        for wrong in [&bytes[..bytes.len() - 1], &bytes[1..], b"", b"parlor-network 1\n\n"] {
            assert_eq!(NeuralNetwork::parse(wrong), None);
        }
    }

    #[test]
    fn the_value_is_that_of_the_formula() {
        let network = network();
        let active = [1, 4, 4];
        let lane = |i: usize| 100 + active.iter().map(|&row| 7 * row as i32 - i as i32).sum::<i32>();
        let squares: i64 =
            (0..LANES - 1).map(|i| i64::from(lane(i).clamp(0, 255).pow(2)) * i64::from(63 - i as i32)).sum();
        let expected = lane(LANES - 1) + ((squares << 16) >> 32) as i32;
        assert_eq!(network.value(active.into_iter().chain([99])), expected);
    }
}
