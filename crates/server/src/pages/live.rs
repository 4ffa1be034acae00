//! What a page that is open gets when something happens: the parts that changed, as they would stand on a page that is loaded
//! anew. The script puts them in their places and adds nothing of its own.

use super::game::{actions, moves, plate, says, says_text, scene};
use crate::{
    api::events::{Listening, stream_of},
    problem::Problem,
    room::{Frame, Viewer},
    service::Service,
    visitor::Visitor,
    wire::{ClockState, MarkState, SideWord, Tree},
};
use axum::{
    extract::{Path, State},
    response::{Sse, sse::Event},
};
use futures_util::Stream;
use parlor_core::Side;
use serde::Serialize;
use std::{collections::BTreeMap, convert::Infallible};

/// A frame for the script.
#[derive(Serialize)]
struct Shown<'a> {
    seq: i64,
    ply: usize,
    /// Whether this viewer is to move.
    asked: bool,
    over: bool,
    /// Who made the last move.
    mover: Option<SideWord>,
    /// The inner of the board's marks.
    board: String,
    /// What the targets are called now.
    labels: Vec<String>,
    marks: &'a [MarkState],
    /// The legal moves, if this viewer is to move.
    tree: Option<&'a Tree>,
    clocks: Option<ClockState>,
    /// What a screen reader says.
    say: String,
    /// Parts of the page by their ids.
    html: BTreeMap<&'static str, String>,
}

/// Frames as they come.
pub async fn frames(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + Send>, Problem> {
    let (listening, key) = Listening::admitted(&service, &visitor, &id).await?;
    let time = service.time().clone();
    Ok(stream_of(listening, move |frame| {
        let viewer = frame.viewer(key.as_deref());
        let shown = frame.page(viewer, || write(frame, viewer));
        // When it was sent is not part of what is written once for all.
        let data = format!("{{\"now\":{},\"frame\":{shown}}}", time.millis());
        vec![Event::default().event("frame").id(frame.state.seq.to_string()).data(data)]
    }))
}

fn write(frame: &Frame, viewer: Viewer) -> String {
    let state = &frame.state;
    let scene = scene(frame, viewer);
    let asked = frame.is_asked(viewer);
    let html = BTreeMap::from([
        ("plate-far", plate(frame, viewer, true).into_string()),
        ("plate-near", plate(frame, viewer, false).into_string()),
        ("says", says(frame, viewer).into_string()),
        ("actions", actions(frame, viewer).into_string()),
        ("moves", moves(frame).into_string()),
        ("picture", maud::html! { (frame.picture) }.into_string()),
        ("position", maud::html! { (state.position) }.into_string()),
    ]);
    let shown = Shown {
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

/// The last move and what is to be done, in words.
fn announcement(frame: &Frame, viewer: Viewer) -> String {
    let state = &frame.state;
    let moved = state.moves.last().zip(state.movers.last()).map(|(text, &mover)| {
        let name = &state.seats[Side::from(mover).index()].name;
        if viewer.has(mover.into()) {
            format!("You played {text}. ")
        } else {
            format!("{name} played {text}. ")
        }
    });
    format!("{}{}", moved.unwrap_or_default(), says_text(frame, viewer))
}
