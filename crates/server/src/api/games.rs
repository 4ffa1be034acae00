//! Live games for programs: create, list, read, play, join.

use crate::{
    new_game::{LONGEST_NAME, NewGame, clean_name},
    problem::{Problem, ProblemBody},
    rate_limits::RequestClass,
    room::{Action, Guest, MoveBy},
    service::{LISTED, Service},
    token::SeatToken,
    visitor::{Body, Params, Visitor},
    wire::{GameState, SeatKind, SideWord, Tree},
};
use axum::{
    Json,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use parlor_core::Side;
use parlor_store::LiveGameRow;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use utoipa::ToSchema;

/// The new game, with the secrets of the client that created it.
#[derive(Serialize, ToSchema)]
pub struct CreatedGame {
    /// The id of the game, as in URLs.
    id: String,
    /// The URL of the page of the game.
    url: String,
    /// The sides that the client plays; both if it plays against itself.
    sides: Vec<SideWord>,
    /// The secret token of your seats, to be sent as `Authorization: Bearer …`. Absent if the request contained a
    /// token.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// The invitation to the open seat, for your opponent; absent if there is no open seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    invitation: Option<String>,
}

/// Creates a game and takes the seats that the request assigns to the client.
#[utoipa::path(post, path = "/api/v1/games", request_body = NewGame, tag = "games",
    responses((status = 201, body = CreatedGame), (status = 422, body = ProblemBody), (status = 429, body = ProblemBody)))]
pub async fn create(
    State(service): State<Service>,
    visitor: Visitor,
    Body(new): Body<NewGame>,
) -> Result<Response, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Heavy)?;
    let address = visitor.address;
    let (maker, new_one) = visitor.token_or_new()?;
    let created = service.create(&new, &maker, address).await?;
    let id = created.row.id;
    let made = CreatedGame {
        url: format!("{}/games/{id}", service.public_url().unwrap_or_default()),
        sides: created.sides,
        token: new_one.then(|| maker.reveal().to_string()),
        invitation: created.invitation.map(|token| token.reveal().to_string()),
        id,
    };
    let location = (header::LOCATION, made.url.clone());
    Ok((StatusCode::CREATED, [location], Json(made)).into_response())
}

/// A game in the lists of live and recent games.
#[derive(Serialize, ToSchema)]
pub struct GameListing {
    id: String,
    game: String,
    players: [String; 2],
    /// Number of moves played so far.
    plies: i64,
    /// Time of the last event, in milliseconds since 1970.
    touched: i64,
    /// The result as in record files: `first by 8`, `second`, `draw` or `*`; null while the game is live.
    result: Option<String>,
}

impl From<LiveGameRow> for GameListing {
    fn from(row: LiveGameRow) -> GameListing {
        let LiveGameRow { id, game, seats: [first, second], plies, touched, result, .. } = row;
        GameListing { id, game, players: [first.name, second.name], plies, touched, result }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameListQuery {
    /// The list to return: `live` or `recent`.
    #[serde(default)]
    which: String,
    /// Only games that ended before this time, for paging.
    before: Option<i64>,
}

/// Lists games: live ones, or those that ended recently.
#[utoipa::path(get, path = "/api/v1/games", tag = "games",
    params(("which" = Option<String>, Query, description = "`live` (default) or `recent`"),
           ("before" = Option<i64>, Query, description = "only games that ended before this time, in milliseconds since 1970")),
    responses((status = 200, body = Vec<GameListing>), (status = 422, body = ProblemBody)))]
pub async fn list(
    State(service): State<Service>,
    visitor: Visitor,
    Params(which): Params<GameListQuery>,
) -> Result<Json<Vec<GameListing>>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let rows = match which.which.as_str() {
        "" | "live" => service.listed_live_games().await?,
        "recent" => service.store().recent_games(which.before.unwrap_or(i64::MAX), LISTED).await?,
        _ => return Err(Problem::BadInput("which: expected 'live' or 'recent'".to_string())),
    };
    Ok(Json(rows.into_iter().map(GameListing::from).collect()))
}

