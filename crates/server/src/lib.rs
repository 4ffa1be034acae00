//! The game server: live games, the page and the API, all games treated alike.
//!
//! [`app`] is the whole service as a value, requests in and answers out; [`serve`] puts it on a socket. A room, which is a task,
//! owns each live game; the store has everything that happened before anybody is told of it.

mod analysis;
pub mod api;
mod app;
mod bots;
mod cluster;
mod connections;
mod metrics;
mod new_game;
mod pages;
mod problem;
mod proxies;
mod rate_limits;
mod room;
mod run;
mod serve;
mod service;
mod thread_pool;
mod token;
mod tournament_cache;
mod visitor;
mod wire;
mod write_timeout;

pub use app::{Peer, app};
pub use connections::ConnectionLimits;
pub use new_game::{NewGame, SeatRequest};
pub use problem::Problem;
pub use proxies::{Network, TrustedProxies};
pub use rate_limits::RateLimits;
pub use room::MakeBot;
pub use run::{OpenError, Server};
pub use serve::serve;
pub use service::{Service, Settings};
