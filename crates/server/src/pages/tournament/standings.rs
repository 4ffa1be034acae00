//! The standings of a tournament: ranks, scores and ratings with their errors.

use super::{games, place, short};
use maud::{Markup, html};
use parlor_core::counted;
use parlor_league::{GameFilter, Snapshot, plain, points, public_spec, seconds, unsigned};
use parlor_tournament::{Elo, StandingsRow, Tally};

/// Left edge and width of the rating chart.
const LEFT: f64 = 4.0;
const WIDTH: f64 = 92.0;
/// Least range of the rating chart on both sides of the mean, so that small differences look small.
const SPAN: f64 = 100.0;

pub fn table(shown: &Snapshot) -> Markup {
    let met = shown.table.lines.iter().filter(|line| line.tally.games() > 0).map(|line| line.rating);
    let span = met.fold([-SPAN, SPAN], |[low, high], Elo { difference, error }| {
        [low.min(difference - error), high.max(difference + error)]
    });
    html! {
        div.scroll tabindex="0" role="group" aria-label="Standings" {
            table.data.standings {
                thead { tr {
                    th.num scope="col" { span.hush { "Rank" } }
                    th scope="col" { "Player" } th.num scope="col" { "Points" } th.num scope="col" { "Games" }
                    th.num scope="col" { "Won" } th.num scope="col" { "Drawn" } th.num scope="col" { "Lost" }
                    th.num scope="col" title="Elo rating with its 95% confidence interval; the mean of all players is 0" { "Elo" }
                    th scope="col" { span.hush { "Elo chart" } }
                    th.num scope="col" title="Likelihood of superiority over its opponents" { "LOS" }
                    th scope="col" title="Number of game pairs that scored 0, ½, 1, 1½ and 2 points" { "Pairs 0 ½ 1 1½ 2" }
                    th.num scope="col" { "Time" } th scope="col" { "Failures" }
                } }
                tbody { @for (place, line) in (1..).zip(&shown.table.lines) { (row(shown, place, line, span)) } }
            }
        }
    }
}

fn row(shown: &Snapshot, place: usize, line: &StandingsRow, span: [f64; 2]) -> Markup {
    let Tally { wins, draws, losses, pairs } = line.tally;
    let player = &shown.plan.players[line.player];
    let met = line.tally.games() > 0;
    html! {
        tr {
            td.num { (place) }
            th scope="row" {
                a href=(games_of(shown, &player.name, false)) { (short(&player.name)) }
                @if public_spec(&player.spec) != player.name && !player.spec.is_empty() {
                    " " span.muted.spec { (plain(public_spec(&player.spec), 40)) }
                }
                @if let Some(time) = player.time { " " span.muted.spec title="Time control of this player" { (time) } }
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

fn notes(shown: &Snapshot, line: &StandingsRow) -> Markup {
    let violations: Vec<String> =
        line.violations.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    html! {
        @if !violations.is_empty() {
            a.failure href=(games_of(shown, shown.name(line.player), true)) { (violations.join(", ")) }
        }
        @if line.byes > 0 { " " (counted(line.byes, "bye")) }
    }
}

/// URL of the list of a player's games.
pub fn games_of(shown: &Snapshot, player: &str, failed: bool) -> String {
    let wish =
        GameFilter { player: Some(player.to_string()), failed: failed.then(|| "1".to_string()), page: None };
    format!("{}?{}#games", place(&shown.plan.name), games::query(&wish, None))
}

/// Draws a rating with its confidence interval, on the same scale for all players.
fn picture(rating: Elo, [low, high]: [f64; 2]) -> Markup {
    let x = |elo: f64| format!("{:.1}", LEFT + WIDTH * ((elo - low) / (high - low)).clamp(0.0, 1.0));
    let (from, to) = (x(rating.difference - rating.error), x(rating.difference + rating.error));
    html! {
        svg.elo viewBox="0 0 100 14" aria-hidden="true" {
            line.zero x1=(x(0.0)) y1="0" x2=(x(0.0)) y2="14" {}
            line.reach x1=(from) y1="7" x2=(to) y2="7" {}
            circle cx=(x(rating.difference)) cy="7" r="3.6" {}
        }
    }
}