/// The state of a game, with the sides and legal moves of the client that asks.
#[derive(Serialize, ToSchema)]
pub struct GameView {
    #[serde(flatten)]
    state: GameState,
    /// The sides that belong to the token of the request; empty for spectators.
    you: Vec<SideWord>,
    /// Your legal moves as paths of targets, if it is your turn.
    paths: Option<Tree>,
}

/// Returns the current state of a game.
#[utoipa::path(get, path = "/api/v1/games/{id}", tag = "games", params(("id" = String, Path)),
    responses((status = 200, body = GameView), (status = 404, body = ProblemBody)))]
pub async fn look(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<GameView>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let key = visitor.key(&id);
    let frame = service.rooms().frame(&id, key.as_deref(), Some(visitor.address)).await?;
    let viewer = frame.viewer(key.as_deref());
    let you =
        [SideWord::First, SideWord::Second].into_iter().filter(|&side| viewer.has(side.into())).collect();
    let paths = frame.tree.clone().filter(|_| frame.is_asked(viewer));
    Ok(Json(GameView { state: frame.state.clone(), you, paths }))
}

/// Returns the game as a record file.
#[utoipa::path(get, path = "/api/v1/games/{id}/record", tag = "games", params(("id" = String, Path)),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 404, body = ProblemBody)))]
pub async fn record(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let record = service.rooms().record(&id).await?;
    let name = format!("inline; filename=\"{id}.parlor\"");
    let kind = (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_string());
    Ok(([kind, (header::CONTENT_DISPOSITION, name)], record.to_string()).into_response())
}

/// A move for a certain position, as text or as a path.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveRequest {
    /// Number of moves already played in the position that the move is for.
    ply: u64,
    /// The move in the game's notation; this or `path`.
    #[serde(rename = "move")]
    mv: Option<String>,
    /// The move as the path of its targets; this or `move`.
    path: Option<Vec<u16>>,
}

/// Plays a move. The response is sent after the move has been written to disk.
#[utoipa::path(post, path = "/api/v1/games/{id}/moves", request_body = MoveRequest, tag = "play", params(("id" = String, Path)),
    responses((status = 200, body = GameState), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
              (status = 404, body = ProblemBody), (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub async fn make_move(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(request): Body<MoveRequest>,
) -> Result<Response, Problem> {
    let by = match (request.mv, request.path) {
        (Some(text), None) => MoveBy::Text(text),
        (None, Some(path)) => MoveBy::Path(path),
        _ => return Err(Problem::BadInput("expected either 'move' or 'path'".to_string())),
    };
    perform(&service, &visitor, &id, &Action::Move { ply: request.ply, by, seq: None }).await
}

/// An action of a player other than a move.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionRequest {
    action: ActionWord,
}

/// The actions of players other than moves.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionWord {
    /// Resign: the other player wins.
    Resign,
    /// Offer to take back your own last move. A program accepts the offer at once.
    Takeback,
    /// Claim repetition, which the other player may decline. A program accepts if the position has occurred before.
    Claim,
    /// Accept the open offer of the other player.
    Accept,
    /// Decline the open offer of the other player, or withdraw your own one.
    Decline,
    /// End the game without a result; possible before its second move.
    Abort,
}

impl From<ActionWord> for Action {
    fn from(word: ActionWord) -> Action {
        match word {
            ActionWord::Resign => Action::Resign,
            ActionWord::Takeback => Action::Takeback,
            ActionWord::Claim => Action::Claim,
            ActionWord::Accept => Action::Accept,
            ActionWord::Decline => Action::Decline,
            ActionWord::Abort => Action::Abort,
        }
    }
}

