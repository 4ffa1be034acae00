//! Live games, each owned by one task: whatever is wanted of a game is an order to its room, and orders are done one after
//! the other. A move is on the disk before anybody is told of it; an engine's move comes in by the same door as a person's.

mod deeds;
mod elsewhere;
mod follow;
mod frame;
mod live;
mod rooms;
mod task;
mod thinking;

pub use frame::{Frame, Viewer};
pub use live::{Happening, Live, Seat, seat_row};
pub use rooms::Rooms;
pub(crate) use task::House;
pub use thinking::{Crew, Hire};

use crate::{fleet::News, problem::Problem, wire::SeatKind};
use parlor_play::{Cause, Side};
use serde::{Deserialize, Serialize};
use std::{net::IpAddr, sync::Arc};
use tokio::sync::{broadcast, oneshot};

/// What somebody wants to do at the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
    /// Make a move, meant for the position after so many moves.
    Move {
        /// How many moves stood on the board when it was chosen.
        ply: u64,
        /// Which.
        by: MoveBy,
    },
    /// Give up.
    Resign,
    /// Take the last own move back: at once against an engine, otherwise an offer.
    Takeback,
    /// Say that play is endless: settled at once with an engine, otherwise an offer.
    Claim,
    /// Agree to what the other side offers.
    Accept,
    /// Do not agree, or withdraw what was offered.
    Decline,
    /// Lose for what a program may not do, or leave a game that nobody goes on with. People cannot.
    Foul {
        /// The position it belongs to, where it belongs to one.
        ply: Option<u64>,
        /// What the record says.
        #[serde(with = "cause_word")]
        cause: Cause,
    },
}

/// How a move is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MoveBy {
    /// In the game's notation.
    Text(String),
    /// By the targets that were touched.
    Path(Vec<u16>),
}

/// Somebody who sits down.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Guest {
    /// The hash of the invitation they show.
    pub invitation: String,
    /// The hash of the token by which they will hold the seat.
    pub key: String,
    /// What they are called.
    pub name: String,
    /// A person or a bot.
    pub kind: SeatKind,
    /// The address they come from, as far as it is known.
    #[serde(default)]
    pub address: Option<IpAddr>,
}

/// Frames as they come.
pub type Frames = broadcast::Receiver<Arc<Frame>>;

/// What a room is told.
pub(crate) enum Order {
    Look(Option<IpAddr>, oneshot::Sender<Arc<Frame>>),
    Watch(Option<IpAddr>, oneshot::Sender<(Arc<Frame>, Frames)>),
    Record(oneshot::Sender<parlor_play::Record>),
    Do {
        key: String,
        deed: Deed,
        visitor: Option<IpAddr>,
        reply: oneshot::Sender<Result<Arc<Frame>, Problem>>,
    },
    Sit {
        guest: Guest,
        reply: oneshot::Sender<Result<Side, Problem>>,
    },
    /// Another server tells what happened.
    News(Box<News>),
    /// News may have been missed.
    Reread,
    /// A server is gone; it may have been the owner.
    Orphaned,
    /// Somebody needs to know whose the game is.
    Claim(oneshot::Sender<()>),
}

/// How an ending's cause goes to another server: by its word.
mod cause_word {
    use parlor_play::Cause;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(cause: &Cause, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(cause)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Cause, D::Error> {
        Cause::parse(&String::deserialize(from)?).ok_or_else(|| D::Error::custom("no cause"))
    }
}
