//! The stage `browser`: the types of the page's script, and a real browser that plays on the page. The tests are in tests/browser;
//! they run in a copy of that folder under target/, where npm may put what they need and pictures of the pages are kept.

use crate::workshop::{self, cargo, output, program, run, succeeds};
use anyhow::{Context, Result, bail};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

const NEEDS: &str = "the stage browser needs Node.js 20 and Chromium: apt-get install -y nodejs npm chromium";
const SCRIPT: &str = "crates/server/assets/parlor.js";
const OLDEST_NODE: u32 = 20;

/// All of it, unless somebody has said that there is no browser here.
pub fn check() -> Result<()> {
    if env::var_os("PARLOR_SKIP_BROWSER").is_some() {
        eprintln!("skipped, because PARLOR_SKIP_BROWSER is set");
        return Ok(());
    }
    if !has_node() || !succeeds(program("npm").arg("--version")) || !has_chromium() {
        bail!(NEEDS);
    }
    // As the stage before built it: by itself it would be built anew, with other features of the same packages.
    run(cargo().args(["test", "--workspace", "--no-run", "--quiet"]))?;
    let folder = workshop::target().join("browser");
    copy(&workshop::root().join("tests/browser"), &folder)?;
    fetch(&folder)?;
    check_types(&folder)?;
    let parlor = workshop::target().join("debug").join(format!("parlor{}", env::consts::EXE_SUFFIX));
    let mut tests = program("node");
    tests.args(["--test-reporter=spec", "all.mjs"]).current_dir(&folder).env("PARLOR_BIN", parlor);
    run(&mut tests)?;
    eprintln!("pictures of the pages are in {}", folder.join("screenshots").display());
    Ok(())
}

fn has_node() -> bool {
    let version = output(program("node").arg("--version")).unwrap_or_default();
    let major = version.trim().trim_start_matches('v').split('.').next();
    major.and_then(|major| major.parse::<u32>().ok()).is_some_and(|major| major >= OLDEST_NODE)
}

fn has_chromium() -> bool {
    let named = env::var_os("PARLOR_CHROMIUM").map(PathBuf::from);
    let folders = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
    let usual = folders.iter().map(|folder| folder.join("chromium")).chain(["/usr/bin/chromium".into()]);
    named.map_or_else(|| usual.into_iter().any(|path| path.is_file()), |path| path.is_file())
}

/// The files as they are now; what was fetched before stays, what is gone from the tests goes.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let screenshots = to.join("screenshots");
    if screenshots.exists() {
        fs::remove_dir_all(&screenshots)?;
    }
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    for file in fs::read_dir(to)? {
        let path = file?.path();
        if path.extension().is_some_and(|ending| ending == "mjs") {
            fs::remove_file(path)?;
        }
    }
    for file in fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))? {
        let file = file?;
        if file.file_type()?.is_file() {
            fs::copy(file.path(), to.join(file.file_name()))?;
        }
    }
    Ok(())
}

/// The packages that the lock file names, unless they are there already.
fn fetch(folder: &Path) -> Result<()> {
    let wanted = fs::read(folder.join("package-lock.json"))?;
    let fetched = folder.join("node_modules/.fetched");
    if fs::read(&fetched).is_ok_and(|before| before == wanted) {
        return Ok(());
    }
    let mut npm = program("npm");
    run(npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder))?;
    fs::write(fetched, wanted)?;
    Ok(())
}

/// What the script's comments say of its types, held against what it does.
fn check_types(folder: &Path) -> Result<()> {
    let mut tsc = program("node");
    tsc.arg("node_modules/typescript/bin/tsc").current_dir(folder);
    tsc.args(["--noEmit", "--allowJs", "--checkJs", "--strict", "--moduleDetection", "force"]);
    tsc.args(["--target", "es2022", "--module", "es2022", "--lib", "es2022,dom,dom.iterable"]);
    run(tsc.arg(workshop::root().join(SCRIPT)))
}
