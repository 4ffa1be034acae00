//! Runs the stages of `cargo xtask test` and `cargo xtask nightly`: installs missing programs, runs
//! all stages even if one fails, and prints a table of results. `report` evaluates the results
//! without side effects.

use crate::{
    command::{AlreadyReported, program},
    provision::{self, Component},
};
use anyhow::{Result, bail};
use std::{
    env, fmt,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// One part of a test run.
pub struct CheckStage {
    pub name: &'static str,
    /// Budget in seconds on two idle cores, including compilation.
    pub budget: u64,
    pub needs: &'static [Component],
    /// Receives the needed components that are missing.
    pub run: fn(&[Component]) -> Result<StageResult>,
}

/// Result of a stage that did not fail.
pub enum StageResult {
    Passed,
    /// The stage passed, but these parts did not run.
    Partial(Vec<Skip>),
    Skipped(Vec<Skip>),
}

impl StageResult {
    /// The result of a stage that passed without these parts.
    pub fn without(skips: Vec<Skip>) -> StageResult {
        if skips.is_empty() { StageResult::Passed } else { StageResult::Partial(skips) }
    }

    fn skips(&self) -> &[Skip] {
        match self {
            StageResult::Passed => &[],
            StageResult::Partial(skips) | StageResult::Skipped(skips) => skips,
        }
    }
}

/// A part that did not run because a program or file is not available. Returned as an error, it skips the whole stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    pub what: String,
    /// A command or an instruction that makes it run.
    pub remedy: String,
    /// Whether CI fails because of it.
    pub required: bool,
}

impl Skip {
    pub fn new(what: impl Into<String>, remedy: impl Into<String>) -> Skip {
        Skip { what: what.into(), remedy: remedy.into(), required: true }
    }

    /// A comparison that only some machines can make.
    pub fn optional(what: impl Into<String>, remedy: impl Into<String>) -> Skip {
        Skip { required: false, ..Skip::new(what, remedy) }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot run: {}; to fix it: {}", self.what, self.remedy)
    }
}

impl std::error::Error for Skip {}

/// A row of the summary.
struct Row {
    name: &'static str,
    seconds: f64,
    budget: Option<u64>,
    result: Result<StageResult, String>,
}

/// Set by Ctrl-C and SIGTERM. Running programs get the signal too; then the run ends and stops the servers that it
/// started.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs the stages of these names, or all if there are none. `command` is the name of the
/// subcommand.
pub fn run(command: &str, stages: &[CheckStage], names: &[String]) -> Result<()> {
    let chosen: Vec<&CheckStage> = if names.is_empty() {
        stages.iter().collect()
    } else {
        names.iter().filter_map(|name| stages.iter().find(|stage| stage.name == name)).collect()
    };
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
    let status_before = git_status();
    let needed: Vec<Component> = chosen.iter().flat_map(|stage| stage.needs).copied().collect();
    let began = Instant::now();
    let missing = provision::install(&needed);
    let mut rows = Vec::new();
    rows.push(Row {
        name: "set-up",
        seconds: began.elapsed().as_secs_f64(),
        budget: None,
        result: Ok(StageResult::Passed),
    });
    for stage in chosen {
        end_if_interrupted()?;
        rows.push(run_stage(stage, &missing));
    }
    end_if_interrupted()?;
    let changed = new_lines(status_before.as_deref(), git_status().as_deref());
    let report = report(command, &rows, &changed, env::var("CI").is_ok_and(|ci| ci == "true"));
    println!("\n{}", report.lines.join("\n"));
    if report.passed { Ok(()) } else { bail!(AlreadyReported(1)) }
}

fn run_stage(stage: &CheckStage, missing: &[Component]) -> Row {
    eprintln!("\n== {} (budget {} s)", stage.name, stage.budget);
    let missing: Vec<Component> =
        stage.needs.iter().copied().filter(|component| missing.contains(component)).collect();
    let began = Instant::now();
    let result = match (stage.run)(&missing) {
        Ok(outcome) => Ok(outcome),
        Err(error) => match error.downcast_ref::<Skip>() {
            Some(skip) => Ok(StageResult::Skipped(vec![skip.clone()])),
            None => Err(format!("{error:#}")),
        },
    };
    let seconds = began.elapsed().as_secs_f64();
    let row = Row { name: stage.name, seconds, budget: Some(stage.budget), result };
    if let Err(error) = &row.result {
        eprintln!("{error}");
    }
    eprintln!("== {}: {} in {seconds:.1} s of {} s", stage.name, label(&row), stage.budget);
    row
}

