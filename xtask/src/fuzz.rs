//! `cargo xtask fuzz`: every fuzz target for some seconds, with AddressSanitizer. Seeds are in
//! fuzz/seeds, inputs that reach new code go to fuzz/corpus, and inputs that crash to
//! fuzz/artifacts; git ignores the latter two.

use crate::{
    command::{self, cargo},
    provision,
    workspace::root,
};
use anyhow::{Context, Result, bail};
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

pub const TARGETS: [&str; 7] =
    ["game_spec", "player_spec", "record", "position", "moves", "laws", "table_file"];

struct Fuzzed {
    executions: u64,
    crash: Option<String>,
}

/// Fuzzes the targets of these names, or all if there are none.
pub fn run(names: &[String], seconds: u64) -> Result<()> {
    if names.is_empty() {
        return fuzz_all(seconds);
    }
    fuzz_targets(&names.iter().map(String::as_str).collect::<Vec<_>>(), seconds)
}

pub fn fuzz_all(seconds: u64) -> Result<()> {
    fuzz_targets(&TARGETS, seconds)
}

fn fuzz_targets(targets: &[&str], seconds: u64) -> Result<()> {
    provision::install_cargo_tool("cargo-fuzz", "fuzz targets")?;
    let mut build = cargo_fuzz("build");
    if let [one] = targets {
        build.arg(one);
    }
    command::run(&mut build).context("cannot build the fuzz targets")?;
    let mut rows = Vec::new();
    for target in targets {
        rows.push((target, fuzz(target, seconds)?));
    }
    println!("\n{:<12} {:>12}  {seconds} seconds each", "target", "executions");
    for (target, Fuzzed { executions, crash }) in &rows {
        println!("{target:<12} {executions:>12}  {}", crash.as_deref().unwrap_or("no crash"));
    }
    match rows.iter().filter(|(_, fuzzed)| fuzzed.crash.is_some()).count() {
        0 => Ok(()),
        crashed => bail!("{crashed} of {} targets crashed", rows.len()),
    }
}

/// Runs one target and shows its output without the lines of progress.
fn fuzz(target: &str, seconds: u64) -> Result<Fuzzed> {
    eprintln!("== {target}");
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let mut command = cargo_fuzz("run");
    command.arg(target).arg(corpus);
    let seeds = root().join("fuzz/seeds").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    // Long inputs from the start (len_control=0), because games of a few moves reach little code.
    command.args(["--", &format!("-max_total_time={seconds}"), "-len_control=0", "-max_len=512"]);
    command.args(["-print_final_stats=1", "-timeout=10", "-rss_limit_mb=2048"]);
    let mut child = command.stderr(Stdio::piped()).spawn().context("cannot start cargo fuzz")?;
    let stderr = child.stderr.take().context("no pipe from cargo fuzz")?;
    let (mut executions, mut input, mut why) = (0, None, None);
    for line in BufReader::new(stderr).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        if !line.starts_with('#') {
            eprintln!("{line}");
        }
        let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest.trim().to_string());
        if let Some(count) = after("stat::number_of_executed_units:") {
            executions = count.parse().unwrap_or(0);
        }
        input = after("Test unit written to ").or(input);
        why = why.or(after("panicked at ")).or(after("SUMMARY: "));
    }
    let status = child.wait()?;
    let crash = (!status.success()).then(|| {
        let why = why.unwrap_or_else(|| status.to_string());
        format!("CRASH {why}; input {}", input.unwrap_or_else(|| "unknown".into()))
    });
    Ok(Fuzzed { executions, crash })
}

/// A subcommand of `cargo fuzz`. The sanitizer is an unstable option, which RUSTC_BOOTSTRAP allows
/// on a stable compiler.
fn cargo_fuzz(subcommand: &str) -> Command {
    let mut command = cargo();
    command.args(["fuzz", subcommand]).env("RUSTC_BOOTSTRAP", "1").env("CFLAGS", "-fno-sanitize=all");
    command
}
