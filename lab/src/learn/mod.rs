//! Learned evaluations: `datagen` plays games of the engine against itself and writes their positions, `fit` trains the network of
//! a game with them. Matches (`parlor match`) decide whether the new weights are better.
//!
//! A game takes part if it describes its inputs (`Inputs`) and its search ([`Learned`]).

pub mod datagen;
pub mod fit;
pub mod matches;
mod samples;

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use parlor_core::{BadParams, Game, Margin, Match, Notation};
use parlor_engine::{Monotonic, Random, Searcher};
use parlor_games::{
    kalah::{self, Kalah},
    network::{Inputs, NeuralNetwork},
    oware::{self, Oware},
};
use parlor_solvers::{kalah::KalahSearcher, oware::OwareSearcher};
use std::sync::Arc;

/// A game with a network.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LearnedGame {
    Kalah,
    Oware,
}

/// The most moves of a game.
const LONGEST: usize = 400;

/// A variant of the engine.
#[derive(Clone)]
struct Variant {
    /// Without it, the evaluation by hand.
    network: Option<Arc<NeuralNetwork>>,
    selective: bool,
}

impl Variant {
    /// A variant by its text: `embedded`, `none` for the evaluation by hand, or a file of `fit`; `full:` before it for a search
    /// without selectivity.
    fn parse<G: Learned>(text: &str) -> Result<Variant> {
        let weights = text.strip_prefix("full:").unwrap_or(text);
        let network = match weights {
            "embedded" => Some(G::embedded()),
            "none" => None,
            file => {
                let bytes = std::fs::read(file).with_context(|| format!("cannot read {file}"))?;
                let network = NeuralNetwork::parse(&bytes)
                    .with_context(|| format!("{file} is not a file of weights"))?;
                let inputs = network.inputs();
                ensure!(inputs == G::COUNT, "{file} has {inputs} inputs, but the game has {}", G::COUNT);
                Some(Arc::new(network))
            }
        };
        Ok(Variant { network, selective: weights == text })
    }
}

/// A game with inputs for a network and a search that plays well.
trait Learned: Notation + Inputs {
    /// The game of a match, and whose notation has the positions of all sizes.
    fn usual() -> Result<Self, BadParams>;
    /// The game that self-play plays with this number: all sizes that the network evaluates take their turns.
    fn of_number(_number: u64) -> Result<Self, BadParams> {
        Self::usual()
    }
    /// The search of the engine on one thread.
    fn searcher(&self, variant: &Variant) -> Box<dyn Searcher<Self>>;
    /// The weights that are part of the program.
    fn embedded() -> Arc<NeuralNetwork>;
}

impl Learned for Kalah {
    fn usual() -> Result<Kalah, BadParams> {
        Kalah::sized(6, 4)
    }

    fn of_number(number: u64) -> Result<Kalah, BadParams> {
        Kalah::sized(6, [4, 6, 4, 5][number as usize % 4])
    }

    fn searcher(&self, variant: &Variant) -> Box<dyn Searcher<Kalah>> {
        let mut search = KalahSearcher::new(Arc::new(Monotonic::start()), None);
        search.network = variant.network.clone();
        search.selective = variant.selective;
        search.memory = 4 << 20;
        Box::new(search)
    }

    fn embedded() -> Arc<NeuralNetwork> {
        kalah::network().clone()
    }
}

impl Learned for Oware {
    fn usual() -> Result<Oware, BadParams> {
        Oware::new(&[0])
    }

    fn searcher(&self, variant: &Variant) -> Box<dyn Searcher<Oware>> {
        let mut search = OwareSearcher::new(self.rules(), Arc::new(Monotonic::start()), None);
        search.network = variant.network.clone();
        search.selective = variant.selective;
        search.memory = 4 << 20;
        Box::new(search)
    }

    fn embedded() -> Arc<NeuralNetwork> {
        oware::network().clone()
    }
}

/// Makes random moves until there are `plies`, or until the game is over.
fn play_random<G: Learned>(played: &mut Match<G>, plies: usize, random: &mut Random) {
    let mut room = Vec::new();
    for _ in 0..plies {
        match played.game().pick(played.position(), &mut |n| random.below(n), &mut room) {
            Some(mv) => played.make(mv),
            None => break,
        }
    }
}

/// The margin for the side to move if the game is over, or as the rules pay endless play if the position has occurred before.
/// A game of [`LONGEST`] moves ends likewise, or in a draw.
fn margin_if_over<G: Learned>(played: &Match<G>) -> Option<Margin> {
    let (game, pos) = (played.game(), played.position());
    let payoff = game.repetition_payoff(pos);
    let repeats = payoff.is_some() && played.positions().iter().rev().skip(1).any(|before| before == pos);
    let stopped = repeats || played.moves().len() >= LONGEST;
    game.result(pos).or_else(|| stopped.then(|| payoff.unwrap_or_default()))
}
