//! Compares the values of a table with plain negamax, and tests that `verify` finds wrong entries.

use crate::common::{PILES, Piles, Workshop, truth};
use parlor_core::{Bounds, Game, Indexed, Margin, Oracle, Side, laws, mix};
use parlor_tables::{BadTable, EndgameTable, Filler, Forward, Sample, Work, verify};

const TOP: u32 = 18;

fn table(threads: usize) -> EndgameTable<Piles> {
    EndgameTable::in_memory(&PILES, TOP, &Forward, &Workshop::default().work(threads)).expect("not stopped")
}

#[test]
fn every_entry_is_what_plain_negamax_says() {
    for threads in [1, 3] {
        let table = table(threads);
        assert_eq!(table.top(), TOP);
        for (layer, entries) in (0..).zip(table.layers()) {
            assert_eq!(entries.len() as u64, PILES.len(layer));
            for (index, &entry) in (0..).zip(entries) {
                let value = PILES.position(layer, index).map_or(Margin(0), |pos| truth(&PILES, &pos));
                assert_eq!(i16::from(entry), value.0, "layer {layer}, entry {index}");
            }
        }
    }
}

#[test]
fn the_small_game_is_numbered_lawfully() {
    for (seed, reversed) in (0..20).flat_map(|seed| [(seed, false), (seed, true)]) {
        let (game, mut draws) = (Piles { reversed, ..PILES }, 0);
        let mut choose = |n: usize| {
            draws += 1;
            mix([seed, draws]) as usize % n
        };
        assert_eq!(laws::check_numbers(&game, 40, &mut choose), Ok(()));
    }
}

#[test]
fn probes_add_what_is_banked_and_end_at_the_top() {
    let table = table(1);
    let mut pos = PILES.position(12, 13).expect("a position");
    for (banks, turn) in [([0, 0], Side::First), ([7, 2], Side::First), ([7, 2], Side::Second)] {
        (pos.banks, pos.turn) = (banks, turn);
        assert_eq!(table.probe(&PILES, &pos), Some(Bounds::exactly(truth(&PILES, &pos))), "{pos:?}");
    }
    (pos.piles, pos.banks, pos.turn) = ([0, 30], [3, 0], Side::First);
    assert_eq!(
        table.probe(&PILES, &pos),
        Some(Bounds::exactly(Margin(-27))),
        "a finished game needs no table"
    );
    assert_eq!(table.probe(&PILES, &PILES.start()), None, "layer 20 is above the top");
}

#[test]
fn all_games_of_a_family_share_a_table() {
    let (table, small) = (table(1), Piles { size: 4, ..PILES });
    assert_eq!(table.probe(&small, &small.start()), Some(Bounds::exactly(truth(&small, &small.start()))));
}

#[test]
fn histograms_count_every_entry() {
    let table = table(1);
    for layer in 0..=TOP {
        let counts = table.histogram(layer);
        assert!(counts.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), PILES.len(layer));
    }
    assert_eq!(table.histogram(0), [([0, 0], 5)]);
    assert!(table.histogram(TOP + 1).is_empty());
}

#[test]
fn a_right_table_is_verified_entry_by_entry_or_by_sample() {
    let (table, workshop) = (table(2), Workshop::default());
    let all = (0..=TOP).map(|layer| PILES.len(layer)).sum::<u64>();
    let verified = verify(&table, None, &workshop.work(2)).expect("right");
    assert_eq!((verified.blocks, verified.entries, verified.whole), (0, all, true));
    let sample = Sample { count: 10_000, seed: 7 };
    assert_eq!(verify(&table, Some(sample), &workshop.work(2)).expect("right").entries, 10_000);
}

/// A correct filler, except for one entry.
struct Wrong {
    layer: u32,
    index: usize,
}

impl Filler<Piles> for Wrong {
    fn fill(&self, game: &Piles, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        let whole = Forward.fill(game, layer, below, out, work);
        if layer == self.layer {
            out[self.index] += 1;
        }
        whole
    }
}

#[test]
fn every_single_wrong_entry_is_found_and_told_with_its_position() {
    for layer in [0, 6, 12] {
        for index in 0..PILES.len(layer) as usize {
            let workshop = Workshop::default();
            let wrong = Wrong { layer, index };
            let table = EndgameTable::in_memory(&PILES, 12, &wrong, &workshop.work(1)).expect("not stopped");
            let found = verify(&table, None, &workshop.work(2)).expect_err("it is wrong");
            let BadTable::WrongEntry { layer: at, index: number, position, held, derived } = &found else {
                panic!("{found}");
            };
            // The error may first appear in another entry of the layer that depends on it.
            assert_eq!(*at, layer, "{found}");
            assert!(*number <= index as u64, "{found}");
            assert_ne!(Some(i16::from(*held)), *derived);
            let spot =
                PILES.position(layer, *number).map(|pos| parlor_core::Notation::write_position(&PILES, &pos));
            assert_eq!(position, spot.as_deref().unwrap_or("which is not a position"));
        }
    }
}

#[test]
fn a_stopped_filler_gives_no_table_and_a_stopped_verification_says_so() {
    let table = table(1);
    let workshop = Workshop::default();
    workshop.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(EndgameTable::in_memory(&PILES, TOP, &Forward, &workshop.work(2)).is_none());
    assert!(!verify(&table, None, &workshop.work(2)).expect("nothing found").whole);
}