/// Whether the user has interrupted the run.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

fn end_if_interrupted() -> Result<()> {
    if is_interrupted() {
        eprintln!("\ninterrupted: the remaining stages did not run");
        bail!(AlreadyReported(130));
    }
    Ok(())
}

/// The result of a run: the text to print, and whether the exit code is 0.
struct Report {
    lines: Vec<String>,
    passed: bool,
}

/// Evaluates the results. The run fails if a stage failed, if a file of the checkout changed, or, in CI, if a
/// required part did not run.
fn report(command: &str, rows: &[Row], changed: &[String], ci: bool) -> Report {
    let mut lines = vec![format!("{:<14} {:>8} {:>8}  {}", "stage", "seconds", "budget", "result")];
    for row in rows {
        let budget = row.budget.map_or_else(|| "-".to_string(), |budget| budget.to_string());
        lines.push(format!("{:<14} {:>8.1} {budget:>8}  {}", row.name, row.seconds, label(row)));
    }
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    let budget: u64 = rows.iter().filter_map(|row| row.budget).sum();
    lines.push(format!("{:<14} {seconds:>8.1} {budget:>8}", "all"));

    let skips = skips_with_stages(rows);
    for (skip, stages) in &skips {
        let kind = if skip.required { "skipped" } else { "note, skipped" };
        lines.push(format!("\n{kind}: {} ({})", skip.what, stages.join(", ")));
        lines.push(format!("    to run it: {}", skip.remedy));
    }
    let mut failed = Vec::new();
    for row in rows {
        if let Err(error) = &row.result {
            failed.push(row.name);
            lines.push(format!("\nFAILED: {}: {error}", row.name));
            lines.push(format!("    to run it alone: cargo xtask {command} {}", row.name));
        }
    }
    if !changed.is_empty() {
        failed.push("git status");
        lines.push("\nFAILED: git status: files changed during the run:".to_string());
        lines.extend(changed.iter().map(|line| format!("    {line}")));
    }
    let skipped = skips.iter().filter(|(skip, _)| skip.required).count();
    if skipped > 0 && ci {
        failed.push("skipped parts (not allowed with CI=true)");
    }
    let passed = failed.is_empty();
    lines.push(match (passed, skipped) {
        (false, _) => format!("\nFAILED: {}", failed.join(", ")),
        (true, 0) => format!("\nPASSED in {seconds:.0} s"),
        (true, 1) => format!("\nPASSED in {seconds:.0} s, with 1 skipped part (see above)"),
        (true, _) => format!("\nPASSED in {seconds:.0} s, with {skipped} skipped parts (see above)"),
    });
    Report { lines, passed }
}

fn label(row: &Row) -> String {
    let Ok(outcome) = &row.result else { return "FAILED".to_string() };
    let required: Vec<&str> =
        outcome.skips().iter().filter(|skip| skip.required).map(|skip| skip.what.as_str()).collect();
    let parts = match required.len() {
        0..=2 => format!("skipped: {}", required.join(", ")),
        count => format!("skipped: {count} parts"),
    };
    let mut label = match outcome {
        StageResult::Skipped(_) => parts,
        _ if required.is_empty() => "ok".to_string(),
        _ => format!("ok, {parts}"),
    };
    if row.budget.is_some_and(|budget| row.seconds > budget as f64) {
        label.push_str(", OVER BUDGET");
    }
    label
}

