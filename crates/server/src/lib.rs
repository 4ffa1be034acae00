//! The game server: live games, tournaments, analysis and bots, by web pages and a JSON API, for all games of the catalogue alike.
//!
//! [`app`] is the whole service as a value, requests in and responses out; [`serve`] puts it on a socket. A room, which is a task, owns
//! each live game. Events are durable in the store before they are broadcast.
//!
//! # Examples
//!
//! A request to a server with its own database, without a socket:
//!
//! ```
//! use axum::{body::Body, http::Request};
//! use parlor_server::{RateLimits, Service, Settings, app};
//! use parlor_store::Store;
//! use tower::ServiceExt;
//!
//! # let folder = parlor_testkit::temp_folder();
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let store = Store::open(&folder.join("games.db")).await?;
//! let settings = Settings { rate_limits: RateLimits::none(), ..Settings::new(store) };
//! let response = app(Service::new(settings)).oneshot(Request::get("/healthz").body(Body::empty())?).await?;
//! assert_eq!(response.status(), 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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

pub use app::{PeerAddress, app};
pub use connections::ConnectionLimits;
pub use new_game::{NewGame, SeatRequest};
pub use problem::Problem;
pub use proxies::{Network, TrustedProxies};
pub use rate_limits::RateLimits;
pub use room::MakeBot;
pub use run::{OpenError, Server};
pub use serve::serve;
pub use service::{Service, Settings};
