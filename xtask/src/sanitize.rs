//! `cargo xtask sanitize`: the tests of the crates with unsafe files, run under the address sanitizer. A read outside its memory
//! then ends them at once. Tests of the engine and the experts that do not stand in the crate itself take long and are left out.

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

const SUSPECTS: [Suspect; 5] = [
    Suspect { name: "tables", file: "map.rs", tests: &["--lib", "--tests"] },
    Suspect { name: "engine", file: "memory.rs", tests: &["--lib"] },
    Suspect { name: "games", file: "simd.rs", tests: &["--lib"] },
    Suspect { name: "experts", file: "connect/kernel.rs", tests: &["--lib"] },
    // What the sandbox does between processes is tested from outside, where no sanitizer looks.
    Suspect { name: "protocol", file: "sandbox.rs", tests: &["--lib"] },
];

pub fn run(args: Args) -> Result<()> {
    let chosen = args.some_of("crate with unsafe files", &SUSPECTS.map(|suspect| suspect.name))?;
    for suspect in SUSPECTS.iter().filter(|suspect| chosen.contains(&suspect.name)) {
        let began = Instant::now();
        test(suspect, &[])?;
        let (file, seconds) = (suspect.file, began.elapsed().as_secs_f64());
        println!("{}/src/{file}: nothing found in {seconds:.1} s", suspect.name);
    }
    Ok(())
}

/// The tables' tests alone, because mapped files are the only memory that somebody else can have written, and not those that
/// open a file ten thousand times: this is a stage of every test.
pub fn tables_in_short() -> Result<()> {
    test(&SUSPECTS[0], &["every_flipped_bit_is_found", "shortened_and_lengthened_files_are_refused"])
}

/// The sanitizer is an unstable option, which RUSTC_BOOTSTRAP lets a stable compiler use. A target that is named keeps its
/// flags away from build scripts and macros; a folder of its own keeps the usual builds.
fn test(suspect: &Suspect, left_out: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", &format!("parlor-{}", suspect.name)]).args(suspect.tests);
    command.args(["--target", &host()?, "--target-dir"]).arg(workshop::target().join("sanitized"));
    command.arg("--").args(left_out.iter().flat_map(|name| ["--skip", name]));
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
    // Code in C would be watched too, by another compiler's sanitizer, and the two do not agree about the stack.
    command.env("CFLAGS", "-fno-sanitize=all");
    workshop::run(&mut command).with_context(|| format!("{} under the address sanitizer", suspect.name))
}

/// The compiler's name for this machine.
fn host() -> Result<String> {
    let version = output(program("rustc").arg("-vV"))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc does not say what machine it is for")?.to_string())
}
