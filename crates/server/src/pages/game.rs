//! The page of a game: the board, the players, the moves, and the visitor's actions. It works with forms alone
//! (game_forms.rs). The script makes it live: it receives the changed parts, rendered as on a new page, and inserts
//! them.

use super::{Refusal, hidden, layout::Page};
use crate::{
    api::events::{FrameStream, stream_of},
    new_game::LONGEST_NAME,
    problem::Problem,
    rate_limits::RequestClass,
    room::{GameFrame, Viewer},
    service::Service,
    visitor::{Params, Visitor},
    wire::{ClockState, MarkState, OfferKind, SeatKind, SeatState, SideWord, Tree},
};
use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response, Sse, sse::Event},
};
use futures_util::Stream;
use maud::{Markup, html};
use parlor_core::{Side, capitalised};
use parlor_render::Scene;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, convert::Infallible};

/// The id of the board element, which the script uses.
pub const BOARD: &str = "board";

/// Query parameters of the page.
#[derive(Deserialize)]
pub struct GamePageQuery {
    invitation: Option<String>,
}

pub async fn game(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
    Params(query): Params<GamePageQuery>,
) -> Result<Page, Refusal> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let key = visitor.key(&id);
    let frame = service.rooms().frame(&id, key.as_deref(), Some(visitor.address)).await?;
    let viewer = frame.viewer(key.as_deref());
    let base = service.public_url().unwrap_or_default().trim_end_matches('/').to_string();
    let invitation = visitor.token.as_ref().filter(|_| viewer.plays()).map(|token| token.invitation(&id));
    let open = frame.state.seats.iter().any(|seat| seat.kind == SeatKind::Open);
    let title = format!("{} – {}", frame.state.seats[0].name, frame.state.seats[1].name);
    let sentence = format!("{}: {title}. {}", frame.state.title, status_text(&frame, Viewer::default()));
    let body = html! {
        @if let Some(invitation) = query.invitation.filter(|_| open && !viewer.plays()) {
            (invitation_form(&frame, &id, &invitation))
        }
        div.game data-live={ "/games/" (id) "/live" } data-moves={ "/api/v1/games/" (id) "/moves" } {
            div class={ "table-top " (parlor_render::seat_colours(&frame.info)) } {
                div #plate-far { (player_plate(&frame, viewer, true)) }
                (parlor_render::svg(&scene(&frame, viewer)))
                div #plate-near { (player_plate(&frame, viewer, false)) }
            }
            div.side.stack {
                h1.hush { (frame.state.title) ": " (title) }
                p.says #says { (status_text(&frame, viewer)) }
                p.error #problem role="alert" hidden {}
                @if open && viewer.plays() {
                    @if let Some(invitation) = invitation {
                        (share(&format!("{base}/games/{id}?invitation={}", invitation.reveal())))
                    }
                }
                div #actions { (actions(&frame, viewer)) }
                div.panel {
                    h2 { "Moves" }
                    div #moves { (moves(&frame)) }
                }
                details.panel {
                    summary { "Board as text" }
                    pre #picture tabindex="0" role="group" aria-label="Board as text" { (frame.picture) }
                    p.muted #position { (frame.state.position) }
                }
                p.muted {
                    (frame.state.game) " · " a href={ "/rules/" (name_of(&frame.state.game)) } { "rules" } " · "
                    a href={ "/api/v1/games/" (id) "/record" } { "record" } " · "
                    a href={ "/games/" (id) "/board.svg" } { "picture" }
                }
            }
        }
        div.hush #announce aria-live="assertive" {}
    };
    Ok(Page::new(title, body).wide().with_preview(format!("{base}/games/{id}/board.svg"), sentence))
}

/// The game's name in a spec.
fn name_of(spec: &str) -> &str {
    parlor_core::split_spec(spec).map_or(spec, |(name, _)| name)
}

fn scene(frame: &GameFrame, viewer: Viewer) -> Scene<'_> {
    let (last, won) = (&frame.state.last, frame.state.won);
    Scene { id: BOARD, info: &frame.info, marks: &frame.marks, last, won, turned: viewer.is_turned() }
}

