//! `cargo lab bench arena`: measures games per second of the whole program, which stores every game, and the
//! overhead of the referee: with players in the process, with engines on a clock, and with two Python programs with
//! and without the sandbox.

use super::{grouped, yes_no};
use crate::{
    command::{self, cargo},
    workspace::target,
};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// Target: games per second with players that answer at once.
const TARGET: f64 = 200.0;

struct Row {
    name: &'static str,
    game: &'static str,
    time: &'static str,
    players: [&'static str; 2],
    games: u64,
    sandboxed: bool,
}

struct Ran {
    rate: f64,
    median: f64,
    worst: f64,
}

pub fn measure(quick: bool) -> Result<()> {
    super::referee::measure()?;
    command::run(cargo().args(["build", "--release", "--package", "parlor-app"]))?;
    let parlor = target().join("release/parlor");
    let dir = target().join("bench-arena");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir)?;
    let many = if quick { 2_000 } else { 20_000 };
    let engines = ["engine:threads=1", "engine:threads=1,memory=16"];
    let pythons = ["bot:python3 one/bot.py", "bot:python3 other/bot.py"];
    let row = |name, game, time, players, games| Row { name, game, time, players, games, sandboxed: true };
    let mut rows = vec![
        row("players that answer at once", "connect:4,4,3", "move=1s", ["random", "bad"], 5_000),
        row("the same", "kalah:6,4", "move=1s", ["random", "bad"], 5_000),
        row("engines on a clock", "connect:4,4,3", "200ms+2ms", engines, many),
    ];
    if write_python_bots(&parlor, &dir) {
        rows.push(row("two Python bots", "kalah:6,4", "move=1s", pythons, 500));
        rows.push(Row {
            sandboxed: false,
            ..row("the same, no sandbox", "kalah:6,4", "move=1s", pythons, 500)
        });
    } else {
        println!("python3 is not to be had here: no bots in Python");
    }
    println!(
        "two games at a time, all kept on the disk; what the referee takes for itself a move, in microseconds"
    );
    println!("{:<28} {:<14} {:>8} {:>9} {:>8} {:>8}", "what", "game", "games", "games/s", "median", "p99");
    let mut asked = None;
    for row in &rows {
        let Ran { rate, median, worst } = play(&parlor, &dir, row)?;
        let games = grouped(row.games);
        println!("{:<28} {:<14} {games:>8} {rate:>9.1} {median:>8.0} {worst:>8.0}", row.name, row.game);
        asked.get_or_insert(rate);
    }
    let met = asked.is_some_and(|rate| rate >= TARGET);
    println!("at least {TARGET} games a second with players that answer at once: {}", yes_no(met));
    Ok(())
}

fn write_python_bots(parlor: &Path, dir: &Path) -> bool {
    let quiet = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    quiet(Command::new("python3").arg("--version"))
        && ["one", "other"]
            .iter()
            .all(|name| quiet(Command::new(parlor).args(["new-bot", "python"]).arg(dir.join(name))))
}

/// Plays a row. A time forfeit is an error, because none of these players is slow.
fn play(parlor: &Path, dir: &Path, row: &Row) -> Result<Ran> {
    let file: PathBuf = dir.join("row.toml");
    let [one, other] = row.players;
    let text = format!(
        "name = \"row\"\ngames = [\"{}\"]\nrounds = {}\ntime = \"{}\"\nconcurrency = 2\n\
         [[player]]\nname = \"one\"\nspec = \"{one}\"\n[[player]]\nname = \"other\"\nspec = \"{other}\"\n",
        row.game,
        row.games / 2,
        row.time
    );
    fs::write(&file, text)?;
    let mut command = Command::new(parlor);
    command.arg("tournament").arg(&file).args(["--fresh", "--json"]).stderr(Stdio::null());
    command.args((!row.sandboxed).then_some("--no-sandbox"));
    let began = Instant::now();
    let output = command.output()?;
    let seconds = began.elapsed().as_secs_f64();
    ensure!(output.status.success(), "{}: the tournament failed", row.name);
    let results: Value = serde_json::from_slice(&output.stdout).context("no results")?;
    for line in results["standings"].as_array().context("no standings")? {
        let fouls = &line["failures"];
        ensure!(
            fouls.as_object().is_some_and(serde_json::Map::is_empty),
            "{}: {} failed: {fouls}",
            row.name,
            line["player"]
        );
    }
    let micros = |part: &str| results["referee"][part].as_f64().unwrap_or(0.0) * 1e6;
    Ok(Ran { rate: row.games as f64 / seconds, median: micros("median"), worst: micros("p99") })
}
