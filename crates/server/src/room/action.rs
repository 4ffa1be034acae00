//! The actions of players, checked against the seats and the session. No I/O.

use super::{GameSeat, LiveGame};
use crate::{problem::Problem, wire::SeatKind};
use parlor_core::{Answer, Failure, Side};
use parlor_session::{Command, Event, Micros, MoveInput, Refused, ViolationKind};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// An action of a player. Servers of a cluster forward it to each other, and refuse one that they do not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// A move for the position after this many moves.
    Move {
        /// The number of moves on the board when it was chosen.
        ply: u64,
        by: MoveBy,
        /// Sequence number of the last event when it was chosen, if the player knows it: after a takeback the same ply is another
        /// position.
        #[serde(default)]
        seq: Option<i64>,
    },
    Resign,
    /// Asks to take back the player's own last move.
    Takeback,
    Claim,
    Accept,
    /// Declines the open offer, or withdraws it.
    Decline,
    /// Ends a game before its second move.
    Abort,
    /// Reports a failure of a bot on the network. People cannot.
    Fail {
        /// The position in which it failed, if it depends on one.
        ply: Option<u64>,
        /// The kind of violation, serialised as its word.
        #[serde(with = "violation_word")]
        kind: ViolationKind,
        /// The reason, which continues a sentence that begins with the name of the program.
        reason: String,
    },
    /// A program over the network leaves a game that is not continued. People cannot.
    Abandon,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MoveBy {
    /// The text of a move in the game's notation.
    Text(String),
    /// As the cells that the player touched.
    Path(Vec<u16>),
}

/// A player who takes the open seat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Guest {
    /// The hash of the invitation.
    pub invitation: String,
    /// Hash of the token that will hold the seat.
    pub key: String,
    pub name: String,
    /// The kind of player: only `Person` or `Bot`.
    pub kind: SeatKind,
    /// The client's address, if it is known.
    #[serde(default)]
    pub address: Option<IpAddr>,
}

impl Action {
    /// The action for the answer of a network bot.
    pub fn answer(ply: u64, seq: i64, answer: Answer) -> Action {
        match Ok(answer).into() {
            Command::Move(MoveInput::Text(text)) => {
                Action::Move { ply, by: MoveBy::Text(text), seq: Some(seq) }
            }
            Command::ClaimRepetition => Action::Claim,
            Command::Fail(kind, reason) => Action::Fail { ply: Some(ply), kind, reason },
            // Resigning is the only other command that an answer can mean.
            _ => Action::Resign,
        }
    }

    /// Reports the failure of a bot on the network.
    pub fn failure(failure: &Failure) -> Action {
        Action::Fail { ply: None, kind: failure.into(), reason: failure.to_string() }
    }

    /// The ply of the position that it is meant for, if any.
    fn ply(&self) -> Option<u64> {
        match self {
            Action::Move { ply, .. } => Some(*ply),
            Action::Fail { ply, .. } => *ply,
            _ => None,
        }
    }

    /// Whether a repetition, if the outcome of the first request is unknown, changes nothing: a move is for one ply, and an
    /// ended game does not end again.
    pub fn may_be_repeated(&self) -> bool {
        !matches!(self, Action::Takeback | Action::Claim | Action::Accept | Action::Decline)
    }
}

impl From<Action> for Command {
    fn from(action: Action) -> Command {
        match action {
            Action::Move { by: MoveBy::Text(text), .. } => Command::text(text),
            Action::Move { by: MoveBy::Path(path), .. } => Command::Move(MoveInput::Path(path)),
            Action::Resign => Command::Resign,
            Action::Takeback => Command::OfferTakeback,
            Action::Claim => Command::ClaimRepetition,
            Action::Accept => Command::Accept,
            Action::Decline => Command::Decline,
            Action::Abort => Command::Abort,
            Action::Fail { kind, reason, .. } => Command::Fail(kind, reason),
            Action::Abandon => Command::Abandon,
        }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Problem {
        match refused {
            Refused::NotYourTurn => Problem::NotYourTurn,
            Refused::IllegalMove(why) => Problem::Illegal(why),
            other => Problem::Refused(other.to_string()),
        }
    }
}

impl LiveGame {
    /// Decides the event that results from an action of the player who holds this key.
    pub fn decide(&self, key: &str, action: &Action, now: Micros) -> Result<(Side, Event), Problem> {
        let sides = self.sides_of(key);
        let &[first, ..] = sides.as_slice() else { return Err(Problem::NotYourSeat) };
        let at = self.board().ply();
        if let Some(ply) = action.ply().filter(|&ply| ply != at as u64) {
            return Err(Problem::Stale(ply, at));
        }
        if let Action::Move { ply, seq: Some(seq), .. } = action
            && *seq != self.seq()
        {
            return Err(Problem::Stale(*ply, at));
        }
        // A player who holds both seats answers an offer for the side that did not make it, and acts for the side to move.
        let answers = matches!(action, Action::Accept | Action::Decline);
        let asked = self.session().offer().filter(|_| answers).map(|offer| offer.by.other());
        let wanted = asked.unwrap_or(self.board().turn());
        let side = if sides.contains(&wanted) { wanted } else { first };
        Ok((side, self.session().decide(side, action.clone().into(), now)?))
    }

    /// Decides which seat a guest takes; without a new seat if they have one already.
    pub fn decide_seat(&self, guest: &Guest) -> Result<(Side, Option<GameSeat>), Problem> {
        let own = self.sides_of(&guest.key);
        if self.session().ending().is_some() {
            return own.first().map_or(Err(Refused::Over.into()), |side| Ok((*side, None)));
        }
        // A program that shows a person's token takes over their seat: from then on the rules for programs hold for it.
        let is_person = |side: &&Side| self.seats()[side.index()].kind == SeatKind::Person;
        if let Some(side) = own.iter().find(|side| guest.kind == SeatKind::Bot && is_person(side)) {
            return Ok((*side, Some(GameSeat { kind: SeatKind::Bot, ..self.seats()[side.index()].clone() })));
        }
        if let &[side, ..] = own.as_slice() {
            return Ok((side, None));
        }
        let open = |side: &Side| {
            let seat = &self.seats()[side.index()];
            seat.kind == SeatKind::Open && seat.key == guest.invitation
        };
        let Some(side) = Side::BOTH.into_iter().find(open) else {
            return Err(Problem::Refused(
                "the invitation is invalid or already used; ask for a new one".to_string(),
            ));
        };
        Ok((side, Some(GameSeat { kind: guest.kind, name: guest.name.clone(), key: guest.key.clone() })))
    }
}

/// Serialises a kind of violation as its word, for messages to other servers.
mod violation_word {
    use parlor_session::ViolationKind;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(kind: &ViolationKind, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(kind)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<ViolationKind, D::Error> {
        ViolationKind::parse(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("unknown violation"))
    }
}
