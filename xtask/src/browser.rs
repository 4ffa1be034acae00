//! The stage `browser`: checks the types of the page's script with TypeScript, and plays on the
//! page in Chromium. The tests are in tests/browser; they run in a copy of that folder under
//! target/, which also gets the npm packages and the screenshots.

use crate::{
    command::{cargo, program, run},
    node,
    provision::{self, Component},
    stages::{Skip, StageResult},
    workspace,
};
use anyhow::{Context, Result, bail};
use std::{env, fs, path::Path};

const SCRIPT: &str = "crates/server/assets/parlor.js";

pub fn check(missing: &[Component]) -> Result<StageResult> {
    if missing.contains(&Component::Node) {
        return Ok(StageResult::Skipped(vec![
            Component::Node.skip("types of the page's script"),
            Skip::new("games in a browser", provision::remedy(missing)),
        ]));
    }
    let folder = workspace::target().join("browser");
    copy(&workspace::root().join("tests/browser"), &folder)?;
    install_packages(&folder)?;
    check_types(&folder)?;
    if missing.contains(&Component::Chromium) {
        return Ok(StageResult::Partial(vec![Component::Chromium.skip("games in a browser")]));
    }
    play(&folder)?;
    Ok(StageResult::Passed)
}

fn play(folder: &Path) -> Result<()> {
    // With `--workspace`, packages have the features that the stage `tests` has compiled them with.
    run(cargo().args(["build", "--quiet", "--workspace", "--bin", "parlor"]))?;
    let parlor = workspace::target().join("debug").join(format!("parlor{}", env::consts::EXE_SUFFIX));
    let mut tests = program("node");
    tests.args(["--test-reporter=spec", "all.mjs"]).current_dir(folder).env("PARLOR_BIN", parlor);
    run(&mut tests)?;
    eprintln!("screenshots are in {}", folder.join("screenshots").display());
    Ok(())
}

/// Copies the current files. Installed packages stay; tests that no longer exist and old
/// screenshots are deleted.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let screenshots = to.join("screenshots");
    if screenshots.exists() {
        fs::remove_dir_all(&screenshots)?;
    }
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for file in fs::read_dir(to)? {
        let path = file?.path();
        if path.extension().is_some_and(|ending| ending == "mjs") {
            fs::remove_file(path)?;
        }
    }
    for file in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let file = file?;
        if file.file_type()?.is_file() {
            fs::copy(file.path(), to.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// Installs the packages of the lock file, unless an earlier run has.
fn install_packages(folder: &Path) -> Result<()> {
    let wanted = fs::read(folder.join("package-lock.json"))?;
    let installed = folder.join("node_modules/.installed");
    if fs::read(&installed).is_ok_and(|before| before == wanted) {
        return Ok(());
    }
    eprintln!("set-up: npm ci in {}", folder.display());
    let mut npm = node::npm();
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--no-update-notifier"])
        .current_dir(folder);
    if let Err(error) = run(&mut npm) {
        eprintln!("set-up: {error:#}");
        bail!(Skip::new("npm packages of the browser tests", "give this machine access to the npm registry"));
    }
    fs::write(installed, wanted)?;
    Ok(())
}

/// Compares the types in the script's comments with its code.
fn check_types(folder: &Path) -> Result<()> {
    let mut tsc = program("node");
    tsc.arg("node_modules/typescript/bin/tsc").current_dir(folder);
    tsc.args(["--noEmit", "--allowJs", "--checkJs", "--strict", "--moduleDetection", "force"]);
    tsc.args(["--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable"]);
    run(tsc.arg(workspace::root().join(SCRIPT)))
}
