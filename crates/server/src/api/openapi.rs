//! The description of the API, made from the handlers and types themselves, so that it cannot say anything else.

use axum::Json;
use utoipa::OpenApi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Parlor",
        description = "Play, watch and analyse two-player games. A seat is held by its token, shown as `Authorization: Bearer TOKEN`."
    ),
    paths(
        super::games::catalog,
        super::games::list,
        super::games::create,
        super::games::look,
        super::games::record,
        super::games::make_move,
        super::games::act,
        super::games::sit,
        super::events::states,
        super::tournaments::list,
        super::tournaments::standings,
        super::tournaments::games,
        super::analysis::position,
        super::analysis::game,
        crate::bots::seat,
        crate::bots::everybody,
    )
)]
struct Description;

/// The description as JSON.
pub async fn document() -> Json<utoipa::openapi::OpenApi> {
    Json(Description::openapi())
}
