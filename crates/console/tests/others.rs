//! Connect-N and Amazons at the terminal, and the main menu.

mod common;

use common::{game_at, lobby, played, transcript};
use parlor_console::{Scripted, main_menu};

#[test]
fn connect_shows_its_grid_and_tells_the_winning_line() {
    let (said, record) = played(game_at("connect:4,4,3", "", ["human", "human"]), &["1", "2", "1", "2", "1"]);
    assert!(said.contains("  |R| | | |\n  |R|B| | |\n  |R|B| | |\n  +-+-+-+-+\n   1 2 3 4\n"), "{said}");
    assert!(said.contains("Red has 3 in a row upright: column 1, level 1 to column 1, level 3."), "{said}");
    assert!(said.contains("The winner is Red."));
    assert_eq!(record.moves.len(), 5);
}

#[test]
fn connect_highlights_the_winning_cells_where_colour_is_on() {
    let mut prepared = game_at("connect:4,4,3", "", ["human", "human"]);
    prepared.term.colours = true;
    let said = transcript(prepared, &["1", "2", "1", "2", "1"]);
    assert_eq!(said.matches("\u{1b}[1;30;42mR\u{1b}[0m").count(), 3, "{said}");
}

#[test]
fn connect_asks_again_until_the_column_is_valid() {
    let (said, record) =
        played(game_at("connect:2,1,2", "", ["human", "human"]), &["0", "3", "x", "1", "1", "2"]);
    for reason in ["There is no column 0", "There is no column 3", "'x' is not a number", "Column 1 is full."]
    {
        assert!(said.contains(reason), "{reason}\n{said}");
    }
    assert_eq!(record.moves, ["1", "2"]);
    assert!(said.contains("The game is a tie."), "{said}");
}

#[test]
fn the_computers_column_is_printed() {
    let said = transcript(game_at("connect:4,4,3", "", ["human", "bad"]), &["4"]);
    assert!(said.contains("Black plays 1."), "{said}");
}

#[test]
fn amazons_lists_a_queens_squares_and_goes_on_from_there() {
    let said = transcript(
        game_at("amazons", "", ["human", "human"]),
        &["moves d1", "moves d1-d7", "moves e5", "moves"],
    );
    let squares = said.lines().find(|line| line.contains("move (like")).unwrap_or_default();
    assert!(squares.contains("moves: ") && squares.contains(" d7"), "{said}");
    assert!(said.contains("No legal move begins with e5."), "{said}");
    assert!(said.contains("2176 moves: d1 g1 a4 j4"), "{said}");
}

#[test]
fn amazons_reads_moves_with_spaces_and_says_why_one_is_refused() {
    let lines = ["d1 d7 g7", "a7-a8/a7", "d10 d8 d1", "e5-e6/e7", "d1-d9/d8", "d10-d9/d9", "d10-d8/d9"];
    let (said, record) = played(game_at("amazons", "", ["human", "human"]), &lines);
    assert_eq!(record.moves[..2], ["d1-d7/g7", "a7-a8/a7"], "{said}");
    assert!(said.matches("White, move").count() >= 2 && said.lines().count() > 40);
}

#[test]
fn the_menu_reaches_a_whole_game_of_each_kind_and_comes_back() {
    for (number, size) in [("1", "3,2"), ("2", "4,4,3"), ("4", "4")] {
        let mut lobby = lobby();
        lobby.pause = false;
        let mut term = Scripted::typing(&[number, size, "bad", "random", "q"]);
        main_menu(&mut lobby, &mut term).expect("nothing fails");
        assert_eq!(term.said.matches("P A R L O R").count(), 2, "{}", term.said);
        assert!(term.said.contains("The winner is") || term.said.contains("The game is a"), "{}", term.said);
    }
}

#[test]
fn the_menu_asks_again_and_takes_numbers_names_and_defaults() {
    let lines = [
        "9",
        "chess",
        "kalah",
        "99,4",
        "3x2",
        "robot",
        "minimax:depth=0",
        "2",
        "minimax:depth=1",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
    ];
    let mut term = Scripted::typing(&lines);
    main_menu(&mut lobby(), &mut term).expect("nothing fails");
    for part in [
        "Please type a number from 1 to 4, or q to quit.",
        "Kalah: holes '99' is not a number from 1 to 16.",
        "There is no player 'robot' for kalah",
        "Player minimax: depth '0' is not a number from 1 to 400.",
        "kalah:3,2 - South: bad, North: minimax:depth=1",
    ] {
        assert!(term.said.contains(part), "{part}\n{}", term.said);
    }
}

#[test]
fn a_menu_that_loses_its_input_anywhere_says_goodbye() {
    let lines = ["1", "3,2", "1", "1"];
    for count in 0..lines.len() {
        let mut term = Scripted::typing(&lines[..count]);
        main_menu(&mut lobby(), &mut term).expect("nothing fails");
        assert!(term.said.ends_with("Goodbye.\n"), "{}", term.said);
    }
}
