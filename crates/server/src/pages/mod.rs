//! Web pages: HTML and SVG, complete and readable without any script. One small script makes them live.

mod analysis;
pub mod assets;
mod game;
mod game_forms;
mod home;
mod layout;
mod rules;
mod tournament;

use crate::{problem::Problem, service::Service};
use axum::{
    Router,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use layout::Page;
use maud::{Markup, html};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub fn routes() -> Router<Service> {
    Router::new()
        .route("/", get(home::home))
        .route("/games", post(home::create))
        .route("/games/{id}", get(game::game))
        .route("/games/{id}/act", post(game_forms::act))
        .route("/games/{id}/seat", post(game_forms::join))
        .route("/games/{id}/again", post(game_forms::rematch))
        .route("/games/{id}/live", get(game::frames))
        .route("/games/{id}/board.svg", get(game::picture))
        .route("/rules", get(rules::list))
        .route("/rules/{name}", get(rules::page))
        .route("/tournaments", get(tournament::list))
        .route("/tournaments/{name}", get(tournament::page))
        .route("/tournaments/{name}/live", get(tournament::changes))
        .route("/tournaments/{name}/record", get(tournament::records))
        .route("/tournaments/{name}/games/{number}", get(tournament::game))
        .route("/tournaments/{name}/games/{number}/record", get(tournament::record))
        .route("/analysis", get(analysis::page).post(analysis::pasted))
        .route("/analysis/live", get(analysis::live::position))
        .route("/analysis/story", get(analysis::live::game))
        .route("/assets/{name}", get(assets::asset))
        .route("/favicon.ico", get(assets::icon))
        .route("/robots.txt", get(assets::robots))
}

/// A problem shown as an HTML page.
pub struct Refusal(pub Problem);

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal(problem)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, _, title) = self.0.status_and_type();
        let body = html! {
            div.panel.stack {
                h1 { (title) }
                p.error role="alert" { (self.0.sentence()) }
                p { a href="/" { "Back to the home page" } }
            }
        };
        let mut response = (status, Page::new(title, body)).into_response();
        self.0.attach_reason(&mut response);
        response
    }
}

/// The fallback for unknown paths.
pub async fn page_not_found() -> Refusal {
    Refusal(Problem::NotFound("page"))
}

/// The characters to percent-encode in a URL: all but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes a text as a segment or value in a URL.
pub fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// The time since a moment in words, such as `3 minutes ago`.
fn ago(then: i64, now: i64) -> String {
    let seconds = (now - then).max(0) / 1000;
    let (count, unit) = match seconds {
        0..60 => return "just now".to_string(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{} ago", parlor_core::counted(count as u64, unit))
}

fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}
