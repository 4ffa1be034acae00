//! Draws boards as SVG from their cells and marks, the same way for all games.
//!
//! A picture has four layers: the ground, which never changes; the marks, which a live page replaces after each
//! move; the badges with the values of an analysis; and the hit areas, one for each target, which react to clicks.
//! This crate computes positions and shapes; colours come from the stylesheet. It knows no rules of a game. The
//! output is deterministic: the same scene gives the same text.
//!
//! # Examples
//!
//! ```
//! use parlor_render::{Scene, file};
//!
//! let game = parlor_catalog::game("kalah:6,4")?;
//! let mut board = game.board();
//! board.play("3")?;
//! let (info, marks) = (board.info(), board.marks());
//! let (last, won) = board.pointed_out();
//! let scene = Scene { id: "kalah", info: &info, marks: &marks, last: &last, won, turned: false };
//! let svg = file(&scene);
//! assert!(svg.starts_with("<svg") && svg.contains("<title>Kalah</title>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod defs;
mod figure;
mod film;
mod ground;
mod layout;
mod marks;
mod targets;

pub use figure::Figures;
pub use film::{Frame, film};
pub use targets::{Badge, badges, labels};

use defs::Needs;
use layout::BoardLayout;
use maud::{Markup, PreEscaped, html};
use parlor_core::{CellId, Colour, GameInfo, Mark};

/// The style sheet of boards in light colours, for pages that show boards.
pub const CSS: &str = include_str!("../assets/board.css");

/// Everything that a picture of one position depends on.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The id of the SVG element. The ids of its definitions begin with it, so it must be unique on a page.
    pub id: &'a str,
    pub info: &'a GameInfo,
    pub marks: &'a [Mark],
    /// The cells of the last move or of a winning line, which are highlighted.
    pub last: &'a [CellId],
    /// Whether `last` is a winning line.
    pub won: bool,
    /// Whether the second side is at the bottom. Boards into which pieces are dropped are never turned.
    pub turned: bool,
}

/// Draws a live board as an element of an HTML page, with hit areas.
pub fn svg(scene: &Scene<'_>) -> Markup {
    svg_with_badges(scene, &[])
}

/// Draws a live board with the values of its targets as badges.
pub fn svg_with_badges(scene: &Scene<'_>, values: &[Badge]) -> Markup {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout))
            viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(scene.info.title) {
            (layers(scene, &layout, Needs::ALL, true))
            g class="badges" aria-hidden="true" { (badges(scene, values)) }
            (targets::hits(scene, &layout))
        }
    }
}

/// Draws the content of the layer `marks`, which a live page replaces after a move.
pub fn marks(scene: &Scene<'_>) -> Markup {
    html! { @for part in marks::parts(scene, &BoardLayout::of(scene)).iter().flatten() { (part) } }
}

/// Draws the layers that do not react to clicks. With `labelled`, cells have ids and titles.
fn layers(scene: &Scene<'_>, layout: &BoardLayout<'_>, needs: Needs, labelled: bool) -> Markup {
    html! {
        (defs::defs(scene.id, needs))
        g class="ground" aria-hidden="true" { (ground::ground(scene, layout, labelled)) }
        g class="marks" aria-hidden="true" { (marks(scene)) }
    }
}

/// The CSS classes of a board: its material, its proportions and the colours of its sides.
fn classes(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> String {
    format!("board {}{} {}", layout.material(), layout.proportions(), seat_colours(scene.info))
}

/// The CSS classes for the colours of a game's sides, such as `first-white second-black`.
pub fn seat_colours(info: &GameInfo) -> String {
    let [first, second] = info.colours.map(colour);
    format!("first-{first} second-{second}")
}

fn colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "red",
        Colour::Blue => "blue",
        Colour::Yellow => "yellow",
        Colour::White => "white",
        Colour::Black => "black",
        Colour::Cyan => "cyan",
        Colour::Green => "green",
    }
}

/// Draws a static board: it has no hit areas, and screen readers skip it.
pub fn still(scene: &Scene<'_>) -> Markup {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout))
            viewBox={ "0 0 " (width) " " (height) } aria-hidden="true" { (layers(scene, &layout, Needs::for_marks(scene.marks), false)) }
    }
}

/// Draws a thumbnail: a static board without wood grain and names, which would be too small to see.
pub fn tile(scene: &Scene<'_>) -> Markup {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout))
            viewBox={ "0 0 " (width) " " (height) } aria-hidden="true" {
            (defs::defs(scene.id, Needs::for_marks(scene.marks)))
            g class="ground" { (ground::without_details(scene, &layout)) }
            g class="marks" { (marks(scene)) }
        }
    }
}

/// Draws a board as a standalone SVG file, which includes its style and a light background and has no hit areas.
pub fn file(scene: &Scene<'_>) -> String {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout)) width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(scene.info.title) {
            title { (scene.info.title) }
            (style(""))
            rect class="paper" width="100%" height="100%" {}
            (layers(scene, &layout, Needs::for_marks(scene.marks), true))
        }
    };
    picture.into_string() + "\n"
}

/// The style element of a file: the style sheet of boards and `more`. Neither contains text of a user, so it is not
/// escaped.
fn style(more: &str) -> Markup {
    html! { style { (PreEscaped(format!("{}\n{more}", CSS.trim()))) } }
}
