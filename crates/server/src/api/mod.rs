//! The JSON API under /api/v1, with an OpenAPI document. Programs can do everything that people can do on the pages.

pub mod analysis;
pub mod events;
pub mod games;
pub mod tournaments;

use crate::{bots, service::Service};
use axum::{
    Json, Router,
    routing::{get, post},
};
use utoipa::OpenApi;

/// The routes under /api/v1.
pub fn routes() -> Router<Service> {
    Router::new()
        .route("/openapi.json", get(document))
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
        .route("/bots", get(bots::list))
}

/// The OpenAPI document, generated from the handlers and types.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Parlor",
        description = "Play, watch and analyse two-player games. Actions of a player need the token of the seat, sent as `Authorization: Bearer TOKEN`."
    ),
    paths(
        games::catalog,
        games::list,
        games::create,
        games::look,
        games::record,
        games::make_move,
        games::act,
        games::sit,
        events::states,
        tournaments::list,
        tournaments::standings,
        tournaments::games,
        analysis::position,
        analysis::game,
        crate::bots::seat,
        crate::bots::list,
    )
)]
struct Description;

async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}
