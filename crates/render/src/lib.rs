//! Boards as pictures: from the cells and marks that every front end sees to SVG, for all games alike.
//!
//! A picture has layers: the ground, which never changes; the marks, which a live page replaces after a move; badges, which
//! an analysis fills; and the hits, one for each target, which people touch. How things look stands in the stylesheet; here
//! stands only where they lie. Nothing here knows a rule, and nothing is drawn by chance: the same scene is the same text.
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

/// The style of boards in light colours, for a stylesheet of a page that shows some.
pub const CSS: &str = include_str!("../assets/board.css");

/// The input of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The id of the picture. What it defines for itself is named after it, so two pictures on a page need two.
    pub id: &'a str,
    pub info: &'a GameInfo,
    pub marks: &'a [Mark],
    /// The cells to highlight.
    pub last: &'a [CellId],
    /// Whether these cells are a winning line.
    pub won: bool,
    /// Whether the second seat is at the bottom. Boards into which pieces fall are never turned.
    pub turned: bool,
}

/// The picture as an element of an HTML page.
pub fn svg(scene: &Scene<'_>) -> Markup {
    judged(scene, &[])
}

/// The same with the values of its targets as badges.
pub fn judged(scene: &Scene<'_>, worths: &[Badge]) -> Markup {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout))
            viewBox={ "0 0 " (width) " " (height) } role="group" aria-label=(scene.info.title) {
            (layers(scene, &layout, Needs::ALL, true))
            g class="badges" aria-hidden="true" { (badges(scene, worths)) }
            (targets::hits(scene, &layout))
        }
    }
}

/// What a live page replaces after a move: the inner of the layer `marks`.
pub fn marks(scene: &Scene<'_>) -> Markup {
    html! { @for part in marks::parts(scene, &BoardLayout::of(scene)).iter().flatten() { (part) } }
}

/// The layers that do not react to clicks.
fn layers(scene: &Scene<'_>, layout: &BoardLayout<'_>, needs: Needs, labelled: bool) -> Markup {
    html! {
        (defs::defs(scene.id, needs))
        g class="ground" aria-hidden="true" { (ground::ground(scene, layout, labelled)) }
        g class="marks" aria-hidden="true" { (marks(scene)) }
    }
}

/// How the stylesheet tells boards apart: by what they are made of, by their form, and by the colours of their seats.
fn classes(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> String {
    format!("board {}{} {}", layout.material(), layout.form(), seat_colours(scene.info))
}

/// The classes by which the stylesheet knows the colours of a board's seats.
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

/// A still picture: nothing in it can be touched, and screen readers skip it.
pub fn still(scene: &Scene<'_>) -> Markup {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout))
            viewBox={ "0 0 " (width) " " (height) } aria-hidden="true" { (layers(scene, &layout, Needs::of(scene.marks), false)) }
    }
}

/// The same as small as a thumb: without what could not be seen.
pub fn tile(scene: &Scene<'_>) -> Markup {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout))
            viewBox={ "0 0 " (width) " " (height) } aria-hidden="true" {
            (defs::defs(scene.id, Needs::of(scene.marks)))
            g class="ground" { (ground::small(scene, &layout)) }
            g class="marks" { (marks(scene)) }
        }
    }
}

/// A picture of its own as the text of a file: the same layers with their style inside, on light ground, and nothing to touch.
pub fn file(scene: &Scene<'_>) -> String {
    let layout = BoardLayout::of(scene);
    let (width, height) = layout.size();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &layout)) width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(scene.info.title) {
            title { (scene.info.title) }
            (style(""))
            rect class="paper" width="100%" height="100%" {}
            (layers(scene, &layout, Needs::of(scene.marks), true))
        }
    };
    picture.into_string() + "\n"
}

/// The style of a board, and what else a file needs. Nothing in it comes from a user, so nothing is to be escaped.
fn style(more: &str) -> Markup {
    html! { style { (PreEscaped(format!("{}\n{more}", CSS.trim()))) } }
}
