//! The failures of a tournament by player: kind, reason, thinking time, and the end of the program's standard
//! error. Reasons and standard error are untrusted text.

use super::{place, short, standings::games_of};
use maud::{Markup, html};
use parlor_core::{counted, harmless, shortened};
use parlor_league::Snapshot;
use parlor_session::Violation;
use parlor_tournament::LedgerEntry;
use std::time::Duration;

/// Failures shown per player; the list of games shows all.
const SHOWN: usize = 5;
/// Most lines of standard error to show, and most characters of a line.
const LINES: usize = 40;
const LETTERS: usize = 400;
/// Standard error of at most this many lines is not collapsed.
const FEW: usize = 4;

/// All players with failures, each with its latest ones.
pub fn all(shown: &Snapshot) -> Markup {
    let failing = shown.table.lines.iter().filter(|line| !line.violations.is_empty());
    let failing: Vec<(usize, u64)> =
        failing.map(|line| (line.player, line.violations.values().sum())).collect();
    html! {
        @if failing.is_empty() { p.muted { "No failures: every game was decided on the board." } }
        @for (player, count) in failing {
            article.panel.failing {
                h3 { (short(shown.name(player))) " " span.muted { (counted(count, "failure")) } }
                @for (entry, violation) in latest(shown, player) { (failure_details(shown, entry, violation)) }
                @if count > SHOWN as u64 { p { a href=(games_of(shown, shown.name(player), true)) { "Show all " (counted(count, "failure")) } } }
            }
        }
    }
}

fn latest(shown: &Snapshot, player: usize) -> impl Iterator<Item = (&LedgerEntry, &Violation)> {
    let failed =
        shown.state.entries.values().rev().filter_map(|entry| Some((entry, entry.violation.as_ref()?)));
    failed.filter(move |(entry, violation)| entry.slot.seats[violation.side.index()] == player).take(SHOWN)
}

fn failure_details(shown: &Snapshot, entry: &LedgerEntry, violation: &Violation) -> Markup {
    let number = entry.slot.number + 1;
    let other = entry.slot.seats[violation.side.other().index()];
    html! {
        div.foul {
            p {
                span.failure { (violation.kind) } " "
                a href={ (place(&shown.plan.name)) "/games/" (number) } { "Game " (number) } ": " (sentence(shown, entry, violation))
                " " span.muted {
                    (entry.record.game) ", against " (short(shown.name(other))) ", after " (counted(entry.record.moves.len() as u64, "move")) ", time used "
                    (time_text(entry.thought[violation.side.index()]))
                }
            }
            (stderr_tail(&entry.asides[violation.side.index()], &format!("tail-{number}")))
        }
    }
}

/// A sentence that names the player and its failure.
pub fn sentence(shown: &Snapshot, entry: &LedgerEntry, violation: &Violation) -> String {
    let name = short(shown.name(entry.slot.seats[violation.side.index()]));
    format!("{name} {}", shortened(&harmless(&violation.reason, 2 * LETTERS), LETTERS))
}

/// A duration in milliseconds or seconds.
pub fn time_text(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 1.0 => format!("{:.0} ms", short * 1e3),
        long if long < 100.0 => format!("{long:.2} s"),
        long => format!("{long:.0} s"),
    }
}

/// The last lines that a program wrote to standard error; empty if it wrote nothing.
pub fn stderr_tail(aside: &str, id: &str) -> Markup {
    let lines: Vec<String> = aside.lines().map(|line| harmless(line, LETTERS)).collect();
    let lines = &lines[lines.len().saturating_sub(LINES)..];
    if lines.iter().all(|line| line.trim().is_empty()) {
        return html! {};
    }
    let text = html! {
        pre.tail tabindex="0" role="group" aria-label="Last lines of standard error" { (lines.join("\n")) }
    };
    if lines.len() <= FEW {
        return text;
    }
    html! { details id=(id) { summary { "Last " (lines.len()) " lines of standard error" } (text) } }
}
