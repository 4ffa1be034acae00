//! SplitMix64 random numbers (Steele, Lea and Flood 2014), and random games (playouts) with them. The generator is implemented
//! here and not taken from a library, so that the same seed gives the same game in every version.

use parlor_core::{Game, Margin};

///
/// # Examples
///
/// ```
/// use parlor_engine::Random;
///
/// let mut dice = Random::new(1);
/// let throws: Vec<usize> = (0..100).map(|_| 1 + dice.below(6)).collect();
/// assert!(throws.iter().all(|throw| (1..=6).contains(throw)));
/// assert_eq!(Random::new(1).bits(), Random::new(1).bits());
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, all equally likely (the error is below n in 2^64); 0 if `n` is 0.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }
}

/// The result of a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    pub plies: u32,
    /// The margin seen by the first side.
    pub margin: Margin,
}

/// Plays random moves from the position to the end. If the rules define a payoff of endless play, the game ends with it as soon
/// as a position occurs for the second time. `moves` is a scratch buffer.
///
/// # Examples
///
/// ```
/// use parlor_core::Game;
/// use parlor_engine::{Random, playout};
/// use parlor_games::kalah::Kalah;
///
/// let game = Kalah::sized(6, 4)?;
/// let (mut random, mut moves) = (Random::new(1), Vec::new());
/// let games = (0..100).map(|_| playout(&game, &game.start(), &mut random, &mut moves));
/// let sum: i32 = games.map(|game| i32::from(game.margin.0)).sum();
/// assert!(sum.abs() <= 100 * 48);
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub fn playout<G: Game>(
    game: &G,
    pos: &G::Position,
    random: &mut Random,
    moves: &mut Vec<G::Move>,
) -> Playout {
    let mut pos = pos.clone();
    let mut plies = 0;
    let cycles = game.repetition_payoff(&pos).is_some();
    let mut banked = game.banked(&pos);
    let mut seen: Vec<G::Position> = Vec::new();
    let (margin, turn) = loop {
        let Some(mv) = game.pick(&pos, &mut |n| random.below(n), moves) else {
            break (game.result(&pos).unwrap_or_default(), game.turn(&pos));
        };
        if cycles {
            // A change of the banked part makes all earlier positions unreachable.
            let now = game.banked(&pos);
            if now != banked && -now != banked {
                seen.clear();
            }
            banked = now;
            if seen.contains(&pos) {
                break (game.repetition_payoff(&pos).unwrap_or_default(), game.turn(&pos));
            }
            seen.push(pos.clone());
        }
        game.play(&mut pos, mv);
        plies += 1;
    };
    Playout { plies, margin: if turn == parlor_core::Side::First { margin } else { -margin } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut random = Random::new(1234567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn every_number_below_n_comes_up() {
        let mut random = Random::new(1);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[random.below(6)] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
