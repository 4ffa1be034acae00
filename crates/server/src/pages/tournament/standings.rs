//! The table of a tournament: who stands where, and how sure that is.

use super::{games, place, short};
use crate::tournament::{Shown, Wish, called, plain, points, seconds, unsigned};
use maud::{Markup, html};
use parlor_arena::{Elo, Line, Tally};

/// The width of the picture of a rating, and how far its dot may be from the middle.
const WIDTH: f64 = 100.0;
const REACH: f64 = 46.0;
/// The least that the picture spans: small differences are not to look large.
const SPAN: f64 = 100.0;

/// The standings.
pub fn table(shown: &Shown) -> Markup {
    let span = shown.table.lines.iter().filter(|line| line.tally.games() > 0);
    let span = span.map(|line| line.rating.difference.abs() + line.rating.error).fold(SPAN, f64::max);
    html! {
        div.scroll tabindex="0" role="group" aria-label="Standings" {
            table.data.standings {
                thead { tr {
                    th.num scope="col" { span.hush { "Place" } }
                    th scope="col" { "Player" } th.num scope="col" { "Points" } th.num scope="col" { "Games" }
                    th.num scope="col" { "Won" } th.num scope="col" { "Drawn" } th.num scope="col" { "Lost" }
                    th.num scope="col" title="The strength that fits all results best, with the 95% interval; the mean of all is 0" { "Elo" }
                    th scope="col" { span.hush { "Elo as a picture" } }
                    th.num scope="col" title="The likelihood that it is better than those it met" { "LOS" }
                    th scope="col" title="How many pairs of games brought 0, ½, 1, 1½ and 2 points" { "Pairs 0 ½ 1 1½ 2" }
                    th.num scope="col" { "Time" } th scope="col" { "Failures" }
                } }
                tbody { @for (place, line) in (1..).zip(&shown.table.lines) { (row(shown, place, line, span)) } }
            }
        }
    }
}

fn row(shown: &Shown, place: usize, line: &Line, span: f64) -> Markup {
    let Tally { wins, draws, losses, pairs } = line.tally;
    let player = &shown.plan.players[line.player];
    let met = line.tally.games() > 0;
    html! {
        tr {
            td.num { (place) }
            th scope="row" {
                a href=(games_of(shown, &player.name, false)) { (short(&player.name)) }
                @if called(&player.spec) != player.name && !player.spec.is_empty() {
                    " " span.muted.spec { (plain(called(&player.spec), 40)) }
                }
            }
            td.num { strong { (points(line.halves)) } }
            td.num { (line.tally.games()) }
            td.num { (wins) } td.num { (draws) } td.num { (losses) }
            @if met {
                td.num { (format!("{:+.0}", unsigned(line.rating.difference))) span.muted { " ±" (format!("{:.0}", line.rating.error)) } }
                td { (picture(line.rating, span)) }
                td.num { (format!("{:.1}%", 100.0 * line.tally.superiority())) }
            } @else { td.num { "–" } td {} td.num { "–" } }
            td.pairs { (pairs.map(|count| count.to_string()).join(" ")) }
            td.num { (seconds(line.thought)) }
            td { (notes(shown, line)) }
        }
    }
}

fn notes(shown: &Shown, line: &Line) -> Markup {
    let fouls: Vec<String> = line.fouls.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    html! {
        @if !fouls.is_empty() {
            a.failure href=(games_of(shown, shown.name(line.player), true)) { (fouls.join(", ")) }
        }
        @if line.byes > 0 { " " (line.byes) @if line.byes == 1 { " bye" } @else { " byes" } }
    }
}

/// The list of a player's games.
pub fn games_of(shown: &Shown, player: &str, failed: bool) -> String {
    let wish = Wish { player: Some(player.to_string()), failed: failed.then(|| "1".to_string()), page: None };
    format!("{}?{}#games", place(&shown.plan.name), games::query(&wish, None))
}

/// A rating between those of all others, with its interval.
fn picture(rating: Elo, span: f64) -> Markup {
    let x = |elo: f64| WIDTH / 2.0 + REACH * (elo / span).clamp(-1.0, 1.0);
    let figure = |x: f64| format!("{x:.1}");
    let (from, to) = (x(rating.difference - rating.error), x(rating.difference + rating.error));
    html! {
        svg.elo viewBox="0 0 100 14" aria-hidden="true" {
            line.zero x1="50" y1="0" x2="50" y2="14" {}
            line.reach x1=(figure(from)) y1="7" x2=(figure(to)) y2="7" {}
            circle cx=(figure(x(rating.difference))) cy="7" r="3.6" {}
        }
    }
}
