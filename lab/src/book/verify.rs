//! Verifies the embedded book: it is complete and sorted, its values are consistent, and solving a random sample
//! without a book gives the same values.

use anyhow::{Context, Result, bail, ensure};
use parlor_core::{Bounds, Game, Notation};
use parlor_engine::Random;
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::{Book, BookStatistics, ConnectSolver};
use std::{collections::HashSet, fs, sync::atomic::AtomicBool, time::Instant};

/// Memory of the solver.
const MIB: usize = 1024;

pub fn verify(sample: u64) -> Result<()> {
    let file = super::file();
    let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
    let size = bytes.len();
    let book = Book::parse(bytes).with_context(|| file.display().to_string())?;
    let built_in = Book::embedded().is_ok_and(|embedded| embedded.entries().eq(book.entries()));
    ensure!(built_in, "the program was built with another book than the file");
    let game = Connect::new(&[7, 6, 4])?;
    let statistics = BookStatistics::of(&book, &game)?;
    println!("{} entries in {size} bytes; checksum and order are right", book.len());
    println!("{} values follow from those after their moves; none contradicts another", statistics.settled);
    for (ply, entries) in statistics.entries.iter().enumerate() {
        let complete = statistics.complete.is_some_and(|complete| ply <= complete as usize);
        println!("ply {ply:>2}: {entries:>6}{}", if complete { "  all positions" } else { "" });
    }
    solve_anew(&game, &book, sample)
}

fn solve_anew(game: &Connect, book: &Book, sample: u64) -> Result<()> {
    let (positions, mut random) = (positions(game, book), Random::new(sample));
    ensure!(!positions.is_empty(), "the book is empty");
    let mut solver = ConnectSolver::new(game, MIB, 1);
    let began = Instant::now();
    for _ in 0..sample {
        let pos = &positions[random.below(positions.len())];
        solver.clear();
        let found = solver.solve(pos, &AtomicBool::new(false), &mut |_, _| ());
        let stored = book.find(game, pos);
        if stored.map(Bounds::exactly) != Some(found) {
            bail!("{} is solved as {found:?}, and the book has {stored:?}", game.write_position(pos));
        }
    }
    println!("{sample} random entries solved anew in {:.1} s: all equal", began.elapsed().as_secs_f64());
    Ok(())
}

fn positions(game: &Connect, book: &Book) -> Vec<Position> {
    let (mut all, mut seen) = (vec![game.start()], HashSet::new());
    all.retain(|pos| book.find(game, pos).is_some());
    let mut at = 0;
    while at < all.len() {
        let children = super::layers::children(game, &all[at]);
        let listed = children.map(|(_, pos)| pos).filter(|pos| book.find(game, pos).is_some());
        let new: Vec<Position> = listed.filter(|pos| seen.insert(game.key(pos))).collect();
        all.extend(new);
        at += 1;
    }
    all
}
