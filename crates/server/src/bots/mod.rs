//! Bots over the network: a WebSocket on which a program holds a seat and speaks the lines of the bot protocol, and one on
//! which it waits until somebody wants to play it. A line that breaks costs nobody a game: whoever shows the seat's token goes on.

mod game;
mod line;
mod lobby;
mod question;

pub use lobby::{Call, Lobby, Offered, Taken};

use crate::{
    api::games::{NewGuest, seat_guest},
    limits::Price,
    metrics::Held,
    problem::{Problem, ProblemBody},
    room::Guest,
    service::Service,
    token::Token,
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
use game::{Fate, Seated};
use line::{Closing, Heard, LARGEST_MESSAGE, Line};
use lobby::{Named, Place};
use parlor_core::Side;
use parlor_protocol::{Dialect, Said};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// Which seat a bot wants, and how it talks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wants {
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
pub struct Waits {
    #[serde(default)]
    dialect: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    games: String,
}

/// A bot's seat in a game: a WebSocket with the lines of the bot protocol, one line per message.
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
    Params(wants): Params<Wants>,
    upgrade: Upgrade,
) -> Result<Response, Problem> {
    service.limits().admit(visitor.address, Price::Act)?;
    let upgrade = upgrade.map_err(|_| Problem::BadInput("expected a WebSocket upgrade".into()))?;
    let dialect = dialect(&wants.dialect)?;
    let place = service.lobby().enter(visitor.address)?;
    let shown =
        wants.token.as_deref().map(|text| Token::parse(text).ok_or(Problem::NotYourSeat)).transpose()?;
    let token = shown.or(visitor.token);
    let (token, first) = match &wants.invitation {
        None => (token.ok_or(Problem::NoToken)?, None),
        Some(invitation) => {
            let token = token.or_else(Token::new).ok_or_else(Problem::no_random)?;
            let (name, kind, address) = (wants.name.as_str(), SeatKind::Bot, visitor.address);
            let guest = NewGuest { invitation, name, token: &token, kind, address };
            let side = seat_guest(&service, &id, guest).await?;
            let line = seat_line(side, &token, &id);
            (token, Some(line))
        }
    };
    let key = token.hash(&id);
    let frame = service.rooms().look(&id, Some(&key), None).await?;
    let viewer = frame.viewer(Some(&key));
    if !viewer.plays() {
        return Err(Problem::NotYourSeat);
    }
    // A seat that a person took is the program's from now on.
    let persons = |side: &Side| viewer.has(*side) && frame.state.seats[side.index()].kind == SeatKind::Person;
    for _ in Side::BOTH.into_iter().filter(persons) {
        let (name, address) = (String::new(), Some(visitor.address));
        let guest = Guest { invitation: String::new(), key: key.clone(), name, kind: SeatKind::Bot, address };
        service.rooms().sit(&id, &guest).await?;
    }
    Ok(open(upgrade, service, place, Errand::Play { dialect, id, key, first }))
}

