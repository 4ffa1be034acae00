//! The mistakes of a game: the moves with the largest losses, each with the better move.

use super::values::chip;
use crate::{
    analysis::{AnalysisLine, PlayedMove, PlyReport},
    wire::SideWord,
};
use maud::{Markup, html};
use parlor_core::{Margin, Side, capitalised, counted};
use std::cmp::Reverse;

/// Mistakes listed per side.
const SHOWN: usize = 4;

/// The list of mistakes found so far.
pub fn list(line: &AnalysisLine, points: &[PlyReport], all: bool) -> Markup {
    let names = line.names();
    if points.len() <= line.len() && !all {
        return html! { p.muted { "Mistakes appear when the analysis is finished." } };
    }
    html! {
        div.both {
            @for side in Side::BOTH {
                div {
                    h3 { (names[side.index()]) }
                    (of_side(line, points, side.into()))
                }
            }
        }
        @if !all { p.muted { "Checking these moves again…" } }
    }
}

fn of_side(line: &AnalysisLine, points: &[PlyReport], side: SideWord) -> Markup {
    let mut worst: Vec<(usize, &PlayedMove)> = points
        .iter()
        .filter_map(|point| point.made.as_ref().map(|made| (point.ply, made)))
        .filter(|(_, made)| made.side == side && made.is_mistake())
        .collect();
    worst.sort_by_key(|(ply, made)| (Reverse(made.severity()), *ply));
    worst.truncate(SHOWN);
    worst.sort_by_key(|(ply, _)| *ply);
    if worst.is_empty() {
        return html! { p.muted { "No mistakes found." } };
    }
    html! {
        ul.mistakes {
            @for (ply, made) in worst {
                li.blunder {
                    a href={ "/analysis?" (line.query(ply)) } { "Move " (ply + 1) ": " strong { (made.mv) } }
                    " " (chip(Margin(made.value), made.chance, made.exact))
                    " " span.better { "better " strong { (made.best) } " " (chip(Margin(made.best_value), made.best_chance, made.best_exact)) }
                    p.muted { (description(line, made)) }
                }
            }
        }
    }
}

/// Describes the loss of a move in a sentence.
fn description(line: &AnalysisLine, made: &PlayedMove) -> String {
    let result = |value: i16| match value.signum() {
        1 => "a win",
        0 => "a draw",
        _ => "a loss",
    };
    if made.turned {
        return format!("Turned {} into {}.", result(made.best_value), result(made.value));
    }
    match (made.chance.or(made.best_chance), made.is_proven()) {
        (Some(_), sure) => {
            let about = if sure { "" } else { "about " };
            let points = counted((made.gave * 50.0).round() as u64, "percentage point");
            format!("Reduced the win probability by {about}{points}.")
        }
        (None, true) => format!(
            "{} instead of {}.",
            capitalised(&line.host.describe(Margin(made.value))),
            line.host.describe(Margin(made.best_value))
        ),
        (None, false) => format!("Cost about {}.", amount(line, made.gave)),
    }
}

/// A loss with the unit of the game, such as `5 beans`.
fn amount(line: &AnalysisLine, gave: f32) -> String {
    let described = line.host.describe(Margin(gave.round() as i16));
    let points = || counted(gave.round() as u64, "point");
    described.strip_suffix(" ahead").map_or_else(points, String::from)
}
