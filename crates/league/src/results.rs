//! Writes the results of a tournament to files: standings and games as CSV, a report as JSON, and the
//! records of all games.

use crate::{
    LeagueError,
    scoreboard::{plain, points},
    tournament_report::TournamentReport,
};
use parlor_tournament::{LedgerEntry, Standings, TournamentPlan, TournamentState};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// Writes all files into a folder.
pub fn write(
    plan: &TournamentPlan,
    state: &TournamentState,
    table: &Standings,
    folder: &Path,
) -> Result<(), LeagueError> {
    let records: String = state.entries.values().map(|entry| format!("{}\n", entry.record)).collect();
    let whole = serde_json::to_string_pretty(&as_json(plan, state, table))
        .map_err(|error| LeagueError::Failed(format!("cannot write the results as JSON: {error}")))?;
    for (name, text) in [
        ("standings.csv", standings(plan, table)),
        ("games.csv", games(plan, state)),
        ("games.parlor", records),
        ("results.json", whole + "\n"),
        ("stderr.txt", asides(plan, state)),
    ] {
        write_atomically(&folder.join(name), &text)?;
    }
    Ok(())
}

fn write_atomically(file: &Path, text: &str) -> Result<(), LeagueError> {
    let draft = file.with_extension("draft");
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, file));
    written.map_err(|error| LeagueError::Failed(format!("cannot write {}: {error}", file.display())))
}

/// A line of CSV. Text that a spreadsheet would take for a formula gets an apostrophe in front.
fn csv(cells: &[String]) -> String {
    let cell = |text: &String| {
        let formula = text.starts_with(['=', '+', '-', '@', '\t']) && text.parse::<f64>().is_err();
        let text = format!("{}{text}", if formula { "'" } else { "" });
        match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text,
        }
    };
    cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\n"
}

fn standings(plan: &TournamentPlan, table: &Standings) -> String {
    let head = "place,player,spec,points,won,drawn,lost,elo,error,superiority,pairs0,pairs1,pairs2,pairs3,pairs4,seconds,failures,byes,cpu_seconds,time\n";
    let line = |(place, line): (usize, &parlor_tournament::StandingsRow)| {
        let (player, tally) = (&plan.players[line.player], line.tally);
        let mut cells = vec![
            place.to_string(),
            player.name.clone(),
            player.spec.clone(),
            points(line.halves),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
            format!("{:.1}", line.rating.difference),
            format!("{:.1}", line.rating.error),
            format!("{:.4}", tally.superiority()),
        ];
        cells.extend(tally.pairs.map(|count| count.to_string()));
        cells.push(format!("{:.3}", line.thought.as_secs_f64()));
        cells.push(
            line.violations.iter().map(|(kind, n)| format!("{kind}:{n}")).collect::<Vec<_>>().join(" "),
        );
        cells.push(line.byes.to_string());
        cells.push(line.cpu.map_or(String::new(), |time| format!("{:.3}", time.as_secs_f64())));
        cells.push(plan.time_of(line.player).to_string());
        csv(&cells)
    };
    head.to_string() + &(1..).zip(&table.lines).map(line).collect::<String>()
}

fn games(plan: &TournamentPlan, state: &TournamentState) -> String {
    let head = "number,game,round,first,second,result,termination,plies,first_seconds,second_seconds,failure,why,first_cpu_seconds,second_cpu_seconds\n";
    let line = |entry: &LedgerEntry| {
        let ending = entry.record.ending;
        let [first, second] = entry.slot.seats.map(|seat| plan.players[seat].name.clone());
        let [one, other] = entry.thought.map(|time| format!("{:.6}", time.as_secs_f64()));
        let [one_cpu, other_cpu] =
            entry.cpu.map(|time| time.map_or(String::new(), |time| format!("{:.6}", time.as_secs_f64())));
        let violation = entry.violation.as_ref();
        csv(&[
            (entry.slot.number + 1).to_string(),
            plan.games[entry.slot.game].clone(),
            (entry.slot.round + 1).to_string(),
            first,
            second,
            ending.and_then(|ending| ending.outcome).map_or(String::new(), |outcome| outcome.to_string()),
            ending.map_or(String::new(), |ending| ending.cause.to_string()),
            entry.record.moves.len().to_string(),
            one,
            other,
            violation.map_or(String::new(), |violation| format!("{} {}", violation.side, violation.kind)),
            violation.map_or(String::new(), |violation| violation.reason.clone()),
            one_cpu,
            other_cpu,
        ])
    };
    head.to_string() + &state.entries.values().map(line).collect::<String>()
}

/// The standard error of programs in games that one of them lost by a failure.
fn asides(plan: &TournamentPlan, state: &TournamentState) -> String {
    let mut text = String::new();
    for entry in state.entries.values() {
        for (seat, aside) in entry.slot.seats.into_iter().zip(&entry.asides) {
            if !aside.trim().is_empty() {
                let number = entry.slot.number + 1;
                text += &format!("== game {number}, {}\n", plain(&plan.players[seat].name, 60));
                text.extend(aside.lines().map(|line| plain(line, 500) + "\n"));
            }
        }
    }
    text
}

/// The report of a tournament as JSON.
pub fn as_json(plan: &TournamentPlan, state: &TournamentState, table: &Standings) -> Value {
    let mut whole = json!(TournamentReport::of(plan, state, table));
    // The referee's overhead per move in seconds, measured in this run only.
    let seconds = |part: f64| table.delays.below(part).as_secs_f64();
    whole["referee"] = json!({"moves": table.delays.count(), "median": seconds(0.5), "p99": seconds(0.99)});
    whole
}

#[cfg(test)]
mod tests {
    use super::csv;

    #[test]
    fn cells_with_formulas_or_separators_are_escaped() {
        let cells = ["a,b", "say \"no\"", "=1+1", "-12.5", "+x", "two\nlines"].map(String::from);
        assert_eq!(csv(&cells), "\"a,b\",\"say \"\"no\"\"\",'=1+1,-12.5,'+x,\"two\nlines\"\n");
    }
}
