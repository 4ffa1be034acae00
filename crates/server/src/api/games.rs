//! Games for programs: made, looked at, played.

use crate::{
    create::{LONGEST_NAME, NewGame, called},
    limits::Price,
    problem::{Problem, ProblemBody},
    room::{Action as PlayerAction, Guest, MoveBy},
    service::{LISTED, Service},
    token::Token,
    visitor::{Body, Params, Visitor},
    wire::{SeatKind, SideWord, State, Tree},
};
use axum::{
    Json,
    extract::{Path, State as Shared},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use parlor_core::Side;
use parlor_store::LiveRow;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

/// A game that was created.
#[derive(Serialize, ToSchema)]
pub struct Made {
    /// The id of the game.
    id: String,
    /// The URL of the game's page.
    url: String,
    /// Your sides.
    sides: Vec<SideWord>,
    /// The token of your seats: keep it secret, send it as `Authorization: Bearer …`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// The invitation to the open seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    invitation: Option<String>,
}

/// Creates a game.
#[utoipa::path(post, path = "/api/v1/games", request_body = NewGame, tag = "games",
    responses((status = 201, body = Made), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
pub async fn create(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Body(new): Body<NewGame>,
) -> Result<Response, Problem> {
    service.limits().admit(visitor.address, Price::Heavy)?;
    let address = visitor.address;
    let (maker, new_one) = visitor.token_or_new()?;
    let created = service.create(&new, &maker, address).await?;
    let id = created.row.id;
    let made = Made {
        url: format!("{}/games/{id}", service.public().unwrap_or_default()),
        sides: created.sides,
        token: new_one.then(|| maker.reveal().to_string()),
        invitation: created.invitation.map(|token| token.reveal().to_string()),
        id,
    };
    let location = (header::LOCATION, made.url.clone());
    Ok((StatusCode::CREATED, [location], Json(made)).into_response())
}

/// A game in a list.
#[derive(Serialize, ToSchema)]
pub struct Listed {
    id: String,
    game: String,
    players: [String; 2],
    /// Moves made.
    plies: i64,
    /// Time of the last event, in milliseconds since 1970.
    touched: i64,
    /// As in records: `first by 8`, `second`, `draw` or `*`; none while the game is in progress.
    result: Option<String>,
}

impl From<LiveRow> for Listed {
    fn from(row: LiveRow) -> Listed {
        let LiveRow { id, game, seats: [first, second], plies, touched, result, .. } = row;
        Listed { id, game, players: [first.name, second.name], plies, touched, result }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    /// `live` or `recent`.
    #[serde(default)]
    which: String,
    /// Only those that ended before this moment, for leafing on.
    before: Option<i64>,
}

/// Lists live or recently finished games.
#[utoipa::path(get, path = "/api/v1/games", tag = "games",
    params(("which" = Option<String>, Query, description = "`live` (default) or `recent`"),
           ("before" = Option<i64>, Query, description = "only games that ended before this time, in milliseconds since 1970")),
    responses((status = 200, body = Vec<Listed>), (status = 422, body = ProblemBody)))]
pub async fn list(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Params(which): Params<Which>,
) -> Result<Json<Vec<Listed>>, Problem> {
    service.limits().admit(visitor.address, Price::Read)?;
    let rows = match which.which.as_str() {
        "" | "live" => service.being_played().await?,
        "recent" => service.store().recent_games(which.before.unwrap_or(i64::MAX), LISTED).await?,
        _ => return Err(Problem::BadInput("which: expected 'live' or 'recent'".to_string())),
    };
    Ok(Json(rows.into_iter().map(Listed::from).collect()))
}

/// A game as one of its players sees it.
#[derive(Serialize, ToSchema)]
pub struct Look {
    #[serde(flatten)]
    state: State,
    /// Your sides.
    you: Vec<SideWord>,
    /// Your legal moves as paths of targets, if it is your turn.
    paths: Option<Tree>,
}

/// The current state of a game.
#[utoipa::path(get, path = "/api/v1/games/{id}", tag = "games", params(("id" = String, Path)),
    responses((status = 200, body = Look), (status = 404, body = ProblemBody)))]
pub async fn look(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Look>, Problem> {
    service.limits().admit(visitor.address, Price::Read)?;
    let key = visitor.key(&id);
    let frame = service.rooms().look(&id, key.as_deref(), Some(visitor.address)).await?;
    let viewer = frame.viewer(key.as_deref());
    let you =
        [SideWord::First, SideWord::Second].into_iter().filter(|&side| viewer.has(side.into())).collect();
    let paths = frame.tree.clone().filter(|_| frame.is_asked(viewer));
    Ok(Json(Look { state: frame.state.clone(), you, paths }))
}

/// The game as a record file.
#[utoipa::path(get, path = "/api/v1/games/{id}/record", tag = "games", params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = ProblemBody)))]
pub async fn record(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    service.limits().admit(visitor.address, Price::Read)?;
    let record = service.rooms().record(&id).await?;
    let name = format!("inline; filename=\"{id}.parlor\"");
    let kind = (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_string());
    Ok(([kind, (header::CONTENT_DISPOSITION, name)], record.to_string()).into_response())
}

/// A move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wished {
    /// The number of moves played when this move was chosen.
    ply: u64,
    /// The move in the game's notation; this or `path`.
    #[serde(rename = "move")]
    mv: Option<String>,
    /// The move as a path of targets.
    path: Option<Vec<u16>>,
}

