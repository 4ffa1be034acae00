//! `cargo xtask nightly`: checks that take longer than a minute, compile tools or need a release
//! build.

use crate::{
    command::{cargo, run as run_command, run_lab_in_release},
    dist, fair_time, fifth_game, fuzz,
    provision::{self, Component, RECIPES},
    python::{BITBULLY, OPEN_SPIEL},
    sanitize,
    stages::{self, CheckStage, StageResult},
    test::reference_figures,
};
use anyhow::Result;

/// How long each target is fuzzed.
const FUZZ_SECONDS: u64 = 60;

const STAGES: [CheckStage; 13] = [
    CheckStage { name: "dist", budget: 480, needs: &[], run: |_| passed(dist::run()) },
    CheckStage { name: "bench", budget: 120, needs: &[], run: |_| bench() },
    CheckStage { name: "hostile", budget: 900, needs: &[], run: |_| hostile() },
    CheckStage { name: "sanitizer", budget: 600, needs: &[], run: |_| passed(sanitize::all()) },
    CheckStage { name: "fuzz", budget: 900, needs: &[], run: |_| passed(fuzz::fuzz_all(FUZZ_SECONDS)) },
    CheckStage { name: "cross-check", budget: 180, needs: &[Component::Python], run: cross_check },
    CheckStage { name: "check-connect", budget: 1800, needs: &[Component::Python], run: check_connect },
    CheckStage { name: "check-oware", budget: 600, needs: &[], run: |_| check("oware") },
    CheckStage { name: "check-amazons", budget: 600, needs: &[], run: |_| check("amazons") },
    CheckStage { name: "fair-time", budget: 300, needs: &[], run: |_| passed(fair_time::check()) },
    CheckStage { name: "fifth-game", budget: 1200, needs: &[], run: |_| passed(fifth_game::check()) },
    CheckStage { name: "licences", budget: 600, needs: &[], run: |_| licences() },
    CheckStage { name: "recipes", budget: 300, needs: &RECIPES, run: recipes },
];

pub fn run(chosen: &[String]) -> Result<()> {
    stages::run("nightly", &STAGES, chosen)
}

pub fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

fn passed(result: Result<()>) -> Result<StageResult> {
    result.map(|()| StageResult::Passed)
}

/// Compares the node counts of fixed searches with bench.txt.
fn bench() -> Result<StageResult> {
    passed(run_command(cargo().args([
        "run",
        "--release",
        "--package",
        "parlor-app",
        "--",
        "bench",
        "--compare",
    ])))
}

/// Attacks a server from one address while a visitor plays.
fn hostile() -> Result<StageResult> {
    passed(run_lab_in_release(["bench", "hostile"]))
}

fn cross_check(missing: &[Component]) -> Result<StageResult> {
    if missing.contains(&Component::Python) {
        return Ok(StageResult::Skipped(vec![Component::Python.skip("comparison with OpenSpiel")]));
    }
    // A failed download skips the stage only in this process.
    OPEN_SPIEL.install()?;
    passed(run_lab_in_release(["cross-check"]))
}

fn check_connect(missing: &[Component]) -> Result<StageResult> {
    if missing.contains(&Component::Python) {
        return Ok(StageResult::Skipped(vec![Component::Python.skip("comparison with BitBully")]));
    }
    // A failed download skips the stage only in this process.
    BITBULLY.install()?;
    check("connect")?;
    Ok(StageResult::without(reference_figures().into_iter().collect()))
}

/// Tests the configurations of docs/deploy with their programs, in front of a debug build.
fn recipes(missing: &[Component]) -> Result<StageResult> {
    let mut command = cargo();
    command.args(["test", "--package", "parlor-app", "--test", "it", "recipes::", "--", "--include-ignored"]);
    command.args(missing.iter().flat_map(|component| ["--skip", component.test_marker()]));
    run_command(&mut command)?;
    let skips = missing.iter().map(|component| component.skip(&format!("recipes for {}", component.name())));
    Ok(StageResult::without(skips.collect()))
}

/// Checks the licences of all packages against the list in deny.toml.
fn licences() -> Result<StageResult> {
    provision::install_cargo_tool("cargo-deny", "check of licences")?;
    passed(run_command(cargo().args(["deny", "check", "licenses"])))
}

fn check(game: &str) -> Result<StageResult> {
    passed(run_lab_in_release(["check", game]))
}
