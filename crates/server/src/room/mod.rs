//! Live games, each owned by one task. Every request is a message to the task of its game, and the messages are handled in
//! order. A move is durable before it is broadcast; an engine's move takes the same path as a person's.

mod action;
mod forward;
mod frame;
mod live_game;
mod offers;
mod replica;
mod rooms;
mod task;
mod thinking;
mod time;

pub use action::{Action, Guest, MoveBy};
pub use frame::{GameFrame, Viewer};
pub use live_game::{GameSeat, LiveGame, seat_row};
pub use rooms::Rooms;
pub(crate) use task::RoomDeps;
pub use thinking::{EnginePool, MakeBot};
pub use time::GameTime;

use crate::{cluster::GameUpdate, problem::Problem};
use parlor_core::Side;
use std::{net::IpAddr, sync::Arc};
use tokio::sync::{broadcast, oneshot};

/// Frames after the one that came with the subscription.
pub type Frames = broadcast::Receiver<Arc<GameFrame>>;

pub(crate) enum RoomRequest {
    GetFrame(Option<IpAddr>, oneshot::Sender<Arc<GameFrame>>),
    Subscribe(Option<IpAddr>, oneshot::Sender<(Arc<GameFrame>, Frames)>),
    GetRecord(oneshot::Sender<parlor_core::Record>),
    Act {
        key: String,
        action: Action,
        visitor: Option<IpAddr>,
        reply: oneshot::Sender<Result<Arc<GameFrame>, Problem>>,
    },
    Join {
        guest: Guest,
        reply: oneshot::Sender<Result<Side, Problem>>,
    },
    /// Another server reports events of the game.
    Update(Box<GameUpdate>),
    /// Messages from another server may have been lost: the log has to be read again.
    Reread,
    /// A server is gone; it may have been the owner.
    ServerGone,
    /// A request needs to know which server owns the game.
    TakeOwnership(oneshot::Sender<()>),
}
