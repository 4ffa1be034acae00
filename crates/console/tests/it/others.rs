//! Tests of Connect-N and Amazons at the terminal, and of the main menu.

use crate::common::{Shelf, game_after, game_at, played, settings, transcript};
use parlor_catalog::entries;
use parlor_console::{NoArchive, ScriptedTerminal, main_menu};

#[test]
fn connect_shows_its_grid_and_names_the_winning_line() {
    let (said, record) = played(game_at("connect:4,4,3", "", ["human", "human"]), &["1", "2", "1", "2", "1"]);
    assert!(said.contains("  |R| | | |\n  |R|B| | |\n  |R|B| | |\n  +-+-+-+-+\n   1 2 3 4\n"), "{said}");
    assert!(said.contains("Red has 3 in a row vertically: column 1, row 1 to column 1, row 3."), "{said}");
    assert!(said.contains("The winner is Red."));
    assert_eq!(record.moves.len(), 5);
}

#[test]
fn connect_highlights_the_winning_cells_where_colour_is_on() {
    let mut prepared = game_at("connect:4,4,3", "", ["human", "human"]);
    prepared.term.colours = true;
    let said = transcript(prepared, &["1", "2", "1", "2", "1"]);
    assert_eq!(said.matches("\u{1b}[1;31;7mR\u{1b}[0m").count(), 3, "{said}");
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
fn amazons_lists_the_targets_of_a_queen_and_then_of_its_arrow() {
    let said = transcript(
        game_at("amazons", "", ["human", "human"]),
        &["moves D1", "moves d1-d7", "moves d1-d7-g7", "moves e5", "moves", "help"],
    );
    assert!(said.contains(" moves from d1, to ") && said.contains(" moves from d1-d7: "), "{said}");
    assert!(said.contains("d1-d7-g7 is a complete move."), "{said}");
    assert!(said.contains("No legal move begins with e5."), "{said}");
    assert!(said.contains("2176 moves, from d1 g1 a4 j4\n"), "{said}");
    assert!(
        said.contains("; moves d1 lists the moves from d1") && said.contains("like d1-d7/g7 or d1 d7 g7"),
        "{said}"
    );
}

#[test]
fn amazons_reads_moves_with_spaces_and_says_why_one_is_refused() {
    let lines = ["d1 d7 g7", "a7-a8/a7", "d10 d8 d1", "e5-e6/e7", "d1-d9/d8", "d10-d9/d9", "d10-d8/d9"];
    let (said, record) = played(game_at("amazons", "", ["human", "human"]), &lines);
    assert_eq!(record.moves[..2], ["d1-d7/g7", "a7-a8/a7"], "{said}");
    assert!(said.matches("White, move").count() >= 2 && said.lines().count() > 40);
}

#[test]
fn the_menu_plays_a_complete_game_of_each_kind_and_returns() {
    for (number, size) in [("1", "3,2"), ("2", "4,4,3"), ("4", "4")] {
        let mut settings = settings();
        settings.pause = false;
        let mut term = ScriptedTerminal::typing(&[number, size, "bad", "random", "q"]);
        main_menu(&mut settings, &mut NoArchive, &mut term).expect("nothing fails");
        assert_eq!(term.output.matches("P A R L O R").count(), 2, "{}", term.output);
        assert!(
            term.output.contains("The winner is") || term.output.contains("The game is a"),
            "{}",
            term.output
        );
    }
}

#[test]
fn the_menu_asks_again_and_takes_numbers_names_and_defaults() {
    let lines = [
        "",
        "9",
        "chess",
        "kalah",
        "99,4",
        "3x2",
        "robot",
        "9",
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
    let mut term = ScriptedTerminal::typing(&lines);
    main_menu(&mut settings(), &mut NoArchive, &mut term).expect("nothing fails");
    let choose_game = format!("Please type a number from 1 to {}, or q to quit.", entries().len());
    for part in [
        choose_game.as_str(),
        "Kalah: holes '99' is not a number from 1 to 64.",
        "Size (holes,beans) [6,4] (q: back):",
        "South [human] (q: back):",
        "There is no player 'robot' for kalah",
        "Please type a number from 1 to 7, or a player like minimax:depth=4.",
        "Player minimax: depth '0' is not a number from 1 to 400.",
        "kalah:3,2 - South: bad, North: minimax:depth=1",
    ] {
        assert!(term.output.contains(part), "{part}\n{}", term.output);
    }
}

#[test]
fn the_end_of_input_in_any_menu_quits() {
    let lines = ["1", "3,2", "1", "1"];
    for count in 0..lines.len() {
        let mut term = ScriptedTerminal::typing(&lines[..count]);
        main_menu(&mut settings(), &mut NoArchive, &mut term).expect("nothing fails");
        assert!(term.output.ends_with("Goodbye.\n"), "{}", term.output);
    }
}

#[test]
fn every_line_of_the_menu_fits_its_terminal() {
    for width in [80, 40] {
        let mut term = ScriptedTerminal::typing(&["x", "1", "x", "", "x", "1", "9"]);
        term.width = width;
        main_menu(&mut settings(), &mut NoArchive, &mut term).expect("nothing fails");
        let widest = term.output.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        assert!(widest.chars().count() <= width, "{width}: {widest}\n{}", term.output);
        if width == 80 {
            let continued = term.output.lines().find(|line| line.starts_with("     "));
            assert_eq!(
                continued, None,
                "TITLE and BLURB of a game fit one line of the menu\n{}",
                term.output
            );
        }
    }
}

#[test]
fn games_from_the_menu_are_saved_one_after_another() {
    let mut settings = settings();
    settings.pause = false;
    let mut shelf = Shelf::default();
    let mut term = ScriptedTerminal::typing(&["2", "3,3,3", "bad", "Bad", "2", "3,2,3", "BAD", "bad", "q"]);
    main_menu(&mut settings, &mut shelf, &mut term).expect("nothing fails");
    let games: Vec<&str> = shelf.0.iter().map(|record| record.game.as_str()).collect();
    assert_eq!(games, ["connect:3,3,3", "connect:3,2,3"]);
    assert!(shelf.0.iter().all(|record| record.ending.is_some()));
}

#[test]
fn moves_made_before_the_session_are_shown() {
    let said = transcript(game_after("connect:4,4,3", &["1", "2", "1", "2", "1"], ["human", "human"]), &[]);
    assert!(said.contains("Red has 3 in a row vertically") && said.contains("The winner is Red."), "{said}");
}
