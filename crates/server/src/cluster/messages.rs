//! The messages between servers: JSON texts, sent through the database to all servers or to one. They are not stored. What must
//! not be lost is in the log of its game, and a server that misses a message reads that log.
//!
//! The serialised names are those of the first version, so that servers of different versions can share a database.

use crate::{
    problem::Problem,
    room::{Action, Guest},
    wire::{OfferState, SideWord},
};
use parlor_store::EventRow;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// In bytes: PostgreSQL refuses a NOTIFY payload of 8000 bytes or more.
const LONGEST_PAYLOAD: usize = 7900;

/// A message between servers of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ClusterMessage {
    /// New events of a game, from its owner.
    #[serde(rename = "News")]
    Update(GameUpdate),
    /// A request to the server that owns a game.
    #[serde(rename = "Errand")]
    Request(Box<OwnerRequest>),
    /// The answer to a request.
    #[serde(rename = "Done")]
    Response { number: u64, answer: Result<RequestDone, RemoteProblem> },
    /// The sender shuts down; any server may take over its games.
    #[serde(rename = "Left")]
    ServerLeft,
}

/// A request of one server to the owner of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OwnerRequest {
    /// Number of the request, repeated in the response.
    pub number: u64,
    /// Name of the sending server.
    pub from: String,
    pub game: String,
    #[serde(rename = "errand")]
    pub operation: Operation,
}

/// What a request asks the game's owner to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Operation {
    /// The holder of the seat with this key acts.
    #[serde(rename = "Do")]
    Act {
        key: String,
        #[serde(rename = "deed")]
        action: Action,
        /// The address of the client. Older servers do not send it.
        #[serde(default)]
        visitor: Option<IpAddr>,
    },
    /// A player takes the open seat.
    #[serde(rename = "Sit")]
    Join(Guest),
    /// A client of the sending server watches the game.
    Watched,
}

impl Operation {
    /// Whether the operation is idempotent, so that it may be repeated if its outcome is unknown: a move is for one ply, a guest
    /// joins once, and an ended game does not end again.
    pub fn may_be_repeated(&self) -> bool {
        match self {
            Operation::Act { action, .. } => action.may_be_repeated(),
            Operation::Join(_) | Operation::Watched => true,
        }
    }
}

/// The result of a request that succeeded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct RequestDone {
    /// Sequence number of the game's last event at that time.
    pub seq: i64,
    /// The guest's side; `None` unless a guest took a seat.
    pub side: Option<SideWord>,
}

/// The latest events of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct GameUpdate {
    /// Name of the server that owns the game.
    pub from: String,
    pub game: String,
    /// Sequence number of the last event.
    pub seq: i64,
    /// The last events; empty if the receiver has to read the log.
    pub events: Vec<SentEvent>,
    /// The open offer of the game, if there is one.
    pub offer: Option<OfferState>,
}

/// An event of an update. Its sequence number follows from its index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SentEvent {
    kind: String,
    text: String,
    at: i64,
    left: Option<[i64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    periods: Option<[i64; 2]>,
}

impl GameUpdate {
    /// An update with these events, or without them if receivers need the game's row as well.
    pub fn of(
        from: &str,
        game: &str,
        seq: i64,
        events: &[EventRow],
        offer: Option<OfferState>,
    ) -> GameUpdate {
        // The players of the seats are in the game's row.
        let suffice = events.iter().all(|event| event.kind != "seat");
        let sent = |event: &EventRow| {
            let EventRow { kind, text, at, left, periods, .. } = event.clone();
            SentEvent { kind, text, at, left, periods }
        };
        let events = if suffice { events.iter().map(sent).collect() } else { Vec::new() };
        GameUpdate { from: from.to_string(), game: game.to_string(), seq, events, offer }
    }

    /// The events after sequence number `seq`; `None` if some of them are not in this update.
    pub fn since(&self, seq: i64) -> Option<Vec<EventRow>> {
        let first = self.seq - self.events.len() as i64 + 1;
        let skipped = usize::try_from(seq + 1 - first).ok()?;
        let events = (first..).zip(&self.events).skip(skipped).map(|(seq, event)| {
            let SentEvent { kind, text, at, left, periods } = event.clone();
            EventRow { seq, kind, text, at, left, periods }
        });
        (seq + 1 >= first && (seq >= self.seq || skipped < self.events.len())).then(|| events.collect())
    }
}

impl ClusterMessage {
    pub fn text(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        match self {
            // The receiver reads the log instead.
            ClusterMessage::Update(update) if text.len() > LONGEST_PAYLOAD => {
                let short = GameUpdate { events: Vec::new(), ..update.clone() };
                serde_json::to_string(&ClusterMessage::Update(short)).unwrap_or_default()
            }
            _ => text,
        }
    }

    /// Parses what [`ClusterMessage::text`] writes; `None` for a message of an incompatible version.
    pub fn parse(text: &str) -> Option<ClusterMessage> {
        serde_json::from_str(text).ok()
    }
}

/// The reason that other servers get in place of an internal one, which is in the log of the owner.
const OWNERS_LOG: &str = "the server that owns the game failed; see its log";

/// A problem as one server reports it to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum RemoteProblem {
    NotFound,
    BadInput(String),
    NoToken,
    NotYourSeat,
    NotYourTurn,
    Stale(u64, usize),
    Illegal(String),
    Refused(String),
    NotKept,
    Elsewhere,
    Busy,
    Broken,
}

