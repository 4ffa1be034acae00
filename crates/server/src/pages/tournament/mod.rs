//! Tournaments: the list, the page of one with its tables, and the page of each game. Names, reasons and standard error are untrusted:
//! they are escaped, and control characters are removed.

mod failures;
mod game;
mod games;
mod live;
mod standings;
mod tables;

pub use game::{game, record};
pub use live::changes;

use super::{Refusal, ago, encoded, layout::Page};
use crate::{
    problem::Problem,
    rate_limits::RequestClass,
    service::{Service, now},
    tournament_cache::CachedTournament,
    visitor::{Params, Visitor},
};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};
use maud::{Markup, html};
use parlor_core::counted;
use parlor_league::{GameFilter, Snapshot, plain};
use parlor_tournament::{Format, Sprt};
use serde::Deserialize;

/// Tournaments per page of the list. It is small, because the leader of each one has to be computed.
const LISTED: usize = 20;
/// Longest name in headings and tables, in characters; longer names are shortened.
const LONG: usize = 120;
const SHORT: usize = 60;

/// URL path of a tournament.
pub fn place(name: &str) -> String {
    format!("/tournaments/{}", encoded(name))
}

fn short(name: &str) -> String {
    plain(name, SHORT)
}

/// Query parameters of a paginated list.
#[derive(Deserialize)]
pub struct PageQuery {
    page: Option<usize>,
}

/// The page with all tournaments, latest first.
pub async fn list(
    State(service): State<Service>,
    visitor: Visitor,
    Params(query): Params<PageQuery>,
) -> Result<Page, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let rows = service.store().tournaments().await.map_err(Problem::from)?;
    let pages = rows.len().div_ceil(LISTED).max(1);
    let page = query.page.unwrap_or(1).clamp(1, pages);
    let mut shown = Vec::new();
    for row in rows.into_iter().skip((page - 1) * LISTED).take(LISTED) {
        shown.push(service.tournaments().read(row).await?);
    }
    let body = html! {
        h1 { "Tournaments" }
        @if shown.is_empty() {
            div.panel.stack {
                p { "No tournaments yet." }
                p.muted {
                    "To add one, run this on the server: "
                    code { "parlor tournament league.toml --database FILE" }
                }
            }
        } @else {
            div.scroll tabindex="0" role="group" aria-label="Tournaments" {
                table.data {
                    thead { tr {
                        th scope="col" { "Tournament" } th scope="col" { "Games" } th.num scope="col" { "Players" }
                        th.num scope="col" { "Played" } th scope="col" { "Leader" } th scope="col" { "Started" }
                    } }
                    tbody { @for one in &shown { (list_row(one)) } }
                }
            }
            (games::pager(page, pages, |page| format!("/tournaments?page={page}")))
        }
    };
    Ok(Page::new("Tournaments", body))
}

fn list_row(shown: &Snapshot) -> Markup {
    html! {
        tr {
            th scope="row" { a href=(place(&shown.plan.name)) { (short(&shown.plan.name)) } }
            td { (plain(&shown.plan.games.join(" "), SHORT)) }
            td.num { (shown.plan.players.len()) }
            td.num { (progress_text(shown)) }
            td { @if let Some(leader) = shown.leader() { (short(leader)) } @else { span.muted { "none yet" } } }
            td { (ago(shown.begun, now())) }
        }
    }
}

/// The number of finished games, with the total while the tournament runs: `12 of 40`.
fn progress_text(shown: &Snapshot) -> String {
    let played = shown.state.entries.len();
    match shown.known().filter(|_| !shown.is_over()) {
        Some(known) => format!("{played} of {known}"),
        None => played.to_string(),
    }
}

