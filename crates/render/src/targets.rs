//! Targets: what people touch, and what each is called for those who hear a board instead of seeing it. A target is one
//! element above everything else, as large as its room, and invisible until the page says that it can be touched. The
//! badges of an analysis show the value of touching it.

use crate::{
    Scene,
    layout::{BoardLayout, Rect, short},
    marks::outline,
};
use maud::{Markup, html};
use parlor_core::{Cell, GameInfo, Shape, Side, Target, Token};

/// The value of touching a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    pub target: Target,
    /// The value as text for people.
    pub text: String,
    /// Whether it is proven; otherwise it is a guess.
    pub proven: bool,
    /// `win`, `loss`, `draw` or empty.
    pub class: &'static str,
}

/// The layer that reacts to clicks.
pub(crate) fn hits(scene: &Scene<'_>, layout: &BoardLayout<'_>) -> Markup {
    html! {
        g class="hits" {
            @for (target, label) in (0..).zip(labels(scene)) { (hit(layout, target, &label)) }
        }
    }
}

fn hit(layout: &BoardLayout<'_>, target: Target, label: &str) -> Markup {
    let Some(extent) = layout.extent(target) else { return Markup::default() };
    let shape = layout.cells_of(target).next().map_or(Shape::Square, |cell| cell.shape);
    let several = shape == Shape::Slot || layout.cells_of(target).count() > 1;
    let (x, y) = extent.centre();
    html! {
        g class="hit" role="button" tabindex="-1" data-target=(target) data-x=(short(x)) data-y=(short(y)) aria-label=(label) {
            @if several {
                @for body in areas(layout, target, extent) {
                    rect class="area" x=(short(body.x)) y=(short(body.y)) width=(short(body.w)) height=(short(body.h)) rx="24" {}
                }
                path class="dot" d="M-13 -7H13L0 9Z"
                    transform={ "translate(" (short(x)) " " (short(extent.y - 5.0 - layout.frame() / 2.0)) ")" } {}
            } @else {
                @for room in layout.cells_of(target).map(|cell| layout.room(cell)) {
                    rect class="reach" x=(short(room.x)) y=(short(room.y)) width=(short(room.w)) height=(short(room.h)) {}
                }
                (outline(shape, &extent, if shape == Shape::Pit { 6.0 } else { 0.0 }))
                @if matches!(shape, Shape::Square | Shape::DarkSquare) { circle class="dot" cx=(short(x)) cy=(short(y)) r="13" {} }
            }
        }
    }
}

/// One area where the cells of a target lie side by side without a gap, otherwise one each.
fn areas(layout: &BoardLayout<'_>, target: Target, extent: Rect) -> Vec<Rect> {
    let rooms: Vec<Rect> = layout.cells_of(target).map(|cell| layout.room(cell)).collect();
    let whole = extent.inset(-5.0);
    let filled: f64 = rooms.iter().map(|room| room.w * room.h).sum();
    if filled + 1.0 > whole.w * whole.h { vec![whole] } else { rooms }
}

/// The inner of the layer of badges: a value on each of these targets, proven ones square with a tick, guesses round with a `~`.
pub fn badges(scene: &Scene<'_>, badges: &[Badge]) -> Markup {
    let layout = BoardLayout::of(scene);
    html! { @for badge in badges { (one(&layout, badge)) } }
}

fn one(layout: &BoardLayout<'_>, badge: &Badge) -> Markup {
    let Some(extent) = layout.extent(badge.target) else { return Markup::default() };
    let several = layout.cells_of(badge.target).count() > 1;
    let (x, middle) = extent.centre();
    let y = if several { extent.y + 45.0 } else { middle };
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

/// What each target is called and what stands there, in the order of the targets: `a1: White piece`, `pit 3, lower row: 4`.
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
    let name = called(scene.info, layout, target) + row(scene.info, layout, target);
    format!("{name}: {}", holding(scene.info, &held, several))
}

/// The name of one cell. A pit is named as its target is, because two pits may share a name.
pub(crate) fn name_of_cell(info: &GameInfo, layout: &BoardLayout<'_>, cell: &Cell) -> String {
    match cell.target {
        Some(target) if cell.shape == Shape::Pit => called(info, layout, target) + row(info, layout, target),
        _ => cell.name.clone(),
    }
}

/// The name: of a single cell its own, of several what their names begin with (`column 3` of `column 3, level 1`).
fn called(info: &GameInfo, layout: &BoardLayout<'_>, target: Target) -> String {
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

/// Where two targets share a name, which of them it is.
fn row(info: &GameInfo, layout: &BoardLayout<'_>, target: Target) -> &'static str {
    let name = &info.targets[usize::from(target)];
    let height = |target: Target| layout.extent(target).map_or(0.0, |extent| extent.centre().1);
    let twin = (0..).zip(&info.targets).find(|(other, twin)| *other != target && *twin == name);
    match twin {
        Some((twin, _)) if height(twin) > height(target) => ", upper row",
        Some(_) => ", lower row",
        None => "",
    }
}

/// What stands there. Where there is room for one piece only, one is not counted.
pub(crate) fn holding(info: &GameInfo, held: &[Token], several: bool) -> String {
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
