//! Makes a [`Player`] of a typed chooser of moves.

use parlor_core::{
    Answer, Board, Failure, Limits, Match, Notation, Offer, Player, Record, Report, program_agrees,
};
use std::sync::atomic::AtomicBool;

/// What a chooser has to go by beside the match.
pub struct Thinking<'a> {
    /// The referee's limits for this move.
    pub limits: &'a Limits,
    /// Set when the answer is wanted at once.
    pub stop: &'a AtomicBool,
    /// Hears how the thinking goes.
    pub report: &'a mut dyn FnMut(&Report),
}

/// Picks a move in a match: none exactly when there is none.
pub trait MoveChooser<G: Notation>: Send {
    /// The move for the side to move.
    fn choose(&mut self, played: &Match<G>, thinking: &mut Thinking<'_>) -> Option<G::Move>;
    /// Whether it agrees to an offer of the other side.
    fn accepts(&self, board: &dyn Board, offer: Offer) -> bool {
        program_agrees(board, offer)
    }
}

/// A chooser as a player. It reads the match of the board itself; the record is replayed only if the board is not an open
/// match of its game.
pub struct PlayerAdapter<G: Notation, C> {
    game: G,
    chooser: C,
}

impl<G: Notation, C: MoveChooser<G>> PlayerAdapter<G, C> {
    /// A player of this game.
    pub fn new(game: G, chooser: C) -> Self {
        PlayerAdapter { game, chooser }
    }

    /// The match of a board that can be read as it is: of this game with these parameters, and not closed by anything but the
    /// rules.
    fn own_match<'a>(&self, board: &'a dyn Board) -> Option<&'a Match<G>> {
        let played = Match::<G>::of(board)?;
        let is_open = played.ending().is_none() || played.result().is_some();
        (is_open && played.game().values() == self.game.values()).then_some(played)
    }

    fn replay(&self, board: &dyn Board) -> Result<Match<G>, Failure> {
        let record = Record { ending: None, ..board.record() };
        Match::replay(self.game.clone(), &record).map_err(|bad| Failure::Garbage(bad.0))
    }
}

impl<G: Notation, C: MoveChooser<G>> Player for PlayerAdapter<G, C> {
    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        let replayed;
        let played = match self.own_match(board) {
            Some(played) => played,
            None => {
                replayed = self.replay(board)?;
                &replayed
            }
        };
        if played.result().is_some() {
            return Ok(Answer::NoMove);
        }
        let limits = &limits.shared(played.game().turn(played.position()));
        let chosen = self.chooser.choose(played, &mut Thinking { limits, stop, report });
        Ok(chosen.map_or(Answer::NoMove, |mv| Answer::Move(played.game().write_move(mv))))
    }

    fn accepts(&mut self, board: &dyn Board, offer: Offer) -> bool {
        self.chooser.accepts(board, offer)
    }
}
