//! The home page: a form for a new game, and the lists of live and recent games.

use super::{Refusal, ago, layout::Page};
use crate::{
    bots::WaitingBot,
    new_game::{LONGEST_NAME, NewGame, SeatRequest},
    problem::Problem,
    rate_limits::RequestClass,
    service::{Service, now},
    token::SeatToken,
    visitor::{COOKIE, Fields, Visitor},
};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, html};
use parlor_catalog::{Entry, entries};
use parlor_core::{Fallback, Parameter, ParameterKind, capitalised, counted};
use parlor_render::Scene;
use parlor_store::LiveGameRow;

const CLOCKS: [(&str, &str); 10] = [
    ("", "No clock"),
    ("1m+1s", "1 minute + 1 second per move"),
    ("3m+2s", "3 minutes + 2 seconds per move"),
    ("5m+3s", "5 minutes + 3 seconds per move"),
    ("10m+5s", "10 minutes + 5 seconds per move"),
    ("30m", "30 minutes"),
    ("5m,delay=3s", "5 minutes, 3 seconds delay per move"),
    ("10m,byoyomi=3x30s", "10 minutes, then 3 periods of 30 seconds"),
    ("move=1d", "1 day per move"),
    ("move=3d", "3 days per move"),
];
const LEVELS: std::ops::RangeInclusive<u32> = 1..=10;
const USUAL_LEVEL: u32 = 4;

pub async fn home(State(service): State<Service>, visitor: Visitor) -> Result<Page, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let live = service.listed_live_games().await?;
    let recent = service.store().recent_games(i64::MAX, 12).await.map_err(Problem::from)?;
    let bots = service.engines().bots();
    let body = html! {
        div.hero {
            h1 { "Play a game" }
            p.muted { "Classic board games against people, engines and bots. No account needed; share a game by its link." }
        }
        (new_game(&bots, &service.lobby().waiting()))
        div.cards {
            section.panel aria-labelledby="live" {
                h2 #live { "Live games" }
                (list(&live, "No games in progress. Start one!"))
            }
            section.panel aria-labelledby="recent" {
                h2 #recent { "Recent games" }
                (list(&recent, "No finished games yet."))
            }
        }
    };
    Ok(Page::new("Play", body).wide())
}

fn new_game(bots: &[String], waiting: &[WaitingBot]) -> Markup {
    html! {
        form.panel.stack.newgame action="/games" method="post" {
            fieldset.choice {
                legend { "Game" }
                @for (i, entry) in entries().iter().enumerate() { (tile(i, entry)) }
            }
            div.row {
                div.field {
                    label for="opponent" { "Opponent" }
                    select #opponent name="opponent" {
                        optgroup label="Engine" {
                            @for level in LEVELS {
                                option value={ "level-" (level) } selected[level == USUAL_LEVEL] { "Engine, level " (level) (level_remark(level)) }
                            }
                            option value="perfect" { "Perfect play (where solved)" }
                        }
                        optgroup label="People" {
                            option value="open" { "Another person (by link)" }
                            option value="me" { "Two people on this device" }
                        }
                        @if !bots.is_empty() {
                            optgroup label="Server bots" {
                                @for bot in bots { option value={ "house-" (bot) } { (bot) } }
                            }
                        }
                        @if !waiting.is_empty() {
                            optgroup label="Waiting bots" {
                                @for bot in waiting { option value={ "waiting-" (bot.name) } { (bot.name) (games_of_bot(bot)) } }
                            }
                        }
                    }
                }
                div.field {
                    label for="side" { "Your side" }
                    select #side name="side" {
                        option value="first" { "first" }
                        option value="second" { "second" }
                        option value="chance" { "random" }
                    }
                }
                div.field {
                    label for="clock" { "Clock" }
                    select #clock name="clock" {
                        @for (value, text) in CLOCKS { option value=(value) { (text) } }
                    }
                }
                div.field {
                    label for="name" { "Your name" }
                    input #name name="name" maxlength=(LONGEST_NAME) autocomplete="nickname" placeholder="optional";
                }
            }
            div.row {
                label.check { input type="checkbox" name="private" value="1"; " Private: only people with the link can see it" }
                button type="submit" { "Play" }
            }
        }
    }
}

/// The games that a waiting bot plays, in brackets; empty if it plays all.
fn games_of_bot(bot: &WaitingBot) -> String {
    let titles = bot.games.iter().filter_map(|name| parlor_catalog::find(name).ok()).map(|entry| entry.title);
    let titles: Vec<&str> = titles.collect();
    if titles.is_empty() || titles.len() == entries().len() {
        String::new()
    } else {
        format!(" ({})", titles.join(", "))
    }
}

fn level_remark(level: u32) -> &'static str {
    match level {
        1 => " (easy)",
        10 => " (strongest)",
        _ => "",
    }
}

/// The option for a game, with its picture. The fields of its size appear below all games while it is selected.
fn tile(place: usize, entry: &Entry) -> Markup {
    let id = format!("game-{}", entry.name);
    html! {
        input type="radio" name="game" id=(id) value=(entry.name) checked[place == 0];
        label for=(id) {
            span.tile aria-hidden="true" { (small_board(entry, &format!("tile-{place}"))) }
            strong { (entry.title) }
            span.muted.blurb { (entry.blurb) }
        }
        fieldset.size {
            legend.hush { "Size of " (entry.title) }
            @for parameter in entry.parameters { (size_field(entry, parameter)) }
            @if entry.parameters.is_empty() { p.muted { "This game has only one size." } }
            @if !entry.note.is_empty() { p.muted { (entry.note) } }
            a href={ "/rules/" (entry.name) } { "Rules of " (entry.title) }
        }
    }
}

