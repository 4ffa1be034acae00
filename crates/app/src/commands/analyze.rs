//! `parlor analyze`: every legal move with its worth, what is proven and what is estimated told apart; and how a whole game
//! went.

use crate::{
    args::AnalyzeOptions,
    commands::{
        show,
        solve::{outcome, resources},
    },
    error::CommandError,
    interrupt, starting_board,
    stdio::Stdout,
};
use parlor_catalog::{Analyst, Judgement};
use parlor_core::{Board, Limits, Record, Side, counted};
use serde_json::{Value, json};
use std::{
    io::Write,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// Of very many moves a person wants the best.
const SHOWN: usize = 30;

pub fn run(options: &AnalyzeOptions, out: &mut Stdout) -> Result<(), CommandError> {
    let stop = interrupt::stop_flag();
    if let Some(file) = &options.file {
        return whole_game(file, options, &stop, out);
    }
    let Some(spec) = &options.game else {
        return Err(CommandError::Input("specify a game (e.g. kalah:6,4) or --file FILE".to_string()));
    };
    let (game, board) = starting_board::board(spec, &options.start)?;
    let begun = Instant::now();
    let mut analyst = game.analyst(&resources(&options.work))?;
    let judgements = judged(analyst.as_mut(), &board.record(), options, &stop)?;
    let seconds = begun.elapsed().as_secs_f64();
    if judgements.is_empty() && !options.json {
        writeln!(out, "The game is over: there are no legal moves.")?;
    }
    if options.json {
        for judgement in &judgements {
            writeln!(out, "{}", as_json(&game.spec(), board.as_ref(), judgement, seconds))?;
        }
    } else {
        table(&judgements, out)?;
    }
    if stop.load(Ordering::Relaxed) {
        return Err(CommandError::Failed(
            "interrupted; the estimates are based on a short search".to_string(),
        ));
    }
    Ok(())
}

fn judged(
    analyst: &mut dyn Analyst,
    record: &Record,
    options: &AnalyzeOptions,
    stop: &AtomicBool,
) -> Result<Vec<Judgement>, CommandError> {
    let limits = Limits { time: Some(options.time), ..Limits::default() };
    Ok(analyst.analyze(record, &limits, stop)?)
}

fn how(judgement: &Judgement) -> String {
    let proved = judgement.proved;
    match (proved.are_exact(), judgement.by_hash) {
        (true, false) => "proven".to_string(),
        (true, true) => "proven (hash)".to_string(),
        _ if judgement.chance.is_some() => "estimated".to_string(),
        _ => format!("estimated (proven bounds {} to {})", proved.lo.0, proved.hi.0),
    }
}

/// What a move is worth: a margin, or the chance to win where that is what was estimated.
fn worth(judgement: &Judgement) -> String {
    match judgement.chance {
        Some(chance) => format!("{:.0}%", chance * 100.0),
        None => judgement.value.0.to_string(),
    }
}

fn table(judgements: &[Judgement], out: &mut dyn Write) -> Result<(), CommandError> {
    let width = judgements.iter().map(|judgement| judgement.mv.len()).max().unwrap_or(0).max(4);
    for judgement in judgements.iter().take(SHOWN) {
        let line = judgement.line.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(" ");
        writeln!(out, "{:<width$} {:>5}  {:<8}  {line}", judgement.mv, worth(judgement), how(judgement))?;
    }
    if judgements.len() > SHOWN {
        writeln!(
            out,
            "and {}, none better; --json lists all moves",
            counted((judgements.len() - SHOWN) as u64, "more move")
        )?;
    }
    Ok(())
}

fn as_json(spec: &str, board: &dyn Board, judgement: &Judgement, seconds: f64) -> Value {
    let exact = judgement.proved.are_exact();
    let mut line = json!({
        "game": spec,
        "position": board.position(),
        "turn": board.turn().to_string(),
        "move": judgement.mv,
        "value": judgement.value.0,
        "outcome": outcome(judgement.value),
        "exact": exact,
    });
    if !exact {
        line["lo"] = json!(judgement.proved.lo.0);
        line["hi"] = json!(judgement.proved.hi.0);
    }
    if let Some(chance) = judgement.chance {
        line["chance"] = json!((f64::from(chance) * 1000.0).round() / 1000.0);
    }
    if judgement.by_hash {
        line["by_hash"] = json!(true);
    }
    line["best"] = json!(judgement.line.iter().skip(1).take(1).collect::<Vec<_>>());
    line["line"] = json!(judgement.line);
    line["nodes"] = json!(judgement.nodes);
    line["seconds"] = json!(seconds);
    line
}

/// One line a move: the best value before it, the value of the move made, and a bar from the first side's point of view.
fn whole_game(
    file: &Path,
    options: &AnalyzeOptions,
    stop: &AtomicBool,
    out: &mut Stdout,
) -> Result<(), CommandError> {
    let place = |what: String| CommandError::Input(format!("{}: {what}", file.display()));
    let record =
        show::read(file)?.into_iter().next().ok_or_else(|| place("the file contains no game".into()))?;
    let game =
        parlor_catalog::game(options.game.as_deref().unwrap_or(&record.game)).map_err(|e| place(e.0))?;
    let record = Record { game: game.spec(), ..record };
    game.replay(&record).map_err(|e| place(e.0))?;
    let start = Record { moves: Vec::new(), ending: None, ..record.clone() };
    let mut board = game.replay(&start).map_err(|e| place(e.0))?;
    let mut analyst = game.analyst(&resources(&options.work))?;
    let mut widest: f32 = 1.0;
    let mut rows = Vec::new();
    for (ply, text) in (1..).zip(&record.moves) {
        if stop.load(Ordering::Relaxed) {
            return Err(CommandError::Failed(format!("interrupted before move {ply}")));
        }
        let begun = Instant::now();
        let judgements = judged(analyst.as_mut(), &board.record(), options, stop)?;
        let side = board.turn();
        let made = judgements.iter().find(|judgement| judgement.mv == *text);
        if let (Some(best), Some(made)) = (judgements.first(), made) {
            if options.json {
                let seconds = begun.elapsed().as_secs_f64();
                let mut line = as_json(&game.spec(), board.as_ref(), made, seconds);
                line["ply"] = json!(ply);
                line["best"] = json!([best.mv]);
                line["best_value"] = json!(best.value.0);
                writeln!(out, "{line}")?;
                out.flush()?;
            }
            let ahead = lead(made);
            let seen = if side == Side::First { ahead } else { -ahead };
            widest = widest.max(seen.abs());
            let better = if lead(best) - ahead >= NOTEWORTHY {
                format!("  best: {} ({})", best.mv, worth(best))
            } else {
                String::new()
            };
            let sure = if made.proved.are_exact() { "" } else { "?" };
            rows.push((ply, side, text.clone(), seen, format!("{}{sure}{better}", worth(made))));
        }
        board.play(text)?;
    }
    if !options.json {
        graph(&rows, widest, board.info().seats, out)?;
    }
    Ok(())
}

/// So much worse than the best, in margins, and a move is remarked on; of chances this is one in fifty.
const NOTEWORTHY: f32 = 0.04;

/// How far ahead the move leaves who made it: the margin, or what is expected of it where the chances are estimated.
fn lead(judgement: &Judgement) -> f32 {
    judgement.chance.map_or(f32::from(judgement.value.0), |chance| 2.0 * chance - 1.0)
}

type Row = (usize, Side, String, f32, String);

fn graph(rows: &[Row], widest: f32, seats: [&str; 2], out: &mut dyn Write) -> Result<(), CommandError> {
    const HALF: usize = 16;
    let width = rows.iter().map(|row| row.2.len()).max().unwrap_or(4).max(4);
    writeln!(
        out,
        "{:>4}   {:<width$} {:<HALF$}|{:>HALF$}  value for the mover (? = estimate)",
        "", "", seats[1], seats[0]
    )?;
    for (ply, side, text, seen, note) in rows {
        let length = (seen.abs() * HALF as f32 / widest).ceil() as usize;
        let bar = "#".repeat(length);
        let (left, right) = if *seen < 0.0 { (bar.as_str(), "") } else { ("", bar.as_str()) };
        // The bar of whoever moved grows in the direction of the arrow.
        let who = if *side == Side::First { '>' } else { '<' };
        writeln!(out, "{ply:>4} {who} {text:<width$} {left:>HALF$}|{right:<HALF$}  {note}")?;
    }
    Ok(())
}
