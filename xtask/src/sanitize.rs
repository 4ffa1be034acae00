//! `cargo xtask sanitize`: the tests of the crates with unsafe files under AddressSanitizer, which
//! ends them at the first access outside allocated memory. Integration tests of the engine and the
//! solvers take long and are left out.

use crate::{
    command::{self, cargo, host},
    workspace,
};
use anyhow::{Context, Result};
use std::time::Instant;

/// A crate with an unsafe file, and the tests that use that file.
struct UnsafeCrate {
    name: &'static str,
    file: &'static str,
    tests: &'static [&'static str],
}

const CRATES: [UnsafeCrate; 5] = [
    UnsafeCrate { name: "tables", file: "map.rs", tests: &["--lib", "--tests"] },
    UnsafeCrate { name: "engine", file: "memory.rs", tests: &["--lib"] },
    UnsafeCrate { name: "games", file: "simd.rs", tests: &["--lib"] },
    UnsafeCrate { name: "solvers", file: "connect/kernel.rs", tests: &["--lib"] },
    // The integration tests of the sandbox start other processes, which are not sanitized.
    UnsafeCrate { name: "sandbox", file: "kernel.rs", tests: &["--lib"] },
];

pub fn crate_names() -> Vec<&'static str> {
    CRATES.iter().map(|unsafe_crate| unsafe_crate.name).collect()
}

/// Tests the crates of these names, or all if there are none.
pub fn run(names: &[String]) -> Result<()> {
    let is_chosen = |name: &str| names.is_empty() || names.iter().any(|chosen| chosen == name);
    for unsafe_crate in CRATES.iter().filter(|unsafe_crate| is_chosen(unsafe_crate.name)) {
        let began = Instant::now();
        test(unsafe_crate, &[])?;
        let (name, file) = (unsafe_crate.name, unsafe_crate.file);
        println!("{name}/src/{file}: no errors in {:.1} s", began.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Runs the sanitizers on all crates.
pub fn all() -> Result<()> {
    run(&[])
}

/// The tests of the crate `tables` only, without those that open a file thousands of times. Mapped
/// files are the only memory that another program can have written.
pub fn tables() -> Result<()> {
    test(&CRATES[0], &["every_flipped_bit_is_found", "shortened_and_lengthened_files_are_refused"])
}

/// The sanitizer is an unstable option, which RUSTC_BOOTSTRAP allows on a stable compiler. With
/// `--target` its flags do not apply to build scripts and macros; a separate target folder keeps
/// the usual builds.
fn test(unsafe_crate: &UnsafeCrate, left_out: &[&str]) -> Result<()> {
    let name = unsafe_crate.name;
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", &format!("parlor-{name}")]).args(unsafe_crate.tests);
    command.args(["--target", &host()?, "--target-dir"]).arg(workspace::target().join("sanitized"));
    command.arg("--").args(left_out.iter().flat_map(|name| ["--skip", name]));
    command.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address");
    // C code would use the sanitizer of the C compiler, which conflicts with that of rustc.
    command.env("CFLAGS", "-fno-sanitize=all");
    command::run(&mut command).with_context(|| format!("{name} under AddressSanitizer"))
}
