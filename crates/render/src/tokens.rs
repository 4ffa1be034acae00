//! What stands on the cells, and what is pointed out: one part for each, in the order of the cells, so that whoever shows a
//! whole game can tell which parts of two positions are the same.

use crate::{
    Scene,
    plan::{Plan, Rect, short},
    seeds,
};
use maud::{Markup, html};
use parlor_core::{Cell, CellId, Glyph, Mark, Shape, Side, Token};

/// The parts of the layer of marks: what lies under the tokens, these, what lies above them.
pub(crate) fn parts(scene: &Scene<'_>, plan: &Plan<'_>) -> [Vec<Markup>; 3] {
    let cells = &scene.info.cells;
    let mut marks: Vec<&Mark> =
        scene.marks.iter().filter(|mark| usize::from(mark.cell) < cells.len()).collect();
    marks.sort_by_key(|mark| mark.cell);
    let pointed = |slots: bool| {
        let stressed = (0..)
            .zip(cells)
            .filter(move |(id, cell)| scene.last.contains(id) && slots == (cell.shape == Shape::Slot));
        stressed.map(|(_, cell)| point_out(scene, plan, cell))
    };
    let tokens = marks.iter().map(|mark| {
        let cell = &cells[usize::from(mark.cell)];
        html! { g data-cell=(mark.cell) { (token(scene, plan, cell, mark)) } }
    });
    [pointed(false).collect(), tokens.collect(), pointed(true).collect()]
}

fn token(scene: &Scene<'_>, plan: &Plan<'_>, cell: &Cell, mark: &Mark) -> Markup {
    let (x, y) = plan.body(cell).centre();
    let side_class = |side: Side| if side == Side::First { "first" } else { "second" };
    match mark.token {
        Token::Count(count) => counters(scene, plan, cell, mark.cell, count),
        Token::Blocked => {
            html! { use class={ "blocked" @if scene.last.contains(&mark.cell) { " hot" } } href={ "#" (scene.id) "-blocked" } x=(short(x)) y=(short(y)) {} }
        }
        Token::Piece(piece) => {
            let side_class = side_class(piece.side);
            let shape = shape(piece.glyph);
            html! {
                use class={ (shape) " " (side_class) } href={ "#" (scene.id) "-" (shape) "-" (side_class) } x=(short(x)) y=(short(y)) {}
                @if let Glyph::Letter(letter) = piece.glyph {
                    text class={ "letter " (side_class) } x=(short(x)) y=(short(y)) font-size="44" { (letter) }
                }
            }
        }
    }
}

/// The definition and the class of a glyph. A letter stands on a disc.
pub(crate) fn shape(glyph: Glyph) -> &'static str {
    match glyph {
        Glyph::Stone => "stone",
        Glyph::Disc | Glyph::Letter(_) => "disc",
        Glyph::Crown => "piece",
        Glyph::Arrow => "arrow",
    }
}

/// Seeds in their hollow with their number beside it; of a heap the number stands large on it.
fn counters(scene: &Scene<'_>, plan: &Plan<'_>, cell: &Cell, id: CellId, count: u16) -> Markup {
    let body = plan.body(cell);
    let hollow = matches!(cell.shape, Shape::Pit | Shape::Store);
    let heap = hollow && usize::from(count) > seeds::shown(&body);
    let lying = if hollow { seeds::scatter(&body, id, count.into()) } else { Vec::new() };
    html! {
        @for seed in lying {
            use class={ "seed s" (seed.tone) } href={ "#" (scene.id) "-seed" (seed.shape) } x=(short(seed.x)) y=(short(seed.y)) {}
        }
        @if heap {
            @let (x, y) = body.centre();
            text class="count heap" x=(short(x)) y=(short(y)) font-size=(heap_letters(count)) { (count) }
        } @else {
            (number(if hollow { plan.count_place(cell) } else { body.centre() }, count))
        }
    }
}

/// The size of the letters that fit across a pit.
fn heap_letters(count: u16) -> u32 {
    match count {
        0..=99 => 52,
        100..=999 => 40,
        _ => 31,
    }
}

/// A number on its plate.
fn number((x, y): (f64, f64), count: u16) -> Markup {
    let width = 16.0 + 17.0 * count.to_string().len() as f64;
    let class = if count == 0 { "count none" } else { "count" };
    html! {
        g class=(class) {
            rect class="plate" x=(short(x - width / 2.0)) y=(short(y - 15.0)) width=(short(width)) height="30" rx="15" {}
            text x=(short(x)) y=(short(y)) font-size="27" { (count) }
        }
    }
}

/// A cell of the last move has an outline; one of a winning line a second one and, where a checker lies, a star.
fn point_out(scene: &Scene<'_>, plan: &Plan<'_>, cell: &Cell) -> Markup {
    let body = plan.body(cell);
    let class = if scene.won { "won" } else { "last" };
    let (x, y) = body.centre();
    html! {
        g class=(class) {
            (outline(cell.shape, &body, if cell.shape == Shape::Slot { -1.0 } else { 1.0 }))
            @if scene.won { (outline(cell.shape, &body, 9.0)) }
            @if scene.won && cell.shape == Shape::Slot {
                path class="star" transform={ "translate(" (short(x)) " " (short(y)) ")" }
                    d="M0 -17L4.6 -5.6L16.2 -5.3L6.9 1.9L10 13.8L0 7L-10 13.8L-6.9 1.9L-16.2 -5.3L-4.6 -5.6Z" {}
            } @else if cell.shape == Shape::Slot {
                circle class="dot" cx=(short(x)) cy=(short(y)) r="9" {}
            }
        }
    }
}

/// The edge of a cell, so much further inside.
pub(crate) fn outline(shape: Shape, body: &Rect, inside: f64) -> Markup {
    let edge =
        body.inset(if matches!(shape, Shape::Square | Shape::DarkSquare) { inside + 3.0 } else { inside });
    let round = match shape {
        Shape::Square | Shape::DarkSquare => 4.0,
        _ => edge.w.min(edge.h) / 2.0,
    };
    html! {
        rect class="edge" x=(short(edge.x)) y=(short(edge.y)) width=(short(edge.w)) height=(short(edge.h)) rx=(short(round)) {}
    }
}
