//! The analysis page: a board with the value of every move, the line of moves, the graph of the game and its mistakes. Without the
//! script it shows estimates; the script streams the proofs and lets visitors try moves.

mod form;
mod graph;
pub mod live;
mod mistakes;
mod values;

use super::{
    Refusal,
    game::{BOARD, move_list},
    layout::Page,
};
use crate::{
    analysis::{AnalysisLine, AnalysisQuery, GameReport, PositionAnalysis, PositionReport},
    problem::Problem,
    rate_limits::RequestClass,
    service::Service,
    visitor::{Fields, Params, Visitor},
    wire::Tree,
};
use axum::{
    extract::State,
    response::{IntoResponse, Redirect, Response},
};
use maud::{Markup, PreEscaped, html};
use parlor_core::{Audience, GameInfo, Mark, Record};
use parlor_render::Scene;
use std::time::Duration;

/// How long a page waits for the first estimates before it is sent without values.
const FIRST_RESULT_TIMEOUT: Duration = Duration::from_millis(400);
/// In characters; wide enough for every board.
const WIDTH: usize = 120;

/// The page of a line, or the form for a new analysis if the query names none.
pub async fn page(
    State(service): State<Service>,
    visitor: Visitor,
    Params(asked): Params<AnalysisQuery>,
) -> Result<Response, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    if asked.game.is_none() && asked.id.is_none() {
        return Ok(form::page().into_response());
    }
    let line = AnalysisLine::read(&service, &asked).await?;
    if let Some(touch) = &asked.touch {
        let to = line.query_with_move(&line.move_of_path(touch)?);
        return Ok(Redirect::to(&format!("/analysis?{to}")).into_response());
    }
    let study = if line.is_running() {
        None
    } else {
        PositionAnalysis::begin(service.analysis(), &line, None, visitor.address).ok()
    };
    let looked = match study {
        Some(study) => first_result(&service, &visitor, study).await,
        None => Ok(None),
    };
    Ok(shown(&service, &line, &looked).into_response())
}

/// The cached analysis, or the result of a short search. `None` if the server is busy; the page then has no values.
async fn first_result(
    service: &Service,
    visitor: &Visitor,
    mut analysis: PositionAnalysis,
) -> Result<Option<PositionReport>, Problem> {
    if let Some(report) = analysis.cached() {
        return Ok(Some(report));
    }
    if service.rate_limits().admit(visitor.address, RequestClass::Heavy).is_err() {
        return Ok(None);
    }
    match tokio::time::timeout(FIRST_RESULT_TIMEOUT, analysis.next()).await {
        Ok(Some(report)) => report.map(Some),
        _ => Ok(None),
    }
}

/// Redirects a pasted or typed line to its page.
pub async fn pasted(
    State(service): State<Service>,
    visitor: Visitor,
    fields: Fields,
) -> Result<Redirect, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Act)?;
    let line = match fields.get("record") {
        "" => {
            let asked = |name: &str| Some(fields.get(name).to_string());
            let size = fields.get("size");
            let colon = if size.is_empty() { "" } else { ":" };
            let game = Some(format!("{}{colon}{size}", fields.get("game")));
            let asked = AnalysisQuery {
                game,
                start: asked("start"),
                moves: asked("moves"),
                ..AnalysisQuery::default()
            };
            AnalysisLine::read(&service, &asked).await?
        }
        text => of_record(text)?,
    };
    Ok(Redirect::to(&format!("/analysis?{}", line.query(line.len()))))
}

fn of_record(text: &str) -> Result<AnalysisLine, Problem> {
    let records = Record::parse_many(text).map_err(|bad| Problem::BadInput(format!("record: {}", bad.0)))?;
    let nothing = || Problem::BadInput("record: expected at least one game".to_string());
    let record = records.into_iter().next().ok_or_else(nothing)?;
    AnalysisLine::of(&record.game, record.start.as_deref(), &record.moves, None, None)
}

/// Everything that is needed to draw the board of a line.
struct BoardScene {
    info: GameInfo,
    marks: Vec<Mark>,
    last: Vec<u16>,
    won: bool,
}

impl BoardScene {
    fn of(line: &AnalysisLine) -> BoardScene {
        let (last, won) = line.board.pointed_out();
        BoardScene { info: line.board.info(), marks: line.board.marks(), last, won }
    }

    fn scene(&self) -> Scene<'_> {
        let BoardScene { info, marks, last, won } = self;
        Scene { id: BOARD, info, marks, last, won: *won, turned: false }
    }
}

