//! `cargo xtask nightly`: checks that take longer than a minute, compile tools or need a release
//! build.

use crate::{
    command::{cargo, run as run_command, run_lab_in_release},
    dist, fair_time, fifth_game, fuzz,
    provision::{self, Component, RECIPES},
    python::{BITBULLY, OPEN_SPIEL},
    sanitize,
    stages::{self, Outcome, Stage},
    test::reference_figures,
};
use anyhow::Result;

/// How long each target is fuzzed.
const FUZZ_SECONDS: u64 = 60;

const STAGES: [Stage; 13] = [
    Stage { name: "dist", budget: 480, needs: &[], run: |_| passed(dist::run()) },
    Stage { name: "bench", budget: 120, needs: &[], run: |_| bench() },
    Stage { name: "hostile", budget: 900, needs: &[], run: |_| hostile() },
    Stage { name: "sanitizer", budget: 600, needs: &[], run: |_| passed(sanitize::all()) },
    Stage { name: "fuzz", budget: 900, needs: &[], run: |_| passed(fuzz::fuzz_all(FUZZ_SECONDS)) },
    Stage { name: "cross-check", budget: 180, needs: &[Component::Python], run: cross_check },
    Stage { name: "check-connect", budget: 1800, needs: &[Component::Python], run: check_connect },
    Stage { name: "check-oware", budget: 600, needs: &[], run: |_| check("oware") },
    Stage { name: "check-amazons", budget: 600, needs: &[], run: |_| check("amazons") },
    Stage { name: "fair-time", budget: 300, needs: &[], run: |_| passed(fair_time::check()) },
    Stage { name: "fifth-game", budget: 900, needs: &[], run: |_| passed(fifth_game::check()) },
    Stage { name: "licences", budget: 600, needs: &[], run: |_| licences() },
    Stage { name: "recipes", budget: 300, needs: &RECIPES, run: recipes },
];

pub fn run(chosen: &[String]) -> Result<()> {
    stages::run("nightly", &STAGES, chosen)
}

pub fn stage_names() -> Vec<&'static str> {
    STAGES.iter().map(|stage| stage.name).collect()
}

fn passed(result: Result<()>) -> Result<Outcome> {
    result.map(|()| Outcome::Passed)
}

/// Node counts of fixed searches, compared with bench.txt.
fn bench() -> Result<Outcome> {
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

/// One hostile address against a visitor of a server.
fn hostile() -> Result<Outcome> {
    passed(run_lab_in_release(["bench", "hostile"]))
}

fn cross_check(missing: &[Component]) -> Result<Outcome> {
    if missing.contains(&Component::Python) {
        return Ok(Outcome::Skipped(vec![Component::Python.skip("comparison with OpenSpiel")]));
    }
    // A failed download skips the stage only in this process.
    OPEN_SPIEL.install()?;
    passed(run_lab_in_release(["cross-check"]))
}

fn check_connect(missing: &[Component]) -> Result<Outcome> {
    if missing.contains(&Component::Python) {
        return Ok(Outcome::Skipped(vec![Component::Python.skip("comparison with BitBully")]));
    }
    // A failed download skips the stage only in this process.
    BITBULLY.install()?;
    check("connect")?;
    Ok(Outcome::without(reference_figures().into_iter().collect()))
}

/// The configurations of docs/deploy with the programs that they are for, in front of a debug build.
fn recipes(missing: &[Component]) -> Result<Outcome> {
    let mut command = cargo();
    command.args(["test", "--package", "parlor-app", "--test", "it", "recipes::", "--", "--include-ignored"]);
    command.args(missing.iter().flat_map(|component| ["--skip", component.test_marker()]));
    run_command(&mut command)?;
    let skips = missing.iter().map(|component| component.skip(&format!("recipes for {}", component.name())));
    Ok(Outcome::without(skips.collect()))
}

/// The licences of all packages against the list in deny.toml.
fn licences() -> Result<Outcome> {
    provision::install_cargo_tool("cargo-deny", "check of licences")?;
    passed(run_command(cargo().args(["deny", "check", "licenses"])))
}

fn check(game: &str) -> Result<Outcome> {
    passed(run_lab_in_release(["check", game]))
}
