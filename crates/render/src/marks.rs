//! The layer of marks: the tokens on the cells and the highlights. Each is a separate part, in the order of the
//! cells, so that an animation can find the parts that two positions share.
//!
//! Seeds in a pit start on a spiral with small pseudo-random offsets. Then pairs that are too close push each other
//! apart. The same cell with the same count always looks the same.

use crate::{
    Scene,
    layout::{BoardLayout, Rect, short},
};
use maud::{Markup, html};
use parlor_core::{Cell, CellId, Glyph, Mark, Shape, Side, Token};

/// Draws the layer of marks: the highlights below the tokens, the tokens, the highlights above them.
pub(crate) fn parts(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> [Vec<Markup>; 3] {
    let cells = &scene.info.cells;
    let mut marks: Vec<&Mark> =
        scene.marks.iter().filter(|mark| usize::from(mark.cell) < cells.len()).collect();
    marks.sort_by_key(|mark| mark.cell);
    let pointed = |slots: bool| {
        let highlighted = (0..)
            .zip(cells)
            .filter(move |(id, cell)| scene.last.contains(id) && slots == (cell.shape == Shape::Slot));
        highlighted.map(|(_, cell)| highlight(scene, layout, cell))
    };
    let tokens = marks.iter().map(|mark| {
        let cell = &cells[usize::from(mark.cell)];
        html! { g data-cell=(mark.cell) { (token(scene, layout, cell, mark)) } }
    });
    [pointed(false).collect(), tokens.collect(), pointed(true).collect()]
}

fn token(scene: &Scene<'_>, layout: &BoardLayout<'_>, cell: &Cell, mark: &Mark) -> Markup {
    let (x, y) = layout.body(cell).centre();
    let side_class = |side: Side| if side == Side::First { "first" } else { "second" };
    match mark.token {
        Token::Count(count) => counters(scene, layout, cell, mark.cell, count),
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

/// The CSS class of a glyph, which is also part of its definition's id. A letter is drawn on a disc.
pub(crate) fn shape(glyph: Glyph) -> &'static str {
    match glyph {
        Glyph::Stone => "stone",
        Glyph::Disc | Glyph::Letter(_) => "disc",
        Glyph::Crown => "piece",
        Glyph::Arrow => "arrow",
    }
}

/// Draws seeds in a pit with their count beside it; for a heap, a large count on top of the seeds.
fn counters(scene: &Scene<'_>, layout: &BoardLayout<'_>, cell: &Cell, id: CellId, count: u16) -> Markup {
    let body = layout.body(cell);
    let hollow = matches!(cell.shape, Shape::Pit | Shape::Store);
    let heap = hollow && usize::from(count) > heap_limit(&body);
    let lying = if hollow { scatter(&body, id, count.into()) } else { Vec::new() };
    html! {
        @for seed in lying {
            use class={ "seed s" (seed.tone) } href={ "#" (scene.id) "-seed" (seed.shape) } x=(short(seed.x)) y=(short(seed.y)) {}
        }
        @if heap {
            @let (x, y) = body.centre();
            text class="count heap" x=(short(x)) y=(short(y)) font-size=(heap_font_size(count)) { (count) }
        } @else {
            (count_plate(if hollow { layout.count_position(cell) } else { body.centre() }, count))
        }
    }
}

/// The font size at which a heap's count fits into a pit.
fn heap_font_size(count: u16) -> u32 {
    match count {
        0..=99 => 52,
        100..=999 => 40,
        _ => 31,
    }
}

/// Draws a count on a plate.
fn count_plate((x, y): (f64, f64), count: u16) -> Markup {
    let width = 16.0 + 17.0 * count.to_string().len() as f64;
    let class = if count == 0 { "count none" } else { "count" };
    html! {
        g class=(class) {
            rect class="plate" x=(short(x - width / 2.0)) y=(short(y - 15.0)) width=(short(width)) height="30" rx="15" {}
            text x=(short(x)) y=(short(y)) font-size="27" { (count) }
        }
    }
}

/// Highlights a cell: one outline for the last move; two for a winning line, with a star on a checker.
fn highlight(scene: &Scene<'_>, layout: &BoardLayout<'_>, cell: &Cell) -> Markup {
    let body = layout.body(cell);
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

/// Draws the edge of a cell, moved inwards by `inside`.
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

/// Half the length of a seed.
pub(crate) const SEED: f64 = 10.0;
/// The angle between successive seeds on the spiral. It distributes them evenly (Vogel's model of sunflower heads).
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
/// Rounds of pushing seeds apart; further rounds make no visible difference.
const ROUNDS: usize = 14;

/// A seed with its centre and the numbers of its shape and its tone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seed {
    pub x: f64,
    pub y: f64,
    pub shape: usize,
    pub tone: usize,
}

/// The largest number of seeds that a pit shows without being a heap.
pub(crate) fn heap_limit(hollow: &Rect) -> usize {
    let (small, long) = (hollow.w.min(hollow.h), hollow.w.max(hollow.h));
    (24.0 * long / small).min(60.0) as usize
}

/// Places the seeds of a pit. The number of seeds in a heap is bounded.
pub(crate) fn scatter(hollow: &Rect, cell: u16, count: usize) -> Vec<Seed> {
    let count = count.min(heap_limit(hollow) * 4 / 3);
    let radius = hollow.w.min(hollow.h) / 2.0 - SEED - 3.0;
    let reach = [(hollow.w - hollow.h).max(0.0) / 2.0, (hollow.h - hollow.w).max(0.0) / 2.0];
    let area = std::f64::consts::PI * radius * radius + 4.0 * radius * (reach[0] + reach[1]);
    // The length of a seed, or less if the pit has too little space.
    let apart = (2.0 * SEED).min((area / count.max(1) as f64).sqrt() * 1.06);
    let mut places = spiral(cell, count, apart, radius, reach);
    for _ in 0..ROUNDS {
        push_apart(&mut places, apart);
        places.iter_mut().for_each(|place| keep_inside(place, radius, reach));
    }
    let (x, y) = hollow.centre();
    let seed = |(i, place): (usize, &[f64; 2])| {
        let random = pseudo_random(cell, i);
        Seed { x: x + place[0], y: y + place[1], shape: random % 6, tone: random / 6 % 3 }
    };
    places.iter().enumerate().map(seed).collect()
}

/// The starting points of the seeds, on a spiral stretched to the form of the pit.
fn spiral(cell: u16, count: usize, apart: f64, radius: f64, reach: [f64; 2]) -> Vec<[f64; 2]> {
    let turn = pseudo_random(cell, 977) as f64;
    let step = (apart * 0.56).min(radius * 0.95 / (count as f64).sqrt());
    let stretch = reach.map(|reach| 1.0 + reach / radius.max(1.0));
    let place = |i: usize| {
        let shake = |salt: usize| (pseudo_random(cell, i + salt) % 101) as f64 / 100.0 - 0.5;
        let (angle, far) = (turn + GOLDEN_ANGLE * i as f64, step * (i as f64 + 0.4).sqrt());
        [
            far * angle.cos() * stretch[0] + shake(3) * apart * 0.5,
            far * angle.sin() * stretch[1] + shake(5) * apart * 0.5,
        ]
    };
    (0..count).map(place).collect()
}

/// Moves both seeds of each pair that is closer than `apart`, each by half of the missing distance.
fn push_apart(places: &mut [[f64; 2]], apart: f64) {
    for i in 1..places.len() {
        for j in 0..i {
            let way = [places[i][0] - places[j][0], places[i][1] - places[j][1]];
            let far = way[0].hypot(way[1]).max(0.01);
            let short = (apart - far).max(0.0) / 2.0;
            for axis in 0..2 {
                let by = way[axis] / far * short;
                places[i][axis] += by;
                places[j][axis] -= by;
            }
        }
    }
}

/// Moves a seed into the pit, which is the area within `radius` of a line that extends `reach` to both sides.
fn keep_inside(place: &mut [f64; 2], radius: f64, reach: [f64; 2]) {
    let anchor = [place[0].clamp(-reach[0], reach[0]), place[1].clamp(-reach[1], reach[1])];
    let way = [place[0] - anchor[0], place[1] - anchor[1]];
    let far = way[0].hypot(way[1]);
    if far > radius {
        *place = [anchor[0] + way[0] / far * radius, anchor[1] + way[1] / far * radius];
    }
}

/// A pseudo-random number that depends on its arguments only.
pub(crate) fn pseudo_random(cell: u16, index: usize) -> usize {
    let mut bits = (u64::from(cell) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64 + 1);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (bits >> 33) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIT: Rect = Rect { x: 0.0, y: 0.0, w: 90.0, h: 90.0 };

    #[test]
    fn seeds_stay_inside_their_pit_and_a_few_do_not_touch() {
        for (cell, count) in (0..40).flat_map(|cell| [1, 2, 5, 9, 24, 400].map(|count| (cell, count))) {
            let seeds = scatter(&PIT, cell, count);
            assert_eq!(seeds.len(), count.min(32));
            let far = |seed: &Seed| (seed.x - 45.0).hypot(seed.y - 45.0);
            assert!(seeds.iter().all(|seed| far(seed) + SEED < 45.0), "cell {cell}, {count} seeds");
        }
        for cell in 0..40 {
            let seeds = scatter(&PIT, cell, 4);
            let close = |a: &Seed, b: &Seed| (a.x - b.x).hypot(a.y - b.y) < 1.6 * SEED;
            assert!((1..4).all(|i| (0..i).all(|j| !close(&seeds[i], &seeds[j]))), "cell {cell}");
        }
    }

    #[test]
    fn the_arrangement_of_seeds_depends_on_the_cell_and_the_count_only() {
        assert_eq!(scatter(&PIT, 3, 7), scatter(&PIT, 3, 7));
        assert_ne!(scatter(&PIT, 3, 7), scatter(&PIT, 4, 7));
    }
}
