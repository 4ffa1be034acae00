//! `parlor solve`: computes the exact value of a position, or with `--stdin` of one position per line.

mod checkpointed;

use crate::{
    args::{SolveOptions, WorkOptions},
    environment,
    error::CommandError,
    interrupt, starting_board, stdio,
};
use parlor_catalog::{DynGame, DynSolver, Monotonic, Resources};
use parlor_core::{Board, Bounds, Limits, Margin, Report, counted};
use serde_json::json;
use std::{
    io::{self, BufRead, BufWriter, IsTerminal, Write},
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// The resources of a solver. It uses the tables of the default folder.
pub fn resources(work: &WorkOptions) -> Resources {
    let clock = Arc::new(Monotonic::start());
    Resources {
        memory: Some(work.memory),
        threads: work.threads.into(),
        tables: environment::default_tables_dir(),
        ..Resources::with_clock(0, clock)
    }
}

/// `win`, `loss` or `draw`, for the side to move.
pub fn outcome(value: Margin) -> &'static str {
    match value.0 {
        0 => "draw",
        1.. => "win",
        _ => "loss",
    }
}

pub fn run(options: &SolveOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let stop = interrupt::stop_flag();
    if options.stdin {
        return filter(options, &stop, out);
    }
    let (game, board) = starting_board::board(&options.game, &options.start)?;
    let mut solver = game.solver(&Resources { book: !options.no_book, ..resources(&options.work) })?;
    let mut printed = None;
    let mut print_progress = |report: &Report, time: Duration| {
        let Some(bounds) = report.proved.filter(|bounds| !bounds.are_exact()) else { return };
        // Prints each pair of bounds once.
        if printed.replace(bounds) != Some(bounds) {
            let (Bounds { lo, hi }, nodes) = (bounds, report.nodes);
            let time = duration_text(time);
            stdio::remark(&format!("value between {} and {} after {nodes} positions, {time}", lo.0, hi.0));
        }
    };
    let solved = match &options.checkpoint {
        Some(dir) => {
            checkpointed::solve(solver.as_mut(), board.as_ref(), options, dir, &stop, &mut print_progress)?
        }
        None => solve(solver.as_mut(), board.as_ref(), options, &stop, &mut print_progress)?,
    };
    if options.json {
        writeln!(out, "{}", as_json(&game.spec(), board.as_ref(), &solved))?;
    } else {
        print(board.as_ref(), &solved, out)?;
    }
    let Bounds { lo, hi } = solved.bounds;
    if solved.bounds.are_exact() {
        Ok(())
    } else {
        out.flush()?;
        let why = if stop.load(std::sync::atomic::Ordering::Relaxed) {
            "interrupted"
        } else {
            "time limit reached"
        };
        let advice = match &options.checkpoint {
            Some(_) => "run the same command to resume",
            None => "increase --time or --memory, or use --checkpoint DIR to resume later",
        };
        Err(CommandError::Failed(format!("{why}; the value is between {} and {}; {advice}", lo.0, hi.0)))
    }
}

/// The result of a solve: bounds, the last report of the solver, the time.
pub struct SolveResult {
    pub bounds: Bounds,
    pub last: Report,
    pub seconds: f64,
}

