//! Bots over the network. A bot connects by WebSocket, either to a seat of a game or to the lobby, where it waits for an opponent,
//! and speaks the bot protocol. A broken connection does not lose the game: the bot reconnects with the seat's token.

mod connection;
mod game;
mod lobby;
mod question;

pub use lobby::{GameAssignment, Lobby, ReservedBot, WaitingBot};

use crate::{
    api::games::{NewGuest, seat_guest},
    metrics::GaugeGuard,
    problem::{Problem, ProblemBody},
    rate_limits::RequestClass,
    room::Guest,
    service::Service,
    token::SeatToken,
    visitor::{Params, Visitor},
    wire::SeatKind,
};
use axum::{
    Json,
    extract::{
        Path, State,
        ws::{WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    response::{IntoResponse, Response},
};
use connection::{BotConnection, Closing, LARGEST_MESSAGE, Received};
use game::{BotExit, SeatedBot};
use lobby::{LobbyPermit, ReservedName};
use parlor_core::Side;
use parlor_protocol::{BotMessage, Dialect};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// Query parameters of a bot that connects to a seat.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatQuery {
    #[serde(default)]
    dialect: String,
    #[serde(default)]
    name: String,
    token: Option<String>,
    invitation: Option<String>,
}

/// Query parameters of a bot that waits in the lobby.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LobbyQuery {
    #[serde(default)]
    dialect: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    games: String,
}

/// Connects a bot to a seat of a game: a WebSocket with the lines of the bot protocol, one line per message.
#[utoipa::path(get, path = "/api/v1/games/{id}/bot", tag = "bots",
    params(("id" = String, Path),
           ("dialect" = Option<String>, Query, description = "`simple` (default) or `ugi`"),
           ("name" = Option<String>, Query, description = "name of the bot, if it takes a seat"),
           ("token" = Option<String>, Query, description = "token of the seat, if it is not in the `Authorization` header"),
           ("invitation" = Option<String>, Query, description = "takes the open seat")),
    responses((status = 101, description = "lines from here on"), (status = 401, body = ProblemBody),
              (status = 403, body = ProblemBody), (status = 404, body = ProblemBody), (status = 409, body = ProblemBody)))]
pub async fn seat(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Params(query): Params<SeatQuery>,
    upgrade: Upgrade,
) -> Result<Response, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let upgrade = upgrade.map_err(|_| Problem::BadInput("expected a WebSocket upgrade".into()))?;
    let dialect = dialect(&query.dialect)?;
    let permit = service.lobby().enter(visitor.address)?;
    let shown =
        query.token.as_deref().map(|text| SeatToken::parse(text).ok_or(Problem::NotYourSeat)).transpose()?;
    let token = shown.or(visitor.token);
    let (token, first) = match &query.invitation {
        None => (token.ok_or(Problem::NoToken)?, None),
        Some(invitation) => {
            let token = token.or_else(SeatToken::new).ok_or_else(Problem::no_random)?;
            let (name, kind, address) = (query.name.as_str(), SeatKind::Bot, visitor.address);
            let guest = NewGuest { invitation, name, token: &token, kind, address };
            let side = seat_guest(&service, &id, guest).await?;
            let line = seat_line(side, &token, &id);
            (token, Some(line))
        }
    };
    let key = token.hash(&id);
    let frame = service.rooms().frame(&id, Some(&key), None).await?;
    let viewer = frame.viewer(Some(&key));
    if !viewer.plays() {
        return Err(Problem::NotYourSeat);
    }
    // A program that shows a person's token takes over their seat.
    let persons = |side: &Side| viewer.has(*side) && frame.state.seats[side.index()].kind == SeatKind::Person;
    for _ in Side::BOTH.into_iter().filter(persons) {
        let (name, address) = (String::new(), Some(visitor.address));
        let guest = Guest { invitation: String::new(), key: key.clone(), name, kind: SeatKind::Bot, address };
        service.rooms().join(&id, &guest).await?;
    }
    Ok(open(upgrade, service, permit, Purpose::Play { dialect, id, key, first }))
}