impl From<Problem> for RemoteProblem {
    fn from(problem: Problem) -> RemoteProblem {
        match problem {
            Problem::NotFound(_) => RemoteProblem::NotFound,
            Problem::BadInput(why) => RemoteProblem::BadInput(why),
            Problem::NoToken => RemoteProblem::NoToken,
            Problem::NotYourSeat => RemoteProblem::NotYourSeat,
            Problem::NotYourTurn => RemoteProblem::NotYourTurn,
            Problem::Stale(meant, at) => RemoteProblem::Stale(meant, at),
            Problem::Illegal(why) => RemoteProblem::Illegal(why),
            Problem::Refused(why) => RemoteProblem::Refused(why),
            Problem::NotKept(_) => RemoteProblem::NotKept,
            Problem::Elsewhere(_) => RemoteProblem::Elsewhere,
            Problem::Busy(_) | Problem::Queued(_) | Problem::DatabaseAway(_) | Problem::TooOften => {
                RemoteProblem::Busy
            }
            Problem::ForeignOrigin | Problem::TooLarge | Problem::Broken(_) => RemoteProblem::Broken,
        }
    }
}

impl From<RemoteProblem> for Problem {
    fn from(refusal: RemoteProblem) -> Problem {
        match refusal {
            RemoteProblem::NotFound => Problem::NotFound("game"),
            RemoteProblem::BadInput(why) => Problem::BadInput(why),
            RemoteProblem::NoToken => Problem::NoToken,
            RemoteProblem::NotYourSeat => Problem::NotYourSeat,
            RemoteProblem::NotYourTurn => Problem::NotYourTurn,
            RemoteProblem::Stale(meant, at) => Problem::Stale(meant, at),
            RemoteProblem::Illegal(why) => Problem::Illegal(why),
            RemoteProblem::Refused(why) => Problem::Refused(why),
            RemoteProblem::NotKept => Problem::NotKept(OWNERS_LOG.to_string()),
            RemoteProblem::Elsewhere => Problem::Elsewhere(String::new()),
            RemoteProblem::Busy => Problem::Busy("too many requests for this game"),
            RemoteProblem::Broken => Problem::Broken(OWNERS_LOG.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: i64, kind: &str) -> EventRow {
        EventRow { seq, kind: kind.into(), text: format!("{seq}"), at: 7, ..EventRow::default() }
    }

    #[test]
    fn an_update_returns_the_following_events_or_reports_a_gap() {
        let update = GameUpdate::of("a", "x", 5, &[event(4, "move"), event(5, "end")], None);
        assert_eq!(update.since(3), Some(vec![event(4, "move"), event(5, "end")]));
        assert_eq!(update.since(4), Some(vec![event(5, "end")]));
        assert_eq!(update.since(5), Some(vec![]), "nothing new but what is offered");
        assert_eq!(update.since(2), None, "event 3 is missing");
        let seat = GameUpdate::of("a", "x", 5, &[event(5, "seat")], None);
        assert_eq!(seat.since(4), None, "the row has to be read");
        let offer = GameUpdate::of("a", "x", 5, &[], None);
        assert_eq!((offer.since(5), offer.since(4)), (Some(vec![]), None));
    }

    #[test]
    fn messages_round_trip_and_long_ones_are_shortened() {
        let update = GameUpdate::of("a", "x", 1, &[event(1, "move")], None);
        let read = ClusterMessage::parse(&ClusterMessage::Update(update).text());
        assert!(matches!(read, Some(ClusterMessage::Update(update)) if update.since(0).is_some()));
        let long = EventRow { text: "x".repeat(9000), ..event(1, "move") };
        let text = ClusterMessage::Update(GameUpdate::of("a", "x", 1, &[long], None)).text();
        assert!(text.len() < LONGEST_PAYLOAD);
        assert!(
            matches!(ClusterMessage::parse(&text), Some(ClusterMessage::Update(update)) if update.since(0).is_none())
        );
        assert!(ClusterMessage::parse("{\"Unheard\":1}").is_none());
    }

    #[test]
    fn serialised_names_are_those_of_the_first_version() {
        let request = |operation| {
            let (from, game) = ("a".to_string(), "x".to_string());
            ClusterMessage::Request(Box::new(OwnerRequest { number: 3, from, game, operation })).text()
        };
        let update = GameUpdate::of("a", "x", 1, &[event(1, "move")], None);
        let guest = Guest {
            invitation: "i".into(),
            key: "k".into(),
            name: "n".into(),
            kind: crate::wire::SeatKind::Person,
            address: None,
        };
        let act = Operation::Act { key: "k".into(), action: Action::Resign, visitor: None };
        let done = RequestDone { seq: 2, side: Some(SideWord::First) };
        for (text, expected) in [
            (
                ClusterMessage::Update(update).text(),
                r#"{"News":{"from":"a","game":"x","seq":1,"events":[{"kind":"move","text":"1","at":7,"left":null}],"offer":null}}"#,
            ),
            (
                request(act),
                r#"{"Errand":{"number":3,"from":"a","game":"x","errand":{"Do":{"key":"k","deed":"Resign","visitor":null}}}}"#,
            ),
            (
                request(Operation::Join(guest)),
                r#"{"Errand":{"number":3,"from":"a","game":"x","errand":{"Sit":{"invitation":"i","key":"k","name":"n","kind":"person","address":null}}}}"#,
            ),
            (
                request(Operation::Watched),
                r#"{"Errand":{"number":3,"from":"a","game":"x","errand":"Watched"}}"#,
            ),
            (
                ClusterMessage::Response { number: 3, answer: Ok(done) }.text(),
                r#"{"Done":{"number":3,"answer":{"Ok":{"seq":2,"side":"first"}}}}"#,
            ),
            (
                ClusterMessage::Response { number: 3, answer: Err(RemoteProblem::NotKept) }.text(),
                r#"{"Done":{"number":3,"answer":{"Err":"NotKept"}}}"#,
            ),
            (ClusterMessage::ServerLeft.text(), "\"Left\""),
        ] {
            assert_eq!(text, expected);
        }
    }
}
