//! What an engine says of its thinking and of the position, as lines.

use super::{Choice, Range};
use parlor_core::{Board, Report, Side};
use std::time::Duration;

/// A report as an `info` line: proved margins as such, everything else in the searcher's own unit.
pub(super) fn info(report: &Report, time: Duration) -> String {
    let per_second = u128::from(report.nodes) * 1000 / time.as_millis().max(1);
    let mut line = format!(
        "info depth {} nodes {} nps {per_second} time {} score {}",
        report.depth,
        report.nodes,
        time.as_millis(),
        score(report)
    );
    if !report.line.is_empty() {
        line.push_str(" pv ");
        line.push_str(&report.line.join(" "));
    }
    line
}

/// A bound is told where it says who wins; most bounds only say what the rules allow.
fn score(report: &Report) -> String {
    match report.proved {
        Some(proved) if proved.are_exact() => format!("margin {} exact", proved.lo.0),
        Some(proved) if proved.lo.0 > 0 => format!("margin {} lowerbound", proved.lo.0),
        Some(proved) if proved.hi.0 < 0 => format!("margin {} upperbound", proved.hi.0),
        _ => format!("cp {}", report.value),
    }
}

/// The result as UGI writes it.
pub(super) fn result(board: &dyn Board) -> &'static str {
    match board.ending().and_then(|ending| ending.outcome).map(|outcome| outcome.winner) {
        Some(Some(Side::First)) => "p1win",
        Some(Some(Side::Second)) => "p2win",
        Some(None) => "draw",
        None => "none",
    }
}

/// The line that offers an option.
pub(super) fn option(choice: &Choice) -> String {
    match choice.range {
        Range::Number(usual, least, most) => {
            format!("option name {} type spin default {usual} min {least} max {most}", choice.name)
        }
        Range::Flag(usual) => format!("option name {} type check default {usual}", choice.name),
    }
}

/// What an option is set to, if it can be.
pub(super) fn chosen(choice: &Choice, value: &str) -> Option<String> {
    match choice.range {
        Range::Number(_, least, most) => {
            let number: u64 = value.parse().ok()?;
            (least..=most).contains(&number).then(|| number.to_string())
        }
        Range::Flag(_) => value.to_ascii_lowercase().parse::<bool>().ok().map(|flag| flag.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Bounds, Margin};

    #[test]
    fn what_is_proved_is_told_as_a_margin_and_the_rest_as_a_judgement() {
        let bounds = |lo, hi| Some(Bounds { lo: Margin(lo), hi: Margin(hi) });
        for (proved, text) in [
            (None, "cp 31"),
            (bounds(4, 4), "margin 4 exact"),
            (bounds(2, 48), "margin 2 lowerbound"),
            (bounds(-48, -2), "margin -2 upperbound"),
            (bounds(-48, 48), "cp 31"),
        ] {
            let report = Report { value: 31, proved, ..Report::default() };
            assert_eq!(score(&report), text);
        }
        let report = Report { depth: 3, nodes: 500, line: vec!["3".into(), "6".into()], ..Report::default() };
        let told = info(&report, Duration::from_millis(250));
        assert_eq!(told, "info depth 3 nodes 500 nps 2000 time 250 score cp 0 pv 3 6");
    }

    #[test]
    fn options_are_offered_and_checked() {
        let threads = Choice { name: "Threads", range: Range::Number(1, 1, 256) };
        assert_eq!(option(&threads), "option name Threads type spin default 1 min 1 max 256");
        assert_eq!(chosen(&threads, "007").as_deref(), Some("7"));
        assert_eq!((chosen(&threads, "0"), chosen(&threads, "-1"), chosen(&threads, "")), (None, None, None));
        let tables = Choice { name: "Tables", range: Range::Flag(true) };
        assert_eq!(option(&tables), "option name Tables type check default true");
        assert_eq!((chosen(&tables, "False").as_deref(), chosen(&tables, "yes")), (Some("false"), None));
    }
}
