//! `parlor bench`: the same work on every machine. The node counts are a checksum of behaviour, kept in bench.txt: a change of
//! rules, ordering or search is seen there. Speed is printed, never judged.

use crate::{args::BenchOptions, fault::Fault};
use parlor_catalog::{Resources, game};
use parlor_core::{Limits, Report, split_spec};
use serde_json::json;
use std::{collections::BTreeMap, fs, io::Write, path::Path, sync::atomic::AtomicBool, time::Instant};

/// Games and how deep each is searched from its start.
const WORK: [(&str, u32); 7] = [
    ("kalah:6,4", 12),
    ("kalah:4,3", 18),
    ("connect:7,6,4", 11),
    ("oware", 12),
    ("oware:rules=awari", 12),
    ("amazons:10,10", 2),
    ("amazons:5,5", 3),
];

pub fn run(options: &BenchOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let wanted = match &options.game {
        None => None,
        Some(text) => Some(parlor_catalog::find(split_spec(text)?.0)?.name),
    };
    let chosen = WORK
        .iter()
        .filter(|(spec, _)| wanted.is_none_or(|name| split_spec(spec).is_ok_and(|(own, _)| own == name)));
    let mut counts = BTreeMap::new();
    for &(spec, depth) in chosen {
        let begun = Instant::now();
        let nodes = nodes(spec, depth)?;
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
    match &options.compare {
        Some(file) => compare(file, &counts),
        None => Ok(()),
    }
}

/// The positions that a search of this depth looks at.
fn nodes(spec: &str, depth: u32) -> Result<u64, Fault> {
    let game = game(spec)?;
    let mut engine = game.player(&format!("engine:depth={depth}").parse()?, &Resources::seeded(1))?;
    let mut last = Report::default();
    engine
        .choose(game.board().as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |report| {
            last = report.clone();
        })
        .map_err(|failure| Fault::Failed(format!("{spec}: the engine {failure}")))?;
    Ok(last.nodes)
}

/// A line of the file is `spec depth nodes`.
fn compare(file: &Path, counts: &BTreeMap<String, u64>) -> Result<(), Fault> {
    let name = file.display();
    let text = fs::read_to_string(file)
        .map_err(|e| Fault::Input(format!("{name}: the file cannot be read: {e}")))?;
    let mut known = BTreeMap::new();
    for (number, line) in
        (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let wrong = || Fault::Input(format!("{name}: line {number} is not like 'kalah:6,4 12 123456'"));
        let (work, nodes) = line.rsplit_once(' ').ok_or_else(wrong)?;
        known.insert(work.to_string(), nodes.parse::<u64>().map_err(|_| wrong())?);
    }
    let differing: Vec<String> = counts
        .iter()
        .filter(|(work, nodes)| known.get(*work) != Some(nodes))
        .map(|(work, nodes)| match known.get(work) {
            Some(before) => format!("{work}: {nodes}, not {before}"),
            None => format!("{work}: {nodes}, which is not in the file"),
        })
        .collect();
    if differing.is_empty() {
        Ok(())
    } else {
        Err(Fault::Failed(format!("the search behaves differently from {name}: {}", differing.join("; "))))
    }
}
