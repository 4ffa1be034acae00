//! A whole game as one animated SVG file, one second per move. It stops at the final position. A part of the board
//! is written once for each interval of frames in which it does not change. Viewers without animation, or with
//! reduced motion, show the final position.

use crate::{
    Scene, classes, defs, ground,
    layout::{BoardLayout, short},
    marks, style,
};
use maud::{Markup, PreEscaped, html};
use parlor_core::{CellId, GameInfo, Mark};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
    ops::Range,
};

/// Milliseconds per position.
const FRAME_TIME: usize = 1000;
/// Height of the caption.
const CAPTION: f64 = 84.0;
/// Least width of the picture, so that captions fit.
const MIN_WIDTH: f64 = 560.0;

#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub marks: Vec<Mark>,
    /// The cells of the last move or of a winning line, which are highlighted.
    pub last: Vec<CellId>,
    /// Whether `last` is a winning line.
    pub won: bool,
    /// Text below the board, one string per line; at most two lines fit.
    pub caption: Vec<String>,
}

/// A part of the picture and the frames in which it is visible.
struct Interval {
    part: String,
    seen: Range<usize>,
}

/// Draws a game as an animated SVG file.
///
/// # Examples
///
/// ```
/// use parlor_render::{Frame, film};
///
/// let game = parlor_catalog::game("connect:7,6,4")?;
/// let mut board = game.board();
/// let mut frames = Vec::new();
/// for column in ["4", "4", "3"] {
///     board.play(column)?;
///     let caption = vec![format!("Column {column}")];
///     let (last, won) = board.pointed_out();
///     frames.push(Frame { marks: board.marks(), last, won, caption });
/// }
/// let svg = film(&board.info(), false, &frames);
/// assert!(svg.starts_with("<svg") && svg.contains("Column 4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn film(info: &GameInfo, turned: bool, frames: &[Frame]) -> String {
    let empty = Scene { id: "game", info, marks: &[], last: &[], won: false, turned };
    let layout = BoardLayout::of(&empty);
    let (board, height) = layout.size();
    let width = board.max(MIN_WIDTH);
    let intervals = intervals(&empty, &layout, frames);
    let captions = captions(frames, width, height);
    let count = frames.len();
    let rules = animations(intervals.iter().chain(&captions), count);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(empty.id) class=(classes(&empty, &layout)) width=(width) height=(height + CAPTION)
            viewBox={ "0 0 " (width) " " (height + CAPTION) } role="img" aria-label=(info.title) {
            title { (info.title) }
            (style(&rules))
            rect class="paper" width="100%" height="100%" {}
            g transform={ "translate(" (short((width - board) / 2.0)) " 0)" } {
                (defs::defs(empty.id, defs::Needs::ALL))
                g class="ground" { (ground::ground(&empty, &layout, false)) }
                g class="marks" { @for interval in &intervals { (element(interval, count)) } }
            }
            @for interval in &captions { (element(interval, count)) }
        }
    };
    picture.into_string() + "\n"
}

/// Merges equal parts of successive frames into intervals; lower layers come first.
fn intervals(empty: &Scene<'_>, layout: &BoardLayout<'_>, frames: &[Frame]) -> Vec<Interval> {
    // Each layer has its intervals and, by markup, the index of the last interval with that part.
    let mut layers: [(Vec<Interval>, HashMap<String, usize>); 3] = Default::default();
    for (now, frame) in frames.iter().enumerate() {
        let scene = Scene { marks: &frame.marks, last: &frame.last, won: frame.won, ..*empty };
        for ((intervals, known), parts) in layers.iter_mut().zip(marks::parts(&scene, layout)) {
            for part in parts.into_iter().map(Markup::into_string) {
                match known.get(&part).map(|&i| &mut intervals[i].seen) {
                    Some(seen) if seen.end == now => seen.end = now + 1,
                    _ => {
                        known.insert(part.clone(), intervals.len());
                        intervals.push(Interval { part, seen: now..now + 1 });
                    }
                }
            }
        }
    }
    layers.into_iter().flat_map(|(intervals, _)| intervals).collect()
}

fn captions(frames: &[Frame], width: f64, height: f64) -> Vec<Interval> {
    let lines = |frame: &Frame| {
        let text = html! {
            @for (i, line) in frame.caption.iter().enumerate() {
                text class={ "caption" @if i > 0 { " more" } } x=(short(width / 2.0)) y=(short(height + 16.0 + 34.0 * i as f64))
                    font-size=(if i == 0 { 26 } else { 20 }) { (line) }
            }
        };
        text.into_string()
    };
    (0..).zip(frames).map(|(now, frame)| Interval { part: lines(frame), seen: now..now + 1 }).collect()
}

/// The CSS class of an interval: its first frame and the one after its last, which is left out at the end of the film.
fn class_name(interval: &Interval, count: usize) -> String {
    match (interval.seen.start, interval.seen.end) {
        (0, end) if end == count => "always".to_string(),
        (start, end) if end == count => format!("f{start}"),
        (start, end) => format!("f{start}-{end}"),
    }
}

fn element(interval: &Interval, count: usize) -> Markup {
    let kind = if interval.seen.end == count { "stay" } else { "pass" };
    html! { g class={ (kind) " " (class_name(interval, count)) } { (PreEscaped(&interval.part)) } }
}

/// The CSS animations. A part that stays to the end is hidden before its interval; any other part is visible only
/// in its interval.
fn animations<'a>(intervals: impl Iterator<Item = &'a Interval>, count: usize) -> String {
    let mut rules = String::from(
        "@keyframes pass{from,to{visibility:visible}}@keyframes wait{from,to{visibility:hidden}}.pass{visibility:hidden}\n\
         @media not (prefers-reduced-motion:reduce){\n",
    );
    let mut written = BTreeSet::new();
    for interval in intervals {
        let (Range { start, end }, name) = (interval.seen.clone(), class_name(interval, count));
        if name == "always" || !written.insert(name.clone()) {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = if end == count {
            writeln!(rules, ".{name}{{animation:wait {}ms linear}}", start * FRAME_TIME)
        } else {
            writeln!(
                rules,
                ".{name}{{animation:pass {}ms linear {}ms}}",
                (end - start) * FRAME_TIME,
                start * FRAME_TIME
            )
        };
    }
    rules + "}"
}
