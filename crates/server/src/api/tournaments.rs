//! Tournaments for programs: the list, the standings, the games.

use crate::{
    problem::{Problem, ProblemBody},
    rate_limits::RequestClass,
    service::Service,
    visitor::{Params, Visitor},
    wire::SideWord,
};
use axum::{
    Json,
    extract::{Path, State},
};
use parlor_league::{GameFilter, Snapshot, TournamentReport};
use parlor_store::TournamentRow;
use parlor_tournament::LedgerEntry;
use serde::Serialize;
use utoipa::ToSchema;

/// A tournament in the list of tournaments.
#[derive(Serialize, ToSchema)]
pub struct TournamentListing {
    name: String,
    /// Start time, in seconds since 1970.
    begun: i64,
    /// Number of finished games so far.
    played: i64,
    /// A number that grows with every change of the tournament, for caches.
    changes: i64,
}

impl From<TournamentRow> for TournamentListing {
    fn from(row: TournamentRow) -> TournamentListing {
        let TournamentRow { name, begun, games, changes, .. } = row;
        TournamentListing { name, begun, played: games, changes }
    }
}

/// Lists all tournaments, the latest first.
#[utoipa::path(get, path = "/api/v1/tournaments", tag = "tournaments", responses((status = 200, body = Vec<TournamentListing>)))]
pub async fn list(
    State(service): State<Service>,
    visitor: Visitor,
) -> Result<Json<Vec<TournamentListing>>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let rows = service.store().tournaments().await?;
    Ok(Json(rows.into_iter().map(TournamentListing::from).collect()))
}

/// Returns the standings of a tournament.
#[utoipa::path(get, path = "/api/v1/tournaments/{name}", tag = "tournaments", params(("name" = String, Path)),
    responses((status = 200, body = TournamentReport), (status = 404, body = ProblemBody)))]
pub async fn standings(
    State(service): State<Service>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<Json<TournamentReport>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let shown = service.tournaments().get(&name).await?;
    Ok(Json(TournamentReport::of(&shown.plan, &shown.state, &shown.table).without_commands()))
}

/// A page of a tournament's games.
#[derive(Serialize, ToSchema)]
pub struct TournamentGamesPage {
    /// The games, the latest first.
    games: Vec<FinishedGame>,
    /// Number of this page, from 1.
    page: usize,
    /// Number of pages of the list.
    pages: usize,
    /// Number of games on all pages.
    total: usize,
}

/// A finished game of a tournament.
#[derive(Serialize, ToSchema)]
pub struct FinishedGame {
    /// Number of the game in the tournament, from 1.
    number: u64,
    game: String,
    /// Number of the round, from 1. Games of the same round and game spec have the same opening.
    round: u64,
    players: [String; 2],
    /// The result as in record files: `first by 8`, `second` or `draw`.
    result: String,
    /// Why the game ended, as in record files, such as `normal` or `timeout`.
    termination: String,
    /// Number of moves of the game.
    plies: usize,
    /// Thinking time of both sides in seconds.
    seconds: [f64; 2],
    /// Processor time of both sides in seconds; absent, or null for a side, if it was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<[Option<f64>; 2]>,
    /// The failure that ended the game; absent if there was none.
    failure: Option<GameFailure>,
}

/// The failure by which a player lost a game.
#[derive(Serialize, ToSchema)]
pub struct GameFailure {
    side: SideWord,
    /// The kind of failure: `illegal`, `timeout`, `crash`, `start` or `garbage`.
    kind: String,
    /// The reason, which continues a sentence that begins with the player's name.
    why: String,
    /// What the player's program wrote to standard error.
    stderr: String,
}

impl FinishedGame {
    fn of(shown: &Snapshot, entry: &LedgerEntry) -> FinishedGame {
        let ending = entry.record.ending;
        let failed = entry.violation.as_ref().map(|violation| GameFailure {
            side: violation.side.into(),
            kind: violation.kind.to_string(),
            why: violation.reason.clone(),
            stderr: entry.asides[violation.side.index()].clone(),
        });
        FinishedGame {
            number: entry.slot.number + 1,
            game: entry.record.game.clone(),
            round: entry.slot.round + 1,
            players: entry.slot.seats.map(|seat| shown.name(seat).to_string()),
            result: ending
                .and_then(|ending| ending.outcome)
                .map_or("*".into(), |outcome| outcome.to_string()),
            termination: ending.map_or(String::new(), |ending| ending.cause.to_string()),
            plies: entry.record.moves.len(),
            seconds: entry.thought.map(|time| time.as_secs_f64()),
            cpu_seconds: entry
                .cpu
                .iter()
                .any(Option::is_some)
                .then(|| entry.cpu.map(|time| time.map(|time| time.as_secs_f64()))),
            failure: failed,
        }
    }
}

/// Lists the games of a tournament, 50 per page, the latest first.
#[utoipa::path(get, path = "/api/v1/tournaments/{name}/games", tag = "tournaments",
    params(("name" = String, Path),
           ("player" = Option<String>, Query, description = "only games of this player"),
           ("failed" = Option<String>, Query, description = "if present: only games that were lost by a failure"),
           ("page" = Option<usize>, Query, description = "page number, from 1")),
    responses((status = 200, body = TournamentGamesPage), (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
pub async fn games(
    State(service): State<Service>,
    visitor: Visitor,
    Path(name): Path<String>,
    Params(filter): Params<GameFilter>,
) -> Result<Json<TournamentGamesPage>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let shown = service.tournaments().get(&name).await?;
    let page = shown.games(&filter);
    let games = page.games.iter().map(|entry| FinishedGame::of(&shown, entry)).collect();
    Ok(Json(TournamentGamesPage { games, page: page.page, pages: page.pages, total: page.total }))
}
