//! `parlor analyze`: every legal move of a position with its value, marked as proven or estimated; or all moves of a game.

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
use parlor_catalog::{Analyst, MoveAnalysis};
use parlor_core::{Board, Limits, Record, Side, counted};
use serde_json::{Value, json};
use std::{
    io::Write,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

/// Maximum number of moves in the text table.
const MAX_LISTED: usize = 30;

pub fn run(options: &AnalyzeOptions, out: &mut Stdout) -> Result<(), CommandError> {
    let stop = interrupt::stop_flag();
    if let Some(file) = &options.file {
        return analyze_game(file, options, &stop, out);
    }
    let Some(spec) = &options.game else {
        return Err(CommandError::Input("specify a game (e.g. kalah:6,4) or --file FILE".to_string()));
    };
    let (game, board) = starting_board::board(spec, &options.start)?;
    let begun = Instant::now();
    let mut analyst = game.analyst(&resources(&options.work))?;
    let analyses = analyze_position(analyst.as_mut(), &board.record(), options, &stop)?;
    let seconds = begun.elapsed().as_secs_f64();
    if analyses.is_empty() && !options.json {
        writeln!(out, "The game is over: there are no legal moves.")?;
    }
    if options.json {
        for analysis in &analyses {
            writeln!(out, "{}", as_json(&game.spec(), board.as_ref(), analysis, seconds))?;
        }
    } else {
        table(&analyses, out)?;
    }
    if stop.load(Ordering::Relaxed) {
        return Err(CommandError::Failed(
            "interrupted; the estimates are based on a short search".to_string(),
        ));
    }
    Ok(())
}

fn analyze_position(
    analyst: &mut dyn Analyst,
    record: &Record,
    options: &AnalyzeOptions,
    stop: &AtomicBool,
) -> Result<Vec<MoveAnalysis>, CommandError> {
    let limits = Limits { time: Some(options.time), ..Limits::default() };
    Ok(analyst.analyze(record, &limits, stop)?)
}

fn certainty_text(analysis: &MoveAnalysis) -> String {
    let proved = analysis.proved;
    match (proved.are_exact(), analysis.by_hash) {
        (true, false) => "proven".to_string(),
        (true, true) => "proven (hash)".to_string(),
        _ if analysis.chance.is_some() => "estimated".to_string(),
        _ => format!("estimated (proven bounds {} to {})", proved.lo.0, proved.hi.0),
    }
}

/// The value of a move as text: a margin, or an estimated chance to win.
fn value_text(analysis: &MoveAnalysis) -> String {
    match analysis.chance {
        Some(chance) => format!("{:.0}%", chance * 100.0),
        None => analysis.value.0.to_string(),
    }
}

fn table(analyses: &[MoveAnalysis], out: &mut dyn Write) -> Result<(), CommandError> {
    let width = analyses.iter().map(|analysis| analysis.mv.len()).max().unwrap_or(0).max(4);
    for analysis in analyses.iter().take(MAX_LISTED) {
        let line = analysis.line.iter().take(10).map(String::as_str).collect::<Vec<_>>().join(" ");
        writeln!(
            out,
            "{:<width$} {:>5}  {:<8}  {line}",
            analysis.mv,
            value_text(analysis),
            certainty_text(analysis)
        )?;
    }
    if analyses.len() > MAX_LISTED {
        writeln!(
            out,
            "and {}, none better; --json lists all moves",
            counted((analyses.len() - MAX_LISTED) as u64, "more move")
        )?;
    }
    Ok(())
}

fn as_json(spec: &str, board: &dyn Board, analysis: &MoveAnalysis, seconds: f64) -> Value {
    let exact = analysis.proved.are_exact();
    let mut line = json!({
        "game": spec,
        "position": board.position(),
        "turn": board.turn().to_string(),
        "move": analysis.mv,
        "value": analysis.value.0,
        "outcome": outcome(analysis.value),
        "exact": exact,
    });
    if !exact {
        line["lo"] = json!(analysis.proved.lo.0);
        line["hi"] = json!(analysis.proved.hi.0);
    }
    if let Some(chance) = analysis.chance {
        line["chance"] = json!((f64::from(chance) * 1000.0).round() / 1000.0);
    }
    if analysis.by_hash {
        line["by_hash"] = json!(true);
    }
    line["best"] = json!(analysis.line.iter().skip(1).take(1).collect::<Vec<_>>());
    line["line"] = json!(analysis.line);
    line["nodes"] = json!(analysis.nodes);
    line["seconds"] = json!(seconds);
    line
}

/// One line a move: the best value before it, the value of the move made, and a bar from the first side's point of view.
fn analyze_game(
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
        let analyses = analyze_position(analyst.as_mut(), &board.record(), options, stop)?;
        let side = board.turn();
        let made = analyses.iter().find(|analysis| analysis.mv == *text);
        if let (Some(best), Some(made)) = (analyses.first(), made) {
            if options.json {
                let seconds = begun.elapsed().as_secs_f64();
                let mut line = as_json(&game.spec(), board.as_ref(), made, seconds);
                line["ply"] = json!(ply);
                line["best"] = json!([best.mv]);
                line["best_value"] = json!(best.value.0);
                writeln!(out, "{line}")?;
                out.flush()?;
            }
            let ahead = expected_lead(made);
            let seen = if side == Side::First { ahead } else { -ahead };
            widest = widest.max(seen.abs());
            let better = if expected_lead(best) - ahead >= MISTAKE_THRESHOLD {
                format!("  best: {} ({})", best.mv, value_text(best))
            } else {
                String::new()
            };
            let sure = if made.proved.are_exact() { "" } else { "?" };
            rows.push((ply, side, text.clone(), seen, format!("{}{sure}{better}", value_text(made))));
        }
        board.play(text)?;
    }
    if !options.json {
        graph(&rows, widest, board.info().seats, out)?;
    }
    Ok(())
}

/// A move that loses at least this much compared to the best one is marked. In margins; a change of the chance to win by one in
/// fifty is 0.04, too.
const MISTAKE_THRESHOLD: f32 = 0.04;

/// The expected margin of the mover after the move. Chances to win are converted to margins between -1 and 1.
fn expected_lead(analysis: &MoveAnalysis) -> f32 {
    analysis.chance.map_or(f32::from(analysis.value.0), |chance| 2.0 * chance - 1.0)
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
        // The arrow shows the direction in which the bar grows when the mover is ahead.
        let who = if *side == Side::First { '>' } else { '<' };
        writeln!(out, "{ply:>4} {who} {text:<width$} {left:>HALF$}|{right:<HALF$}  {note}")?;
    }
    Ok(())
}
