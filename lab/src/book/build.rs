//! Builds the book: solves whole plies one after another, and after each of them the lines of best play from all
//! known positions, until the time is over or the book is full. The values of earlier plies follow from those of
//! later ones.

use super::{
    BookPlan,
    journal::BookJournal,
    layers::{DEEPEST, KnownValues, derive, next_layer, value_of},
    line::{self, BookLineStep},
};
use anyhow::{Context, Result, ensure};
use parlor_core::{Game, Margin};
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::{Book, ConnectSolver};
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Memory of all solvers together.
const MIB: usize = 4096;
/// Intervals at which progress is printed and the clock is read.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(15);
const TICK: Duration = Duration::from_millis(20);

struct Works {
    game: Connect,
    found: Mutex<Found>,
    stop: AtomicBool,
    deadline: Instant,
}

/// All known values, and the journal to which new ones are written.
struct Found {
    known: KnownValues,
    journal: BookJournal,
    failed: Option<anyhow::Error>,
}

pub fn build(plan: &BookPlan) -> Result<()> {
    let (journal, mut known) = BookJournal::open(&super::journal())?;
    eprintln!("{} positions are known from {}", known.len(), super::journal().display());
    let game = Connect::new(&[7, 6, 4])?;
    derive(&game, &mut known);
    let works = Works {
        found: Mutex::new(Found { known, journal, failed: None }),
        stop: AtomicBool::new(false),
        deadline: Instant::now() + plan.time,
        game,
    };
    let mut solvers: Vec<ConnectSolver> =
        (0..plan.threads).map(|_| ConnectSolver::new(&works.game, MIB / plan.threads, 1)).collect();
    works.plies_and_lines(plan.plies, &mut solvers);
    let mut found = works.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = found.failed {
        return Err(error).context("the journal cannot be written");
    }
    found.journal.sync()?;
    derive(&works.game, &mut found.known);
    write(&works.game, &found.known, &super::file())
}

