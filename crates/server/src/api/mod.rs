//! The API: JSON under /api/v1, described by [`openapi`]. It does what the pages do, for programs.

pub mod analysis;
pub mod events;
pub mod games;
pub mod openapi;
pub mod tournaments;

use crate::{bots, service::Service};
use axum::{
    Router,
    routing::{get, post},
};

/// Everything under /api/v1.
pub fn routes() -> Router<Service> {
    Router::new()
        .route("/openapi.json", get(openapi::document))
        .route("/catalog", get(games::catalog))
        .route("/games", get(games::list).post(games::create))
        .route("/games/{id}", get(games::look))
        .route("/games/{id}/record", get(games::record))
        .route("/games/{id}/moves", post(games::make_move))
        .route("/games/{id}/actions", post(games::act))
        .route("/games/{id}/seat", post(games::sit))
        .route("/games/{id}/events", get(events::states))
        .route("/tournaments", get(tournaments::list))
        .route("/tournaments/{name}", get(tournaments::standings))
        .route("/tournaments/{name}/games", get(tournaments::games))
        .route("/analysis", get(analysis::position))
        .route("/analysis/game", get(analysis::game))
        .route("/games/{id}/bot", get(bots::seat))
        .route("/bots", get(bots::everybody))
}
