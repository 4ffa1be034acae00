//! `parlor bench`: the same searches on every machine. Their node counts are a checksum of rules, move ordering and search; the
//! expected counts are in bench.txt. The speed is printed but not checked.

use crate::{args::BenchOptions, error::CommandError};
use parlor_catalog::{Resources, entries, game};
use parlor_core::{Limits, Report, split_spec};
use serde_json::json;
use std::{collections::BTreeMap, fs, io::Write, path::Path, sync::atomic::AtomicBool, time::Instant};

pub fn run(options: &BenchOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let wanted = match &options.game {
        None => None,
        Some(text) => Some(parlor_catalog::find(split_spec(text)?.0)?.name),
    };
    let mut work = Vec::new();
    for entry in entries().iter().filter(|entry| wanted.is_none_or(|name| entry.name == name)) {
        work.extend(entry.bench()?);
    }
    let mut counts = BTreeMap::new();
    for (spec, depth) in work {
        let begun = Instant::now();
        let nodes = nodes(&spec, depth)?;
        let seconds = begun.elapsed().as_secs_f64();
        let speed = nodes as f64 / seconds.max(1e-6);
        if options.json {
            let line =
                json!({"game": spec, "depth": depth, "nodes": nodes, "seconds": seconds, "speed": speed});
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "{spec:<20} depth {depth:>2} {nodes:>12} nodes {seconds:>8.3} s {speed:>12.0} nodes/s"
            )?;
        }
        out.flush()?;
        counts.insert(format!("{spec} {depth}"), nodes);
    }
    let Some(file) = &options.compare else { return Ok(()) };
    let of_wanted = |work: &str| wanted.is_none_or(|name| split_spec(work).is_ok_and(|(own, _)| own == name));
    let new = compare(file, &counts, of_wanted)?;
    if !options.json {
        for line in new {
            writeln!(out, "not in {}: {line}", file.display())?;
        }
    }
    Ok(())
}

/// The node count of a search to this depth.
fn nodes(spec: &str, depth: u32) -> Result<u64, CommandError> {
    let game = game(spec)?;
    let mut engine = game.player(&format!("engine:depth={depth}").parse()?, &Resources::seeded(1))?;
    let mut last = Report::default();
    engine
        .choose(game.board().as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |report| {
            last = report.clone();
        })
        .map_err(|failure| CommandError::Failed(format!("{spec}: the engine {failure}")))?;
    Ok(last.nodes)
}

/// Compares the counts with a file whose lines are `spec depth nodes`. Every search of the file for the chosen games must have
/// the same count. Returns the lines of searches that are not in the file, such as those of a new game.
fn compare(
    file: &Path,
    counts: &BTreeMap<String, u64>,
    of_wanted: impl Fn(&str) -> bool,
) -> Result<Vec<String>, CommandError> {
    let name = file.display();
    let text = fs::read_to_string(file)
        .map_err(|e| CommandError::Input(format!("{name}: cannot read the file: {e}")))?;
    let mut known = BTreeMap::new();
    for (number, line) in
        (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let wrong = || {
            CommandError::Input(format!(
                "{name}: line {number}: expected 'SPEC DEPTH NODES', like 'kalah:6,4 12 123456'"
            ))
        };
        let (work, nodes) = line.rsplit_once(' ').ok_or_else(wrong)?;
        known.insert(work.to_string(), nodes.parse::<u64>().map_err(|_| wrong())?);
    }
    let differing: Vec<String> = known
        .iter()
        .filter(|(work, before)| of_wanted(work) && counts.get(*work) != Some(before))
        .map(|(work, before)| match counts.get(work) {
            Some(nodes) => format!("{work}: {nodes} nodes instead of {before}"),
            None => format!("{work}: not searched"),
        })
        .collect();
    if differing.is_empty() {
        let new = counts.iter().filter(|(work, _)| !known.contains_key(*work));
        Ok(new.map(|(work, nodes)| format!("{work} {nodes}")).collect())
    } else {
        Err(CommandError::Failed(format!("node counts differ from {name}: {}", differing.join("; "))))
    }
}
