//! The rules of the games, with the boards of their examples as pictures. The pages are the same for all visitors.

use super::{Refusal, layout::Page};
use crate::{problem::Problem, rate_limits::RequestClass, service::Service, visitor::Visitor};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};
use maud::{Markup, html};
use parlor_catalog::{Entry, Illustration, entries};
use parlor_core::{
    BadRulesText, Board,
    rules_text::{Block, Example, Inline},
};
use parlor_render::{Figures, Scene};

/// How long a browser or proxy may keep a page. A new version of the server has another style sheet, so it is short.
const KEPT: &str = "public, max-age=300";

pub async fn list(State(service): State<Service>, visitor: Visitor) -> Result<Response, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let body = html! {
        h1 { "Rules" }
        ul.cards.rules {
            @for (place, entry) in entries().iter().enumerate() {
                li {
                    a.card href={ "/rules/" (entry.name) } {
                        (super::home::small_board(entry, &format!("rules-{place}")))
                        strong { (entry.title) }
                        p.muted { (entry.blurb) }
                    }
                }
            }
        }
    };
    Ok(([(header::CACHE_CONTROL, KEPT)], Page::new("Rules", body)).into_response())
}

pub async fn page(
    State(service): State<Service>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let entry = entries().iter().find(|entry| entry.name == name).ok_or(Problem::NotFound("game"))?;
    let body = rules(entry).map_err(|bad| Problem::Broken(format!("rules of {}: {bad}", entry.name)))?;
    let page = Page::new(format!("Rules of {}", entry.title), body);
    Ok(([(header::CACHE_CONTROL, KEPT)], page).into_response())
}

fn rules(entry: &Entry) -> Result<Markup, BadRulesText> {
    let blocks = entry.rules()?;
    let title = |block: &Block| if let Block::Heading(title) = block { Some(title.clone()) } else { None };
    let titles: Vec<String> = blocks.iter().filter_map(title).collect();
    let usual = entry.build("").map_err(|e| BadRulesText(e.0))?;
    let mut figures = Figures::new("figure", usual.board().info());
    let parts = blocks.iter().map(|block| part(entry, block, &mut figures));
    let parts: Vec<Markup> = parts.collect::<Result<_, _>>()?;
    Ok(html! {
        article.rulebook {
            p.crumbs { a href="/rules" { "Rules" } " · " (entry.title) }
            h1 { "Rules of " (entry.title) }
            nav.contents aria-label="On this page" {
                ul { @for title in titles { li { a href={ "#" (anchor(&title)) } { (title) } } } }
            }
            (figures.definitions())
            @for part in parts { (part) }
            p { a.button href="/" { "Play " (entry.title) } }
        }
    })
}

fn part(entry: &Entry, block: &Block, figures: &mut Figures) -> Result<Markup, BadRulesText> {
    Ok(match block {
        Block::Heading(title) => html! { h2 id=(anchor(title)) { (title) } },
        Block::Paragraph(text) => html! { p { (inlines(text)) } },
        Block::List(items) => html! { ul { @for item in items { li { (inlines(item)) } } } },
        Block::Example(example) => figure(example, &entry.illustrate(example)?, figures),
    })
}

/// `First steps in strategy` as an address: `first-steps-in-strategy`.
fn anchor(title: &str) -> String {
    title
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn inlines(pieces: &[Inline]) -> Markup {
    html! {
        @for piece in pieces {
            @match piece {
                Inline::Text(text) => (text),
                Inline::Code(text) => code { (text) },
                Inline::Strong(text) => strong { (text) },
            }
        }
    }
}

fn figure(example: &Example, shown: &Illustration, figures: &mut Figures) -> Markup {
    html! {
        figure.example {
            div.boards {
                @match &shown.after {
                    Some((text, after)) => {
                        div { p.muted { "Before" } (board(shown.before.as_ref(), "Board before the move", figures)) }
                        div { p.muted { "After " code { (text) } } (board(after.as_ref(), "Board after the move", figures)) }
                    }
                    None => div { (board(shown.before.as_ref(), "Board", figures)) },
                }
            }
            figcaption {
                p { (inlines(&example.caption)) }
                @for sentence in &shown.events { p.event { (sentence) } }
                @if let Some((text, why)) = &shown.refusal { p.event { code { (text) } " is illegal: " (why) "." } }
            }
        }
    }
}

fn board(board: &dyn Board, about: &str, figures: &mut Figures) -> Markup {
    let (info, marks, (last, won)) = (board.info(), board.marks(), board.pointed_out());
    let scene = Scene { id: "", info: &info, marks: &marks, last: &last, won, turned: false };
    figures.figure(&scene, about)
}
