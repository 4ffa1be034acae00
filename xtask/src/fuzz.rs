//! `cargo xtask fuzz`: every fuzz target for a while, with the address sanitizer. Seeds are kept under fuzz/seeds, what
//! the fuzzer finds goes to fuzz/corpus, and inputs that crash to fuzz/artifacts; the latter two are not kept.

use crate::{
    args::Args,
    workshop::{self, cargo, program, root, succeeds},
};
use anyhow::{Context, Result, bail};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

const TARGETS: [&str; 7] = ["game_spec", "player_spec", "record", "position", "moves", "laws", "table_file"];

/// How a target went.
struct Fuzzed {
    executions: u64,
    crash: Option<String>,
}

pub fn run(mut args: Args) -> Result<()> {
    let seconds = args.number("--seconds")?.unwrap_or(30);
    let targets = args.some_of("target", &TARGETS)?;
    let path = path_with_cargo_fuzz()?;
    let mut build = cargo_fuzz("build", &path);
    if let &[one] = targets.as_slice() {
        build.arg(one);
    }
    workshop::run(&mut build).context("the targets do not build")?;
    let mut rows = Vec::new();
    for target in targets {
        rows.push((target, fuzz(target, seconds, &path)?));
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

/// Runs one target; what its output tells beyond progress is shown.
fn fuzz(target: &str, seconds: u64, path: &OsStr) -> Result<Fuzzed> {
    eprintln!("== {target}");
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus)?;
    let mut command = cargo_fuzz("run", path);
    command.arg(target).arg(corpus);
    let seeds = root().join("fuzz/seeds").join(target);
    if seeds.is_dir() {
        command.arg(seeds);
    }
    // Long inputs from the beginning (len_control): a game of a few moves shows little.
    command.args(["--", &format!("-max_total_time={seconds}"), "-len_control=0", "-max_len=512"]);
    command.args(["-print_final_stats=1", "-timeout=10", "-rss_limit_mb=2048"]);
    let mut child = command.stderr(Stdio::piped()).spawn().context("cargo fuzz cannot be started")?;
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

/// `cargo fuzz` in the top folder. The sanitizer is an unstable option, which this variable lets a stable compiler use.
fn cargo_fuzz(what: &str, path: &OsStr) -> Command {
    let mut command = cargo();
    command
        .args(["fuzz", what])
        .env("PATH", path)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CFLAGS", "-fno-sanitize=all");
    command
}

/// The search path, with the folder of cargo-fuzz in it, which is installed under target/ if it is nowhere.
fn path_with_cargo_fuzz() -> Result<OsString> {
    let given = env::var_os("PATH").unwrap_or_default();
    if succeeds(program("cargo-fuzz").arg("--version")) {
        return Ok(given);
    }
    let tools = workshop::target().join("tools");
    let folders = std::iter::once(tools.join("bin")).chain(env::split_paths(&given));
    let path = env::join_paths(folders.collect::<Vec<PathBuf>>())?;
    if !tools.join("bin/cargo-fuzz").exists() {
        let install = ["install", "cargo-fuzz", "--locked", "--root"];
        workshop::run(cargo().args(install).arg(&tools))
            .context("cargo-fuzz is missing: please install it with cargo install cargo-fuzz")?;
    }
    Ok(path)
}