/// Makes a move. The move is saved to disk before the response.
#[utoipa::path(post, path = "/api/v1/games/{id}/moves", request_body = Wished, tag = "play", params(("id" = String, Path)),
    responses((status = 200, body = State), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
              (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub async fn make_move(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(wished): Body<Wished>,
) -> Result<Response, Problem> {
    let by = match (wished.mv, wished.path) {
        (Some(text), None) => MoveBy::Text(text),
        (None, Some(path)) => MoveBy::Path(path),
        _ => return Err(Problem::BadInput("expected either 'move' or 'path'".to_string())),
    };
    done(&service, &visitor, &id, &PlayerAction::Move { ply: wished.ply, by, seq: None }).await
}

/// An action other than a move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Action {
    action: ActionWord,
}

/// The action.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionWord {
    /// Resign.
    Resign,
    /// Take back the own last move: an offer to the other player, which a program accepts.
    Takeback,
    /// Claim repetition: an offer to the other player, which a program accepts if the position has occurred before.
    Claim,
    /// Accept the offer of the other player.
    Accept,
    /// Decline the offer of the other player, or withdraw the own offer.
    Decline,
    /// End the game without a result, before its second move.
    Abort,
}

impl From<ActionWord> for PlayerAction {
    fn from(word: ActionWord) -> PlayerAction {
        match word {
            ActionWord::Resign => PlayerAction::Resign,
            ActionWord::Takeback => PlayerAction::Takeback,
            ActionWord::Claim => PlayerAction::Claim,
            ActionWord::Accept => PlayerAction::Accept,
            ActionWord::Decline => PlayerAction::Decline,
            ActionWord::Abort => PlayerAction::Abort,
        }
    }
}

/// Performs an action: resign, take back, claim, accept, decline or abort.
#[utoipa::path(post, path = "/api/v1/games/{id}/actions", request_body = Action, tag = "play", params(("id" = String, Path)),
    responses((status = 200, body = State), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
              (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub async fn act(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(action): Body<Action>,
) -> Result<Response, Problem> {
    done(&service, &visitor, &id, &action.action.into()).await
}

async fn done(
    service: &Service,
    visitor: &Visitor,
    id: &str,
    action: &PlayerAction,
) -> Result<Response, Problem> {
    service.limits().admit(visitor.address, Price::Act)?;
    let key = visitor.must_have_key(id)?;
    let frame = service.rooms().act(id, &key, action, Some(visitor.address)).await?;
    let json = (header::CONTENT_TYPE, "application/json");
    Ok(([json], frame.json().to_string()).into_response())
}

/// A request for the open seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Sitting {
    /// The invitation to the open seat.
    invitation: String,
    /// What you are called.
    #[serde(default)]
    name: String,
    /// Whether the player is a program.
    #[serde(default)]
    bot: bool,
}

/// A seat that was taken.
#[derive(Serialize, ToSchema)]
pub struct Seated {
    /// Your side.
    side: SideWord,
    /// The token of the seat, if the request had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// Takes the open seat of a game.
#[utoipa::path(post, path = "/api/v1/games/{id}/seat", request_body = Sitting, tag = "play", params(("id" = String, Path)),
    responses((status = 200, body = Seated), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub async fn sit(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(sitting): Body<Sitting>,
) -> Result<Json<Seated>, Problem> {
    service.limits().admit(visitor.address, Price::Act)?;
    let address = visitor.address;
    let (token, new_one) = visitor.token_or_new()?;
    let kind = if sitting.bot { SeatKind::Bot } else { SeatKind::Person };
    let new = NewGuest { invitation: &sitting.invitation, name: &sitting.name, token: &token, kind, address };
    let side = seat_guest(&service, &id, new).await?.into();
    Ok(Json(Seated { side, token: new_one.then(|| token.reveal().to_string()) }))
}

/// A player who presents an invitation.
pub struct NewGuest<'a> {
    /// As text, not yet checked.
    pub invitation: &'a str,
    pub name: &'a str,
    /// The player holds the seat by this token.
    pub token: &'a Token,
    /// `Person` or `Bot`.
    pub kind: SeatKind,
    pub address: IpAddr,
}

/// Gives the open seat of a game to a player who shows the invitation.
pub async fn seat_guest(service: &Service, id: &str, new: NewGuest<'_>) -> Result<Side, Problem> {
    let NewGuest { invitation, name, token, kind, address } = new;
    let invitation = Token::parse(invitation);
    let invitation = invitation
        .ok_or_else(|| Problem::BadInput("invitation: expected 32 characters 0-9 and a-f".into()))?;
    if name.chars().count() > LONGEST_NAME {
        return Err(Problem::BadInput(format!("name: expected at most {LONGEST_NAME} characters")));
    }
    let guest = Guest {
        invitation: invitation.hash(id),
        key: token.hash(id),
        name: called(name),
        kind,
        address: Some(address),
    };
    service.rooms().sit(id, &guest).await
}

/// A game of this server.
#[derive(Serialize, ToSchema)]
pub struct Offered {
    /// The name in specs.
    name: &'static str,
    /// The title of the game.
    title: &'static str,
    /// A short description.
    about: &'static str,
    /// Its spec with all defaults.
    spec: String,
    /// The sides' names.
    seats: [&'static str; 2],
    /// The kinds of players.
    players: Vec<&'static str>,
    /// What a move and a position look like.
    notation: [&'static str; 2],
}

/// Lists the games of this server.
#[utoipa::path(get, path = "/api/v1/catalog", tag = "games", responses((status = 200, body = Vec<Offered>)))]
pub async fn catalog() -> Json<Vec<Offered>> {
    let offered = parlor_catalog::entries().iter().map(|entry| Offered {
        name: entry.name,
        title: entry.title,
        about: entry.blurb,
        spec: entry.build("").map(|game| game.spec()).unwrap_or_default(),
        seats: entry.seats,
        players: entry.kinds.iter().map(|kind| kind.name).collect(),
        notation: [entry.move_form, entry.position_form],
    });
    Json(offered.collect())
}