/// The plate with name, clock and score of a player: the opponent's above the board, or the viewer's own below it.
fn player_plate(frame: &GameFrame, viewer: Viewer, far: bool) -> Markup {
    let side = if far == viewer.is_turned() { Side::First } else { Side::Second };
    let state = &frame.state;
    let seat = &state.seats[side.index()];
    let turn = frame.turn() == Some(side);
    html! {
        div.seat.turn[turn] .first[side == Side::First] .second[side == Side::Second] {
            span.who {
                strong { (seat.name) }
                " " span.muted { (seat_words(seat, viewer.has(side))) }
            }
            @if turn { span.hush { "to move" } }
            @if let Some(scores) = state.scores { span.score aria-label="Score" { (scores[side.index()]) } }
            @if let Some(clocks) = state.clocks {
                span.clock role="timer" data-side=(side) { (clock_text(clocks.left[side.index()])) (periods_text(&clocks, side)) }
            }
        }
    }
}

fn seat_words(seat: &SeatState, yours: bool) -> String {
    let label = if seat.name == seat.label { String::new() } else { format!("{} · ", seat.label) };
    let what = match seat.kind {
        _ if yours => "you",
        SeatKind::Open => "open seat",
        SeatKind::Person => "person",
        SeatKind::Bot => "bot",
        SeatKind::Player => "engine",
        SeatKind::House => "server bot",
    };
    format!("{label}{what}")
}

/// The remaining time as text: `4:05`, with tenths below ten seconds, `2:03:04` from an hour, `2d 23h` from a day.
fn clock_text(millis: i64) -> String {
    let millis = millis.max(0);
    let (hours, minutes, seconds) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    match hours {
        24.. => format!("{}d {}h", hours / 24, hours % 24),
        1.. => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ if millis < 10_000 => format!("{minutes}:{seconds:02}.{}", millis / 100 % 10),
        _ => format!("{minutes}:{seconds:02}"),
    }
}

/// The remaining byo-yomi periods of a side, such as ` × 3`; empty without byo-yomi.
fn periods_text(clocks: &ClockState, side: Side) -> String {
    clocks.periods.map_or(String::new(), |periods| format!(" × {}", periods[side.index()]))
}

/// The state of the game in a sentence or two, with what this viewer can do next.
fn status_text(frame: &GameFrame, viewer: Viewer) -> String {
    let state = &frame.state;
    let mut parts = state.said.clone();
    if let Some(ending) = &state.ending {
        parts.push(ending.sentence.clone());
        return parts.join(" ");
    }
    let Some(turn) = frame.turn() else { return parts.join(" ") };
    let name = &state.seats[turn.index()].name;
    let open = state.seats.iter().any(|seat| seat.kind == SeatKind::Open);
    parts.push(match (viewer.has(turn), state.seats[turn.index()].kind) {
        (true, _) if viewer.has(turn.other()) => format!("{name} to move."),
        (true, _) => "Your move.".to_string(),
        (false, SeatKind::Player | SeatKind::House) if open => "Waiting for an opponent…".to_string(),
        (false, SeatKind::Player | SeatKind::House) => match state.queue {
            Some(place) => format!("{name} is waiting for a free engine: position {place} in the queue."),
            None => format!("{name} is thinking."),
        },
        (false, SeatKind::Open) => "Waiting for an opponent…".to_string(),
        (false, _) => format!("{name} to move."),
    });
    if open && viewer.has(turn) {
        parts.push("Send the link to your opponent.".to_string());
    }
    if state.repetition && viewer.has(turn) {
        parts.push("This position has occurred three times or more: you can claim repetition.".to_string());
    }
    if let Some(offer) = state.offer {
        let by = &state.seats[Side::from(offer.by).index()].name;
        parts.push(match offer.kind {
            OfferKind::Takeback => format!("{by} asks to take back the last move."),
            OfferKind::Cycle => {
                format!("{by} claims repetition: each player would keep the seeds on their own side.")
            }
        });
    }
    parts.join(" ")
}

