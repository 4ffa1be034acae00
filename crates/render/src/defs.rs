//! SVG definitions that a picture uses many times: gradients for wood, pits and tokens, and the shapes of the
//! tokens. Their ids begin with the id of the picture. Colours come from the stylesheet.

use crate::marks::SEED;
use maud::{Markup, html};
use parlor_core::{Glyph, Mark, Token};

/// The kinds of shapes that the definitions of a picture have to contain.
#[derive(Clone, Copy)]
pub(crate) struct Needs {
    seeds: bool,
    discs: bool,
    crowns: bool,
    /// Stones and arrows: both are plain shapes in the colour of their side.
    plain_pieces: bool,
    blocks: bool,
}

impl Needs {
    /// Every kind of shape, for a live picture, whose marks are replaced after each move.
    pub const ALL: Needs = Needs { seeds: true, discs: true, crowns: true, plain_pieces: true, blocks: true };

    /// Only the shapes of these marks, for a picture that does not change.
    pub fn for_marks(marks: &[Mark]) -> Needs {
        let any = |of: fn(Token) -> bool| marks.iter().any(|mark| of(mark.token));
        let piece = |of: fn(Glyph) -> bool| {
            marks.iter().any(|mark| matches!(mark.token, Token::Piece(piece) if of(piece.glyph)))
        };
        Needs {
            seeds: any(|token| matches!(token, Token::Count(_))),
            discs: piece(|glyph| matches!(glyph, Glyph::Disc | Glyph::Letter(_))),
            crowns: piece(|glyph| glyph == Glyph::Crown),
            plain_pieces: piece(|glyph| matches!(glyph, Glyph::Stone | Glyph::Arrow)),
            blocks: any(|token| matches!(token, Token::Blocked)),
        }
    }
}

/// SVG definitions for the picture with this id.
pub(crate) fn defs(id: &str, needs: Needs) -> Markup {
    html! {
        defs {
            (gradients(id, needs))
            @if needs.seeds { @for shape in 0..6 { (seed(id, shape)) } }
            @if needs.discs { @for side in ["first", "second"] { (disc(id, side)) } }
            @if needs.crowns { @for side in ["first", "second"] { (crown(id, side)) } }
            @if needs.plain_pieces { @for side in ["first", "second"] { (stone(id, side)) (arrow(id, side)) } }
            @if needs.blocks { (blocked(id)) }
        }
    }
}

fn gradients(id: &str, needs: Needs) -> Markup {
    let pieces = needs.discs || needs.crowns || needs.plain_pieces;
    html! {
        linearGradient id={ (id) "-wood" } x1="0" y1="0" x2="0.25" y2="1" {
            stop class="wood-lit" offset="0" {}
            stop class="wood" offset="0.55" {}
            stop class="wood-deep" offset="1" {}
        }
        radialGradient id={ (id) "-hollow" } cx="0.5" cy="0.5" r="0.62" fx="0.6" fy="0.68" {
            stop class="hollow-lit" offset="0" {}
            stop class="hollow" offset="0.6" {}
            stop class="hollow-deep" offset="1" {}
        }
        linearGradient id={ (id) "-rim" } x1="0.15" y1="0" x2="0.85" y2="1" {
            stop class="rim-deep" offset="0" {}
            stop class="rim" offset="0.5" {}
            stop class="rim-lit" offset="1" {}
        }
        @if needs.seeds {
            radialGradient id={ (id) "-round" } cx="0.5" cy="0.5" r="0.5" {
                stop class="round-in" offset="0.35" {}
                stop class="round-out" offset="1" {}
            }
        }
        @for side in ["first", "second"].into_iter().filter(|_| pieces) {
            radialGradient id={ (id) "-" (side) } cx="0.38" cy="0.32" r="0.75" {
                stop class={ (side) "-lit" } offset="0" {}
                stop class={ (side) "-own" } offset="0.55" {}
                stop class={ (side) "-deep" } offset="1" {}
            }
        }
        @if needs.blocks {
            linearGradient id={ (id) "-slate" } x1="0" y1="0" x2="0.6" y2="1" {
                stop class="slate-lit" offset="0" {}
                stop class="slate" offset="1" {}
            }
        }
    }
}

