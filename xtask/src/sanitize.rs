//! `cargo xtask sanitize`: the tests of the crates with unsafe files, run under the address sanitizer. A read outside its memory
//! then ends them at once. Tests without unsafe code behind them are left out where they take long.

use crate::{
    args::Args,
    workshop::{self, cargo, output, program},
};
use anyhow::{Context, Result};
use std::time::Instant;

/// A crate, the file for whose sake it is here, and the tests that go through it.
struct Suspect {
    name: &'static str,
    file: &'static str,
    tests: &'static [&'static str],
}

const SUSPECTS: [Suspect; 3] = [
    Suspect { name: "tables", file: "map.rs", tests: &["--lib", "--tests"] },
    Suspect { name: "engine", file: "memory.rs", tests: &["--lib"] },
    Suspect { name: "experts", file: "connect/kernel.rs", tests: &["--lib"] },
];

pub fn run(args: Args) -> Result<()> {
    let chosen = args.some_of("crate with unsafe files", &SUSPECTS.map(|suspect| suspect.name))?;
    for suspect in SUSPECTS.iter().filter(|suspect| chosen.contains(&suspect.name)) {
        let began = Instant::now();
        test(suspect)?;
        let (file, seconds) = (suspect.file, began.elapsed().as_secs_f64());
        println!("{}/src/{file}: nothing found in {seconds:.1} s", suspect.name);
    }
    Ok(())
}

/// The tables' tests alone: mapped files are the only memory that somebody else can have written.
pub fn tables() -> Result<()> {
    test(&SUSPECTS[0])
}

/// The sanitizer is an unstable option, which RUSTC_BOOTSTRAP lets a stable compiler use. A target that is named keeps its
/// flags away from build scripts and macros; a folder of its own keeps the usual builds.
fn test(suspect: &Suspect) -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", &format!("parlor-{}", suspect.name)]).args(suspect.tests);
    command.args(["--target", &host()?, "--target-dir"]).arg(workshop::target().join("sanitized"));
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
    workshop::run(&mut command).with_context(|| format!("{} under the address sanitizer", suspect.name))
}

/// The compiler's name for this machine.
fn host() -> Result<String> {
    let version = output(program("rustc").arg("-vV"))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc does not say what machine it is for")?.to_string())
}
