//! The paged list of a tournament's games, of all players or of one.

use super::{failures::time_text, place, short};
use crate::pages::encoded;
use maud::{Markup, html};
use parlor_core::Side;
use parlor_league::{GameFilter, Snapshot};
use parlor_tournament::LedgerEntry;

/// The query string for a filter and a page.
pub fn query(wish: &GameFilter, page: Option<usize>) -> String {
    let player = wish.player.as_ref().filter(|name| !name.is_empty());
    let parts = [
        player.map(|name| format!("player={}", encoded(name))),
        wish.failed.as_ref().map(|_| "failed=1".to_string()),
        page.filter(|&page| page > 1).map(|page| format!("page={page}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("&")
}

/// The form that selects whose games to list.
pub fn filter(shown: &Snapshot, wish: &GameFilter) -> Markup {
    let chosen = wish.player.as_deref().unwrap_or_default();
    html! {
        form.row.filter action={ (place(&shown.plan.name)) "#games" } method="get" {
            label for="player" { "Player" }
            select #player name="player" {
                option value="" { "all" }
                @for player in &shown.plan.players {
                    option value=(player.name) selected[player.name == chosen] { (short(&player.name)) }
                }
            }
            label.check { input type="checkbox" name="failed" value="1" checked[wish.failed.is_some()]; " Only failures" }
            button.plain type="submit" { "Show" }
        }
    }
}

/// One page of the list of games.
pub fn table(shown: &Snapshot, wish: &GameFilter) -> Markup {
    let leaf = shown.games(wish);
    let to = |page| format!("{}?{}#games", place(&shown.plan.name), query(wish, Some(page)));
    html! {
        @if leaf.games.is_empty() { p.muted { "No games found." } }
        @else {
            div.scroll tabindex="0" role="group" aria-label="Games" {
                table.data {
                    thead { tr {
                        th.num scope="col" { "No." } th scope="col" { "Game" } th scope="col" { "First" } th scope="col" { "Second" }
                        th scope="col" { "Result" } th.num scope="col" { "Moves" } th.num scope="col" { "Time used" } th scope="col" { "End" }
                    } }
                    tbody { @for entry in &leaf.games { (row(shown, entry)) } }
                }
            }
            (pager(leaf.page, leaf.pages, to))
        }
    }
}

fn row(shown: &Snapshot, entry: &LedgerEntry) -> Markup {
    let number = entry.slot.number + 1;
    let [first, second] = Side::BOTH.map(|side| player(shown, entry, side));
    let [one, other] = entry.thought.map(time_text);
    html! {
        tr {
            td.num { a href={ (place(&shown.plan.name)) "/games/" (number) } { (number) } }
            td { (entry.record.game) }
            td { (first) } td { (second) }
            td { (score(entry)) }
            td.num { (entry.record.moves.len()) }
            td.num { (one) " – " (other) }
            td { (end(entry)) }
        }
    }
}

fn player(shown: &Snapshot, entry: &LedgerEntry, side: Side) -> Markup {
    let won = entry.record.ending.and_then(|ending| ending.outcome?.winner) == Some(side);
    let name = short(shown.name(entry.slot.seats[side.index()]));
    html! { @if won { strong { (name) } } @else { (name) } }
}

/// The score, and the margin if there is one.
pub fn score(entry: &LedgerEntry) -> Markup {
    let outcome = entry.record.ending.and_then(|ending| ending.outcome);
    let points = ["0 – 1", "½ – ½", "1 – 0"];
    html! {
        (entry.halves().map_or("–", |halves| points[usize::from(halves.min(2))]))
        @if let Some(by) = outcome.and_then(|outcome| outcome.by) { " " span.muted { "by " (by) } }
    }
}

pub fn end(entry: &LedgerEntry) -> Markup {
    html! {
        @match (&entry.violation, entry.record.ending) {
            (Some(violation), _) => span.failure { (violation.kind) },
            (None, Some(ending)) => (ending.cause),
            (None, None) => "–",
        }
    }
}

/// Links to the other pages of a list; empty if there is only one page.
pub fn pager(page: usize, pages: usize, to: impl Fn(usize) -> String) -> Markup {
    html! {
        @if pages > 1 {
            nav.pager aria-label="Pages" {
                @if page > 1 { a.button.plain href=(to(page - 1)) rel="prev" { "Previous page" } }
                span { "Page " (page) " of " (pages) }
                @if page < pages { a.button.plain href=(to(page + 1)) rel="next" { "Next page" } }
            }
        }
    }
}