/// One of the six shapes of a seed. They differ in size and angle; the highlight is always at the upper left.
fn seed(id: &str, shape: usize) -> Markup {
    let (long, wide) = (SEED + (shape % 3) as f64 * 0.3, SEED - 1.3 - (shape % 2) as f64 * 0.6);
    let lies = format!("rotate({})", shape * 30 + 10);
    html! {
        g id={ (id) "-seed" (shape) } {
            ellipse class="shade" cx="1.4" cy="2.6" rx=(long) ry=(wide) {}
            ellipse class="flesh" rx=(long) ry=(wide) transform=(lies) {}
            ellipse rx=(long) ry=(wide) transform=(lies) fill={ "url(#" (id) "-round)" } {}
            ellipse class="shine" cx="-2.4" cy="-2.9" rx="2.5" ry="1.5" transform="rotate(-38 -2.4 -2.9)" {}
        }
    }
}

/// A checker with a relief, a ring or a star, so that the sides differ in more than colour.
fn disc(id: &str, side: &str) -> Markup {
    html! {
        g id={ (id) "-disc-" (side) } {
            circle class="shade" cx="1.5" cy="3" r="42" {}
            circle class="own" r="42" fill={ "url(#" (id) "-" (side) ")" } {}
            circle class="groove" r="34" {}
            circle class="gleam" r="35.5" {}
            @if side == "first" {
                circle class="groove" r="20" {}
                circle class="gleam" r="21.5" {}
            } @else {
                path class="groove" d="M0 -24L6 -6L24 0L6 6L0 24L-6 6L-24 0L-6 -6Z" {}
                path class="gleam" d="M0 -22L5.4 -5.4L22 0L5.4 5.4L0 22L-5.4 5.4L-22 0L-5.4 -5.4Z" transform="translate(1 1.5)" {}
            }
        }
    }
}

/// A crown, with three pearls for the first side and five points for the second.
fn crown(id: &str, side: &str) -> Markup {
    let light = format!("url(#{id}-{side})");
    html! {
        g id={ (id) "-piece-" (side) } {
            ellipse class="shade" cx="2" cy="34" rx="32" ry="7" {}
            @if side == "first" {
                path class="own" fill=(light) d="M-22 22C-24 8 -28 -4 -33 -13C-26 -8 -19 -4 -14 -3C-8 -9 -3 -18 0 -26C3 -18 8 -9 14 -3C19 -4 26 -8 33 -13C28 -4 24 8 22 22Z" {}
                circle class="own" fill=(light) cx="-33" cy="-17" r="5.5" {}
                circle class="own" fill=(light) cx="0" cy="-31" r="6.5" {}
                circle class="own" fill=(light) cx="33" cy="-17" r="5.5" {}
            } @else {
                path class="own" fill=(light) d="M-23 22L-35 -14L-20 -2L-17 -29L-6 -7L0 -37L6 -7L17 -29L20 -2L35 -14L23 22Z" {}
                path class="gem" d="M0 -4L7 6L0 16L-7 6Z" {}
            }
            rect class="own" fill=(light) x="-27" y="22" width="54" height="12" rx="5" {}
            path class="groove" d="M-20 28H20" {}
        }
    }
}

fn stone(id: &str, side: &str) -> Markup {
    html! {
        g id={ (id) "-stone-" (side) } {
            circle class="shade" cx="1.5" cy="3" r="42" {}
            circle class="own" r="42" fill={ "url(#" (id) "-" (side) ")" } {}
        }
    }
}

/// An arrow that points up.
fn arrow(id: &str, side: &str) -> Markup {
    html! {
        g id={ (id) "-arrow-" (side) } {
            ellipse class="shade" cx="2" cy="38" rx="16" ry="5" {}
            path class="own" fill={ "url(#" (id) "-" (side) ")" } d="M0 -38L24 -8H9V36H-9V-8H-24Z" {}
        }
    }
}

/// A blocked cell: a slate tile with a flame.
fn blocked(id: &str) -> Markup {
    html! {
        g id={ (id) "-blocked" } {
            rect class="slate" x="-43" y="-43" width="86" height="86" rx="12" fill={ "url(#" (id) "-slate)" } {}
            path class="flame" transform="scale(.86)" d="M1 -28C6 -15 21 -9 21 9C21 21 12 28 0 28C-12 28 -21 21 -21 9C-21 0 -16 -6 -11 -12C-10 -5 -7 -2 -3 -1C-5 -11 -3 -21 1 -28Z" {}
            path class="ember" transform="scale(.86)" d="M1 2C4 8 10 11 10 18C10 24 6 27 0 27C-6 27 -10 24 -10 18C-10 12 -3 9 1 2Z" {}
        }
    }
}