/// Forms for the actions that this viewer may take.
fn actions(frame: &GameFrame, viewer: Viewer) -> Markup {
    let state = &frame.state;
    let act = format!("/games/{}/act", state.id);
    if state.ending.is_some() {
        return html! {
            div.actions {
                @if viewer.plays() {
                    form action={ "/games/" (state.id) "/again" } method="post" { button type="submit" { "Rematch" } }
                }
                a.button href={ "/analysis?id=" (state.id) } { "Analyse" }
            }
        };
    }
    if !viewer.plays() {
        return html! { p.muted { "You are watching." } };
    }
    let asked = frame.is_asked(viewer);
    let moved = state.movers.iter().any(|mover| viewer.has(Side::from(*mover)));
    let offered = state.offer.filter(|offer| viewer.has(Side::from(offer.by).other()));
    let give_up = frame.info.keywords.give_up[0];
    // The session allows `abort` under the same condition.
    let early = state.ply < 2;
    html! {
        @if asked {
            form.typed action=(act) method="post" data-act="" {
                (hidden("act", "move")) (hidden("ply", &state.ply.to_string()))
                label for="move" { "Type a move " span.muted { (frame.prompts[1]) } }
                div.row { input #move name="move" autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="40"; button.plain type="submit" { "Move" } }
            }
        }
        div.actions {
            @if offered.is_some() { (button(&act, "accept", "Agree", "")) (button(&act, "decline", "Decline", "plain")) }
            @else if state.offer.is_some() { (button(&act, "decline", "Withdraw", "plain")) }
            @else if moved { (button(&act, "takeback", "Take back", "plain")) }
            @if asked && state.claimable { (button(&act, "claim", "Claim repetition", "plain")) }
            @if early { (button(&act, "abort", "Abort", "plain")) }
            (button(&act, "resign", &capitalised(give_up), "danger"))
        }
    }
}

fn button(to: &str, act: &str, text: &str, class: &str) -> Markup {
    html! {
        form action=(to) method="post" data-act=(act) {
            (hidden("act", act))
            button type="submit" class=(class) { (text) }
        }
    }
}

/// The moves of a live or finished game, each with a link to its analysis.
fn moves(frame: &GameFrame) -> Markup {
    let state = &frame.state;
    let movers: Vec<Side> = state.movers.iter().map(|&mover| mover.into()).collect();
    move_list(&state.moves, &movers, state.moves.len(), |ply| format!("/analysis?id={}&ply={ply}", state.id))
}

/// The list of a game's moves as links, one row per round. The move that led to ply `now` is highlighted.
/// Successive moves of the same side share a cell.
pub fn move_list<T: AsRef<str>>(
    moves: &[T],
    movers: &[Side],
    now: usize,
    link: impl Fn(usize) -> String,
) -> Markup {
    if moves.is_empty() {
        return html! { p.muted { "No moves yet." } };
    }
    let mut rounds: Vec<[Vec<(usize, &str)>; 2]> = Vec::new();
    let mut before = None;
    for (i, (text, &side)) in moves.iter().zip(movers).enumerate() {
        if rounds.is_empty() || (side == Side::First && before != Some(Side::First)) {
            rounds.push(Default::default());
        }
        if let Some(round) = rounds.last_mut() {
            round[side.index()].push((i + 1, text.as_ref()));
        }
        before = Some(side);
    }
    let long = moves.iter().any(|text| text.as_ref().chars().count() > 4);
    html! {
        ol.moves.long[long] {
            @for round in &rounds {
                li {
                    @for side in round {
                        span {
                            @for &(ply, text) in side {
                                a href=(link(ply)) .now[ply == now] aria-current=[(ply == now).then_some("true")] { (text) }
                                " "
                            }
                        }
                    }
                }
            }
        }
    }
}

fn share(link: &str) -> Markup {
    html! {
        div.share.panel {
            label for="link" { "Send this link to your opponent" }
            div.row { input #link readonly value=(link) data-link=""; button.plain type="button" data-copy="link" hidden { "Copy" } }
        }
    }
}

/// The invitation in words: the host, the game, and the side of the open seat.
fn invitation_text(frame: &GameFrame) -> String {
    let state = &frame.state;
    let open = state.seats.iter().position(|seat| seat.kind == SeatKind::Open).unwrap_or(1);
    let (own, other) = (&state.seats[open], &state.seats[1 - open]);
    let invited = if other.name == other.label {
        format!("You are invited to {}.", state.title)
    } else {
        format!("{} invites you to {}.", other.name, state.title)
    };
    format!("{invited} You play {}.", own.label)
}

fn invitation_form(frame: &GameFrame, id: &str, invitation: &str) -> Markup {
    html! {
        form.panel.row.invited action={ "/games/" (id) "/seat" } method="post" {
            p { strong { (invitation_text(frame)) } }
            (hidden("invitation", invitation))
            div.field { label for="name" { "Your name" } input #name name="name" maxlength=(LONGEST_NAME) autocomplete="nickname"; }
            button type="submit" { "Join game" }
        }
    }
}

/// Sends the board as a standalone SVG file, for previews of shared links.
pub async fn picture(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let frame = service.rooms().frame(&id, None, None).await?;
    let picture = parlor_render::file(&scene(&frame, Viewer::default()));
    // The file contains its own style and loads nothing.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, policy)];
    Ok((headers, picture).into_response())
}

/// A frame in the form that the page's script reads.
#[derive(Serialize)]
struct PageParts<'a> {
    seq: i64,
    ply: usize,
    asked: bool,
    over: bool,
    /// The side that made the last move.
    mover: Option<SideWord>,
    /// SVG content of the board's marks.
    board: String,
    /// Accessible names of the targets.
    labels: Vec<String>,
    marks: &'a [MarkState],
    /// The legal moves, if this viewer is to move.
    tree: Option<&'a Tree>,
    clocks: Option<ClockState>,
    /// The announcement for screen readers.
    say: String,
    /// HTML fragments by element id.
    html: BTreeMap<&'static str, String>,
}

/// Streams frames to the page's script.
pub async fn frames(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + Send>, Problem> {
    let (listening, key) = FrameStream::admitted(&service, &visitor, &id).await?;
    let time = service.time().clone();
    Ok(stream_of(listening, move |frame| {
        let viewer = frame.viewer(key.as_deref());
        let shown = frame.page(viewer, || render_parts(frame, viewer));
        // The time of sending is not part of the cached text.
        let data = format!("{{\"now\":{},\"frame\":{shown}}}", time.millis());
        vec![Event::default().event("frame").id(frame.state.seq.to_string()).data(data)]
    }))
}

fn render_parts(frame: &GameFrame, viewer: Viewer) -> String {
    let state = &frame.state;
    let scene = scene(frame, viewer);
    let asked = frame.is_asked(viewer);
    let html = BTreeMap::from([
        ("plate-far", player_plate(frame, viewer, true).into_string()),
        ("plate-near", player_plate(frame, viewer, false).into_string()),
        ("says", html! { (status_text(frame, viewer)) }.into_string()),
        ("actions", actions(frame, viewer).into_string()),
        ("moves", moves(frame).into_string()),
        ("picture", maud::html! { (frame.picture) }.into_string()),
        ("position", maud::html! { (state.position) }.into_string()),
    ]);
    let shown = PageParts {
        seq: state.seq,
        ply: state.ply,
        asked,
        over: state.ending.is_some(),
        mover: state.movers.last().copied(),
        board: parlor_render::marks(&scene).into_string(),
        labels: parlor_render::labels(&scene),
        marks: &state.marks,
        tree: frame.tree.as_ref().filter(|_| asked),
        clocks: state.clocks,
        say: announcement(frame, viewer),
        html,
    };
    serde_json::to_string(&shown).unwrap_or_default()
}

/// The last move and the next action, in words, for screen readers.
fn announcement(frame: &GameFrame, viewer: Viewer) -> String {
    let state = &frame.state;
    let moved = state.moves.last().zip(state.movers.last()).map(|(text, &mover)| {
        let name = &state.seats[Side::from(mover).index()].name;
        if viewer.has(mover.into()) {
            format!("You played {text}. ")
        } else {
            format!("{name} played {text}. ")
        }
    });
    format!("{}{}", moved.unwrap_or_default(), status_text(frame, viewer))
}
