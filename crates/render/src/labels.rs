//! Boards in words: what each target is called and what stands there, for those who hear a board instead of seeing it.

use crate::{Scene, plan::Plan};
use parlor_core::{Cell, GameInfo, Shape, Side, Target, Token};

/// What each target is called and what stands there, in the order of the targets: `a1: White piece`, `pit 3, lower row: 4`.
pub fn labels(scene: &Scene<'_>) -> Vec<String> {
    let plan = Plan::of(scene);
    (0..scene.info.targets.len()).map(|target| label(scene, &plan, target as Target)).collect()
}

fn label(scene: &Scene<'_>, plan: &Plan<'_>, target: Target) -> String {
    let held: Vec<Token> = (0..)
        .zip(&scene.info.cells)
        .filter(|(_, cell)| cell.target == Some(target))
        .filter_map(|(id, _)| scene.marks.iter().find(|mark| mark.cell == id))
        .map(|mark| mark.token)
        .collect();
    let several = plan.cells_of(target).count() > 1;
    let name = called(scene.info, plan, target) + row(scene.info, plan, target);
    format!("{name}: {}", holding(scene.info, &held, several))
}

/// The name: of a single cell its own, of several what their names begin with (`column 3` of `column 3, level 1`).
fn called(info: &GameInfo, plan: &Plan<'_>, target: Target) -> String {
    let own = info.targets[usize::from(target)].clone();
    let cells: Vec<&Cell> = plan.cells_of(target).collect();
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
fn row(info: &GameInfo, plan: &Plan<'_>, target: Target) -> &'static str {
    let name = &info.targets[usize::from(target)];
    let height = |target: Target| plan.extent(target).map_or(0.0, |extent| extent.centre().1);
    let twin = (0..).zip(&info.targets).find(|(other, twin)| *other != target && *twin == name);
    match twin {
        Some((twin, _)) if height(twin) > height(target) => ", upper row",
        Some(_) => ", lower row",
        None => "",
    }
}

/// What stands there. Where there is room for one piece only, one is not counted.
fn holding(info: &GameInfo, held: &[Token], several: bool) -> String {
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
