//! The request for a new game: the game, the seats and the clock, all checked before anything is stored.

use crate::{
    problem::Problem,
    room::{GameSeat, seat_row},
    token::SeatToken,
    wire::{SeatKind, SideWord},
};
use parlor_catalog::{DynGame, PlayerSpec, Resources};
use parlor_core::{RULES, Side, capitalised, harmless};
use parlor_session::{BadTimeControl, TimeControl};
use parlor_store::LiveGameRow;
use serde::Deserialize;
use std::time::Duration;
use utoipa::ToSchema;

/// In characters, for people and bots.
pub const LONGEST_NAME: usize = 40;
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST_BASE: Duration = Duration::from_secs(3 * 3600);
const LONGEST_INCREMENT: Duration = Duration::from_secs(300);
const LONGEST_MOVE: Duration = Duration::from_secs(14 * 86_400);
/// The options of a player that a visitor may set; threads and memory are the server's.
const OPTIONS: [&str; 6] = ["level", "depth", "nodes", "time", "width", "seed"];

/// The requested player of a side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum SeatRequest {
    /// The client that creates the game takes the seat.
    #[default]
    Me,
    /// The seat stays open for the first player who presents the invitation.
    Open,
    /// An engine of the server plays.
    Player {
        /// The player spec, such as `engine:level=5`. The server limits its thinking time.
        spec: String,
    },
    /// A bot that the server runs plays.
    House {
        /// A name from the list of bots.
        name: String,
    },
    /// A bot that is connected over the network and waits for a game plays.
    Waiting {
        /// A name from the list of bots.
        name: String,
    },
}

/// The request for a new game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The game's spec, such as `kalah:6,4`.
    pub game: String,
    /// The start position, if it is not the default one.
    #[serde(default)]
    pub start: Option<String>,
    /// The player who moves first.
    #[serde(default)]
    pub first: SeatRequest,
    /// The player who moves second.
    #[serde(default)]
    pub second: SeatRequest,
    /// Display name of the player who creates the game.
    #[serde(default)]
    pub name: String,
    /// A time control such as `5m+3s`, `5m,delay=3s`, `10m,byoyomi=3x30s` or `move=3d`; none: no clock.
    #[serde(default)]
    pub clock: Option<String>,
    /// Whether the home page lists the game (default: true).
    #[serde(default = "yes")]
    pub listed: bool,
}

fn yes() -> bool {
    true
}

/// The row of a new game that is not yet stored, with the secrets for its players.
#[derive(Clone, Debug)]
pub struct PreparedGame {
    pub row: LiveGameRow,
    /// The sides of the visitor who creates the game.
    pub sides: Vec<SideWord>,
    /// The invitation to the open seat, if there is one.
    pub invitation: Option<SeatToken>,
    /// Names of the waiting bots that are to play it, with the tokens of their seats.
    pub bots: Vec<(String, SeatToken)>,
}

impl NewGame {
    /// Checks the request and builds the row of the game.
    pub(crate) fn row(
        &self,
        id: &str,
        maker: &SeatToken,
        bots: &[String],
        now: i64,
    ) -> Result<PreparedGame, Problem> {
        let host = parlor_catalog::game(&self.game).map_err(|bad| Problem::BadInput(bad.0))?;
        if let Some(start) = &self.start {
            let board = host.board_at(start).map_err(|bad| Problem::BadInput(bad.0))?;
            if board.ending().is_some() {
                return Err(Problem::BadInput(
                    "start: the game is already over in this position".to_string(),
                ));
            }
        }
        let clock = self.clock.as_deref().filter(|text| !["", "free"].contains(&text.trim()));
        let clock = clock.map(time_control).transpose()?;
        let waits =
            [&self.first, &self.second].iter().any(|wanted| matches!(wanted, SeatRequest::Waiting { .. }));
        if waits && clock.is_some_and(TimeControl::is_correspondence) {
            let sentence =
                "clock: waiting bots do not play correspondence games; expected less than 1h per move";
            return Err(Problem::BadInput(sentence.to_string()));
        }
        let invitation = maker.invitation(id);
        let wanted = [&self.first, &self.second];
        if wanted == [&SeatRequest::Open, &SeatRequest::Open] {
            return Err(Problem::BadInput(
                "at least one seat must have a player, but both are open".to_string(),
            ));
        }
        let mut waiting = Vec::new();
        let mut seat = |wanted: &SeatRequest| match wanted {
            SeatRequest::Waiting { name } => {
                let token = SeatToken::new().ok_or_else(Problem::no_random)?;
                let key = token.hash(id);
                waiting.push((name.clone(), token));
                Ok(GameSeat { kind: SeatKind::Bot, name: clean_name(name), key })
            }
            _ => self.seat(wanted, id, maker, &invitation, host.as_ref(), bots),
        };
        let seats = [seat(&self.first)?, seat(&self.second)?];
        let is = |kind: SeatKind| seats.iter().any(|seat| seat.kind == kind);
        let mine = |side: &Side| *wanted[side.index()] == SeatRequest::Me;
        let sides = Side::BOTH.into_iter().filter(mine).map(SideWord::from).collect();
        let row = LiveGameRow {
            id: id.to_string(),
            game: host.spec(),
            start: self.start.clone(),
            clock: clock.map(|clock| clock.to_string()),
            seats: [seat_row(&seats[0]), seat_row(&seats[1])],
            listed: self.listed,
            created: now,
            touched: now,
            plies: 0,
            ended: None,
            result: None,
            cause: None,
            rules: RULES.into(),
            deadline: None,
        };
        Ok(PreparedGame { row, sides, invitation: is(SeatKind::Open).then_some(invitation), bots: waiting })
    }