/// Lists the bots that visitors can play against. With a WebSocket upgrade, connects a bot that waits for an opponent.
#[utoipa::path(get, path = "/api/v1/bots", tag = "bots",
    params(("name" = Option<String>, Query, description = "name of the waiting bot"),
           ("games" = Option<String>, Query, description = "names of the games it plays, separated by commas (default: all)"),
           ("dialect" = Option<String>, Query, description = "`simple` (default) or `ugi`")),
    responses((status = 200, body = BotList), (status = 101, description = "lines from here on"),
              (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub async fn list(
    State(service): State<Service>,
    visitor: Visitor,
    Params(query): Params<LobbyQuery>,
    upgrade: Upgrade,
) -> Result<Response, Problem> {
    let Ok(upgrade) = upgrade else {
        service.rate_limits().admit(visitor.address, RequestClass::Read)?;
        let house = service.engines().bots();
        return Ok(Json(BotList { house, waiting: service.lobby().waiting() }).into_response());
    };
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let (dialect, games) = (dialect(&query.dialect)?, games(&query.games)?);
    let permit = service.lobby().enter(visitor.address)?;
    let name = service.lobby().reserve_name(&query.name, &service.engines().bots())?;
    Ok(open(upgrade, service, permit, Purpose::Wait { dialect, name, games }))
}

/// The bots that visitors can play against.
#[derive(Serialize, ToSchema)]
pub struct BotList {
    /// Names of the bots that the server runs.
    house: Vec<String>,
    /// The bots that are connected over the network and wait for an opponent.
    waiting: Vec<WaitingBot>,
}

fn dialect(text: &str) -> Result<Dialect, Problem> {
    match text {
        "" | "simple" => Ok(Dialect::Simple),
        "ugi" => Ok(Dialect::Ugi),
        _ => Err(Problem::BadInput("dialect: expected 'simple' or 'ugi'".to_string())),
    }
}

fn games(text: &str) -> Result<Vec<String>, Problem> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let known = names.map(|name| parlor_catalog::find(name).map(|entry| entry.name.to_string()));
    known.collect::<Result<_, _>>().map_err(|bad| Problem::BadInput(format!("games: {}", bad.0)))
}

/// The line that tells a bot its side, its token and the game's id, so that it can reconnect.
fn seat_line(side: Side, token: &SeatToken, id: &str) -> String {
    format!("seat\t{side}\t{}\t{id}", token.reveal())
}

/// The purpose of a bot's connection.
enum Purpose {
    Play { dialect: Dialect, id: String, key: String, first: Option<String> },
    Wait { dialect: Dialect, name: ReservedName, games: Vec<String> },
}

impl Purpose {
    async fn run(self, service: &Service, connection: &mut BotConnection) -> BotExit {
        match self {
            Purpose::Play { dialect, id, key, first } => {
                if let Some(first) = &first
                    && let Err(gone) = connection.send_line(first).await
                {
                    return gone.into();
                }
                SeatedBot { service, connection, dialect, id, key, from_lobby: false }.play().await
            }
            Purpose::Wait { dialect, name, games } => {
                serve_lobby(service, connection, dialect, &name, &games).await
            }
        }
    }
}

/// Accepts the WebSocket, serves the bot, and closes the connection with the reason.
fn open(upgrade: WebSocketUpgrade, service: Service, permit: LobbyPermit, purpose: Purpose) -> Response {
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    upgrade.on_upgrade(async move |socket: WebSocket| {
        let _held = (permit, GaugeGuard::new(service.metrics(), |metrics| &metrics.bots));
        let mut connection = BotConnection::new(socket);
        match purpose.run(&service, &mut connection).await {
            BotExit::GameOver => connection.close(Closing::Done, "the game is over").await,
            BotExit::Disconnected(_) => {}
            BotExit::ServerStops => {
                connection.close(Closing::Away, "the server is shutting down; please reconnect").await;
            }
            BotExit::Violation(trouble) => {
                service.metrics().dropped.add(1);
                connection.close(Closing::Broken, &format!("lost: {trouble}")).await;
            }
            BotExit::CannotPlay(why) => connection.close(Closing::Broken, &why).await,
        }
    })
}

/// Plays one game after another; waits in the lobby in between.
async fn serve_lobby(
    service: &Service,
    connection: &mut BotConnection,
    dialect: Dialect,
    name: &ReservedName,
    games: &[String],
) -> BotExit {
    loop {
        let assignment = match next_assignment(service, connection, dialect, name, games).await {
            Ok(assignment) => assignment,
            Err(exit) => return exit,
        };
        let key = assignment.token.hash(&assignment.id);
        let frame = match service.rooms().frame(&assignment.id, None, None).await {
            Ok(frame) => frame,
            Err(problem) => {
                tracing::error!(
                    game = assignment.id,
                    reason = problem.reason(),
                    "a waiting bot cannot join its game"
                );
                continue;
            }
        };
        let side = if frame.viewer(Some(&key)).has(Side::First) { Side::First } else { Side::Second };
        if let Err(gone) = connection.send_line(&seat_line(side, &assignment.token, &assignment.id)).await {
            return gone.into();
        }
        let exit =
            SeatedBot { service, connection, dialect, id: assignment.id, key, from_lobby: true }.play().await;
        if exit != BotExit::GameOver {
            return exit;
        }
    }
}

/// Waits in the lobby until a visitor chooses the bot. What the bot sends meanwhile is ignored, but counts against its limit.
async fn next_assignment(
    service: &Service,
    connection: &mut BotConnection,
    dialect: Dialect,
    name: &ReservedName,
    games: &[String],
) -> Result<GameAssignment, BotExit> {
    let mut stopping = service.stopping();
    loop {
        connection.set_asked(false);
        let mut assignment = name.wait(games);
        let assignment = loop {
            tokio::select! {
                assignment = &mut assignment => break assignment,
                received = connection.receive() => match received {
                    // This may be a late answer to a question of the last game.
                    Received::Line(text) => {
                        if let BotMessage::Answer(_) = dialect.read(&text) {
                            connection.cancelled_answers = connection.cancelled_answers.saturating_sub(1);
                        }
                    }
                    Received::Trouble(trouble) => return Err(BotExit::Violation(trouble)),
                    Received::Disconnected(gone) => return Err(gone.into()),
                },
                _ = stopping.wait_for(|stopping| *stopping) => return Err(BotExit::ServerStops),
            }
        };
        // The visitor's request may have failed after it reserved the bot; then the bot waits again.
        if let Ok(assignment) = assignment {
            return Ok(assignment);
        }
    }
}
