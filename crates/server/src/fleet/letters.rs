//! What servers tell each other: short texts that go through the database, to all of them or to one. Nothing here is kept; what
//! must not be lost is in the log of its game, and a letter that does not arrive is made up for by reading that.

use crate::{
    problem::Problem,
    room::{Action, Guest},
    wire::{OfferState, SideWord},
};
use parlor_store::EventRow;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// In bytes: PostgreSQL refuses a NOTIFY payload of 8000 bytes or more.
const LONGEST: usize = 7900;

/// A message between servers of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Letter {
    /// Events of a game.
    News(News),
    /// A request to the server that owns a game.
    Errand(Box<Request>),
    /// The answer to a request.
    Done { number: u64, answer: Result<Done, Refusal> },
    /// The sender shuts down; any server may take over its games.
    Left,
}

/// Something that is wanted of a game on another server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Repeated in the answer.
    pub number: u64,
    /// Name of the sending server.
    pub from: String,
    pub game: String,
    pub errand: Errand,
}

/// What a request asks the game's owner to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Errand {
    /// The holder of the seat with this key acts.
    Do {
        key: String,
        /// Serialised under the name that older servers use.
        #[serde(rename = "deed")]
        action: Action,
        /// The address of the client, which older servers do not tell.
        #[serde(default)]
        visitor: Option<IpAddr>,
    },
    /// A player takes the open seat.
    Sit(Guest),
    /// A client of the sending server watches the game.
    Watched,
}

impl Errand {
    /// Whether asking once more, where nobody knows what came of it, changes nothing: a move is for one ply, a guest sits down
    /// once, and who has resigned cannot again.
    pub fn may_be_repeated(&self) -> bool {
        match self {
            Errand::Do { action, .. } => action.may_be_repeated(),
            Errand::Sit(_) | Errand::Watched => true,
        }
    }
}

/// The result of a request that succeeded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Sequence number of the game's last event at that time.
    pub seq: i64,
    /// The guest's side; `None` unless a guest took a seat.
    pub side: Option<SideWord>,
}

/// The latest events of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct News {
    /// Name of the server that owns the game.
    pub from: String,
    pub game: String,
    /// Sequence number of the last event.
    pub seq: i64,
    /// The last events; none where the log has to be read.
    pub events: Vec<Written>,
    /// The open offer.
    pub offer: Option<OfferState>,
}

/// An event on its way. Its number follows from its place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Written {
    kind: String,
    text: String,
    at: i64,
    left: Option<[i64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    periods: Option<[i64; 2]>,
}

impl News {
    /// What happened, told with the events if others need nothing beside them.
    pub fn of(from: &str, game: &str, seq: i64, events: &[EventRow], offer: Option<OfferState>) -> News {
        // Who sits where stands in the game's row.
        let told = events.iter().all(|event| event.kind != "seat");
        let written = |event: &EventRow| {
            let EventRow { kind, text, at, left, periods, .. } = event.clone();
            Written { kind, text, at, left, periods }
        };
        let events = if told { events.iter().map(written).collect() } else { Vec::new() };
        News { from: from.to_string(), game: game.to_string(), seq, events, offer }
    }

    /// The events that follow one of this number; none where something is missing in between.
    pub fn since(&self, seq: i64) -> Option<Vec<EventRow>> {
        let first = self.seq - self.events.len() as i64 + 1;
        let skipped = usize::try_from(seq + 1 - first).ok()?;
        let events = (first..).zip(&self.events).skip(skipped).map(|(seq, event)| {
            let Written { kind, text, at, left, periods } = event.clone();
            EventRow { seq, kind, text, at, left, periods }
        });
        (seq + 1 >= first && (seq >= self.seq || skipped < self.events.len())).then(|| events.collect())
    }
}

