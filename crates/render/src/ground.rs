//! The ground layer of a board, which never changes: the wood, the cells, and the names along the edges.

use crate::{
    Scene,
    layout::{BoardLayout, Rect, short},
    marks::pseudo_random,
};
use maud::{Markup, html};
use parlor_core::{Cell, Shape, Target};
use std::collections::BTreeMap;

/// Draws the ground layer. With `labelled`, every cell has its id, its centre and its name, which live pages use.
pub(crate) fn ground(scene: &Scene<'_>, layout: &BoardLayout<'_>, labelled: bool) -> Markup {
    html! {
        (wood(scene, layout))
        (grain(&layout.panel()))
        (cells(scene, layout, labelled))
        (edge_names(scene, layout))
    }
}

/// Draws the names along the edges of the board.
pub(crate) fn edge_names(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Markup {
    html! {
        g class="names" font-size=(short((21.0 * layout.scale).round())) {
            @for (x, y, text) in names(scene, layout) { text x=(short(x)) y=(short(y)) { (text) } }
        }
    }
}

/// Draws the ground of a thumbnail, without wood grain and names.
pub(crate) fn without_details(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Markup {
    html! { (wood(scene, layout)) (cells(scene, layout, false)) }
}

fn wood(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Markup {
    let panel = layout.panel();
    html! {
        (rect("fall", &Rect { y: panel.y + 6.0, ..panel }, 26.0, None))
        (rect("panel", &panel, 24.0, Some(format!("url(#{}-wood)", scene.id))))
        (rect("bevel", &panel.inset(2.5), 22.0, None))
    }
}

fn cells(scene: &Scene<'_>, layout: &BoardLayout<'_>, labelled: bool) -> Markup {
    html! {
        @if layout.material() == "squares" { (rect("bed", &layout.inner().inset(-4.0), 5.0, None)) }
        @for (id, cell) in scene.info.cells.iter().enumerate() { (draw_cell(scene, layout, labelled.then_some(id), cell)) }
    }
}

fn rect(class: &str, at: &Rect, round: f64, fill: Option<String>) -> Markup {
    html! {
        rect class=(class) x=(short(at.x)) y=(short(at.y)) width=(short(at.w)) height=(short(at.h)) rx=(short(round)) fill=[fill] {}
    }
}

/// Draws the grain of the wood as irregular lines.
fn grain(panel: &Rect) -> Markup {
    let lines = ((panel.h / 17.0) as usize).min(120);
    let line = |i: usize| {
        let wave = |salt: usize| (pseudo_random(7, i * 8 + salt) % 17) as f64 - 8.0;
        let y = panel.y + 14.0 + (panel.h - 28.0) * (i as f64 + 0.5) / lines as f64 + wave(0) / 2.0;
        let (from, third) = (panel.x + 8.0, (panel.w - 16.0) / 3.0);
        let begins = from + third * (pseudo_random(7, i * 8 + 5) % 100) as f64 / 90.0;
        let ends = panel.x + panel.w - 8.0 - third * (pseudo_random(7, i * 8 + 6) % 100) as f64 / 90.0;
        format!(
            "M{} {}C{} {} {} {} {} {}",
            short(begins),
            short(y),
            short(from + third),
            short(y + wave(1)),
            short(from + 2.0 * third),
            short(y + wave(2)),
            short(ends),
            short(y + wave(3) / 2.0)
        )
    };
    let path: String = (0..lines).map(line).collect();
    html! { path class="grain" d=(path) {} }
}

/// Draws a cell. Its centre is in attributes, because the page's script moves pieces to it.
fn draw_cell(scene: &Scene<'_>, layout: &BoardLayout<'_>, id: Option<usize>, cell: &Cell) -> Markup {
    let body = layout.body(cell);
    let (x, y) = body.centre();
    let round = body.w.min(body.h) / 2.0;
    let hollow = format!("url(#{}-hollow)", scene.id);
    let rim = format!("url(#{}-rim)", scene.id);
    html! {
        g data-cell=[id] data-x=[id.map(|_| short(x))] data-y=[id.map(|_| short(y))] {
            @if id.is_some() { title { (cell.name) } }
            @match cell.shape {
                Shape::Square => (rect("square", &body, 0.0, None)),
                Shape::DarkSquare => (rect("square dark", &body, 0.0, None)),
                Shape::Pit | Shape::Store => {
                    (rect("hollow", &body, round, Some(hollow)))
                    rect class="rim" x=(short(body.x)) y=(short(body.y)) width=(short(body.w)) height=(short(body.h))
                        rx=(short(round)) stroke=(rim) {}
                }
                Shape::Slot => {
                    circle class="slot" cx=(short(x)) cy=(short(y)) r="42" {}
                    circle class="rim" cx=(short(x)) cy=(short(y)) r="43.5" stroke=(rim) {}
                }
            }
        }
    }
}

/// The names along the edges with their positions: each pit beside it, each column below it, squares by rows and
/// columns.
fn names(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Vec<(f64, f64, String)> {
    let (inner, frame) = (layout.inner(), layout.frame());
    let (above, below) = (inner.y - frame / 2.0, inner.y + inner.h + frame / 2.0);
    let pits = scene.info.cells.iter().filter(|cell| cell.shape == Shape::Pit && cell.target.is_some());
    let mut names: Vec<(f64, f64, String)> = pits
        .map(|cell| {
            (
                layout.room(cell).centre().0,
                if layout.counts_above(cell) { above } else { below },
                cell.name.clone(),
            )
        })
        .collect();
    for (target, name) in (0..).zip(&scene.info.targets) {
        let several =
            layout.cells_of(target).count() > 1 || layout.cells_of(target).any(|c| c.shape == Shape::Slot);
        if let (true, Some(bounds)) = (several, layout.bounds(target as Target)) {
            names.push((bounds.centre().0, below, name.clone()));
        }
    }
    names.extend(rows_and_columns(scene, layout));
    names
}

/// The names of rows and columns, if every square is named like `a1`. Otherwise the name of each square, inside it.
fn rows_and_columns(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Vec<(f64, f64, String)> {
    let squares = || scene.info.cells.iter().filter(|c| matches!(c.shape, Shape::Square | Shape::DarkSquare));
    let inner = layout.inner();
    let (left, below) = (inner.x - layout.frame() / 2.0, inner.y + inner.h + layout.frame() / 2.0);
    let mut columns: BTreeMap<u16, &str> = BTreeMap::new();
    let mut rows: BTreeMap<u16, &str> = BTreeMap::new();
    let mut named = Vec::new();
    for cell in squares() {
        let (column, row) = cell.name.split_at(cell.name.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
        let fits =
            *columns.entry(cell.x).or_insert(column) == column && *rows.entry(cell.y).or_insert(row) == row;
        if !fits || column.is_empty() || row.is_empty() {
            let own = |cell: &Cell| {
                let room = layout.room(cell);
                (room.centre().0, room.y + room.h - 12.0, cell.name.clone())
            };
            return squares().map(own).collect();
        }
        let (x, y) = layout.room(cell).centre();
        named.push((cell.x, cell.y, x, y, column, row));
    }
    let mut seen = (Vec::new(), Vec::new());
    let mut names = Vec::new();
    for (column, row, x, y, letter, number) in named {
        if !seen.0.contains(&column) {
            seen.0.push(column);
            names.push((x, below, letter.to_string()));
        }
        if !seen.1.contains(&row) {
            seen.1.push(row);
            names.push((left, y, number.to_string()));
        }
    }
    names
}
