//! A whole game as one picture that plays through it, about a second a move, and stops at the end. Every part of the board
//! stands in the file once for each stretch of moves through which it stays as it is. Where motion is not wanted, and where
//! animation is not known, the end of the game is what one sees.

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
const MOVE: usize = 1000;
/// The room for the caption, and the least width that holds one.
const CAPTION: f64 = 84.0;
const NARROWEST: f64 = 560.0;

#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub marks: Vec<Mark>,
    /// The cells to highlight.
    pub last: Vec<CellId>,
    /// Whether these cells are a winning line.
    pub won: bool,
    /// Text below the board, one string per line; at most two lines fit.
    pub caption: Vec<String>,
}

/// A part of the picture and the frames through which it is seen.
struct Stretch {
    part: String,
    seen: Range<usize>,
}

/// The game as an animated SVG file.
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
    let width = board.max(NARROWEST);
    let stretches = stretches(&empty, &layout, frames);
    let captions = captions(frames, width, height);
    let count = frames.len();
    let rules = rules(stretches.iter().chain(&captions), count);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(empty.id) class=(classes(&empty, &layout)) width=(width) height=(height + CAPTION)
            viewBox={ "0 0 " (width) " " (height + CAPTION) } role="img" aria-label=(info.title) {
            title { (info.title) }
            (style(&rules))
            rect class="paper" width="100%" height="100%" {}
            g transform={ "translate(" (short((width - board) / 2.0)) " 0)" } {
                (defs::defs(empty.id, defs::Needs::ALL))
                g class="ground" { (ground::ground(&empty, &layout, false)) }
                g class="marks" { @for stretch in &stretches { (shown(stretch, count)) } }
            }
            @for stretch in &captions { (shown(stretch, count)) }
        }
    };
    picture.into_string() + "\n"
}

/// The parts of all frames, each once for as long as it stays, the lowest first.
fn stretches(empty: &Scene<'_>, layout: &BoardLayout<'_>, frames: &[Frame]) -> Vec<Stretch> {
    // With each layer goes where a part of it was seen last.
    let mut layers: [(Vec<Stretch>, HashMap<String, usize>); 3] = Default::default();
    for (now, frame) in frames.iter().enumerate() {
        let scene = Scene { marks: &frame.marks, last: &frame.last, won: frame.won, ..*empty };
        for ((stretches, known), parts) in layers.iter_mut().zip(marks::parts(&scene, layout)) {
            for part in parts.into_iter().map(Markup::into_string) {
                match known.get(&part).map(|&i| &mut stretches[i].seen) {
                    Some(seen) if seen.end == now => seen.end = now + 1,
                    _ => {
                        known.insert(part.clone(), stretches.len());
                        stretches.push(Stretch { part, seen: now..now + 1 });
                    }
                }
            }
        }
    }
    layers.into_iter().flat_map(|(stretches, _)| stretches).collect()
}

fn captions(frames: &[Frame], width: f64, height: f64) -> Vec<Stretch> {
    let lines = |frame: &Frame| {
        let text = html! {
            @for (i, line) in frame.caption.iter().enumerate() {
                text class={ "caption" @if i > 0 { " more" } } x=(short(width / 2.0)) y=(short(height + 16.0 + 34.0 * i as f64))
                    font-size=(if i == 0 { 26 } else { 20 }) { (line) }
            }
        };
        text.into_string()
    };
    (0..).zip(frames).map(|(now, frame)| Stretch { part: lines(frame), seen: now..now + 1 }).collect()
}

/// The name of a stretch: from its first frame to the one after its last; those that last to the end have no end.
fn name(stretch: &Stretch, count: usize) -> String {
    match (stretch.seen.start, stretch.seen.end) {
        (0, end) if end == count => "always".to_string(),
        (start, end) if end == count => format!("f{start}"),
        (start, end) => format!("f{start}-{end}"),
    }
}

fn shown(stretch: &Stretch, count: usize) -> Markup {
    let kind = if stretch.seen.end == count { "stay" } else { "pass" };
    html! { g class={ (kind) " " (name(stretch, count)) } { (PreEscaped(&stretch.part)) } }
}

/// When each stretch is seen. What stays to the end is hidden until its time; what passes is seen only in its time.
fn rules<'a>(stretches: impl Iterator<Item = &'a Stretch>, count: usize) -> String {
    let mut rules = String::from(
        "@keyframes pass{from,to{visibility:visible}}@keyframes wait{from,to{visibility:hidden}}.pass{visibility:hidden}\n\
         @media not (prefers-reduced-motion:reduce){\n",
    );
    let mut told = BTreeSet::new();
    for stretch in stretches {
        let (Range { start, end }, name) = (stretch.seen.clone(), name(stretch, count));
        if name == "always" || !told.insert(name.clone()) {
            continue;
        }
        // Writing to a text cannot fail.
        let _ = if end == count {
            writeln!(rules, ".{name}{{animation:wait {}ms linear}}", start * MOVE)
        } else {
            writeln!(rules, ".{name}{{animation:pass {}ms linear {}ms}}", (end - start) * MOVE, start * MOVE)
        };
    }
    rules + "}"
}
