//! Checks every game against its `data/` files. CONTRIBUTING.md ("Adding a game") describes their
//! formats.

use parlor_catalog::{DynGame, Entry};
use parlor_core::{ParameterKind, Record, Samples};
use parlor_fifth_game::games;
use std::{collections::HashSet, path::Path, sync::Arc};

/// Larger perft counts are left to `cargo lab bench rules`.
const MOST: u64 = 50_000_000;

fn game(entry: &Entry, spec: &str) -> Arc<dyn DynGame> {
    entry.game(spec).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// The fields of a line, at least this many lines of them.
fn fields<const N: usize>(
    name: &str,
    file: &str,
    text: &'static str,
    least: usize,
) -> Vec<[&'static str; N]> {
    let split = |line: &'static str| -> [&'static str; N] {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        parts.try_into().unwrap_or_else(|_| panic!("{name}: {file}: '{line}' does not have {N} fields"))
    };
    let lines: Vec<_> = Samples::lines(text).map(split).collect();
    assert!(lines.len() >= least, "{name}: {file} has {} lines, not at least {least}", lines.len());
    lines
}

#[test]
fn perft_counts_are_right_in_every_game() {
    for entry in games() {
        let lines: Vec<&str> = Samples::lines(entry.samples.perft).collect();
        assert!(!lines.is_empty(), "{}: perft.txt has no counts", entry.name);
        for line in lines {
            let (spec, counts) =
                line.rsplit_once(": ").unwrap_or_else(|| panic!("not 'SPEC: counts': {line}"));
            let game = game(entry, spec);
            for (depth, count) in (1..).zip(counts.split_whitespace()) {
                let count: u64 = count.parse().unwrap_or_else(|_| panic!("'{count}' is not a count: {line}"));
                if count <= MOST {
                    let counted = game.perft(game.board().as_ref(), depth, &|| false).expect("its own board");
                    assert_eq!(counted, Some(count), "{spec} depth {depth}");
                }
            }
        }
    }
}

#[test]
fn illegal_moves_are_refused_with_a_reason_in_every_game() {
    for entry in games() {
        for [spec, position, mv, part] in fields(entry.name, "illegal.txt", entry.samples.illegal_moves, 3) {
            let game = game(entry, spec);
            let mut board = if position.is_empty() {
                game.board()
            } else {
                game.board_at(position).unwrap_or_else(|e| panic!("{spec} {position}: {e}"))
            };
            let before = board.position();
            let error = board.play(mv).expect_err(&format!("{spec} {position}: '{mv}' is legal")).0;
            assert!(!part.is_empty() && error.contains(part), "{spec} {position} '{mv}': {error}");
            assert_eq!(board.position(), before, "{spec} {position} '{mv}'");
        }
    }
}

#[test]
fn bad_positions_are_refused_with_a_reason_in_every_game() {
    for entry in games() {
        for [spec, position, part] in fields(entry.name, "positions.txt", entry.samples.bad_positions, 3) {
            let read = game(entry, spec).board_at(position);
            let error = read.err().unwrap_or_else(|| panic!("{spec}: '{position}' is a position")).0;
            assert!(!part.is_empty() && error.contains(part), "{spec} '{position}': {error}");
        }
    }
}

#[test]
fn recorded_games_replay_and_are_written_as_they_were_read() {
    for entry in games() {
        let text = entry.samples.game;
        let record = Record::parse(text).unwrap_or_else(|e| panic!("{}: game.parlor: {e}", entry.name));
        let game = game(entry, &record.game);
        let mut board = game.replay(&record).unwrap_or_else(|e| panic!("{}: game.parlor: {e}", entry.name));
        assert!(board.ending().is_some(), "{}: game.parlor is not a whole game", entry.name);
        assert_eq!(board.record(), record, "{}: game.parlor", entry.name);
        assert_eq!(record.to_string(), text, "{}: game.parlor", entry.name);
        let start = record
            .start
            .as_ref()
            .map_or_else(|| game.board(), |start| game.board_at(start).expect("a position"));
        while board.undo().is_some() {}
        assert_eq!(board.position(), start.position());
    }
}

#[test]
fn sizes_are_canonical_and_show_every_variant_in_every_game() {
    for entry in games() {
        let sizes: Vec<&str> = entry.sizes().collect();
        assert!(!sizes.is_empty(), "{}: sizes.txt is empty", entry.name);
        assert_eq!(sizes.iter().collect::<HashSet<_>>().len(), sizes.len(), "{}: a size twice", entry.name);
        for spec in &sizes {
            assert_eq!(game(entry, spec).spec(), *spec, "sizes.txt has canonical specs");
        }
        for parameter in entry.parameters {
            let ParameterKind::Choice(words) = parameter.kind else { continue };
            for word in &words[1..] {
                let variant = format!("{}={word}", parameter.name);
                assert!(sizes.iter().any(|spec| spec.contains(&variant)), "{}: no {variant}", entry.name);
            }
        }
    }
}

#[test]
fn a_games_folder_has_its_name() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/src");
    for entry in parlor_catalog::entries() {
        assert!(games.join(entry.name).join("data/sizes.txt").is_file(), "crates/games/src/{}", entry.name);
    }
}

#[test]
fn the_searches_of_bench_name_their_own_game() {
    for entry in games() {
        for (spec, depth) in entry.bench().expect("searches") {
            assert_eq!(game(entry, &spec).spec(), spec);
            assert!(depth > 0, "{spec}");
        }
    }
}
