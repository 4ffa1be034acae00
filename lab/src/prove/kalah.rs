//! `cargo lab prove kalah`: computes the exact value of every Kalah(m,n) with at most `--largest` beans, for both
//! capture rules, and compares it with the reference folder, if there is one. Small sizes are also solved by plain
//! negamax. Proved values are stored in a journal under the target folder, so a stopped run continues. A value that
//! differs is an error.

use crate::{positions, workspace};
use anyhow::{Context, Result, bail};
use parlor_catalog::{Monotonic, Resources};
use parlor_core::{Game, Limits, Margin, Match};
use parlor_games::kalah::{Kalah, Position};
use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, OpenOptions},
    io::Write,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
    time::Instant,
};

/// Largest total number of beans for which plain negamax is run too.
const SMALL: u32 = 16;
/// Most holes, and most beans per hole.
const MOST: u32 = 6;

/// Holes, beans per hole, and 1 if captures into empty holes count.
type Cell = (u32, u32, u32);

/// A proved value and how it was proved.
#[derive(Clone)]
struct Proof {
    value: i16,
    nodes: u64,
    seconds: f64,
    /// Whether plain negamax agrees.
    by_negamax: bool,
}

pub fn prove(largest: u32, mib: usize) -> Result<()> {
    let journal = workspace::target().join("prove").join("kalah.txt");
    let mut proofs = read(&journal)?;
    let known = known()?;
    println!(
        "Kalah(m,n) from the start, up to {largest} beans in all; 2 threads, about {mib} MiB, nothing from disk"
    );
    println!(
        "{:<9} {:<8} {:>6} {:>14} {:>9}  also  as known?",
        "cell", "captures", "value", "nodes", "seconds"
    );
    for cell in cells(largest) {
        let proof = match proofs.get(&cell) {
            Some(proof) => proof.clone(),
            None => {
                let proof = solved(cell, mib)?;
                write(&journal, cell, &proof)?;
                proofs.insert(cell, proof.clone());
                proof
            }
        };
        tell(cell, &proof, known.get(&cell).copied())?;
    }
    grid(&proofs);
    if largest >= 48 { openings(mib) } else { Ok(()) }
}

/// All cells, in the order of the number of beans.
fn cells(largest: u32) -> Vec<Cell> {
    let all = (1..=MOST).flat_map(|m| (1..=MOST).flat_map(move |n| [(m, n, 0), (m, n, 1)]));
    let mut cells: Vec<Cell> = all.filter(|(m, n, _)| 2 * m * n <= largest).collect();
    cells.sort_by_key(|&(m, n, capture)| (m * n, m, capture));
    cells
}

fn game((holes, beans, capture): Cell) -> Result<Kalah> {
    Ok(Kalah::new(&[holes, beans, capture])?)
}

fn solved(cell: Cell, mib: usize) -> Result<Proof> {
    let game = game(cell)?;
    let began = Instant::now();
    let (value, nodes) = value(&game, &[], mib)?;
    let seconds = began.elapsed().as_secs_f64();
    let small = 2 * cell.0 * cell.1 <= SMALL;
    if small && rest(&game, &game.start(), &mut HashMap::new()) != value {
        bail!("{}: solved as {value}, but plain negamax says otherwise", game.spec());
    }
    Ok(Proof { value, nodes, seconds, by_negamax: small })
}

/// The value after these moves for the side to move, by the solver of the catalogue.
fn value(game: &Kalah, moves: &[String], mib: usize) -> Result<(i16, u64)> {
    let clock = Arc::new(Monotonic::start());
    let resources = Resources { memory: Some(mib << 20), threads: 2, ..Resources::with_clock(0, clock) };
    let mut solver = parlor_catalog::game(&game.spec())?.solver(&resources)?;
    let mut played = Match::new(game.clone());
    for text in moves {
        played.play(text)?;
    }
    let mut nodes = 0;
    let bounds = solver
        .solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |report| nodes = report.nodes)?;
    Ok((bounds.lo.0, nodes))
}