impl Works {
    /// Solves plies and lines in the order of their usefulness.
    fn plies_and_lines(&self, plies: u32, solvers: &mut [ConnectSolver]) {
        let (mut all, mut layer) = (Vec::new(), vec![self.game.start()]);
        for ply in 1..=DEEPEST {
            let next = next_layer(&self.game, &layer);
            all.append(&mut layer);
            layer = next;
            if ply < plies as usize {
                continue;
            }
            self.share(&format!("ply {ply}"), solvers, &layer, |solver, pos| self.solve(solver, pos));
            derive(&self.game, &mut self.found().known);
            let ways: Vec<Position> = all.iter().chain(&layer).cloned().collect();
            let what = format!("lines from ply {ply}");
            self.share(&what, solvers, &ways, |solver, pos| self.follow(solver, pos));
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
        }
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn value_of(&self, pos: &Position) -> Option<i16> {
        value_of(&self.game, &self.found().known, pos)
    }

    /// Stores a value. The build ends if the journal cannot be written.
    fn keep(&self, pos: &Position, value: i16) {
        let mut found = self.found();
        let key = self.game.key(pos);
        found.known.insert(key, value);
        if let Err(error) = found.journal.add(key, value) {
            found.failed = Some(error);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Solves a position unless it is known. False if there was nothing to do.
    fn solve(&self, solver: &mut ConnectSolver, pos: &Position) -> bool {
        if self.value_of(pos).is_some() {
            return false;
        }
        let bounds = solver.solve(pos, &self.stop, &mut |_, _| ());
        if bounds.are_exact() {
            self.keep(pos, bounds.lo.0);
        }
        true
    }

    /// Extends the line of best play from a position. False if there was nothing to do.
    fn follow(&self, solver: &mut ConnectSolver, pos: &Position) -> bool {
        let (mut pos, mut worked) = (pos.clone(), false);
        let known = |pos: &Position| self.value_of(pos);
        while let Some(BookLineStep { pos: next, value, new }) =
            line::step(&self.game, &known, solver, &pos, &self.stop)
        {
            if new {
                self.keep(&next, value);
                worked = true;
            }
            pos = next;
        }
        worked
    }

    /// Distributes positions among the solvers until all are done or the time is over.
    fn share(
        &self,
        what: &str,
        solvers: &mut [ConnectSolver],
        positions: &[Position],
        work: impl Fn(&mut ConnectSolver, &Position) -> bool + Sync,
    ) {
        let (taken, worked, began) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
        let mut printed = began;
        thread::scope(|scope| {
            let mut workers = Vec::new();
            for solver in solvers {
                workers.push(scope.spawn(|| {
                    while let Some(pos) = positions.get(taken.fetch_add(1, Ordering::Relaxed))
                        && !self.stop.load(Ordering::Relaxed)
                    {
                        worked.fetch_add(usize::from(work(&mut *solver, pos)), Ordering::Relaxed);
                    }
                }));
            }
            while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
                thread::sleep(TICK);
                if Instant::now() >= self.deadline {
                    self.stop.store(true, Ordering::Relaxed);
                }
                if printed.elapsed() >= PROGRESS_INTERVAL {
                    printed = Instant::now();
                    self.tell(what, &taken, &worked, positions.len(), began);
                }
            }
        });
        self.tell(what, &taken, &worked, positions.len(), began);
    }

    /// Prints the progress and the expected remaining time.
    fn tell(&self, what: &str, taken: &AtomicUsize, worked: &AtomicUsize, of: usize, began: Instant) {
        let (taken, worked) = (taken.load(Ordering::Relaxed).min(of), worked.load(Ordering::Relaxed));
        let each = began.elapsed().as_secs_f64() / worked.max(1) as f64;
        let left = self.deadline.saturating_duration_since(Instant::now()).as_secs_f64() / 60.0;
        eprintln!(
            "{what}: {taken} of {of}, {worked} of them new, {each:.2} s each, {:.0} min to the end of it; {} known, {left:.0} min left",
            each * (of - taken) as f64 / 60.0,
            self.found().known.len()
        );
    }
}

/// Writes the book to a temporary file and renames it, so that the file is complete at any time.
fn write(game: &Connect, known: &KnownValues, file: &Path) -> Result<()> {
    let entries = reachable(game, known);
    let bytes = Book::write(entries);
    let book = Book::parse(bytes.clone())?;
    ensure!(bytes.len() <= Book::MOST_BYTES, "the book has {} bytes: that is too much", bytes.len());
    let beside = file.with_extension("book.new");
    let mut new = File::create(&beside).with_context(|| beside.display().to_string())?;
    new.write_all(&bytes)?;
    new.sync_all()?;
    fs::rename(&beside, file).with_context(|| file.display().to_string())?;
    println!("{}: {} entries, {} bytes", file.display(), book.len(), bytes.len());
    Ok(())
}

/// The known positions that are reached through known positions, early plies first, as many as fit.
fn reachable(game: &Connect, known: &KnownValues) -> Vec<(u64, Margin)> {
    let mut entries = Vec::new();
    let mut layer = vec![game.start()];
    while !layer.is_empty() {
        layer.retain(|pos| known.contains_key(&game.key(pos)));
        entries.extend(layer.iter().filter_map(|pos| {
            let key = game.key(pos);
            known.get(&key).map(|&value| (key, Margin(value)))
        }));
        layer = next_layer(game, &layer);
    }
    entries.truncate(Book::MOST_ENTRIES);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positions_reached_through_known_ones_are_written() {
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        let first = next_layer(&game, &[game.start()]);
        let second = next_layer(&game, &first[1..2]);
        let mut known = KnownValues::from([(game.key(&game.start()), 1), (game.key(&first[0]), -1)]);
        known.insert(game.key(&second[0]), 0);
        let keys: Vec<u64> = reachable(&game, &known).into_iter().map(|(key, _)| key).collect();
        let expected = [game.start(), first[0].clone()].map(|pos| game.key(&pos));
        let shared = next_layer(&game, &first[..1]).iter().any(|pos| game.key(pos) == game.key(&second[0]));
        assert_eq!(keys.len(), 2 + usize::from(shared));
        assert_eq!(keys[..2], expected);
    }
}
