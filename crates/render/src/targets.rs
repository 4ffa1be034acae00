//! Targets: the hit areas of a board, their labels for screen readers, and the badges with their values. A hit area
//! lies above all other layers and is invisible until the page's script enables it.

use crate::{
    Scene,
    layout::{BoardLayout, Rect, short},
    marks::outline,
};
use maud::{Markup, html};
use parlor_core::{Cell, GameInfo, Shape, Side, Target, Token};

/// The value of the best move through a target, shown on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    pub target: Target,
    /// The value as a short text, such as `+3`.
    pub text: String,
    /// Whether the value is proven; otherwise it is an estimate.
    pub proven: bool,
    /// The CSS class: `win`, `loss`, `draw`, or empty.
    pub class: &'static str,
}

/// Draws the layer of hit areas.
pub(crate) fn hits(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Markup {
    html! {
        g class="hits" {
            @for (target, label) in (0..).zip(labels(scene)) { (hit(layout, target, &label)) }
        }
    }
}

fn hit(layout: &BoardLayout<'_>, target: Target, label: &str) -> Markup {
    let Some(bounds) = layout.bounds(target) else { return Markup::default() };
    let shape = layout.cells_of(target).next().map_or(Shape::Square, |cell| cell.shape);
    let several = shape == Shape::Slot || layout.cells_of(target).count() > 1;
    let (x, y) = bounds.centre();
    html! {
        g class="hit" role="button" tabindex="-1" data-target=(target) data-x=(short(x)) data-y=(short(y)) aria-label=(label) {
            @if several {
                @for body in areas(layout, target, bounds) {
                    rect class="area" x=(short(body.x)) y=(short(body.y)) width=(short(body.w)) height=(short(body.h)) rx="24" {}
                }
                path class="dot" d="M-13 -7H13L0 9Z"
                    transform={ "translate(" (short(x)) " " (short(bounds.y - 5.0 - layout.frame() / 2.0)) ")" } {}
            } @else {
                @for room in layout.cells_of(target).map(|cell| layout.room(cell)) {
                    rect class="reach" x=(short(room.x)) y=(short(room.y)) width=(short(room.w)) height=(short(room.h)) {}
                }
                (outline(shape, &bounds, if shape == Shape::Pit { 6.0 } else { 0.0 }))
                @if matches!(shape, Shape::Square | Shape::DarkSquare) { circle class="dot" cx=(short(x)) cy=(short(y)) r="13" {} }
            }
        }
    }
}

/// The hit areas of a target: one if its cells fill a rectangle, otherwise one for each cell.
fn areas(layout: &BoardLayout<'_>, target: Target, bounds: Rect) -> Vec<Rect> {
    let rooms: Vec<Rect> = layout.cells_of(target).map(|cell| layout.room(cell)).collect();
    let whole = bounds.inset(-5.0);
    let filled: f64 = rooms.iter().map(|room| room.w * room.h).sum();
    if filled + 1.0 > whole.w * whole.h { vec![whole] } else { rooms }
}

/// Draws the content of the layer of badges: proven values are square with a tick, estimates round with a `~`.
pub fn badges(scene: &Scene<'_>, badges: &[Badge]) -> Markup {
    let layout = BoardLayout::of(scene);
    html! { @for badge in badges { (draw_badge(&layout, badge)) } }
}

fn draw_badge(layout: &BoardLayout<'_>, badge: &Badge) -> Markup {
    let Some(bounds) = layout.bounds(badge.target) else { return Markup::default() };
    let several = layout.cells_of(badge.target).count() > 1;
    let (x, middle) = bounds.centre();
    let y = if several { bounds.y + 45.0 } else { middle };
    let text = if badge.proven { format!("✓{}", badge.text) } else { format!("~{}", badge.text) };
    let width = (20.0 + 16.0 * text.chars().count() as f64).min(98.0);
    let (kind, round) = if badge.proven { ("proven", "3") } else { ("guess", "20") };
    html! {
        g class={ "badge " (kind) " " (badge.class) } data-target=(badge.target) {
            rect x=(short(x - width / 2.0)) y=(short(y - 20.0)) width=(short(width)) height="40" rx=(round) {}
            text x=(short(x)) y=(short(y)) font-size=(if text.chars().count() > 5 { "19" } else { "25" }) { (text) }
        }
    }
}

/// Labels of all targets in their order, with name and content: `a1: White piece`, `pit 3, lower row: 4`.
///
/// # Examples
///
/// ```
/// use parlor_render::{Scene, labels};
///
/// let board = parlor_catalog::game("connect:7,6,4")?.board();
/// let (info, marks) = (board.info(), board.marks());
/// let scene = Scene { id: "game", info: &info, marks: &marks, last: &[], won: false, turned: false };
/// assert_eq!(labels(&scene).len(), 7, "one for each column");
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub fn labels(scene: &Scene<'_>) -> Vec<String> {
    let layout = BoardLayout::of(scene);
    (0..scene.info.targets.len()).map(|target| label(scene, &layout, target as Target)).collect()
}

fn label(scene: &Scene<'_>, layout: &BoardLayout<'_>, target: Target) -> String {
    let held: Vec<Token> = (0..)
        .zip(&scene.info.cells)
        .filter(|(_, cell)| cell.target == Some(target))
        .filter_map(|(id, _)| scene.marks.iter().find(|mark| mark.cell == id))
        .map(|mark| mark.token)
        .collect();
    let several = layout.cells_of(target).count() > 1;
    let name = target_name(scene.info, layout, target) + row_suffix(scene.info, layout, target);
    format!("{name}: {}", contents(scene.info, &held, several))
}

/// The name of a cell. A pit has the name of its target, which distinguishes pits of equal names by their row.
pub(crate) fn name_of_cell(info: &GameInfo, layout: &BoardLayout<'_>, cell: &Cell) -> String {
    match cell.target {
        Some(target) if cell.shape == Shape::Pit => {
            target_name(info, layout, target) + row_suffix(info, layout, target)
        }
        _ => cell.name.clone(),
    }
}

/// The name of a target: that of its only cell, or the common start of its cells' names (`column 3` of `column 3,
/// level 1`).
fn target_name(info: &GameInfo, layout: &BoardLayout<'_>, target: Target) -> String {
    let own = info.targets[usize::from(target)].clone();
    let cells: Vec<&Cell> = layout.cells_of(target).collect();
    match cells.as_slice() {
        [cell] if cell.shape == Shape::Pit => format!("pit {own}"),
        [first, ..] if first.shape == Shape::Slot || cells.len() > 1 => {
            let head = |cell: &Cell| cell.name.split(',').next().unwrap_or_default().to_string();
            let shared = cells.iter().all(|cell| head(cell) == head(first));
            if shared { head(first) } else { own }
        }
        _ => own,
    }
}

/// The row of a target that shares its name with another one; otherwise empty.
fn row_suffix(info: &GameInfo, layout: &BoardLayout<'_>, target: Target) -> &'static str {
    let name = &info.targets[usize::from(target)];
    let height = |target: Target| layout.bounds(target).map_or(0.0, |bounds| bounds.centre().1);
    let twin = (0..).zip(&info.targets).find(|(other, twin)| *other != target && *twin == name);
    match twin {
        Some((twin, _)) if height(twin) > height(target) => ", upper row",
        Some(_) => ", lower row",
        None => "",
    }
}

/// Describes the tokens in a place. A place for one piece has no count: `White piece`.
pub(crate) fn contents(info: &GameInfo, held: &[Token], several: bool) -> String {
    let is_of = |side: Side, token: &Token| matches!(token, Token::Piece(piece) if piece.side == side);
    let pieces = |side: Side| held.iter().filter(|&token| is_of(side, token)).count();
    let counted: u32 =
        held.iter().map(|t| if let Token::Count(count) = t { u32::from(*count) } else { 0 }).sum();
    let mut words = Vec::new();
    if counted > 0 {
        words.push(counted.to_string());
    }
    for side in Side::BOTH {
        let seat = info.seats[side.index()];
        match pieces(side) {
            0 => {}
            1 if several => words.push(format!("1 {seat} piece")),
            1 => words.push(format!("{seat} piece")),
            count => words.push(format!("{count} {seat} pieces")),
        }
    }
    if held.contains(&Token::Blocked) {
        words.push("blocked".to_string());
    }
    if words.is_empty() { "empty".to_string() } else { words.join(", ") }
}
