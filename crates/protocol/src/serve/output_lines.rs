//! Formats the lines that an engine writes: `info`, `option` and results of queries.

use super::{EngineOption, OptionRange};
use parlor_core::{Board, Report, Side};
use std::time::Duration;

/// A report as an `info` line. Proved margins are written as `margin`, estimates as `cp` in the searcher's own unit.
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

/// A bound is written only if it decides who wins. Most other bounds only follow from the rules.
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

/// The line that declares an option.
pub(super) fn option(option: &EngineOption) -> String {
    match option.range {
        OptionRange::Number(default, min, max) => {
            format!("option name {} type spin default {default} min {min} max {max}", option.name)
        }
        OptionRange::Flag(default) => format!("option name {} type check default {default}", option.name),
    }
}

impl OptionRange {
    /// The canonical form of a value, or `None` if it is not allowed.
    pub(super) fn parse(self, value: &str) -> Option<String> {
        match self {
            OptionRange::Number(_, min, max) => {
                let number: u64 = value.parse().ok()?;
                (min..=max).contains(&number).then(|| number.to_string())
            }
            OptionRange::Flag(_) => {
                value.to_ascii_lowercase().parse::<bool>().ok().map(|flag| flag.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Bounds, Margin};

    #[test]
    fn writes_proved_values_as_margins_and_the_others_as_estimates() {
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
        let line = info(&report, Duration::from_millis(250));
        assert_eq!(line, "info depth 3 nodes 500 nps 2000 time 250 score cp 0 pv 3 6");
    }

    #[test]
    fn declares_options_and_checks_their_values() {
        let threads = EngineOption { name: "Threads", range: OptionRange::Number(1, 1, 256) };
        assert_eq!(option(&threads), "option name Threads type spin default 1 min 1 max 256");
        assert_eq!(threads.range.parse("007").as_deref(), Some("7"));
        for bad in ["0", "-1", ""] {
            assert_eq!(threads.range.parse(bad), None, "{bad}");
        }
        let tables = EngineOption { name: "Tables", range: OptionRange::Flag(true) };
        assert_eq!(option(&tables), "option name Tables type check default true");
        assert_eq!(tables.range.parse("False").as_deref(), Some("false"));
        assert_eq!(tables.range.parse("yes"), None);
    }
}