/// Performs an action other than a move: resign, takeback, claim, accept, decline or abort.
#[utoipa::path(post, path = "/api/v1/games/{id}/actions", request_body = ActionRequest, tag = "play", params(("id" = String, Path)),
    responses((status = 200, body = GameState), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
              (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub async fn act(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(action): Body<ActionRequest>,
) -> Result<Response, Problem> {
    perform(&service, &visitor, &id, &action.action.into()).await
}

async fn perform(
    service: &Service,
    visitor: &Visitor,
    id: &str,
    action: &Action,
) -> Result<Response, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let key = visitor.require_key(id)?;
    let frame = service.rooms().act(id, &key, action, Some(visitor.address)).await?;
    let json = (header::CONTENT_TYPE, "application/json");
    Ok(([json], frame.json().to_string()).into_response())
}

/// A request to take the open seat.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinRequest {
    /// The invitation from the player who created the game.
    invitation: String,
    /// The display name of the new player.
    #[serde(default)]
    name: String,
    /// Whether the new player is a program (default: false).
    #[serde(default)]
    bot: bool,
}

/// The seat that the client has taken.
#[derive(Serialize, ToSchema)]
pub struct JoinedSeat {
    /// The side of the seat.
    side: SideWord,
    /// The secret token of the seat; absent if the request contained a token.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// Takes the open seat of a game for the client that presents the invitation.
#[utoipa::path(post, path = "/api/v1/games/{id}/seat", request_body = JoinRequest, tag = "play", params(("id" = String, Path)),
    responses((status = 200, body = JoinedSeat), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub async fn sit(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Body(request): Body<JoinRequest>,
) -> Result<Json<JoinedSeat>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let address = visitor.address;
    let (token, new_one) = visitor.token_or_new()?;
    let kind = if request.bot { SeatKind::Bot } else { SeatKind::Person };
    let new = NewGuest { invitation: &request.invitation, name: &request.name, token: &token, kind, address };
    let side = seat_guest(&service, &id, new).await?.into();
    Ok(Json(JoinedSeat { side, token: new_one.then(|| token.reveal().to_string()) }))
}

/// A player who presents an invitation.
pub struct NewGuest<'a> {
    /// The text of the invitation, not yet checked.
    pub invitation: &'a str,
    pub name: &'a str,
    /// The token by which the player will hold the seat.
    pub token: &'a SeatToken,
    /// The kind of player: only `Person` or `Bot`.
    pub kind: SeatKind,
    pub address: IpAddr,
}

/// Gives the open seat of a game to a player who presents the invitation.
pub async fn seat_guest(service: &Service, id: &str, new: NewGuest<'_>) -> Result<Side, Problem> {
    let NewGuest { invitation, name, token, kind, address } = new;
    let invitation = SeatToken::parse(invitation);
    let invitation = invitation
        .ok_or_else(|| Problem::BadInput("invitation: expected 32 characters 0-9 and a-f".into()))?;
    if name.chars().count() > LONGEST_NAME {
        return Err(Problem::BadInput(format!("name: expected at most {LONGEST_NAME} characters")));
    }
    let guest = Guest {
        invitation: invitation.hash(id),
        key: token.hash(id),
        name: clean_name(name),
        kind,
        address: Some(address),
    };
    service.rooms().join(id, &guest).await
}

/// A game that this server offers, with its defaults.
#[derive(Serialize, ToSchema)]
pub struct CatalogGame {
    /// The name of the game in specs, such as `kalah`.
    name: &'static str,
    /// The name of the game on pages, such as `Kalah`.
    title: &'static str,
    /// One sentence that describes the game.
    about: &'static str,
    /// The spec of the game with its default parameters.
    spec: String,
    /// The names of the two sides, first side first.
    seats: [&'static str; 2],
    /// The kinds of engines that play the game, as in player specs.
    players: Vec<&'static str>,
    /// Descriptions of the notation of moves and of positions.
    notation: [&'static str; 2],
}

/// Lists the games that this server offers.
#[utoipa::path(get, path = "/api/v1/catalog", tag = "games", responses((status = 200, body = Vec<CatalogGame>)))]
pub async fn catalog() -> Json<Vec<CatalogGame>> {
    let games = parlor_catalog::entries().iter().map(|entry| CatalogGame {
        name: entry.name,
        title: entry.title,
        about: entry.blurb,
        spec: entry.build("").map(|game| game.spec()).unwrap_or_default(),
        seats: entry.seats,
        players: entry.kinds.iter().map(|kind| kind.name).collect(),
        notation: [entry.move_form, entry.position_form],
    });
    Json(games.collect())
}
