//! Checks that a bot with 60 busy processes does not take processor time from its opponent. It plays 20 games, two
//! at a time, against an honest bot that needs 25 ms of processor time for each move of 100 ms. The honest bot must
//! not lose a game on time.

use crate::{
    command::{cargo, output, run},
    workspace::target,
};
use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Plays the games in the sandbox and prints the number of failures of each bot.
pub fn check() -> Result<()> {
    run(cargo().args(["build", "--package", "parlor-app", "--bin", "parlor", "--example", "misbehaving"]))?;
    let bot = target().join("debug/examples/misbehaving");
    let [thief, honest] = ["thief", "busy"].map(|how| format!("bot:'{}' {how}", bot.display()));
    let parlor = target().join("debug/parlor");
    let text = output(crate::command::program(parlor).args([
        "match",
        &thief,
        &honest,
        "--first-name",
        "thief",
        "--second-name",
        "honest",
        "--game",
        "kalah:6,4",
        "--rounds",
        "10",
        "--time",
        "move=100ms",
        "--concurrency",
        "2",
        "--seed",
        "1",
        "--json",
    ]))?;
    let (mut games, mut lost) = (0, 0);
    for line in text.lines() {
        let game: Value = serde_json::from_str(line).context("a line of the match is not JSON")?;
        let Some(first) = game["first"].as_str() else { continue };
        games += 1;
        let failed = &game["failure"];
        let is_first = failed["side"] == "first";
        if failed["kind"] == "timeout" && (first == "honest") == is_first {
            lost += 1;
        }
    }
    println!("{games} games; the honest bot lost {lost} on time");
    ensure!(games == 20, "20 games were wanted");
    ensure!(lost == 0, "the honest bot lost {lost} of {games} games on time");
    Ok(())
}
