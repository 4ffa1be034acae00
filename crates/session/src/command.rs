//! What a player or a driver asks of a session.

use crate::ViolationKind;
use parlor_core::{Answer, Failure, Outcome, Target};

/// A move as it comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveInput {
    /// In the game's notation.
    Text(String),
    /// By the cells that were touched.
    Path(Vec<Target>),
}

/// What a player or a driver asks of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A player makes a move.
    Move(MoveInput),
    /// A player gives up.
    Resign,
    /// A player asks to take back a move.
    OfferTakeback,
    /// A player claims that the position repeats itself without end.
    ClaimRepetition,
    /// A player agrees to the open offer.
    Accept,
    /// A player declines the open offer, or withdraws it.
    Decline,
    /// A player leaves a game that has hardly begun.
    Abort,
    /// The driver has waited until the deadline.
    TimeUp,
    /// A program failed: how, and the rest of a sentence that begins with the player.
    Fail(ViolationKind, String),
    /// The driver ends the game with a proven result; none: without one.
    Adjudicate(Option<Outcome>),
    /// The driver ends a game that will not be continued.
    Abandon,
}

impl Command {
    /// A move in the game's notation.
    pub fn text(text: impl Into<String>) -> Command {
        Command::Move(MoveInput::Text(text.into()))
    }
}

/// The answer of a program to a question: the only place where answers and failures get their meaning.
impl From<Result<Answer, Failure>> for Command {
    fn from(answer: Result<Answer, Failure>) -> Command {
        match answer {
            Ok(Answer::Move(text)) => Command::text(text),
            Ok(Answer::Resign) => Command::Resign,
            Ok(Answer::Claim) => Command::ClaimRepetition,
            Ok(Answer::NoMove) => {
                Command::Fail(ViolationKind::Illegal, "answered that it has no move".to_string())
            }
            Err(failure) => Command::Fail((&failure).into(), failure.to_string()),
        }
    }
}
