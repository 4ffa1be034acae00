//! The cross table of a tournament, and the scores by game and side.

use super::short;
use maud::{Markup, html};
use parlor_league::{Snapshot, plain, points};
use parlor_tournament::Tally;

/// Most players in the cross table; more columns do not fit on a screen.
const MOST_ACROSS: usize = 30;

fn halves(tally: &Tally) -> u64 {
    2 * tally.wins + tally.draws
}

fn part(tally: &Tally) -> String {
    format!("{}/{}", points(halves(tally)), tally.games())
}

/// The CSS class for a share of the points, in five steps.
fn shade(tally: &Tally) -> &'static str {
    match tally.games() {
        0 => "",
        // Rounded to the nearest quarter of the points.
        games => ["s0", "s1", "s2", "s3", "s4"][((4 * halves(tally) + games) / (2 * games)).min(4) as usize],
    }
}

/// The cross table: the points of each player against each other one, in the order of the standings.
pub fn cross(shown: &Snapshot) -> Markup {
    let order: Vec<usize> = shown.table.lines.iter().map(|line| line.player).collect();
    if order.len() > MOST_ACROSS {
        return html! { p.muted { "The cross table is shown for up to " (MOST_ACROSS) " players." } };
    }
    html! {
        div.scroll tabindex="0" role="group" aria-label="Cross table" {
            table.data.cross {
                thead { tr {
                    th scope="col" { "Player" }
                    @for (place, &player) in (1..).zip(&order) {
                        th scope="col" { span aria-hidden="true" { (place) } span.hush { "against " (short(shown.name(player))) } }
                    }
                } }
                tbody {
                    @for (place, &own) in (1..).zip(&order) {
                        tr {
                            th scope="row" { span.muted { (place) " " } (short(shown.name(own))) }
                            @for &other in &order { (cell(&shown.table.cross[own][other], own == other)) }
                        }
                    }
                }
            }
        }
    }
}

fn cell(tally: &Tally, own: bool) -> Markup {
    if tally.games() == 0 {
        return html! { td.self[own] { span.muted { "–" } } };
    }
    html! { td class=(shade(tally)) { (part(tally)) } }
}

/// The table of points by game and side; its last row shows the advantage of the first side.
pub fn sides(shown: &Snapshot) -> Markup {
    let games = &shown.plan.games;
    html! {
        div.scroll tabindex="0" role="group" aria-label="By game and side" {
            table.data.cross {
                thead {
                    tr {
                        th scope="col" rowspan="2" { "Player" }
                        @for game in games { th scope="colgroup" colspan="2" { (plain(game, 40)) } }
                    }
                    tr { @for _ in games { th scope="col" { "first" } th scope="col" { "second" } } }
                }
                tbody {
                    @for line in &shown.table.lines {
                        tr {
                            th scope="row" { (short(shown.name(line.player))) }
                            @for side in shown.table.by_game[line.player].iter().flatten() { (cell(side, false)) }
                        }
                    }
                    tr.all {
                        th scope="row" { "All" }
                        @for first in &shown.table.by_side { (cell(first, false)) (cell(&turned(first), false)) }
                    }
                }
            }
        }
    }
}

/// The same results from the opponent's point of view.
fn turned(tally: &Tally) -> Tally {
    Tally::of_games(tally.losses, tally.draws, tally.wins)
}