pub async fn page(
    State(service): State<Service>,
    visitor: Visitor,
    Path(name): Path<String>,
    Params(wish): Params<GameFilter>,
) -> Result<Page, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let shown = service.tournaments().get(&name).await?;
    let live = format!("{}/live?{}", place(&name), games::query(&wish, wish.page));
    let live = (!shown.is_over()).then_some(live);
    let part = |id: &str| html! { div id=(id) { (part_of(&shown, id)) } };
    let body = html! {
        div.tournament data-parts=[live] {
            h1 { (plain(&shown.plan.name, LONG)) }
            (part("t-head"))
            section aria-labelledby="standings" { h2 #standings { "Standings" } (part("t-table")) }
            div.pair {
                section aria-labelledby="cross" { h2 #cross { "Cross table" } (part("t-cross")) }
                section aria-labelledby="sides" { h2 #sides { "By game and side" } (part("t-sides")) }
            }
            section aria-labelledby="failures" { h2 #failures { "Failures" } (part("t-fouls")) }
            section aria-labelledby="games" {
                h2 #games { "Games" }
                (games::filter(&shown, &wish))
                div #t-games { (games::table(&shown, &wish)) }
            }
        }
    };
    Ok(Page::new(plain(&shown.plan.name, LONG), body))
}

/// The parts of the page that are the same for all visitors, by element id.
pub fn parts(shown: &CachedTournament) -> &[(&'static str, String)] {
    shown.parts.get_or_init(|| {
        vec![
            ("t-head", head(shown).into_string()),
            ("t-table", standings::table(shown).into_string()),
            ("t-cross", tables::cross(shown).into_string()),
            ("t-sides", tables::sides(shown).into_string()),
            ("t-fouls", failures::all(shown).into_string()),
        ]
    })
}

fn part_of(shown: &CachedTournament, id: &str) -> maud::PreEscaped<String> {
    let part = parts(shown).iter().find(|(known, _)| *known == id);
    maud::PreEscaped(part.map(|(_, html)| html.clone()).unwrap_or_default())
}

/// The heading, with the tournament's progress.
fn head(shown: &Snapshot) -> Markup {
    let plan = &shown.plan;
    let (count, over) = (shown.state.entries.len(), shown.is_over());
    html! {
        p.muted {
            @if shown.planned { (format_words(plan.format)) " · " (plan.time) " · " }
            (counted(plan.players.len() as u64, "player")) " · " (plain(&plan.games.join(", "), 300)) " · started " (ago(shown.begun, now()))
        }
        div.progress {
            @match shown.known().filter(|_| !over) {
                Some(known) => {
                    progress max=(known) value=(count) aria-label="Games played" {}
                    strong { (count) " of " (counted(known, "game")) }
                    @if !matches!(plan.format, Format::RoundRobin | Format::Gauntlet) { span.muted { "in the rounds so far" } }
                }
                None => { strong { (counted(count as u64, "game")) @if over { ", finished" } } }
            }
            a href={ (place(&plan.name)) "/record" } { "Download all games" }
        }
        @if over {
            @if let Some(leader) = shown.leader() {
                p.note { "Winner: " strong { (short(leader)) } }
            }
        }
        @if !shown.planned { p.muted { "The plan of this tournament is not stored; the tables count all stored games." } }
        @if let Some(sprt) = plan.sprt { (test(shown, &sprt)) }
    }
}

fn format_words(format: Format) -> &'static str {
    match format {
        Format::RoundRobin => "Round robin",
        Format::Gauntlet => "Gauntlet: the first player against all others",
        Format::Swiss => "Swiss",
        Format::Knockout => "Knockout",
        Format::Ladder => "Ladder",
    }
}

/// State of the sequential test (SPRT).
fn test(shown: &Snapshot, sprt: &Sprt) -> Markup {
    let (tally, [lower, upper]) = (shown.state.tally(), sprt.limits());
    let ratio = sprt.ratio(&tally);
    let conclusion = sprt.conclusion(sprt.verdict(&tally));
    html! {
        p.note {
            "SPRT of " strong { (short(shown.name(0))) } ", elo0 = " (sprt.elo0) ", elo1 = " (sprt.elo1) ": "
            strong { (conclusion) } ". "
            span.muted { "Log-likelihood ratio " (format!("{ratio:.2}")) ", bounds " (format!("{lower:.2}")) " to " (format!("{upper:.2}")) "." }
        }
    }
}

pub async fn records(
    State(service): State<Service>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Heavy)?;
    let shown = service.tournaments().get(&name).await?;
    let text: String = shown.state.entries.values().map(|entry| format!("{}\n", entry.record)).collect();
    Ok(text_file(&format!("{}.parlor", file_name(&name)), text))
}

/// A text file with this name, shown in the browser.
fn text_file(name: &str, text: String) -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_string());
    ([kind, (header::CONTENT_DISPOSITION, format!("inline; filename=\"{name}\""))], text).into_response()
}

/// Replaces characters that some file systems do not allow.
fn file_name(name: &str) -> String {
    let letters = name.chars().take(SHORT).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    letters.collect()
}