pub fn small_board(entry: &Entry, id: &str) -> Markup {
    let Ok(game) = entry.build("") else { return html! {} };
    let board = game.board();
    let (info, marks) = (board.info(), board.marks());
    parlor_render::tile(&Scene { id, info: &info, marks: &marks, last: &[], won: false, turned: false })
}

/// The label of a parameter's field.
fn label_of(parameter: &Parameter) -> String {
    match parameter.name {
        "levels" => "Rows".to_string(),
        "n" => "In a row".to_string(),
        name => capitalised(name),
    }
}

fn size_field(entry: &Entry, parameter: &Parameter) -> Markup {
    let name = format!("{}-{}", entry.name, parameter.name);
    let (Fallback::Value(usual) | Fallback::AsBefore(usual)) = parameter.fallback;
    html! {
        div.field.small {
            label for=(name) { (label_of(parameter)) }
            @match parameter.kind {
                ParameterKind::Number(least, most) => {
                    input id=(name) name=(name) type="number" min=(least) max=(most) value=(usual);
                }
                ParameterKind::Choice(words) => {
                    select id=(name) name=(name) {
                        @for word in words { option value=(word) { (word) } }
                    }
                }
            }
        }
    }
}

fn list(rows: &[LiveGameRow], nothing: &str) -> Markup {
    if rows.is_empty() {
        return html! { p.muted { (nothing) } };
    }
    let now = now();
    html! {
        ul.games {
            @for row in rows {
                li {
                    a href={ "/games/" (row.id) } { (player_name(row, 0)) " – " (player_name(row, 1)) }
                    " " span.muted {
                        (row.game) " · " (counted(row.plies.unsigned_abs(), "move")) " · "
                        @if let Some(result) = &row.result { (result_words(row, result)) " · " }
                        (ago(row.ended.unwrap_or(row.touched), now))
                    }
                }
            }
        }
    }
}

fn player_name(row: &LiveGameRow, side: usize) -> String {
    let seat = &row.seats[side];
    let labels =
        parlor_core::split_spec(&row.game).ok().and_then(|(name, _)| parlor_catalog::find(name).ok());
    match (seat.name.as_str(), labels) {
        ("", Some(entry)) => entry.seats[side].to_string(),
        (name, _) => name.to_string(),
    }
}

fn result_words(row: &LiveGameRow, result: &str) -> String {
    match parlor_core::Outcome::parse(result) {
        Some(parlor_core::Outcome { winner: Some(side), .. }) => {
            format!("{} won", player_name(row, side.index()))
        }
        Some(_) => "draw".to_string(),
        None => "unfinished".to_string(),
    }
}

pub async fn create(
    State(service): State<Service>,
    visitor: Visitor,
    fields: Fields,
) -> Result<Response, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Heavy)?;
    let address = visitor.address;
    let (maker, is_new) = visitor.token_or_new()?;
    let created = service.create(&new_game_of(&fields)?, &maker, address).await?;
    Ok(redirect_to_game(&service, &created.row.id, &maker, is_new))
}

/// Redirects to the page of a game and gives a new visitor the cookie with the token of the seat.
pub fn redirect_to_game(service: &Service, id: &str, token: &SeatToken, is_new: bool) -> Response {
    let mut response = Redirect::to(&format!("/games/{id}")).into_response();
    if is_new {
        response.headers_mut().insert(header::SET_COOKIE, cookie(token, service.public_url()));
    }
    response
}

/// The cookie with a visitor's token, which scripts cannot read.
fn cookie(token: &SeatToken, public: Option<&str>) -> HeaderValue {
    let secure = if public.is_some_and(|public| public.starts_with("https:")) { "; Secure" } else { "" };
    let text =
        format!("{COOKIE}={}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax{secure}", token.reveal());
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn new_game_of(fields: &Fields) -> Result<NewGame, Problem> {
    let bad = |text: &str| Problem::BadInput(text.to_string());
    let entry = parlor_catalog::find(fields.get("game")).map_err(|error| bad(&error.0))?;
    let sizes = entry.parameters.iter().filter_map(|parameter| {
        let value = fields.get(&format!("{}-{}", entry.name, parameter.name));
        (!value.is_empty()).then(|| format!("{}={value}", parameter.name))
    });
    let sizes: Vec<String> = sizes.collect();
    let opponent = fields.get("opponent");
    let other = match opponent {
        "open" => SeatRequest::Open,
        "me" => SeatRequest::Me,
        "perfect" => SeatRequest::Player { spec: "perfect".to_string() },
        _ => match opponent.split_once('-') {
            Some(("level", level)) => SeatRequest::Player { spec: format!("engine:level={level}") },
            Some(("house", name)) => SeatRequest::House { name: name.to_string() },
            Some(("waiting", name)) => SeatRequest::Waiting { name: name.to_string() },
            _ => return Err(bad("opponent: expected an engine, a person or a bot from the list")),
        },
    };
    let first = match fields.get("side") {
        "second" => false,
        "chance" => now() % 2 == 0,
        _ => true,
    };
    let (first, second) = if first { (SeatRequest::Me, other) } else { (other, SeatRequest::Me) };
    Ok(NewGame {
        game: format!("{}:{}", entry.name, sizes.join(",")),
        start: Some(fields.get("start").to_string()).filter(|start| !start.is_empty()),
        first,
        second,
        name: fields.get("name").to_string(),
        clock: Some(fields.get("clock").to_string()).filter(|clock| !clock.is_empty()),
        listed: fields.get("private").is_empty(),
    })
}