fn shown(service: &Service, line: &AnalysisLine, looked: &Result<Option<PositionReport>, Problem>) -> Page {
    let report = looked.as_ref().ok().and_then(Option::as_ref);
    let trouble = looked.as_ref().err().map(Problem::sentence);
    let (scene, names) = (BoardScene::of(line), line.names());
    let query = line.query(line.ply);
    let running = line.is_running();
    let story = GameReport::known(service.analysis(), line);
    let judged = report.is_some_and(|report| report.done);
    let tree = serde_json::to_string(&Tree::of(&line.board.paths())).unwrap_or_default();
    let badges = report.map_or(Vec::new(), |report| values::badges(line, &report.judged));
    let title = format!("{}: {} – {}", scene.info.title, names[0], names[1]);
    let body = html! {
        div.game.study data-judge=[(!running && !judged).then(|| format!("/analysis/live?{query}"))]
            data-story=[(!running && story.is_none() && line.len() > 0).then(|| format!("/analysis/story?{query}"))]
            data-touch={ "/analysis?" (query) "&touch=" } {
            div.stack {
                div.table-top { (parlor_render::svg_with_badges(&scene.scene(), &badges)) }
                (steps(line))
            }
            div.side.stack {
                h1.hush { "Analysis of " (title) }
                p.says #says role="status" { (status_text(line)) }
                p.muted #queue {}
                p.error #problem role="alert" hidden[trouble.is_none()] { @if let Some(sentence) = &trouble { (sentence) } }
                @if running { p.note { "The game is still in progress. It can be analysed when it is over." } }
                @else { section.panel aria-label="Move values" { div #values { (values::table(line, report)) } } }
                (line_moves(line))
                (links(line, &scene))
            }
            @if !running && line.len() > 0 {
                div.stack.story {
                    section.panel aria-labelledby="went" {
                        h2 #went { "Graph of the game" }
                        p.muted #story-queue {}
                        div #graph { (graph::graph(line, story.as_deref().map_or(&[], Vec::as_slice))) }
                    }
                    section.panel aria-labelledby="learn" {
                        h2 #learn { "Learn from your mistakes" }
                        div #mistakes { (mistakes::list(line, story.as_deref().map_or(&[], Vec::as_slice), story.is_some())) }
                    }
                }
            }
        }
        script #tree type="application/json" { (PreEscaped(tree)) }
    };
    Page::new(title, body).wide()
}

/// The state of the line, in a sentence or two.
fn status_text(line: &AnalysisLine) -> String {
    let (names, board) = (line.names(), &line.board);
    let seen = [names[0].as_str(), names[1].as_str()];
    let mut parts: Vec<String> = Vec::new();
    if let Some(turn) = board.last_turn(Audience { names: seen, width: WIDTH }) {
        parts.push(format!("{} played {}.", names[turn.side.index()], turn.text));
        parts.extend(turn.events.into_iter().map(|described| described.event.text));
    }
    let ending = line.origin.as_ref().and_then(|origin| origin.ending.clone());
    match (board.verdict(seen), ending.filter(|_| line.ply == line.len())) {
        (_, Some(sentence)) => parts.push(sentence),
        (Some(sentence), None) => parts.push(sentence),
        (None, None) => parts.push(format!("{} to move.", names[board.turn().index()])),
    }
    parts.join(" ")
}

/// Links to the neighbouring positions of the line. The arrow keys use them too.
fn steps(line: &AnalysisLine) -> Markup {
    let (ply, most) = (line.ply, line.len());
    let step = |way: &str, to: usize, name: &str, sign: &str| {
        html! {
            @if to == ply { span.button.plain aria-hidden="true" { (sign) } }
            @else { a.button.plain data-step=(way) aria-label=(name) title=(name) href={ "/analysis?" (line.query(to)) } { (sign) } }
        }
    };
    html! {
        nav.steps aria-label="Step through the moves" {
            (step("first", 0, "First position", "|◀"))
            (step("prev", ply.saturating_sub(1), "Previous move", "◀"))
            span.at { "Move " (ply) " of " (most) }
            (step("next", (ply + 1).min(most), "Next move", "▶"))
            (step("last", most, "Last position", "▶|"))
        }
    }
}

fn line_moves(line: &AnalysisLine) -> Markup {
    if line.len() == 0 {
        return html! { p.muted { "Click the board to try a move." } };
    }
    html! {
        div.panel {
            h2 { "Moves" }
            (move_list(&line.record.moves, &line.movers, line.ply, |ply| format!("/analysis?{}", line.query(ply))))
        }
    }
}

/// Links to other actions with the position.
fn links(line: &AnalysisLine, scene: &BoardScene) -> Markup {
    let names = line.names();
    let audience = Audience { names: [&names[0], &names[1]], width: WIDTH };
    let back = line.origin.as_ref().map(|origin| (&origin.id, "Go to the game"));
    let back = back.or(line.from.as_ref().map(|from| (from, "Back to the game")));
    html! {
        @if line.board.ending().is_none() && !line.is_running() { (form::play_from(line)) }
        details.panel {
            summary { "Position as text" }
            pre tabindex="0" role="group" aria-label="Board as text" { (line.board.draw(audience).to_string()) }
            p.muted.position { (line.board.position()) }
        }
        p.muted {
            (scene.info.spec)
            @if let Some((id, text)) = back { " · " a href={ "/games/" (id) } { (text) } }
            " · " a href="/analysis" { "New analysis" }
        }
    }
}
