//! The values of the moves, as badges on the board and as a table: proven values are square with a tick, estimates round with a `~`.

use crate::analysis::{AnalysisLine, PositionReport, proof_text, value_class, value_text, value_words};
use maud::{Markup, html};
use parlor_catalog::MoveAnalysis;
use parlor_core::{Margin, Target, capitalised, counted};
use parlor_render::Badge;
use std::collections::HashMap;

/// Moves listed in the table: the best ones.
const SHOWN: usize = 40;
const AHEAD: usize = 10;

/// The value of each target: the best one of all moves that begin with it.
pub fn badges(line: &AnalysisLine, judged: &[MoveAnalysis]) -> Vec<Badge> {
    let begins: HashMap<String, Target> = line
        .board
        .moves()
        .into_iter()
        .zip(line.board.paths())
        .filter_map(|(mv, path)| path.first().map(|&target| (mv, target)))
        .collect();
    let mut badges: Vec<Badge> = Vec::new();
    // The moves are sorted, so the first move of each target is its best.
    for judgement in judged {
        let Some(&target) = begins.get(&judgement.mv) else { continue };
        if badges.iter().any(|badge| badge.target == target) {
            continue;
        }
        let proven = judgement.proved.are_exact();
        let class = value_class(judgement.value, judgement.chance, proven);
        badges.push(Badge { target, text: value_text(judgement.value, judgement.chance), proven, class });
    }
    badges
}

/// A value, marked as proven or estimated.
pub fn chip(value: Margin, chance: Option<f32>, exact: bool) -> Markup {
    let kind = if exact { "proven" } else { "guess" };
    html! {
        span class={ "chip " (kind) " " (value_class(value, chance, exact)) } {
            span aria-hidden="true" { @if exact { "✓ " } @else { "~ " } }
            span.hush { @if exact { "proven " } @else { "estimated " } }
            (value_text(value, chance))
        }
    }
}

/// The best line, and below it the table of moves.
pub fn table(line: &AnalysisLine, report: Option<&PositionReport>) -> Markup {
    if line.board.ending().is_some() {
        return html! { p.muted { "The game is over. Step back to see the analysis." } };
    }
    let Some(report) = report else {
        return html! { p.muted { "Analysing…" } };
    };
    let more = report.judged.len().saturating_sub(SHOWN);
    // Of equal estimates only the first one is marked as the best.
    let best = report.judged.first().map(|best| best.value);
    let is_best = |(i, judgement): (usize, &MoveAnalysis)| {
        i == 0 || (judgement.proved.are_exact() && Some(judgement.value) == best)
    };
    html! {
        (best_line(line, report))
        div.scroll.worths tabindex="0" role="group" aria-label="Values of the moves" {
            table.values {
                thead { tr { th scope="col" { "Move" } th scope="col" { "Value" } th scope="col" { "Meaning" } } }
                tbody {
                    @for (i, judgement) in report.judged.iter().enumerate().take(SHOWN) {
                        tr.best[is_best((i, judgement))] { (row(line, judgement)) }
                    }
                }
            }
        }
        @if more > 0 { p.muted { "and " (counted(more as u64, "more move")) ", none better" } }
        p.muted.how { (progress_text(report)) }
    }
}

fn row(line: &AnalysisLine, judgement: &MoveAnalysis) -> Markup {
    html! {
        th scope="row" { a href={ "/analysis?" (line.query_with_move(&judgement.mv)) } { (judgement.mv) } }
        td { (chip(judgement.value, judgement.chance, judgement.proved.are_exact())) }
        td {
            (meaning(line, judgement))
        }
    }
}

/// The value in words, such as `Loses (score -1, proven)`.
fn meaning(line: &AnalysisLine, judgement: &MoveAnalysis) -> String {
    let words = capitalised(&value_words(line.host.as_ref(), judgement));
    match (words.strip_suffix(')'), proof_text(judgement)) {
        (_, "") => words,
        (Some(open), note) => format!("{open}, {note})"),
        (None, note) => format!("{words} ({note})"),
    }
}

/// The principal variation; each move links to its position.
fn best_line(line: &AnalysisLine, report: &PositionReport) -> Markup {
    let Some(best) = report.judged.first() else { return html! {} };
    let moves = &best.line[..best.line.len().min(AHEAD)];
    html! {
        p.bestline {
            strong { "Best line " }
            @for i in 0..moves.len() {
                a href={ "/analysis?" (line.query_with_moves(&moves[..=i])) } { (moves[i]) } " "
            }
            @if best.line.len() > AHEAD { "…" }
        }
    }
}

fn progress_text(report: &PositionReport) -> String {
    let all = report.judged.len();
    let proven = report.judged.iter().filter(|judgement| judgement.proved.are_exact()).count();
    let more = if report.done { "" } else { " Still analysing…" };
    match proven {
        _ if proven == all => "All values are proven.".to_string(),
        0 => format!("All values are estimates.{more}"),
        _ => format!("{proven} of {all} values are proven, the others are estimates.{more}"),
    }
}
