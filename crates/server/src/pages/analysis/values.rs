//! What each move is worth, on the board and as a table: proven values square with a tick, estimates round with a `~`.

use crate::analysis::{Line, Verdict, class_of, sort_of, text_of, words_of};
use maud::{Markup, html};
use parlor_catalog::Judgement;
use parlor_core::{Margin, Target, capitalised, counted};
use parlor_render::Badge;
use std::collections::HashMap;

/// Of very many moves a person wants the best.
const SHOWN: usize = 40;
const AHEAD: usize = 10;

/// The worth of each target: of all moves that begin with it the best one's.
pub fn badges(line: &Line, judged: &[Judgement]) -> Vec<Badge> {
    let begins: HashMap<String, Target> = line
        .board
        .moves()
        .into_iter()
        .zip(line.board.paths())
        .filter_map(|(mv, path)| path.first().map(|&target| (mv, target)))
        .collect();
    let mut badges: Vec<Badge> = Vec::new();
    // The best come first, so the first of each target is its best.
    for judgement in judged {
        let Some(&target) = begins.get(&judgement.mv) else { continue };
        if badges.iter().any(|badge| badge.target == target) {
            continue;
        }
        let proven = judgement.proved.are_exact();
        let class = class_of(judgement.value, judgement.chance, proven);
        badges.push(Badge { target, text: text_of(judgement.value, judgement.chance), proven, class });
    }
    badges
}

/// A value with its sign of how sure it is.
pub fn chip(value: Margin, chance: Option<f32>, exact: bool) -> Markup {
    let kind = if exact { "proven" } else { "guess" };
    html! {
        span class={ "chip " (kind) " " (class_of(value, chance, exact)) } {
            span aria-hidden="true" { @if exact { "✓ " } @else { "~ " } }
            span.hush { @if exact { "proven " } @else { "estimated " } }
            (text_of(value, chance))
        }
    }
}

/// The best line, and below it the table of moves.
pub fn table(line: &Line, verdict: Option<&Verdict>) -> Markup {
    if line.board.ending().is_some() {
        return html! { p.muted { "The game is over. Step back to see the analysis." } };
    }
    let Some(verdict) = verdict else {
        return html! { p.muted { "Analysing…" } };
    };
    let more = verdict.judged.len().saturating_sub(SHOWN);
    // Among estimates, that two are the same says little.
    let best = verdict.judged.first().map(|best| best.value);
    let is_best = |(i, judgement): (usize, &Judgement)| {
        i == 0 || (judgement.proved.are_exact() && Some(judgement.value) == best)
    };
    html! {
        (best_line(line, verdict))
        div.scroll.worths tabindex="0" role="group" aria-label="Values of the moves" {
            table.values {
                thead { tr { th scope="col" { "Move" } th scope="col" { "Value" } th scope="col" { "Meaning" } } }
                tbody {
                    @for (i, judgement) in verdict.judged.iter().enumerate().take(SHOWN) {
                        tr.best[is_best((i, judgement))] { (row(line, judgement)) }
                    }
                }
            }
        }
        @if more > 0 { p.muted { "and " (counted(more as u64, "more move")) ", none better" } }
        p.muted.how { (how_far(verdict)) }
    }
}

fn row(line: &Line, judgement: &Judgement) -> Markup {
    html! {
        th scope="row" { a href={ "/analysis?" (line.with(&judgement.mv)) } { (judgement.mv) } }
        td { (chip(judgement.value, judgement.chance, judgement.proved.are_exact())) }
        td {
            (meaning(line, judgement))
        }
    }
}

/// The value in words, such as `Loses (score -1, proven)`.
fn meaning(line: &Line, judgement: &Judgement) -> String {
    let words = capitalised(&words_of(line.host.as_ref(), judgement));
    match (words.strip_suffix(')'), sort_of(judgement)) {
        (_, "") => words,
        (Some(open), note) => format!("{open}, {note})"),
        (None, note) => format!("{words} ({note})"),
    }
}

/// What is expected to follow; each move leads to where it leads.
fn best_line(line: &Line, verdict: &Verdict) -> Markup {
    let Some(best) = verdict.judged.first() else { return html! {} };
    let moves = &best.line[..best.line.len().min(AHEAD)];
    html! {
        p.bestline {
            strong { "Best line " }
            @for i in 0..moves.len() {
                a href={ "/analysis?" (line.along(&moves[..=i])) } { (moves[i]) } " "
            }
            @if best.line.len() > AHEAD { "…" }
        }
    }
}

fn how_far(verdict: &Verdict) -> String {
    let all = verdict.judged.len();
    let proven = verdict.judged.iter().filter(|judgement| judgement.proved.are_exact()).count();
    let more = if verdict.done { "" } else { " Still analysing…" };
    match proven {
        _ if proven == all => "All values are proven.".to_string(),
        0 => format!("All values are estimates.{more}"),
        _ => format!("{proven} of {all} values are proven, the others are estimates.{more}"),
    }
}
