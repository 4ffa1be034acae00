//! Measures the time of a probe of a table in memory. Each probe starts after the previous one has finished, as in
//! a search that depends on the value, so the memory latency is included.

use super::{Rounds, grouped};
use anyhow::{Result, ensure};
use parlor_core::{Indexed, Oracle};
use parlor_engine::Random;
use parlor_tables::EndgameTable;
use std::{hint::black_box, time::Instant};

const ROUNDS: usize = 5;
/// A layer that fits into the processor's cache together with all lower layers.
const LOW: u32 = 10;

/// Measures `probes` probes of random positions of a table.
pub fn measure<G: Indexed>(probes: usize, game: &G, table: &EndgameTable<G>) -> Result<()> {
    println!(
        "\nprobes in memory, {} random positions, one after another, {ROUNDS} rounds; the ratio is to a move by the rules",
        grouped(probes as u64)
    );
    println!("{:<52} {:>8} {:>9} {:>6}", "what", "best ns", "median ns", "ratio");
    let mut random = Random::new(24);
    let anywhere = positions(game, 0..=table.top(), probes, &mut random);
    let low = positions(game, 0..=LOW.min(table.top()), probes, &mut random);
    let next: Vec<G::Position> = anywhere.iter().map(|pos| moved(game, pos)).collect();
    check(game, table, &anywhere)?;
    let layers = table.layers();
    let places: Vec<(usize, usize)> =
        anywhere.iter().map(|pos| (game.layer(pos) as usize, game.index(pos) as usize)).collect();
    let probe = |pos: &G::Position| table.probe(game, pos).map_or(0, |bounds| bounds.lo.0 as usize);
    let yardstick = timed(&anywhere, |pos| game.turn(&moved(game, pos)).index());
    let rows = [
        ("an entry by its number, anywhere in the table", timed(&places, |&(l, i)| layers[l][i] as usize)),
        ("the number of a position, without its entry", timed(&anywhere, |pos| game.index(pos) as usize)),
        ("a probe, positions of the lowest 11 layers", timed(&low, probe)),
        ("a probe, positions anywhere in the table", timed(&anywhere, probe)),
        ("a probe, positions one move on", timed(&next, probe)),
    ];
    let all = std::iter::once(("a move by the rules, on a copy of the position", yardstick)).chain(rows);
    let mut unit = None;
    for (name, rounds) in all {
        let best = rounds.best();
        let ratio = best / *unit.get_or_insert(best);
        println!("{name:<52} {best:>8.1} {:>9.1} {ratio:>6.2}", rounds.median());
    }
    Ok(())
}

/// Random unfinished positions of these layers.
fn positions<G: Indexed>(
    game: &G,
    layers: std::ops::RangeInclusive<u32>,
    count: usize,
    random: &mut Random,
) -> Vec<G::Position> {
    let lens: Vec<(u32, usize)> = layers.map(|layer| (layer, game.len(layer) as usize)).collect();
    let total = lens.iter().map(|&(_, len)| len).sum();
    let draw = || {
        let mut number = random.below(total);
        let &(layer, _) = lens.iter().find(|&&(_, len)| {
            let here = number < len;
            number -= if here { 0 } else { len };
            here
        })?;
        game.position(layer, number as u64).filter(|pos| game.result(pos).is_none())
    };
    std::iter::repeat_with(draw).flatten().take(count).collect()
}

/// The position after the first legal move.
fn moved<G: Indexed>(game: &G, pos: &G::Position) -> G::Position {
    let mut next = pos.clone();
    if let Some(mv) = game.pick(pos, &mut |_| 0, &mut Vec::new()) {
        game.play(&mut next, mv);
    }
    next
}

/// Checks the values of some positions against those of their moves.
fn check<G: Indexed>(game: &G, table: &EndgameTable<G>, positions: &[G::Position]) -> Result<()> {
    let value = |pos: &G::Position| table.probe(game, pos);
    for pos in positions.iter().take(1000) {
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let worth = moves.into_iter().filter_map(|mv| {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            let found = value(&next)?;
            Some(if game.turn(&next) == game.turn(pos) { found.lo } else { -found.hi })
        });
        let lo = value(pos).map(|found| found.lo);
        ensure!(lo.is_some() && lo == worth.max(), "the table contradicts itself at {pos:?}");
    }
    Ok(())
}

/// Measures the nanoseconds per call, after a warm-up round. The index of the next item depends on the last result,
/// as far as the compiler and the processor can tell, so that calls do not overlap.
fn timed<T>(things: &[T], call: impl Fn(&T) -> usize) -> Rounds {
    let (nothing, mut last) = (black_box(0), 0);
    let mut round = || {
        let began = Instant::now();
        for at in 0..things.len() {
            last = call(&things[at + (last & nothing)]);
        }
        began.elapsed().as_secs_f64() * 1e9 / things.len() as f64
    };
    black_box(round());
    let rounds = Rounds((0..ROUNDS).map(|_| round()).collect());
    black_box(last);
    rounds
}
