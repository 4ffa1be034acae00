//! `cargo lab prove awari` and `abapa`: compute the tables of both rule sets in memory. For Awari the number of
//! positions with each value is compared with the published counts, if the reference folder is set; a count that
//! differs is an error. For Abapa the number of exact values and the widths of the other bounds are printed.

use crate::positions;
use anyhow::{Context, Result, bail};
use parlor_core::Indexed;
use parlor_games::oware::{Oware, RuleSet};
use parlor_solvers::oware::OwareFiller;
use parlor_tables::{Filler, Work};
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    sync::atomic::{AtomicBool, AtomicU64},
    time::Instant,
};

const THREADS: usize = 2;

/// The number of positions of a layer by value.
type Counts = BTreeMap<i8, u64>;

/// Computes all layers up to `up_to`, and calls `each` with the entries of a layer and the seconds it took.
fn layers(rules: RuleSet, up_to: u32, mut each: impl FnMut(u32, &[i8], f64) -> Result<()>) -> Result<f64> {
    let game = Oware::by(rules).family();
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: THREADS, stop: &stop, done: &done };
    let mut layers: Vec<Vec<i8>> = Vec::new();
    let mut all = 0.0;
    for layer in 0..=up_to {
        let begun = Instant::now();
        let mut out = vec![0; game.len(layer) as usize * game.planes()];
        let below: Vec<&[i8]> = layers.iter().map(Vec::as_slice).collect();
        if !OwareFiller.fill(&game, layer, &below, &mut out, &work) {
            bail!("layer {layer} was not filled");
        }
        let seconds = begun.elapsed().as_secs_f64();
        all += seconds;
        each(layer, &out, seconds)?;
        layers.push(out);
    }
    Ok(all)
}

/// Computes Awari up to `up_to` seeds and prints a histogram like `parlor table info --histogram`, `layer value
/// count` per line.
pub fn awari(up_to: u32) -> Result<()> {
    let published = published()?;
    println!("# Awari, values of all positions of n seeds: n value count; {THREADS} threads");
    let (mut positions, mut compared) = (0, 0);
    let seconds = layers(RuleSet::Awari, up_to, |layer, entries, seconds| {
        let mut counts = Counts::new();
        entries.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
        counts.iter().for_each(|(value, count)| println!("{layer} {value} {count}"));
        let verdict = match published.get(&layer) {
            None => "nothing published here to compare with",
            Some(known) if *known == counts => "as published",
            Some(_) => bail!("layer {layer} differs from the published counts"),
        };
        compared += u32::from(published.contains_key(&layer));
        positions += entries.len();
        let rate = entries.len() as f64 / seconds / 1e6;
        println!(
            "# {layer} seeds: {} positions, {seconds:.2} s, {rate:.1} M a second; {verdict}",
            entries.len()
        );
        Ok(())
    })?;
    println!("# {positions} positions in {seconds:.2} s; {compared} layers as published");
    Ok(())
}

/// Computes Abapa up to `up_to` seeds and prints the number of exact values.
pub fn abapa(up_to: u32) -> Result<()> {
    println!("Abapa: proved bounds; {THREADS} threads");
    println!(
        "{:>5} {:>12} {:>12} {:>7} {:>10} {:>9} {:>7}",
        "seeds", "positions", "exact", "share", "mean width", "win known", "seconds"
    );
    let seconds = layers(RuleSet::Abapa, up_to, |layer, entries, seconds| {
        let (lo, rest) = entries.split_at(entries.len() / Oware::by(RuleSet::Abapa).planes());
        let pairs = || lo.iter().zip(&rest[..lo.len()]);
        if let Some((lo, hi)) = pairs().find(|(lo, hi)| lo > hi) {
            bail!("a position of {layer} seeds has the bounds {lo} and {hi}");
        }
        let exact = pairs().filter(|(lo, hi)| lo == hi).count();
        // Decided: it is known which side takes more of the remaining seeds, or that both take the same number.
        let decided = pairs().filter(|&(&lo, &hi)| lo > 0 || hi < 0 || lo == hi).count();
        let width: u64 = pairs().map(|(&lo, &hi)| u64::from((hi - lo).unsigned_abs())).sum();
        let share = |count: usize| 100.0 * count as f64 / lo.len() as f64;
        println!(
            "{layer:>5} {:>12} {exact:>12} {:>6.1}% {:>10.2} {:>8.1}% {seconds:>7.2}",
            lo.len(),
            share(exact),
            width as f64 / lo.len() as f64,
            share(decided)
        );
        Ok(())
    })?;
    println!("all in {seconds:.2} s");
    Ok(())
}

/// The published counts by layer; empty if there is no reference folder.
fn published() -> Result<HashMap<u32, Counts>> {
    let mut all: HashMap<u32, Counts> = HashMap::new();
    let Some(folder) = positions::reference() else {
        println!("# PARLOR_REFERENCE is not set: nothing to compare with");
        return Ok(all);
    };
    let file = folder.join("awari-lincke.tsv");
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    for line in text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let row: Vec<i64> =
            line.split('\t').map(str::parse).collect::<Result<_, _>>().with_context(|| line.to_string())?;
        let [layer, value, count] = row[..] else { bail!("{line}: three numbers are wanted") };
        all.entry(layer as u32).or_default().insert(value as i8, count as u64);
    }
    Ok(all)
}
