//! `parlor table`: builds, describes, verifies and probes endgame tables.

use crate::{
    args::{
        TableBuildOptions, TableCommand, TableInfoOptions, TableOptions, TableProbeOptions,
        TableVerifyOptions,
    },
    commands::solve::outcome,
    date,
    environment::default_tables_dir,
    error::CommandError,
    interrupt, starting_board, stdio,
};
use parlor_catalog::{
    BuildPlan, BuildProgress, BuildStage, DynTable, Form, LayerInfo, ProbeResult, Sample, TableFamily,
    Verified, Work,
};
use parlor_core::{Board, Bounds, counted};
use serde_json::json;
use std::{
    io::{self, Write},
    path::PathBuf,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

pub fn run(command: &TableCommand, out: &mut dyn Write) -> Result<(), CommandError> {
    match command {
        TableCommand::Build(options) => build(options, out),
        TableCommand::Info(options) => info(options, out),
        TableCommand::Verify(options) => verify(options, out),
        TableCommand::Probe(options) => probe(options, out),
    }
}

/// The tables of a game, and the folder of all tables.
fn tables(options: &TableOptions) -> Result<(Box<dyn TableFamily>, PathBuf), CommandError> {
    let game = parlor_catalog::game(&options.game)?;
    let Some(tables) = game.tables() else {
        let with = parlor_catalog::entries().iter().filter(|entry| entry.tables).map(|entry| entry.name);
        let with = with.collect::<Vec<_>>().join(", ");
        return Err(CommandError::Input(format!(
            "there are no tables for {}; tables exist for small boards of {with}",
            game.spec()
        )));
    };
    let dir = options.dir.clone().or_else(default_tables_dir);
    let nowhere =
        || CommandError::Input("no user data folder found; specify a folder with --dir".to_string());
    Ok((tables, dir.ok_or_else(nowhere)?))
}

/// An open table and its folder.
struct OpenTable {
    family: String,
    folder: PathBuf,
    table: Box<dyn DynTable>,
}

fn open(options: &TableOptions) -> Result<OpenTable, CommandError> {
    let (tables, dir) = tables(options)?;
    Ok(OpenTable { family: tables.family(), folder: tables.folder(&dir), table: tables.open(&dir)? })
}

fn build(options: &TableBuildOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let (tables, dir) = tables(&options.table)?;
    let (stop, done, begun) = (interrupt::stop_flag(), AtomicU64::new(0), Instant::now());
    let plan = BuildPlan { dir: &dir, up_to: options.up_to, memory: options.memory as u64 };
    let work = Work { threads: options.threads.into(), stop: &stop, done: &done };
    let form = if options.compress { Form::Packed } else { Form::Plain };
    let mut filled = 0;
    let mut note = |news: &BuildProgress| {
        filled += if news.stage == BuildStage::Kept { news.total } else { 0 };
        print_progress(news);
    };
    let built = tables.build_as(form, &plan, &work, &mut note)?;
    if !built.whole {
        stdio::end_progress();
        return Err(CommandError::Failed(interrupted(options, built.top)));
    }
    let (folder, seconds) = (tables.folder(&dir), begun.elapsed().as_secs_f64());
    let family = tables.family();
    if options.table.json {
        let line = json!({"family": family, "folder": folder.to_string_lossy(), "top": options.up_to,
            "filled": filled, "seconds": seconds});
        return Ok(writeln!(out, "{line}")?);
    }
    writeln!(out, "{family}: layers 0 to {} built in {}", options.up_to, folder.display())?;
    Ok(writeln!(out, "{filled} entries filled in {seconds:.3} s")?)
}

/// Prints one line per layer, and a progress line at a terminal. A closed standard error is ignored.
fn print_progress(news: &BuildProgress) {
    let terminal = stdio::stderr_is_terminal();
    let BuildProgress { layer, up_to, done, total, stage, rate, left } = news;
    match stage {
        BuildStage::Found => (),
        BuildStage::Kept => {
            if terminal {
                stdio::progress("");
            }
            let entries = if *total == 1 { "entry" } else { "entries" };
            stdio::remark(&format!("layer {layer} of {up_to}: {total} {entries}"));
        }
        BuildStage::Filling | BuildStage::Packing if terminal => {
            let percent = 100 * u128::from(*done) / u128::from(*total).max(1);
            // The estimate is based on filling, so it is omitted during packing.
            let left = left.filter(|_| *stage == BuildStage::Filling);
            let left = left.map_or(String::new(), |time| format!(", {} left", duration_text(time)));
            let packed = if *stage == BuildStage::Packing { " compressed" } else { "" };
            let rate = rate / 1e6;
            stdio::progress(&format!(
                "layer {layer} of {up_to}: {percent}% of {total} entries{packed}, {rate:.1} million/s{left}"
            ));
        }
        BuildStage::Filling | BuildStage::Packing => (),
    }
}

/// A duration rounded down to one unit.
fn duration_text(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

fn interrupted(options: &TableBuildOptions, top: Option<u32>) -> String {
    let kept = match top {
        None => "no layer is finished".to_string(),
        Some(0) => "layer 0 is saved".to_string(),
        Some(top) => format!("layers 0 to {top} are saved"),
    };
    let dir = options.table.dir.as_ref().map_or(String::new(), |dir| format!(" --dir {}", dir.display()));
    let compress = if options.compress { " --compress" } else { "" };
    format!(
        "interrupted: {kept}; resume with: parlor table build {} --up-to {}{compress}{dir}",
        options.table.game, options.up_to
    )
}

fn info(options: &TableInfoOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let OpenTable { family, folder, table } = open(&options.table)?;
    let layers = table.info();
    if options.histogram {
        return layers.iter().try_for_each(|layer| histogram(table.as_ref(), layer, options.table.json, out));
    }
    for layer in &layers {
        print_layer(layer, options.table.json, out)?;
    }
    if !options.table.json {
        let positions: u64 = layers.iter().map(|layer| layer.positions).sum();
        let bytes: u64 = layers.iter().filter_map(|layer| layer.bytes).sum();
        let bits = bits(bytes, positions);
        let folder = folder.display();
        writeln!(
            out,
            "{family}: {}, {bytes} bytes ({bits:.2} bits per position) in {folder}",
            counted(positions, "position")
        )?;
    }
    Ok(())
}

fn print_layer(about: &LayerInfo, as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    let LayerInfo { layer, positions, bytes, form, checksum } = *about;
    let (bytes, checksum) = (bytes.unwrap_or(0), checksum.unwrap_or(0));
    let (packed, bits) = (form == Some(Form::Packed), bits(bytes, positions));
    if as_json {
        let line = json!({"layer": layer, "positions": positions, "bytes": bytes,
            "checksum": format!("{checksum:08x}"), "compressed": packed, "bits": bits});
        return writeln!(out, "{line}");
    }
    let packed = if packed { format!(" compressed ({bits:.2} bits per position)") } else { String::new() };
    writeln!(
        out,
        "layer {layer}: {}, {bytes} bytes{packed}, checksum {checksum:08x}",
        counted(positions, "position")
    )
}

/// File size in bits per position, headers included.
fn bits(bytes: u64, positions: u64) -> f64 {
    8.0 * bytes as f64 / positions.max(1) as f64
}

fn histogram(
    opened: &dyn DynTable,
    about: &LayerInfo,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let (layer, counts) = (about.layer, opened.histogram(about.layer));
    if counts.is_empty() && about.positions > 0 {
        return Err(CommandError::Failed(format!(
            "cannot decompress layer {layer}; run parlor table verify for details"
        )));
    }
    for ([lo, hi], count) in counts {
        match as_json {
            true if lo == hi => writeln!(out, "{}", json!({"layer": layer, "value": lo, "count": count}))?,
            true => writeln!(out, "{}", json!({"layer": layer, "lo": lo, "hi": hi, "count": count}))?,
            false if lo == hi => writeln!(out, "{layer} {lo} {count}")?,
            false => writeln!(out, "{layer} {lo}..{hi} {count}")?,
        }
    }
    Ok(())
}

fn verify(options: &TableVerifyOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let OpenTable { family, table, .. } = open(&options.table)?;
    let begun = Instant::now();
    let seed = options.seed.unwrap_or_else(date::fresh_seed);
    let sample = options.sample.map(|count| Sample { count, seed });
    let all = table.info().iter().map(|layer| layer.positions).sum();
    let stop = interrupt::stop_flag();
    let found = verify_with_progress(table.as_ref(), sample, options, all, &stop)?;
    let Verified { blocks, entries, whole } = found;
    let (layers, seconds) = (table.info().len(), begun.elapsed().as_secs_f64());
    if !whole {
        let right = "no errors found so far; a new run starts over";
        return Err(CommandError::Failed(format!("interrupted after {entries} entries: {right}")));
    }
    if options.table.json {
        let line = json!({"family": family, "layers": layers, "blocks": blocks, "entries": entries,
            "seed": sample.map(|sample| sample.seed), "right": true, "seconds": seconds});
        return Ok(writeln!(out, "{line}")?);
    }
    let drawn = sample.map_or(String::new(), |sample| format!(" (random, seed {})", sample.seed));
    Ok(writeln!(
        out,
        "{family}: {}, {}, {entries} entries{drawn}: no errors ({seconds:.3} s)",
        counted(layers as u64, "layer"),
        counted(blocks, "block")
    )?)
}

/// Verifies a table in another thread, while this thread prints the progress at a terminal.
fn verify_with_progress(
    opened: &dyn DynTable,
    sample: Option<Sample>,
    options: &TableVerifyOptions,
    all: u64,
    stop: &AtomicBool,
) -> Result<Verified, CommandError> {
    let done = AtomicU64::new(0);
    let work = Work { threads: options.threads.into(), stop, done: &done };
    let due = sample.map_or(all, |sample| sample.count).max(1);
    thread::scope(|scope| {
        let verifying = scope.spawn(|| opened.verify(sample, &work));
        let mut printed = Instant::now();
        while !verifying.is_finished() {
            thread::sleep(Duration::from_millis(5));
            if printed.elapsed() > Duration::from_millis(500) && stdio::stderr_is_terminal() {
                printed = Instant::now();
                let percent = 100 * u128::from(done.load(Ordering::Relaxed)) / u128::from(due);
                stdio::progress(&format!("{percent}% of {due} entries"));
            }
        }
        if stdio::stderr_is_terminal() {
            stdio::progress("");
        }
        Ok(verifying.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)
    })
}

fn probe(options: &TableProbeOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let (_, board) = starting_board::board(&options.table.game, &options.start)?;
    let OpenTable { family, table, .. } = open(&options.table)?;
    let probed = table.probe(&board.record())?;
    let Some(value) = probed.value else {
        let (layer, top) = (probed.layer, table.info().len() - 1);
        if layer as usize <= top {
            return Err(CommandError::Failed(format!(
                "the entry of this position in layer {layer} of {family} is damaged; run parlor table verify for details"
            )));
        }
        return Err(CommandError::Failed(format!(
            "the position is in layer {layer}, but the table of {family} has only layers 0 to {top}; build it with --up-to {layer}"
        )));
    };
    if options.table.json {
        return Ok(writeln!(out, "{}", probe_json(&options.table.game, board.as_ref(), &probed, value)?)?);
    }
    let seat = board.info().seats[board.turn().index()];
    let Bounds { lo, hi } = value;
    if value.are_exact() {
        writeln!(out, "value {} ({} for {seat}, to move)", lo.0, outcome(lo))?;
    } else {
        writeln!(out, "value between {} and {} (for {seat}, to move)", lo.0, hi.0)?;
    }
    for (mv, known) in &probed.moves {
        let value = match known {
            None => "unknown".to_string(),
            Some(Bounds { lo, hi }) if lo == hi => lo.0.to_string(),
            Some(Bounds { lo, hi }) => format!("{}..{}", lo.0, hi.0),
        };
        writeln!(out, "{mv} {value}")?;
    }
    Ok(())
}

fn probe_json(
    spec: &str,
    board: &dyn Board,
    probed: &ProbeResult,
    value: Bounds,
) -> Result<serde_json::Value, CommandError> {
    // Without exact values, the best moves are those with the highest lower bound.
    let best = probed.moves.iter().filter(|(_, known)| known.is_some_and(|known| known.lo == value.lo));
    let best: Vec<&String> = best.map(|(mv, _)| mv).collect();
    let write_bounds = |object: &mut serde_json::Value, bounds: Option<Bounds>| match bounds {
        Some(Bounds { lo, hi }) if lo == hi => object["value"] = json!(lo.0),
        Some(Bounds { lo, hi }) => (object["lo"], object["hi"]) = (json!(lo.0), json!(hi.0)),
        None => object["value"] = json!(null),
    };
    let moves = probed.moves.iter().map(|(mv, known)| {
        let mut object = json!({ "move": mv });
        write_bounds(&mut object, *known);
        object
    });
    let mut line = json!({"game": parlor_catalog::game(spec)?.spec(), "position": board.position(),
        "turn": board.turn().to_string(), "layer": probed.layer, "exact": value.are_exact(), "best": best,
        "moves": moves.collect::<Vec<_>>()});
    write_bounds(&mut line, Some(value));
    if value.are_exact() {
        line["outcome"] = json!(outcome(value.lo));
    }
    Ok(line)
}