/// A duration with one or two units, such as "3 min 20 s".
pub fn duration_text(time: Duration) -> String {
    match time.as_secs() {
        0..120 => format!("{:.1} s", time.as_secs_f64()),
        seconds @ 120..7200 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

fn solve(
    solver: &mut dyn DynSolver,
    board: &dyn Board,
    options: &SolveOptions,
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Report, Duration),
) -> Result<SolveResult, CommandError> {
    let begun = Instant::now();
    let mut last = Report::default();
    // Lines of values have no principal variation.
    let limits = Limits { time: options.time, value_only: options.stdin, ..Limits::default() };
    let bounds = solver.solve(board, &limits, stop, &mut |news| {
        last = news.clone();
        report(news, begun.elapsed());
    })?;
    Ok(SolveResult { bounds, last, seconds: begun.elapsed().as_secs_f64() })
}

fn print(board: &dyn Board, solved: &SolveResult, out: &mut dyn Write) -> Result<(), CommandError> {
    let SolveResult { bounds, last, seconds } = solved;
    let seat = board.info().seats[board.turn().index()];
    if bounds.are_exact() {
        writeln!(out, "value {} ({} for {seat}, to move)", bounds.lo.0, outcome(bounds.lo))?;
    } else {
        writeln!(out, "value between {} and {} (for {seat}, to move)", bounds.lo.0, bounds.hi.0)?;
    }
    if !last.line.is_empty() && bounds.are_exact() {
        writeln!(out, "line  {}", last.line.join(" "))?;
    }
    let hash = if last.by_hash { ", proven up to hash collisions" } else { "" };
    Ok(writeln!(out, "{} in {seconds:.3} s{hash}", counted(last.nodes, "position"))?)
}

fn as_json(spec: &str, board: &dyn Board, solved: &SolveResult) -> serde_json::Value {
    let SolveResult { bounds, last, seconds } = solved;
    let exact = bounds.are_exact();
    let mut line = json!({"game": spec, "position": board.position(), "turn": board.turn().to_string()});
    if exact {
        line["value"] = json!(bounds.lo.0);
        line["outcome"] = json!(outcome(bounds.lo));
    }
    line["exact"] = json!(exact);
    if !exact {
        line["lo"] = json!(bounds.lo.0);
        line["hi"] = json!(bounds.hi.0);
    }
    if last.by_hash {
        line["by_hash"] = json!(true);
    }
    line["best"] = json!(last.line.iter().take(1).collect::<Vec<_>>());
    line["line"] = json!(last.line);
    line["nodes"] = json!(last.nodes);
    line["seconds"] = json!(seconds);
    line
}

/// Reads a list of moves per line and writes `moves value nodes microseconds` per line. Output to a pipe is buffered.
fn filter(options: &SolveOptions, stop: &AtomicBool, out: &mut dyn Write) -> Result<(), CommandError> {
    let game = parlor_catalog::game(&options.game)?;
    let mut solver = game.solver(&Resources { book: !options.no_book, ..resources(&options.work) })?;
    let interactive = stdio::stdout_is_terminal() || io::stdin().is_terminal();
    let mut out = BufWriter::new(out);
    let (mut bad, mut open) = (0_u64, 0_u64);
    let mut input = io::stdin().lock();
    let mut bytes = Vec::new();
    for number in 1_u64.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 || stop.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        let text = String::from_utf8_lossy(&bytes);
        match one(game.as_ref(), solver.as_mut(), text.trim(), options, stop) {
            Ok((line, exact)) => {
                writeln!(out, "{line}")?;
                open += u64::from(!exact);
            }
            Err(error) => {
                bad += 1;
                out.flush()?;
                stdio::remark(&format!("parlor: line {number}: {error}"));
            }
        }
        if interactive {
            out.flush()?;
        }
    }
    out.flush()?;
    match (bad, open) {
        (0, 0) => Ok(()),
        (0, _) => Err(CommandError::Failed(format!(
            "{} not solved in time; the output has bounds instead of values",
            counted(open, "position")
        ))),
        _ => Err(CommandError::Input(format!("{} without a list of legal moves", counted(bad, "line")))),
    }
}

fn one(
    game: &dyn DynGame,
    solver: &mut dyn DynSolver,
    text: &str,
    options: &SolveOptions,
    stop: &AtomicBool,
) -> Result<(String, bool), CommandError> {
    let mut board = game.board();
    for (number, word) in (1..).zip(game.split(text)) {
        let wrong = |why| CommandError::Input(format!("move {number} '{word}' is illegal: {why}"));
        board.play(&word).map_err(wrong)?;
    }
    let SolveResult { bounds, last, seconds } = solve(solver, board.as_ref(), options, stop, &mut |_, _| ())?;
    let value = match bounds.are_exact() {
        true => bounds.lo.0.to_string(),
        false => format!("{}..{}", bounds.lo.0, bounds.hi.0),
    };
    Ok((format!("{text} {value} {} {:.0}", last.nodes, seconds * 1e6), bounds.are_exact()))
}
