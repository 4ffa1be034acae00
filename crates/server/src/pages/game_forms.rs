//! The forms of a game's page: join, act, rematch.

use super::{Refusal, home::to_the_board};
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

pub async fn sit(
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
    Ok(to_the_board(&service, &id, &token, is_new))
}

/// Does what a form says. A browser goes back to the page; the script gets no page.
pub async fn act(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    let scripted = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/problem+json");
    let done = do_it(&service, &visitor, &id, &fields).await;
    match (done, scripted) {
        (Ok(()), true) => StatusCode::NO_CONTENT.into_response(),
        (Ok(()), false) => Redirect::to(&format!("/games/{id}")).into_response(),
        (Err(problem), true) => problem.into_response(),
        (Err(problem), false) => Refusal(problem).into_response(),
    }
}

async fn do_it(service: &Service, visitor: &Visitor, id: &str, fields: &Fields) -> Result<(), Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let key = visitor.must_have_key(id)?;
    let action = match fields.get("act") {
        "move" => {
            let ply =
                fields.get("ply").parse().map_err(|_| Problem::BadInput("ply: expected a number".into()))?;
            Action::Move { ply, by: MoveBy::Text(fields.get("move").to_string()), seq: None }
        }
        "resign" => Action::Resign,
        "takeback" => Action::Takeback,
        "claim" => Action::Claim,
        "accept" => Action::Accept,
        "decline" => Action::Decline,
        "abort" => Action::Abort,
        _ => return Err(Problem::BadInput("act: unknown action".to_string())),
    };
    service.rooms().act(id, &key, &action, Some(visitor.address)).await.map(|_| ())
}

/// Creates a rematch with the sides swapped.
pub async fn again(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Redirect, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Heavy)?;
    let key = visitor.must_have_key(&id)?;
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
