//! Connect-N against its specification, the laws, and the slow reference.

use crate::common::game;
use crate::reference::connect::SlowConnect;
use parlor_core::{Audience, Board, BoardEvent, Game, Match, Notation};
use parlor_games::connect::Connect;

const NAMES: Audience<'_> = Audience { names: ["Red", "Black"], width: 80 };

#[test]
fn the_laws_hold() {
    let specs = [
        "connect",
        "connect:1,1,1",
        "connect:4,4,3",
        "connect:9,9,5",
        "connect:64,1,4",
        "connect:1,127,1000",
    ];
    crate::common::check_laws::<Connect>(&specs, 20);
}

#[test]
fn fast_rules_equal_the_slow_reference() {
    let specs =
        ["connect", "connect:4,5,3", "connect:8,7,5", "connect:9,7,4", "connect:12,9,6", "connect:3,3,1"];
    crate::common::check_against::<SlowConnect, Connect>(&specs, 150);
}

fn played(spec: &str, moves: &str) -> Match<Connect> {
    let mut board = Match::new(game::<Connect>(spec));
    for mv in parlor_core::split_moves(moves, true) {
        Match::play(&mut board, &mv).unwrap_or_else(|e| panic!("{mv}: {e}"));
    }
    board
}

#[test]
fn the_display_is_the_one_of_the_spec() {
    let board = played("connect:3,2,3", "21");
    assert_eq!(board.draw(NAMES).to_string(), "| | | |\n|B|R| |\n+-+-+-+\n 1 2 3\n");
}

#[test]
fn wide_boards_number_their_columns_in_two_rows() {
    let text = Match::new(game::<Connect>("connect:11,1,4")).draw(NAMES).to_string();
    assert!(text.ends_with("                   1 1\n 1 2 3 4 5 6 7 8 9 0 1\n"), "{text}");
}

#[test]
fn the_winning_line_is_told_with_its_ends() {
    let mut board = played("connect", "445566");
    assert_eq!(Board::play(&mut board, "7"), Ok(()));
    let turn = board.last_turn(NAMES).expect("a move");
    let told: Vec<&str> = turn.events.iter().map(|described| described.event.text.as_str()).collect();
    assert_eq!(told, ["Red has 4 in a row horizontally: column 4, row 1 to column 7, row 1."]);
    let event = &turn.events[0].event;
    assert_eq!((event.kind, event.cells.len()), (BoardEvent::LINE, 4));
    assert_eq!(board.verdict(NAMES.names).as_deref(), Some("The winner is Red."));
    assert!(Board::check(&board, "1").is_err_and(|e| e.0 == "the game is over"));
}

#[test]
fn a_win_with_the_fourth_own_checker_is_worth_18_on_7x6() {
    let board = played("connect", "4455667");
    assert_eq!(board.result().map(|o| o.to_string()).as_deref(), Some("first by 18"));
}

#[test]
fn with_n_1_the_first_move_wins_and_is_told_once() {
    let mut empty = played("connect:7,6,1", "");
    assert!(Board::play(&mut empty, "4").is_ok());
    let turn = empty.last_turn(NAMES).expect("a move");
    let told: Vec<&str> = turn.events.iter().map(|described| described.event.text.as_str()).collect();
    assert_eq!(told, ["Red has 1 in a row: column 4, row 1."]);
    let board = played("connect:7,6,1", "4");
    assert_eq!(board.result().map(|o| o.to_string()).as_deref(), Some("first by 21"));
}

#[test]
fn n_larger_than_both_dimensions_ties() {
    let board = played("connect:2,2,3", "1122");
    assert_eq!(board.result().map(|o| o.to_string()).as_deref(), Some("draw"));
    assert_eq!(board.verdict(NAMES.names).as_deref(), Some("The game is a tie."));
}

#[test]
fn a_row_longer_than_n_wins_too() {
    let board = played("connect:7,6,3", "1122441");
    assert!(board.result().is_none());
    let board = played("connect:7,6,4", "1122554466");
    assert!(board.result().is_none());
    let mut board = played("connect:7,6,4", "112255663");
    assert!(board.result().is_none());
    assert!(Board::play(&mut board, "7").is_ok());
    assert!(Board::play(&mut board, "4").is_ok());
    let turn = board.last_turn(NAMES).expect("a move");
    assert_eq!(turn.events[0].event.cells.len(), 6);
}

#[test]
fn mirrored_positions_share_a_key_and_others_do_not() {
    let game: Connect = game("connect");
    let key = |moves: &str| game.key(played("connect", moves).position());
    assert_eq!(key("123"), key("765"));
    assert_ne!(key("123"), key("132"));
    assert_ne!(key("1"), key(""));
}

#[test]
fn positions_read_back_and_know_who_has_won() {
    let game: Connect = game("connect");
    let pos = game.parse_position("7/7/7/7/bbb4/rrrr3 b").expect("a position");
    assert_eq!(game.result(&pos).map(|m| m.0), Some(-18));
}
