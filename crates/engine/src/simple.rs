//! Players that do not look ahead.

use crate::{MoveChooser, Random, Thinking};
use parlor_core::{Board, Match, Notation, Offer};

fn legal<G: Notation>(played: &Match<G>) -> Vec<G::Move> {
    let mut moves = Vec::new();
    played.game().moves(played.position(), &mut moves);
    moves
}

/// The first legal move in listing order.
#[derive(Clone, Copy, Debug)]
pub struct Bad;

impl<G: Notation> MoveChooser<G> for Bad {
    fn choose(&mut self, played: &Match<G>, _: &mut Thinking<'_>) -> Option<G::Move> {
        legal(played).first().copied()
    }
}

/// Any legal move, all equally likely.
#[derive(Clone, Debug)]
pub struct Uniform(pub Random);

impl<G: Notation> MoveChooser<G> for Uniform {
    fn choose(&mut self, played: &Match<G>, _: &mut Thinking<'_>) -> Option<G::Move> {
        let moves = legal(played);
        moves.get(self.0.below(moves.len())).copied()
    }
}

/// A game's own way to choose with the help of chance: a function that is given a source of uniform numbers from 0 up to
/// and including its argument.
#[derive(Clone, Debug)]
pub struct Drawing<F> {
    /// The function.
    pub choose: F,
    /// Where its numbers come from.
    pub random: Random,
}

impl<G, F> MoveChooser<G> for Drawing<F>
where
    G: Notation,
    F: FnMut(&G, &G::Position, &mut dyn FnMut(u32) -> u32) -> Option<G::Move> + Send,
{
    fn choose(&mut self, played: &Match<G>, _: &mut Thinking<'_>) -> Option<G::Move> {
        let random = &mut self.random;
        (self.choose)(played.game(), played.position(), &mut |most| random.below(most as usize + 1) as u32)
    }

    /// The classic bot agrees to everything.
    fn accepts(&self, _: &dyn Board, _: Offer) -> bool {
        true
    }
}
