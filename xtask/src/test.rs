//! `cargo xtask test`: the checks that every change has to pass. Apart from the stages `clippy` and
//! `tests`, a stage takes about a minute or less; what takes longer is in `cargo xtask nightly`.

use crate::{
    browser,
    command::{cargo, run as run_command, run_lab},
    docs,
    postgres::{self, Fsync, PostgresServer},
    provision::{Component, RECIPES},
    python::{BITBULLY, OPEN_SPIEL},
    sanitize,
    stages::{self, CheckStage, Skip, StageResult},
};
use anyhow::Result;
use std::{env, process::Command};

/// The stages. Budgets are about 20 % above the times measured on two idle cores without earlier compilation.
const STAGES: [CheckStage; 9] = [
    CheckStage {
        name: "fmt",
        budget: 10,
        needs: &[],
        run: |_| passes(cargo().args(["fmt", "--all", "--check"])),
    },
    CheckStage {
        name: "clippy",
        budget: 200,
        needs: &[],
        run: |_| passes(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    },
    CheckStage {
        name: "tests",
        budget: 580,
        needs: &[Component::Postgres, Component::Python, Component::Node, Component::Javac, Component::Gxx],
        run: run_tests,
    },
    CheckStage {
        name: "browser",
        budget: 240,
        needs: &[Component::Node, Component::Chromium],
        run: browser::check,
    },
    CheckStage {
        name: "sanitizer",
        budget: 60,
        needs: &[],
        run: |_| sanitize::tables().map(|()| StageResult::Passed),
    },
    CheckStage {
        name: "docs",
        budget: 40,
        needs: &[],
        run: |_| {
            let mut doc = cargo();
            passes(doc.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    // mdBook is compiled by the stage `tests`.
    CheckStage { name: "site", budget: 8, needs: &[], run: |_| docs::run().map(|()| StageResult::Passed) },
    CheckStage { name: "cross-check", budget: 30, needs: &[Component::Python], run: cross_check_sample },
    CheckStage { name: "check", budget: 30, needs: &[Component::Python], run: check_sample },
];

pub fn run(chosen: &[String]) -> Result<()> {
    stages::run("test", &STAGES, chosen)
}

pub fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

fn passes(command: &mut Command) -> Result<StageResult> {
    run_command(command).map(|()| StageResult::Passed)
}

/// Runs every test of the workspace, with one PostgreSQL server for those that need it. Tests that need a program
/// besides the Rust toolchain are ignored by `cargo test` alone; their names say what they need.
fn run_tests(missing: &[Component]) -> Result<StageResult> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast", "--", "--include-ignored"]);
    // The tests of RECIPES are a separate stage of nightly.
    command.args(missing.iter().chain(&RECIPES).flat_map(|component| ["--skip", component.test_marker()]));
    let mut server = None;
    if !missing.contains(&Component::Postgres) && postgres::external().is_none() {
        command.env(postgres::URL, server.insert(PostgresServer::start(Fsync::Off)?).url());
    }
    run_command(&mut command)?;
    let skips =
        missing.iter().map(|component| component.skip(&format!("tests that need {}", component.name())));
    Ok(StageResult::without(skips.chain(reference_figures()).collect()))
}

/// Plays a thousand games of each kind.
fn cross_check_sample(missing: &[Component]) -> Result<StageResult> {
    if missing.contains(&Component::Python) {
        return Ok(StageResult::Skipped(vec![Component::Python.skip("comparison with OpenSpiel")]));
    }
    // A failed download skips the stage only in this process.
    OPEN_SPIEL.install()?;
    run_lab(["cross-check", "--games", "1000"]).map(|()| StageResult::Passed)
}

/// Compares positions of Connect-N that are solved quickly.
fn check_sample(missing: &[Component]) -> Result<StageResult> {
    if missing.contains(&Component::Python) {
        return Ok(StageResult::Skipped(vec![Component::Python.skip("comparison with BitBully")]));
    }
    BITBULLY.install()?;
    run_lab(["check", "connect", "--quick"])?;
    Ok(StageResult::without(reference_figures().into_iter().collect()))
}

/// The note that published values are not compared, if their folder is not set.
pub fn reference_figures() -> Option<Skip> {
    let remedy = "set PARLOR_REFERENCE to the folder that has them";
    env::var_os("PARLOR_REFERENCE")
        .is_none()
        .then(|| Skip::optional("comparison with published reference values", remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stages_together_take_less_than_20_minutes() {
        let seconds: u64 = STAGES.iter().map(|stage| stage.budget).sum();
        assert!(seconds < 20 * 60, "{seconds} s");
    }

    #[test]
    fn long_stages_belong_to_nightly() {
        let exempt = ["clippy", "tests", "browser"];
        for stage in STAGES.iter().filter(|stage| !exempt.contains(&stage.name)) {
            assert!(stage.budget <= 60, "{} has {} s", stage.name, stage.budget);
        }
    }
}
