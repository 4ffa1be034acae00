//! The embedded opening book: whole, without contradictions, right where the values are published, and used by the expert.

use parlor_core::{Bounds, Game, Limits, Margin, Match, Report, Solve, split_moves};
use parlor_engine::{Monotonic, Random};
use parlor_games::connect::{Column, Connect, Position};
use parlor_solvers::connect::{Book, BookStatistics, ConnectExpert, ConnectSolver};
use parlor_testkit::seed;
use std::sync::{Arc, atomic::AtomicBool};

fn game() -> Connect {
    Connect::new(&[7, 6, 4]).expect("a size")
}

fn book() -> &'static Book {
    Book::embedded().expect("a whole book")
}

fn after(moves: &str) -> Match<Connect> {
    let mut played = Match::new(game());
    for mv in split_moves(moves, true) {
        played.play(&mv).unwrap_or_else(|why| panic!("{moves}: {why}"));
    }
    played
}

fn value(moves: &str) -> Option<i16> {
    book().find(&game(), after(moves).position()).map(|margin| margin.0)
}

/// Values as an expert with or without the book gives them, with its last report.
fn asked(expert: ConnectExpert, played: &Match<Connect>) -> (Bounds, Report) {
    let (mut expert, mut last) = (expert, Report::default());
    let stop = AtomicBool::new(false);
    let bounds = expert.solve(played, &Limits::default(), &stop, &mut |report| last = report.clone());
    (bounds, last)
}

fn expert() -> ConnectExpert {
    ConnectExpert::new(16 << 20, 1, Arc::new(Monotonic::start()))
}

#[test]
fn the_first_moves_have_their_published_values() {
    assert_eq!(value(""), Some(1));
    let first = (1..=7).map(|column| value(&column.to_string()).map(|value| -value));
    assert_eq!(first.collect::<Option<Vec<_>>>(), Some(vec![-2, -1, 0, 1, 0, -1, -2]));
}

#[test]
fn every_value_agrees_with_those_after_its_moves_and_four_plies_are_complete() {
    let statistics = BookStatistics::of(book(), &game()).unwrap_or_else(|why| panic!("{why}"));
    assert!(statistics.complete >= Some(4), "{statistics:?}");
    assert_eq!(statistics.entries[..5], [1, 4, 25, 121, 568], "all positions up to mirror images");
    assert!(statistics.entries.len() <= Book::LAST_PLY as usize + 1);
    assert!(statistics.settled >= 1 + 4 + 25 + 121);
}

#[test]
fn the_book_has_room_in_the_binary() {
    assert!(book().len() <= Book::MOST_ENTRIES);
}

#[test]
fn mirrored_positions_are_found_with_the_same_value() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let columns: Vec<u8> = (0..random.below(5)).map(|_| 1 + random.below(7) as u8).collect();
        let at = |mirrored: bool| {
            let mut pos = game().start();
            let column = |column: u8| Column(if mirrored { 8 - column } else { column });
            columns.iter().for_each(|&c| game().play(&mut pos, column(c)));
            book().find(&game(), &pos)
        };
        assert!(at(false).is_some(), "{columns:?}");
        assert_eq!(at(false), at(true), "{columns:?}");
    }
}

#[test]
fn other_games_and_later_positions_are_not_in_it() {
    let other = Connect::new(&[6, 7, 4]).expect("a size");
    assert_eq!(book().find(&other, &other.start()), None);
    let three = Connect::new(&[7, 6, 3]).expect("a size");
    assert_eq!(book().find(&three, &three.start()), None);
    assert_eq!(value("12345671234567123"), None);
}

#[test]
fn the_rules_have_the_fingerprint_that_the_book_was_built_with() {
    fn perft(game: &Connect, pos: &Position, depth: u32) -> u64 {
        if depth == 1 {
            return game.count(pos);
        }
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let next = moves.into_iter().map(|mv| {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            perft(game, &next, depth - 1)
        });
        next.sum()
    }
    let told = u64::from_le_bytes(Book::write([])[16..24].try_into().expect("eight bytes"));
    assert_eq!(perft(&game(), &game().start(), 8), told);
}

/// Bottom of the book: a few of the latest entries are cheap to prove anew.
#[test]
fn late_entries_are_what_the_solver_proves() {
    let game = game();
    let (mut played, mut random) = (Match::new(game.clone()), Random::new(seed(7)));
    let mut solver = ConnectSolver::new(&game, 64, 1);
    let mut proved = 0;
    for _ in 0..500 {
        while played.undo().is_some() {}
        // A random first part, then along the book as far as it goes.
        loop {
            let mut moves = Vec::new();
            game.moves(played.position(), &mut moves);
            let in_book = |mv: &Column| {
                let mut next = played.position().clone();
                game.play(&mut next, *mv);
                book().find(&game, &next).is_some()
            };
            let listed: Vec<Column> = moves.into_iter().filter(in_book).collect();
            if listed.is_empty() {
                break;
            }
            played.make(listed[random.below(listed.len())]);
        }
        if played.moves().len() >= 13 && proved < 10 {
            let told = book().find(&game, played.position()).expect("an entry");
            let found = solver.solve(played.position(), &AtomicBool::new(false), &mut |_, _| ());
            assert_eq!(found, Bounds::exactly(told), "{:?}", played.record().moves);
            proved += 1;
        }
    }
    assert!(proved > 0, "the book has lines that reach ply 13");
}

#[test]
fn an_expert_answers_for_the_empty_board_with_best_play_to_the_end() {
    let (bounds, report) = asked(expert(), &after(""));
    assert_eq!(bounds, Bounds::exactly(Margin(1)));
    let end = after(&report.line.concat());
    // The first player wins with the last of its checkers.
    assert_eq!((end.moves().len(), game().result(end.position())), (41, Some(Margin(-1))));
}

#[test]
fn with_and_without_the_book_the_values_are_the_same() {
    // Lines of the book in which little is left to prove.
    let (_, report) = asked(expert(), &after(""));
    for plies in [12, 13, 14, 16, 20] {
        let played = after(&report.line[..plies].concat());
        let (with, without) = (asked(expert(), &played), asked(expert().without_book(), &played));
        assert_eq!(with.0, without.0, "{plies}");
        assert_eq!(with.1.line.len(), without.1.line.len(), "best play takes as long in both");
    }
}
