//! The forms of the game page: join the game, make a move or another action, ask for a rematch.

use super::{Refusal, home::redirect_to_game};
use crate::{
    api::games::{NewGuest, seat_guest},
    new_game::{NewGame, SeatRequest},
    problem::Problem,
    rate_limits::RequestClass,
    room::{Action, MoveBy},
    service::Service,
    visitor::{Fields, Visitor},
    wire::SeatKind,
};
use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use parlor_core::Side;

pub async fn join(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    fields: Fields,
) -> Result<Response, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let address = visitor.address;
    let (token, is_new) = visitor.token_or_new()?;
    let (invitation, name) = (fields.get("invitation"), fields.get("name"));
    let guest = NewGuest { invitation, name, token: &token, kind: SeatKind::Person, address };
    seat_guest(&service, &id, guest).await?;
    Ok(redirect_to_game(&service, &id, &token, is_new))
}

/// Performs the action of a form. A browser is redirected to the game page; the script gets a response without a page.
pub async fn act(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    let scripted = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/problem+json");
    let done = perform(&service, &visitor, &id, &fields).await;
    match (done, scripted) {
        (Ok(()), true) => StatusCode::NO_CONTENT.into_response(),
        (Ok(()), false) => Redirect::to(&format!("/games/{id}")).into_response(),
        (Err(problem), true) => problem.into_response(),
        (Err(problem), false) => Refusal(problem).into_response(),
    }
}

async fn perform(service: &Service, visitor: &Visitor, id: &str, fields: &Fields) -> Result<(), Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let key = visitor.require_key(id)?;
    let action = match fields.get("act") {
        "move" => {
            let ply = fields
                .get("ply")
                .parse()
                .map_err(|_| Problem::BadInput("ply: expected a number of moves, like 12".into()))?;
            Action::Move { ply, by: MoveBy::Text(fields.get("move").to_string()), seq: None }
        }
        "resign" => Action::Resign,
        "takeback" => Action::Takeback,
        "claim" => Action::Claim,
        "accept" => Action::Accept,
        "decline" => Action::Decline,
        "abort" => Action::Abort,
        _ => {
            return Err(Problem::BadInput(
                "act: expected move, resign, takeback, claim, accept, decline or abort".to_string(),
            ));
        }
    };
    service.rooms().act(id, &key, &action, Some(visitor.address)).await.map(|_| ())
}

/// Creates a game between the same players with the sides swapped.
pub async fn rematch(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Redirect, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Heavy)?;
    let key = visitor.require_key(&id)?;
    let frame = service.rooms().frame(&id, None, None).await?;
    let viewer = frame.viewer(Some(&key));
    let address = visitor.address;
    let token = visitor.token.filter(|_| viewer.plays()).ok_or(Problem::NotYourSeat)?;
    let wants = |side: Side| {
        let seat = &frame.state.seats[side.index()];
        match seat.kind {
            _ if viewer.has(side) => SeatRequest::Me,
            SeatKind::Player => SeatRequest::Player { spec: seat.spec.clone().unwrap_or_default() },
            SeatKind::House => SeatRequest::House { name: seat.name.clone() },
            _ => SeatRequest::Open,
        }
    };
    let own = frame.state.seats.iter().zip(Side::BOTH).find(|(_, side)| viewer.has(*side));
    let name =
        own.filter(|(seat, _)| seat.name != seat.label).map_or(String::new(), |(seat, _)| seat.name.clone());
    let (row, _) =
        service.store().live_game(&id).await.map_err(Problem::from)?.ok_or(Problem::NotFound("game"))?;
    let new = NewGame {
        game: frame.state.game.clone(),
        start: frame.state.start.clone(),
        first: wants(Side::Second),
        second: wants(Side::First),
        name,
        clock: row.clock,
        listed: row.listed,
    };
    let created = service.create(&new, &token, address).await?;
    Ok(Redirect::to(&format!("/games/{}", created.row.id)))
}