impl Letter {
    pub fn text(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        match self {
            // Whoever gets it reads the log instead.
            Letter::News(news) if text.len() > LONGEST => {
                let short = News { events: Vec::new(), ..news.clone() };
                serde_json::to_string(&Letter::News(short)).unwrap_or_default()
            }
            _ => text,
        }
    }

    /// Reads what [`Letter::text`] writes; none where another version wrote it.
    pub fn parse(text: &str) -> Option<Letter> {
        serde_json::from_str(text).ok()
    }
}

/// Reasons are for the log of the server where they arose; they are not sent.
const OWNERS_LOG: &str = "the server that owns the game failed; see its log";

/// A problem as one server reports it to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Refusal {
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

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        match problem {
            Problem::NotFound(_) => Refusal::NotFound,
            Problem::BadInput(why) => Refusal::BadInput(why),
            Problem::NoToken => Refusal::NoToken,
            Problem::NotYourSeat => Refusal::NotYourSeat,
            Problem::NotYourTurn => Refusal::NotYourTurn,
            Problem::Stale(meant, at) => Refusal::Stale(meant, at),
            Problem::Illegal(why) => Refusal::Illegal(why),
            Problem::Refused(why) => Refusal::Refused(why),
            Problem::NotKept(_) => Refusal::NotKept,
            Problem::Elsewhere(_) => Refusal::Elsewhere,
            Problem::Busy(_) | Problem::Queued(_) | Problem::DatabaseAway(_) | Problem::TooOften => {
                Refusal::Busy
            }
            Problem::ForeignOrigin | Problem::TooLarge | Problem::Broken(_) => Refusal::Broken,
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Problem {
        match refusal {
            Refusal::NotFound => Problem::NotFound("game"),
            Refusal::BadInput(why) => Problem::BadInput(why),
            Refusal::NoToken => Problem::NoToken,
            Refusal::NotYourSeat => Problem::NotYourSeat,
            Refusal::NotYourTurn => Problem::NotYourTurn,
            Refusal::Stale(meant, at) => Problem::Stale(meant, at),
            Refusal::Illegal(why) => Problem::Illegal(why),
            Refusal::Refused(why) => Problem::Refused(why),
            Refusal::NotKept => Problem::NotKept(OWNERS_LOG.to_string()),
            Refusal::Elsewhere => Problem::Elsewhere(String::new()),
            Refusal::Busy => Problem::Busy("too many requests for this game"),
            Refusal::Broken => Problem::Broken(OWNERS_LOG.to_string()),
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
    fn news_say_what_follows_and_what_is_missing() {
        let news = News::of("a", "x", 5, &[event(4, "move"), event(5, "end")], None);
        assert_eq!(news.since(3), Some(vec![event(4, "move"), event(5, "end")]));
        assert_eq!(news.since(4), Some(vec![event(5, "end")]));
        assert_eq!(news.since(5), Some(vec![]), "nothing new but what is offered");
        assert_eq!(news.since(2), None, "event 3 is missing");
        let seat = News::of("a", "x", 5, &[event(5, "seat")], None);
        assert_eq!(seat.since(4), None, "the row has to be read");
        let offer = News::of("a", "x", 5, &[], None);
        assert_eq!((offer.since(5), offer.since(4)), (Some(vec![]), None));
    }

    #[test]
    fn letters_are_read_as_they_were_written_and_long_ones_shortened() {
        let news = News::of("a", "x", 1, &[event(1, "move")], None);
        let read = Letter::parse(&Letter::News(news).text());
        assert!(matches!(read, Some(Letter::News(news)) if news.since(0).is_some()));
        let long = EventRow { text: "x".repeat(9000), ..event(1, "move") };
        let text = Letter::News(News::of("a", "x", 1, &[long], None)).text();
        assert!(text.len() < LONGEST);
        assert!(matches!(Letter::parse(&text), Some(Letter::News(news)) if news.since(0).is_none()));
        assert!(Letter::parse("{\"Unheard\":1}").is_none());
    }
}
