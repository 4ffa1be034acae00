//! A tournament's tables for people: the standings, who beat whom, the same by game and by side; and the figures and names in them,
//! which a page writes in the same way.

use parlor_core::{counted, is_unseen, shortened};
use parlor_tournament::{Format, Line, Plan, Standings, State, Tally};
use std::{fmt::Write, time::Duration};

/// In characters; longer names are cut in tables.
const WIDEST_NAME: usize = 24;
/// More players than this do not fit side by side.
const MOST_ACROSS: usize = 12;

/// One line that describes the tournament.
pub fn title(plan: &Plan, state: &State) -> String {
    let (played, known) = (state.entries.len(), state.schedule.games());
    let games = if state.is_over() {
        counted(played as u64, "game")
    } else {
        format!("{played} of {}", counted(known, "game"))
    };
    format!(
        "{}: {}, {}, {} players, {games}, {}",
        plain(&plan.name, 60),
        plan.format,
        plan.games.join(" "),
        plan.players.len(),
        plan.time
    )
}

pub fn standings(plan: &Plan, table: &Standings) -> String {
    let name = |line: &Line| plain(&plan.players[line.player].name, WIDEST_NAME);
    let width = table.lines.iter().map(|line| name(line).chars().count()).max().unwrap_or(0).max(6);
    // Processor time is measured of programs only.
    let measured = table.lines.iter().any(|line| line.cpu.is_some());
    let cpu = if measured { 8 } else { 0 };
    let mut text = format!(
        "{:>3}  {:<width$} {:>7} {:>5} {:>5} {:>5}  {:>6} {:>5} {:>6}  {:<19} {:>7}{:>cpu$}  failures\n",
        "",
        "player",
        "points",
        "won",
        "drawn",
        "lost",
        "Elo",
        "+/-",
        "LOS",
        "pairs 0 ½ 1 1½ 2",
        "time",
        if measured { "cpu" } else { "" }
    );
    for (place, line) in (1..).zip(&table.lines) {
        let Tally { wins, draws, losses, pairs } = line.tally;
        let mut notes: Vec<String> =
            line.violations.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if line.byes > 0 {
            notes.push(format!("{} bye{}", line.byes, if line.byes == 1 { "" } else { "s" }));
        }
        if let Some(time) = plan.players[line.player].time {
            notes.push(format!("time {time}"));
        }
        let rating = match line.tally.games() {
            0 => format!("{:>6} {:>5} {:>6}", "-", "-", "-"),
            _ => format!(
                "{:>+6.0} {:>5.0} {:>5.1}%",
                unsigned(line.rating.difference),
                line.rating.error,
                100.0 * line.tally.superiority()
            ),
        };
        let _ = writeln!(
            text,
            "{place:>3}  {:<width$} {:>7} {wins:>5} {draws:>5} {losses:>5}  {rating}  {:<19} {:>7}{:>cpu$}  {}",
            name(line),
            points(line.halves),
            pairs.map(|count| count.to_string()).join(" "),
            seconds(line.thought),
            line.cpu.map_or(String::new(), seconds),
            notes.join(", ")
        );
    }
    text.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// The other tables and lines that are shown at the end.
pub fn details(plan: &Plan, state: &State, table: &Standings) -> String {
    let mut text = String::new();
    if plan.players.len() <= MOST_ACROSS && plan.players.len() > 2 {
        text += &cross(plan, table);
    }
    text += &by_game(plan, table);
    if let Some(sprt) = plan.sprt {
        let (tally, [lower, upper]) = (state.tally(), sprt.limits());
        let ratio = sprt.ratio(&tally);
        let _ = writeln!(
            text,
            "\nSPRT, elo0 = {}, elo1 = {}: {} (LLR {ratio:.2}, bounds {lower:.2} to {upper:.2})",
            sprt.elo0,
            sprt.elo1,
            sprt.conclusion(sprt.verdict(&tally))
        );
    }
    if plan.format == Format::Knockout && state.is_over() {
        let winner =
            table.lines.first().map_or(String::new(), |line| plain(&plan.players[line.player].name, 60));
        let _ = writeln!(text, "\nWinner: {winner}");
    }
    if table.delays.count() > 0 {
        let micros = |part| table.delays.below(part).as_secs_f64() * 1e6;
        let _ = writeln!(
            text,
            "\nReferee overhead per move: median {:.0} µs, p99 {:.0} µs",
            micros(0.5),
            micros(0.99)
        );
    }
    text
}

/// Who got how much against whom, in the order of the standings.
fn cross(plan: &Plan, table: &Standings) -> String {
    let order: Vec<usize> = table.lines.iter().map(|line| line.player).collect();
    let name = |player: usize| plain(&plan.players[player].name, WIDEST_NAME);
    let width = order.iter().map(|&player| name(player).chars().count()).max().unwrap_or(0).max(7);
    let mut text = format!("\n{:>3}  {:<width$}", "", "against");
    for place in 1..=order.len() {
        let _ = write!(text, " {place:>9}");
    }
    text.push('\n');
    for (place, &own) in (1..).zip(&order) {
        let _ = write!(text, "{place:>3}  {:<width$}", name(own));
        for &other in &order {
            let tally = table.cross[own][other];
            let cell = match tally.games() {
                0 => "-".to_string(),
                games => format!("{}/{games}", points(2 * tally.wins + tally.draws)),
            };
            let _ = write!(text, " {cell:>9}");
        }
        text.push('\n');
    }
    text
}

/// Points by game and side.
fn by_game(plan: &Plan, table: &Standings) -> String {
    let name = |line: &Line| plain(&plan.players[line.player].name, WIDEST_NAME);
    let width = table.lines.iter().map(|line| name(line).chars().count()).max().unwrap_or(0).max(12);
    let wide = plan.games.iter().map(|game| game.chars().count()).max().unwrap_or(0).max(15);
    let mut text = format!("\n     {:<width$}", "first/second");
    for game in &plan.games {
        let _ = write!(text, " {game:>wide$}");
    }
    text.push('\n');
    let part = |tally: &Tally| format!("{}/{}", points(2 * tally.wins + tally.draws), tally.games());
    for line in &table.lines {
        let _ = write!(text, "     {:<width$}", name(line));
        for [first, second] in &table.by_game[line.player] {
            let cell = format!("{} {}", part(first), part(second));
            let _ = write!(text, " {cell:>wide$}");
        }
        text.push('\n');
    }
    let _ = write!(text, "     {:<width$}", "first player");
    for side in &table.by_side {
        let _ = write!(text, " {:>wide$}", part(side));
    }
    text.push('\n');
    text
}

/// A name without invisible characters, of at most `most` characters.
pub fn plain(text: &str, most: usize) -> String {
    shortened(&text.replace(is_unseen, ""), most)
}

/// Half points as text, such as `3.5`.
pub fn points(halves: u64) -> String {
    format!("{}.{}", halves / 2, if halves.is_multiple_of(2) { 0 } else { 5 })
}

/// A figure that is shown as nothing has no sign.
pub fn unsigned(figure: f64) -> f64 {
    if figure.abs() < 0.05 { 0.0 } else { figure }
}

/// A duration in seconds, minutes or hours, short enough for a column.
pub fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 100.0 => format!("{short:.1}s"),
        long if long < 6000.0 => format!("{:.0}m", long / 60.0),
        long => format!("{:.1}h", long / 3600.0),
    }
}