/// Each skipped part once, with the stages that skipped it.
fn skips_with_stages(rows: &[Row]) -> Vec<(&Skip, Vec<&'static str>)> {
    let mut found: Vec<(&Skip, Vec<&'static str>)> = Vec::new();
    for row in rows {
        for skip in row.result.as_ref().map_or(&[][..], StageResult::skips) {
            match found.iter_mut().find(|(known, _)| *known == skip) {
                Some((_, stages)) => stages.push(row.name),
                None => found.push((skip, vec![row.name])),
            }
        }
    }
    found
}

/// The changed files of the checkout; none outside a checkout or without git.
fn git_status() -> Option<String> {
    let mut git = program("git");
    git.args(["status", "--porcelain"]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = git.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// The lines of `after` that are not in `before`; none if one of the texts is missing.
fn new_lines(before: Option<&str>, after: Option<&str>) -> Vec<String> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let is_new = |line: &&str| !before.lines().any(|old| old == *line);
    after.lines().filter(is_new).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, seconds: f64, result: Result<StageResult, String>) -> Row {
        Row { name, seconds, budget: Some(60), result }
    }

    fn skip(what: &str) -> Skip {
        Skip::new(what, format!("apt-get install -y {what}"))
    }

    fn text(report: &Report) -> String {
        report.lines.join("\n")
    }

    #[test]
    fn passes_when_every_stage_passes() {
        let rows = [row("fmt", 1.0, Ok(StageResult::Passed)), row("docs", 61.0, Ok(StageResult::Passed))];
        for ci in [false, true] {
            let report = report("test", &rows, &[], ci);
            assert!(report.passed);
            assert!(text(&report).contains("fmt                 1.0       60  ok\n"), "{}", text(&report));
            assert!(text(&report).contains("docs               61.0       60  ok, OVER BUDGET\n"));
            assert!(text(&report).ends_with("PASSED in 62 s"));
        }
    }

    #[test]
    fn a_failed_stage_fails_the_run_and_is_named_with_its_command() {
        let rows =
            [row("fmt", 1.0, Err("cargo fmt failed".into())), row("docs", 1.0, Ok(StageResult::Passed))];
        let report = report("nightly", &rows, &[], false);
        assert!(!report.passed);
        let text = text(&report);
        assert!(
            text.contains("FAILED: fmt: cargo fmt failed\n    to run it alone: cargo xtask nightly fmt\n")
        );
        assert!(text.ends_with("\nFAILED: fmt"), "{text}");
    }

    #[test]
    fn a_skip_fails_the_run_in_ci_only() {
        let rows = [
            row("tests", 1.0, Ok(StageResult::without(vec![skip("javac"), skip("node")]))),
            row("browser", 1.0, Ok(StageResult::Skipped(vec![skip("node")]))),
        ];
        let here = report("test", &rows, &[], false);
        assert!(here.passed);
        assert!(text(&here).contains("ok, skipped: javac, node\n"), "{}", text(&here));
        assert!(text(&here).contains("60  skipped: node\n"));
        assert!(
            text(&here).contains("skipped: node (tests, browser)\n    to run it: apt-get install -y node")
        );
        assert!(text(&here).ends_with("PASSED in 2 s, with 2 skipped parts (see above)"));
        let in_ci = report("test", &rows, &[], true);
        assert!(!in_ci.passed);
        assert!(text(&in_ci).ends_with("FAILED: skipped parts (not allowed with CI=true)"));
    }

    #[test]
    fn many_skipped_parts_are_counted_in_the_table_and_listed_below_it() {
        let rows = [row("tests", 1.0, Ok(StageResult::without(["a", "b", "c"].map(skip).to_vec())))];
        let text = text(&report("test", &rows, &[], false));
        assert!(text.contains("60  ok, skipped: 3 parts\n"), "{text}");
        assert!(["a", "b", "c"].iter().all(|part| text.contains(&format!("\nskipped: {part} (tests)\n"))));
    }

    #[test]
    fn an_optional_part_never_fails_the_run() {
        let skip = Skip::optional("reference figures", "set PARLOR_REFERENCE");
        let rows = [row("check", 1.0, Ok(StageResult::without(vec![skip])))];
        let report = report("test", &rows, &[], true);
        assert!(report.passed);
        assert!(text(&report).contains("60  ok\n"));
        assert!(text(&report).contains("note, skipped: reference figures (check)"));
        assert!(text(&report).ends_with("PASSED in 1 s"));
    }

    #[test]
    fn a_changed_file_fails_the_run_and_is_listed() {
        let rows = [row("tests", 1.0, Ok(StageResult::Passed))];
        let changed = new_lines(Some(" M a.rs\n"), Some(" M a.rs\n?? b.txt\n"));
        assert_eq!(changed, ["?? b.txt"]);
        let report = report("test", &rows, &changed, false);
        assert!(!report.passed);
        assert!(text(&report).contains("files changed during the run:\n    ?? b.txt\n"));
        assert!(text(&report).ends_with("FAILED: git status"));
    }

    #[test]
    fn outside_a_checkout_no_file_counts_as_changed() {
        assert!(new_lines(None, Some("?? b.txt")).is_empty());
        assert!(new_lines(Some(""), None).is_empty());
    }
}
