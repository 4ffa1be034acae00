//! From a typed choice to a player that answers records.

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
pub trait Chooser<G: Notation>: Send {
    /// The move for the side to move.
    fn choose(&mut self, played: &Match<G>, thinking: &mut Thinking<'_>) -> Option<G::Move>;
    /// Whether it agrees to an offer of the other side.
    fn accepts(&self, board: &dyn Board, offer: Offer) -> bool {
        program_agrees(board, offer)
    }
}

/// A chooser as a player. It keeps its last match and replays only what is new.
pub struct Seated<G: Notation, C> {
    played: Match<G>,
    chooser: C,
}

impl<G: Notation, C: Chooser<G>> Seated<G, C> {
    /// A player of this game.
    pub fn new(game: G, chooser: C) -> Self {
        Seated { played: Match::new(game), chooser }
    }

    fn follow(&mut self, record: &Record) -> Result<(), Failure> {
        let unreadable = |e: parlor_core::BadRecord| Failure::Garbage(e.0);
        if self.played.begins(record) && self.played.ending().is_none() {
            self.played.catch_up(record).map_err(unreadable)
        } else {
            // An ending says nothing about the position: a finished game is answered with NoMove all the same.
            let open = Record { ending: None, ..record.clone() };
            self.played = Match::replay(self.played.game().clone(), &open).map_err(unreadable)?;
            Ok(())
        }
    }
}

impl<G: Notation, C: Chooser<G>> Player for Seated<G, C> {
    fn choose(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        self.follow(record)?;
        if self.played.result().is_some() {
            return Ok(Answer::NoMove);
        }
        let limits = &limits.shared(self.played.game().turn(self.played.position()));
        let chosen = self.chooser.choose(&self.played, &mut Thinking { limits, stop, report });
        Ok(chosen.map_or(Answer::NoMove, |mv| Answer::Move(self.played.game().write_move(mv))))
    }

    fn accepts(&mut self, board: &dyn Board, offer: Offer) -> bool {
        self.chooser.accepts(board, offer)
    }
}
