//! A new game as somebody asks for it: which game, who sits where, with which clock. Checked whole before anything is kept.

use crate::{
    problem::Problem,
    room::{Seat, seat_row},
    token::Token,
    wire::{SeatKind, SideWord},
};
use parlor_catalog::{Hosted, PlayerSpec, Resources};
use parlor_core::{RULES, Side, capitalised, harmless};
use parlor_session::{BadTimeControl, TimeControl};
use parlor_store::LiveRow;
use serde::Deserialize;
use std::time::Duration;
use utoipa::ToSchema;

/// In characters, for people and bots.
pub const LONGEST_NAME: usize = 40;
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST_BASE: Duration = Duration::from_secs(3 * 3600);
const LONGEST_INCREMENT: Duration = Duration::from_secs(300);
const LONGEST_MOVE: Duration = Duration::from_secs(14 * 86_400);
/// What a visitor may choose of a player; processors and memory are the server's.
const OPTIONS: [&str; 6] = ["level", "depth", "nodes", "time", "width", "seed"];

/// The player that is requested for a side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Wanted {
    /// The client that creates the game.
    #[default]
    Me,
    /// Open: a player with the invitation.
    Open,
    /// An engine of this server.
    Player {
        /// Player spec, such as `engine:level=5`. Its time per move is limited by the server.
        spec: String,
    },
    /// A bot that this server runs.
    House {
        /// A name from the list of bots.
        name: String,
    },
    /// A bot that waits over the network.
    Waiting {
        /// A name from the list of bots.
        name: String,
    },
}

/// A request for a new game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGame {
    /// The game's spec, such as `kalah:6,4`.
    pub game: String,
    /// The start position (default: the game's start position).
    #[serde(default)]
    pub start: Option<String>,
    /// The player that moves first.
    #[serde(default)]
    pub first: Wanted,
    /// The player that moves second.
    #[serde(default)]
    pub second: Wanted,
    /// The name of the client's player.
    #[serde(default)]
    pub name: String,
    /// A time control such as `5m+3s`, `5m,delay=3s`, `10m,byoyomi=3x30s` or `move=3d`; none: no clock.
    #[serde(default)]
    pub clock: Option<String>,
    /// Whether the game is listed on the home page.
    #[serde(default = "yes")]
    pub listed: bool,
}

fn yes() -> bool {
    true
}

/// A game that is not yet stored.
#[derive(Clone, Debug)]
pub struct Created {
    pub row: LiveRow,
    /// The sides of the visitor who creates the game.
    pub sides: Vec<SideWord>,
    /// The invitation to the open seat, if there is one.
    pub invitation: Option<Token>,
    /// The waiting bots that are to play it, and what each holds its seat by.
    pub bots: Vec<(String, Token)>,
}

impl NewGame {
    /// The row of the game, everything in it checked.
    pub(crate) fn row(&self, id: &str, maker: &Token, bots: &[String], now: i64) -> Result<Created, Problem> {
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
        let waits = [&self.first, &self.second].iter().any(|wanted| matches!(wanted, Wanted::Waiting { .. }));
        if waits && clock.is_some_and(TimeControl::is_correspondence) {
            let sentence =
                "clock: waiting bots do not play correspondence games; expected less than 1h per move";
            return Err(Problem::BadInput(sentence.to_string()));
        }
        let invitation = maker.invitation(id);
        let wanted = [&self.first, &self.second];
        if wanted == [&Wanted::Open, &Wanted::Open] {
            return Err(Problem::BadInput("at least one seat must be taken, but both are open".to_string()));
        }
        let mut waiting = Vec::new();
        let mut seat = |wanted: &Wanted| match wanted {
            Wanted::Waiting { name } => {
                let token = Token::new().ok_or_else(Problem::no_random)?;
                let key = token.hash(id);
                waiting.push((name.clone(), token));
                Ok(Seat { kind: SeatKind::Bot, name: called(name), key })
            }
            _ => self.seat(wanted, id, maker, &invitation, host.as_ref(), bots),
        };
        let seats = [seat(&self.first)?, seat(&self.second)?];
        let is = |kind: SeatKind| seats.iter().any(|seat| seat.kind == kind);
        let mine = |side: &Side| *wanted[side.index()] == Wanted::Me;
        let sides = Side::BOTH.into_iter().filter(mine).map(SideWord::from).collect();
        let row = LiveRow {
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
        Ok(Created { row, sides, invitation: is(SeatKind::Open).then_some(invitation), bots: waiting })
    }

    fn seat(
        &self,
        wanted: &Wanted,
        id: &str,
        maker: &Token,
        invitation: &Token,
        host: &dyn Hosted,
        bots: &[String],
    ) -> Result<Seat, Problem> {
        Ok(match wanted {
            Wanted::Me => {
                // Whoever plays both sides is told apart by the sides' own names.
                let alone = self.first == Wanted::Me && self.second == Wanted::Me;
                let name = if alone { String::new() } else { called(&self.name) };
                Seat { kind: SeatKind::Person, name, key: maker.hash(id) }
            }
            Wanted::Open => Seat { kind: SeatKind::Open, name: String::new(), key: invitation.hash(id) },
            Wanted::Player { spec } => {
                let spec = allowed(spec, host)?;
                Seat { kind: SeatKind::Player, name: title(&spec), key: spec.to_string() }
            }
            Wanted::House { name } => {
                if !bots.contains(name) {
                    return Err(Problem::BadInput("this server has no bot of that name".to_string()));
                }
                Seat { kind: SeatKind::House, name: name.clone(), key: name.clone() }
            }
            // Its token is made by the caller.
            Wanted::Waiting { name } => {
                return Err(Problem::Broken(format!("the seat of the waiting bot '{name}' has no token")));
            }
        })
    }
}

/// A name as it is kept: nothing unseen in it, and not too long.
pub fn called(name: &str) -> String {
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
                "clock: '{control}' is not a clock; expected one like 5m+3s"
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

/// The spec of a player that a visitor may choose: a kind of the catalogue, with options that cost the server no more than time.
fn allowed(text: &str, host: &dyn Hosted) -> Result<PlayerSpec, Problem> {
    let bad = |error: parlor_catalog::BadPlayer| Problem::BadInput(error.to_string());
    let mut spec: PlayerSpec = text.parse().map_err(bad)?;
    spec.name = None;
    if let Some((name, _)) = spec.options.iter().find(|(name, _)| !OPTIONS.contains(&name.as_str())) {
        let name = harmless(name, 24);
        return Err(Problem::BadInput(format!(
            "the option '{name}' of a player cannot be set on this server"
        )));
    }
    host.player(&spec, &Resources::seeded(0)).map_err(bad)?;
    Ok(spec)
}

/// What a player of ours is called: `engine level 5`.
fn title(spec: &PlayerSpec) -> String {
    let options = spec.options.iter().map(|(name, value)| format!(" {name} {value}"));
    harmless(&capitalised(&format!("{}{}", spec.kind, options.collect::<String>())), LONGEST_NAME)
}