/// Lists the available bots; with an upgrade, a WebSocket on which a bot waits for challenges.
#[utoipa::path(get, path = "/api/v1/bots", tag = "bots",
    params(("name" = Option<String>, Query, description = "name of the waiting bot"),
           ("games" = Option<String>, Query, description = "names of the games it plays, separated by commas (default: all)"),
           ("dialect" = Option<String>, Query, description = "`simple` (default) or `ugi`")),
    responses((status = 200, body = Everybody), (status = 101, description = "lines from here on"),
              (status = 409, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub async fn everybody(
    State(service): State<Service>,
    visitor: Visitor,
    Params(waits): Params<Waits>,
    upgrade: Upgrade,
) -> Result<Response, Problem> {
    let Ok(upgrade) = upgrade else {
        service.limits().admit(visitor.address, Price::Read)?;
        let house = service.engines().bots();
        return Ok(Json(Everybody { house, waiting: service.lobby().offered() }).into_response());
    };
    service.limits().admit(visitor.address, Price::Act)?;
    let (dialect, games) = (dialect(&waits.dialect)?, games(&waits.games)?);
    let place = service.lobby().enter(visitor.address)?;
    let named = service.lobby().name(&waits.name, &service.engines().bots())?;
    Ok(open(upgrade, service, place, Errand::Wait { dialect, named, games }))
}

/// The bots of this server.
#[derive(Serialize, ToSchema)]
pub struct Everybody {
    /// Bots that the server runs.
    house: Vec<String>,
    /// Bots that wait over the network.
    waiting: Vec<Offered>,
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
fn seat_line(side: Side, token: &Token, id: &str) -> String {
    format!("seat\t{side}\t{}\t{id}", token.reveal())
}

/// The purpose of a bot's connection.
enum Errand {
    Play { dialect: Dialect, id: String, key: String, first: Option<String> },
    Wait { dialect: Dialect, named: Named, games: Vec<String> },
}

impl Errand {
    async fn run(self, service: &Service, line: &mut Line) -> Fate {
        match self {
            Errand::Play { dialect, id, key, first } => {
                if let Some(first) = &first
                    && let Err(gone) = line.say(first).await
                {
                    return gone.into();
                }
                Seated { service, line, dialect, id, key, from_lobby: false }.play().await
            }
            Errand::Wait { dialect, named, games } => wait(service, line, dialect, &named, &games).await,
        }
    }
}

/// Opens the line, and closes it when all is said.
fn open(upgrade: WebSocketUpgrade, service: Service, place: Place, errand: Errand) -> Response {
    let upgrade = upgrade.max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    upgrade.on_upgrade(async move |socket: WebSocket| {
        let _held = (place, Held::one(service.metrics(), |metrics| &metrics.bots));
        let mut line = Line::new(socket);
        match errand.run(&service, &mut line).await {
            Fate::Over => line.close(Closing::Done, "the game is over").await,
            Fate::Gone(_) => {}
            Fate::Stopping => {
                line.close(Closing::Away, "the server is shutting down; please reconnect").await;
            }
            Fate::Foul(trouble) => {
                service.metrics().dropped.add(1);
                line.close(Closing::Broken, &format!("lost: {trouble}")).await;
            }
            Fate::Useless(why) => line.close(Closing::Broken, &why).await,
        }
    })
}

/// Plays one game after another; waits in the lobby in between.
async fn wait(service: &Service, line: &mut Line, dialect: Dialect, named: &Named, games: &[String]) -> Fate {
    loop {
        let call = match called(service, line, dialect, named, games).await {
            Ok(call) => call,
            Err(fate) => return fate,
        };
        let key = call.token.hash(&call.id);
        let frame = match service.rooms().look(&call.id, None, None).await {
            Ok(frame) => frame,
            Err(problem) => {
                tracing::error!(
                    game = call.id,
                    reason = problem.reason(),
                    "a waiting bot cannot join its game"
                );
                continue;
            }
        };
        let side = if frame.viewer(Some(&key)).has(Side::First) { Side::First } else { Side::Second };
        if let Err(gone) = line.say(&seat_line(side, &call.token, &call.id)).await {
            return gone.into();
        }
        let fate = Seated { service, line, dialect, id: call.id, key, from_lobby: true }.play().await;
        if fate != Fate::Over {
            return fate;
        }
    }
}

/// Until somebody wants to play. What a bot says meanwhile is not listened to, only measured.
async fn called(
    service: &Service,
    line: &mut Line,
    dialect: Dialect,
    named: &Named,
    games: &[String],
) -> Result<Call, Fate> {
    let mut stopping = service.stopping();
    loop {
        line.turn(false);
        let mut call = named.wait(games);
        let call = loop {
            tokio::select! {
                call = &mut call => break call,
                heard = line.hear() => match heard {
                    // A question of the last game may be answered late.
                    Heard::Line(text) => {
                        if let Said::Answer(_) = dialect.read(&text) {
                            line.owed = line.owed.saturating_sub(1);
                        }
                    }
                    Heard::Trouble(trouble) => return Err(Fate::Foul(trouble)),
                    Heard::Gone(gone) => return Err(gone.into()),
                },
                _ = stopping.wait_for(|stopping| *stopping) => return Err(Fate::Stopping),
            }
        };
        // Whoever took it may have thought better of it.
        if let Ok(call) = call {
            return Ok(call);
        }
    }
}