/// Plain negamax: the margin of the remaining beans, without those already in the pots. Its memory has exact keys.
fn rest(game: &Kalah, pos: &Position, memory: &mut HashMap<u64, i16>) -> i16 {
    let Margin(banked) = game.banked(pos);
    if let Some(Margin(margin)) = game.result(pos) {
        return margin - banked;
    }
    if let Some(&value) = memory.get(&game.key(pos)) {
        return value;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let values = moves.into_iter().map(|mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        let margin = rest(game, &next, memory) + game.banked(&next).0;
        if game.turn(&next) == game.turn(pos) { margin } else { -margin }
    });
    let value = values.max().unwrap_or(0) - banked;
    memory.insert(game.key(pos), value);
    value
}

fn tell(cell: Cell, proof: &Proof, known: Option<i16>) -> Result<()> {
    let (m, n, capture) = cell;
    let as_known = match known {
        None => "",
        Some(known) if known == proof.value => "yes",
        Some(known) => bail!("Kalah({m},{n}) has the value {}, but the known value is {known}", proof.value),
    };
    println!(
        "{:<9} {:<8} {:>6} {:>14} {:>9.2}  {:<5} {as_known}",
        format!("({m},{n})"),
        if capture == 0 { "opposite" } else { "empty" },
        format!("{:+}", proof.value),
        proof.nodes,
        proof.seconds,
        if proof.by_negamax { "plain" } else { "" }
    );
    Ok(())
}

/// The values as a table: holes down, beans across.
fn grid(proofs: &BTreeMap<Cell, Proof>) {
    for capture in [0, 1] {
        println!("\n{}", if capture == 0 { "usual rules" } else { "capture=empty" });
        println!("holes{}", (1..=MOST).map(|n| format!("{n:>6}")).collect::<String>());
        for m in 1..=MOST {
            let shown =
                |n| proofs.get(&(m, n, capture)).map_or("     .".to_string(), |p| format!("{:>+6}", p.value));
            println!("{m:>5}{}", (1..=MOST).map(shown).collect::<String>());
        }
    }
}

/// The value of each first move of Kalah(6,4) for South.
fn openings(mib: usize) -> Result<()> {
    let game = game((6, 4, 0))?;
    print!("\nfirst moves of (6,4), holes 1 to 6:");
    for hole in 1..=6_u8 {
        let mut next = game.start();
        game.play(&mut next, parlor_games::kalah::Hole(hole));
        let (value, _) = value(&game, &[hole.to_string()], mib)?;
        let again = game.turn(&next) == game.turn(&game.start());
        print!(" {:+}", if again { value } else { -value });
        std::io::stdout().flush()?;
    }
    println!();
    Ok(())
}

/// The published values of the reference folder.
fn known() -> Result<BTreeMap<Cell, i16>> {
    let Some(folder) = positions::reference() else { return Ok(BTreeMap::new()) };
    let text =
        fs::read_to_string(folder.join("kalah-values.tsv")).context("kalah-values.tsv cannot be read")?;
    let mut known = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split('\t').collect();
        let [m, n, ours, empty, _] = words[..] else { continue };
        let (Ok(m), Ok(n)) = (m.parse(), n.parse()) else { continue };
        for (capture, value) in [(0, ours), (1, empty)] {
            if let Ok(value) = value.parse() {
                known.insert((m, n, capture), value);
            }
        }
    }
    Ok(known)
}

/// Reads the values that earlier runs have proved. An incomplete last line is ignored.
fn read(journal: &PathBuf) -> Result<BTreeMap<Cell, Proof>> {
    let mut proofs = BTreeMap::new();
    let Ok(text) = fs::read_to_string(journal) else { return Ok(proofs) };
    for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
        let words: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [m, n, capture, value, nodes, seconds, by_negamax] = words[..] else {
            bail!("{}: '{line}' is no line of a journal; remove the file to begin anew", journal.display());
        };
        let proof =
            Proof { value: value as i16, nodes: nodes as u64, seconds, by_negamax: by_negamax != 0.0 };
        proofs.insert((m as u32, n as u32, capture as u32), proof);
    }
    Ok(proofs)
}

fn write(journal: &PathBuf, (m, n, capture): Cell, proof: &Proof) -> Result<()> {
    let folder = journal.parent().context("a folder")?;
    fs::create_dir_all(folder)?;
    let mut file = OpenOptions::new().create(true).append(true).open(journal)?;
    let Proof { value, nodes, seconds, by_negamax } = proof;
    writeln!(file, "{m} {n} {capture} {value} {nodes} {seconds:.3} {}", u8::from(*by_negamax))?;
    Ok(file.sync_all()?)
}
