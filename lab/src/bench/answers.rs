//! Measures how long the timed player takes to answer by the real clock, and checks that the answer is legal.

use super::yes_no;
use anyhow::{Result, ensure};
use parlor_catalog::{Resources, entries};
use parlor_core::{Answer, Limits};
use std::{
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

const FIVE: Duration = Duration::from_secs(5);
const TENTH: Duration = Duration::from_millis(100);
/// Further measurements: game, player and time limit. The usual size of every game is always measured with 100 ms.
const MORE: [(&str, &str, Duration); 6] = [
    ("kalah:6,4", "minimax", FIVE),
    ("kalah:6,6", "minimax", FIVE),
    ("kalah:12,12", "minimax", FIVE),
    ("kalah:12,12", "minimax:time=100ms", TENTH),
    ("connect:10,11,5", "minimax:time=100ms", TENTH),
    ("amazons:6,6", "minimax:time=100ms", TENTH),
];

pub fn measure() -> Result<()> {
    println!("\nAnswers at the start of a game, by the real clock");
    println!("{:<15} {:<20} {:>9} {:>6}  {:<10} in time?", "game", "player", "ms", "depth", "answer");
    let mut rows = Vec::new();
    for entry in entries() {
        rows.push((entry.build("")?, "minimax:time=100ms", TENTH));
    }
    for (spec, player, deadline) in MORE {
        rows.push((parlor_catalog::game(spec)?, player, deadline));
    }
    for (game, player, deadline) in rows {
        let spec = game.spec();
        let board = game.board();
        let mut depth = 0;
        let mut minimax = game.player(&player.parse()?, &Resources::seeded(1))?;
        let began = Instant::now();
        let answer =
            minimax.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |report| {
                depth = report.depth;
            });
        let took = began.elapsed();
        let text = match answer {
            Ok(Answer::Move(text)) => text,
            other => anyhow::bail!("{spec}: {player} gave no move but {other:?}"),
        };
        ensure!(board.check(&text).is_ok(), "{spec}: {player} answered '{text}', which is illegal");
        let millis = took.as_secs_f64() * 1000.0;
        let within = format!("<= {} ms: {}", deadline.as_millis(), yes_no(took <= deadline));
        println!("{spec:<15} {player:<20} {millis:>9.1} {depth:>6}  {text:<10} {within}");
    }
    println!("All answers were legal.");
    Ok(())
}