    fn seat(
        &self,
        wanted: &SeatRequest,
        id: &str,
        maker: &SeatToken,
        invitation: &SeatToken,
        host: &dyn DynGame,
        bots: &[String],
    ) -> Result<GameSeat, Problem> {
        Ok(match wanted {
            SeatRequest::Me => {
                // A person who plays both sides is shown with the names of the sides.
                let alone = self.first == SeatRequest::Me && self.second == SeatRequest::Me;
                let name = if alone { String::new() } else { clean_name(&self.name) };
                GameSeat { kind: SeatKind::Person, name, key: maker.hash(id) }
            }
            SeatRequest::Open => {
                GameSeat { kind: SeatKind::Open, name: String::new(), key: invitation.hash(id) }
            }
            SeatRequest::Player { spec } => {
                let spec = allowed_player(spec, host)?;
                GameSeat { kind: SeatKind::Player, name: title(&spec), key: spec.to_string() }
            }
            SeatRequest::House { name } => {
                if !bots.contains(name) {
                    return Err(Problem::BadInput(
                        "this server has no bot with this name; choose one from the list of bots".to_string(),
                    ));
                }
                GameSeat { kind: SeatKind::House, name: name.clone(), key: name.clone() }
            }
            // The caller creates the token of this seat and builds it.
            SeatRequest::Waiting { name } => {
                return Err(Problem::Broken(format!("the seat of the waiting bot '{name}' has no token")));
            }
        })
    }
}

/// A name as it is stored: trimmed, without control characters, and not too long.
pub fn clean_name(name: &str) -> String {
    harmless(name.trim(), LONGEST_NAME)
}

/// The time control of a game, within what a server allows.
fn time_control(text: &str) -> Result<TimeControl, Problem> {
    let control: TimeControl =
        text.parse().map_err(|bad: BadTimeControl| Problem::BadInput(format!("clock: {bad}")))?;
    let (base, per_move) = match control {
        TimeControl::Clock { base, increment: time }
        | TimeControl::Delay { base, delay: time }
        | TimeControl::Bronstein { base, delay: time }
        | TimeControl::ByoYomi { base, period: time, .. } => (base, time),
        TimeControl::Move(time) if (SHORTEST..=LONGEST_MOVE).contains(&time) => {
            return Ok(control);
        }
        TimeControl::Move(_) => {
            let sentence =
                format!("clock: '{control}' is not allowed; expected 1s to 14d per move, like move=3d");
            return Err(Problem::BadInput(sentence));
        }
        TimeControl::Unlimited | TimeControl::Nodes(_) | TimeControl::Depth(_) => {
            return Err(Problem::BadInput(format!(
                "clock: '{control}' is not possible on a server; expected a clock like 5m+3s"
            )));
        }
    };
    if base + per_move < SHORTEST || base > LONGEST_BASE || per_move > LONGEST_INCREMENT {
        let allowed = "a base time of at most 3h and at most 5m per move, together at least 1s";
        return Err(Problem::BadInput(format!(
            "clock: '{control}' is not allowed; expected {allowed}, like 5m+3s"
        )));
    }
    Ok(control)
}

/// Parses the spec of an engine and refuses options that a visitor may not set.
fn allowed_player(text: &str, host: &dyn DynGame) -> Result<PlayerSpec, Problem> {
    let bad = |error: parlor_catalog::BadPlayer| Problem::BadInput(error.to_string());
    let mut spec: PlayerSpec = text.parse().map_err(bad)?;
    spec.name = None;
    if let Some((name, _)) = spec.options.iter().find(|(name, _)| !OPTIONS.contains(&name.as_str())) {
        let name = harmless(name, 24);
        return Err(Problem::BadInput(format!(
            "the option '{name}' of a player cannot be set on this server; expected one of {}",
            OPTIONS.join(", ")
        )));
    }
    host.player(&spec, &Resources::seeded(0)).map_err(bad)?;
    Ok(spec)
}

/// Display name of an engine: `Engine level 5`.
fn title(spec: &PlayerSpec) -> String {
    let options = spec.options.iter().map(|(name, value)| format!(" {name} {value}"));
    harmless(&capitalised(&format!("{}{}", spec.kind, options.collect::<String>())), LONGEST_NAME)
}
