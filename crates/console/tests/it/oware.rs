//! Tests of Oware at the terminal: case-sensitive keys, surrender, repetition, its menu and its result screen.

use crate::common::{ending, game_at, joined, played, settings, transcript};
use parlor_console::{NoArchive, ScriptedTerminal, game_menu, main_menu};
use parlor_core::Side;
use std::time::Duration;

const PEOPLE: [&str; 2] = ["human", "human"];

#[test]
fn player_1_types_lower_case_and_player_2_upper_case() {
    let (said, record) = played(game_at("oware", "", PEOPLE), &["A", "a", "a", "A", "Z", "1", ""]);
    assert_eq!(record.moves, ["a", "A"], "{said}");
    let refused = said.matches("It is Player").count() + said.matches("is not a pit;").count();
    assert_eq!(refused, 4, "each refusal has a reason, an empty line is none:\n{said}");
}

#[test]
fn q_surrenders_after_a_confirmation_in_the_own_case() {
    let (said, record) = played(game_at("oware", "", PEOPLE), &["q", "Y", "n", "a", "q", "Q", "y", "Y"]);
    assert_eq!(record.moves, ["a"]);
    assert_eq!(ending(&record), ("resigned".into(), "first".into()), "{said}");
    assert!(said.contains("Please answer y for yes or n for no."), "Player 1 cannot answer Y:\n{said}");
    assert!(said.contains("'q' is a command of the other player; yours are Q and P."), "{said}");
    assert!(
        said.contains("Do you want to surrender? (y/n)")
            && said.contains("Player 2 surrenders.")
            && said.contains("The winner is Player 1."),
        "{said}"
    );
}

#[test]
fn p_claims_repetition_and_the_other_player_answers() {
    let (said, record) = played(game_at("oware", "", PEOPLE), &["p", "y", "N", "a", "P", "n", "A", "p", "Y"]);
    assert_eq!(record.moves, ["a", "A"], "{said}");
    assert!(
        said.contains("Player 2, do you agree? (Y/N)") && said.contains("Player 1, do you agree? (y/n)"),
        "{said}"
    );
    let question = "Player 1 claims repetition: each player would keep the seeds on their own side.";
    assert_eq!(said.matches(question).count(), 2, "{said}");
    assert_eq!(said.matches("The game continues.").count(), 2, "{said}");
    assert_eq!(ending(&record).0, "cycle");
}

#[test]
fn an_agreed_cycle_gives_each_player_the_own_row() {
    let (said, record) = played(game_at("oware", "3-0-0-0-0-0-1-0-0-0-0-0-20-24-S", PEOPLE), &["p", "Y"]);
    assert_eq!(ending(&record), ("cycle".into(), "second by 2".into()));
    assert!(said.ends_with("The winner is Player 2 (25 to 23).\n"), "{said}");
}

#[test]
fn the_computer_agrees_to_a_cycle() {
    let (said, record) = played(game_at("oware", "", ["human", "payoff"]), &["p"]);
    assert_eq!(ending(&record), ("cycle".into(), "draw".into()));
    assert!(said.contains("Player 2 agrees.\n") && said.contains("The game is a draw (24 each)."), "{said}");
}

#[test]
fn a_cycle_cannot_be_claimed_while_a_row_is_empty() {
    let position = "0-0-0-0-0-7-0-0-0-0-0-0-20-21-S";
    let (said, record) = played(game_at("oware", position, PEOPLE), &["p"]);
    let said = joined(&said);
    assert!(
        said.contains(
            "Repetition can be claimed only while both rows have seeds, and Player 2's row is empty."
        ),
        "{said}"
    );
    assert_eq!(ending(&record).0, "resigned");
}

#[test]
fn the_end_of_input_surrenders_at_a_move_and_says_no_to_a_question() {
    let (_, record) = played(game_at("oware", "", PEOPLE), &["a"]);
    assert_eq!(ending(&record), ("resigned".into(), "first".into()));
    // The question is answered no; the move that follows it surrenders.
    let (said, record) = played(game_at("oware", "", PEOPLE), &["p"]);
    assert!(said.contains("The game continues."), "{said}");
    assert_eq!(ending(&record), ("resigned".into(), "second".into()));
    let (_, record) = played(game_at("oware", "", PEOPLE), &["q"]);
    assert_eq!(ending(&record), ("resigned".into(), "second".into()));
}

/// A position in which two seeds circle the board for ever.
const CHASE: &str = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";

#[test]
fn without_a_person_the_second_occurrence_ends_the_game() {
    let mut prepared = game_at("oware", CHASE, ["bad", "bad"]);
    prepared.settings.pause = false;
    let (said, record) = played(prepared, &[]);
    assert!(said.contains("The position has occurred 2 times: the game ends by repetition."), "{said}");
    assert!(said.contains("The game is a draw (24 each)."), "{said}");
    assert_eq!((ending(&record), record.moves.len()), (("cycle".into(), "draw".into()), 12));
}

/// The input for `turns` turns of this cycle.
fn chase(turns: usize) -> Vec<&'static str> {
    ["a", "b", "c", "d", "e", "f"].into_iter().cycle().take(turns).collect()
}

#[test]
fn with_a_person_a_repeated_position_never_ends_the_game() {
    for players in [["human", "bad"], ["human", "human"]] {
        let upper = ["A", "B", "C", "D", "E", "F"].into_iter().cycle();
        let lines: Vec<&str> = match players[1] {
            "human" => chase(60).into_iter().zip(upper).flat_map(|(own, other)| [own, other]).collect(),
            _ => chase(60),
        };
        let (said, record) = played(game_at("oware", CHASE, players), &lines);
        assert_eq!(record.moves.len(), 120, "{said}");
        assert_eq!(ending(&record).0, "resigned", "only the end of the input ends it");
    }
}

#[test]
fn from_the_third_occurrence_the_possible_claim_is_pointed_out_once_a_turn_with_its_key() {
    let hint = "type p to claim repetition.";
    let said = transcript(game_at("oware", CHASE, ["human", "bad"]), &chase(11));
    assert!(!said.contains(hint), "not before the third occurrence:\n{said}");
    let mut lines = chase(12);
    lines.extend(["help", "x", "", "board", "a"]);
    let said = transcript(game_at("oware", CHASE, ["human", "bad"]), &lines);
    let third = "This position has occurred 3 times; type p to claim repetition.\nPlayer 1, pit";
    assert_eq!((said.matches(third).count(), said.matches(hint).count()), (2, 2), "two turns:\n{said}");
}

#[test]
fn the_claim_is_pointed_out_to_each_person_with_the_own_key_and_ends_the_game_if_the_other_agrees() {
    let mut lines: Vec<&str> = chase(12)
        .into_iter()
        .zip(["A", "B", "C", "D", "E", "F"].into_iter().cycle())
        .flat_map(|(own, other)| [own, other])
        .collect();
    lines.extend(["a", "P", "y"]);
    let (said, record) = played(game_at("oware", CHASE, PEOPLE), &lines);
    assert!(said.contains("; type p to claim") && said.contains("; type P to claim"), "{said}");
    assert_eq!((ending(&record), record.moves.len()), (("cycle".into(), "draw".into()), 25), "{said}");
}

#[test]
fn a_declined_claim_cannot_be_repeated_before_a_move() {
    let (said, record) = played(game_at("oware", "", PEOPLE), &["p", "N", "p", "a", "A", "p", "Y"]);
    assert!(joined(&said).contains("The claim was declined in this position; make a move."), "{said}");
    assert_eq!((ending(&record).0, record.moves.len()), ("cycle".to_string(), 2));
}

#[test]
fn the_menu_offers_two_tables_returns_after_a_game_and_shows_the_result_for_4_seconds() {
    let mut term = ScriptedTerminal::typing(&["3", "2", "q", "y", "1", "q", "y", "0", "q"]);
    main_menu(&mut settings(), &mut NoArchive, &mut term).expect("nothing fails");
    let said = &term.output;
    assert!(said.contains("1  Player vs. Player") && said.contains("2  Player vs. AI"), "{said}");
    assert!(said.contains("Player 1: human, Player 2: payoff"), "{said}");
    assert!(said.contains("Player 2 wins") && said.contains("|       by surrender        |"), "{said}");
    assert_eq!(term.waited, Duration::from_secs(8), "two results of 4 seconds each");
    assert_eq!(said.matches("Player vs. AI").count(), 3, "shown again after each game:\n{said}");
    assert!(said.ends_with("Goodbye.\n"), "{said}");
}

/// What Oware's own menu prints while these lines are typed.
fn menu(term: &mut ScriptedTerminal) {
    let game = parlor_catalog::game("oware").expect("a game");
    game_menu(game.as_ref(), &mut settings(), &mut NoArchive, term).expect("nothing fails");
}

#[test]
fn a_result_screen_has_the_winner_and_the_scores() {
    let mut term = ScriptedTerminal::typing(&["1", "p", "Y"]);
    menu(&mut term);
    assert!(
        term.output.contains("Draw") && term.output.contains("Player 1 24 : 24 Player 2"),
        "{}",
        term.output
    );
    let mut term = ScriptedTerminal::typing(&["1", "p", "Y"]);
    term.width = 30;
    menu(&mut term);
    assert!(term.output.contains("|  Player 1 24  |\n  |  Player 2 24  |"), "{}", term.output);
}

#[test]
fn a_result_screen_has_both_scores_after_a_surrender_and_after_a_loss_on_time_too() {
    let from = |control: &str, lines: &[&str]| {
        // Player 1 captures two seeds with the first move and has 22 then.
        let position = "0-0-0-0-0-1-1-4-4-4-4-0-20-10-S";
        let prepared = game_at("oware", position, PEOPLE).timed(control, Duration::from_secs(1));
        let game = parlor_catalog::game("oware").expect("a game");
        let mut term = ScriptedTerminal::typing(lines);
        term.pace = prepared.term.pace;
        let seats = Side::BOTH.map(|side| {
            let person = "human".parse().expect("a spec");
            prepared.settings.participant(game.as_ref(), &person, side).expect("a person")
        });
        let mut archive = NoArchive;
        let board = game.board_at(position).expect("a position");
        let mut session = prepared.settings.session(board, seats, &mut archive);
        session.play(&mut term).expect("nothing fails");
        assert!(session.show_result(&mut term).expect("nothing fails"));
        term.output
    };
    let surrendered = from("free", &["f", "Q", "Y"]);
    for line in ["Player 1 wins", "by surrender", "Player 1 22 : 10 Player 2"] {
        assert!(surrendered.contains(line), "{line}\n{surrendered}");
    }
    let late = from("2s", &["f", "", "", "", "A"]);
    for line in ["Player 1 wins", "on time", "Player 1 22 : 10 Player 2"] {
        assert!(late.contains(line), "{line}\n{late}");
    }
}

#[test]
fn a_screen_is_cleared_between_menu_game_and_result_and_the_last_board_stays_beside_the_result() {
    let mut term = ScriptedTerminal::typing(&["3", "1", "a", "Q", "Y", "0", "q"]);
    term.is_screen = true;
    main_menu(&mut settings(), &mut NoArchive, &mut term).expect("nothing fails");
    let screens = term.screens();
    let parts = [
        "P A R L O R",
        "Player vs. AI",
        "Player 2 surrenders.",
        "by surrender",
        "Player vs. AI",
        "P A R L O R",
    ];
    assert_eq!(screens.len(), parts.len(), "{}", term.output);
    for (screen, part) in screens.iter().zip(parts) {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    assert!(screens[3].contains("a    b    c    d    e    f"), "{}", screens[3]);
}

#[test]
fn in_a_pipe_nothing_is_cleared_and_the_result_has_no_second_board() {
    let mut term = ScriptedTerminal::typing(&["1", "q", "y", "0"]);
    menu(&mut term);
    assert_eq!((term.screens().len(), term.output.matches("a    b    c").count()), (1, 1), "{}", term.output);
}

#[test]
fn the_end_of_a_game_without_a_result_screen_stays_above_the_menu() {
    let mut aborted = ScriptedTerminal::typing(&["1", "abort", "0"]);
    aborted.is_screen = true;
    menu(&mut aborted);
    let screens = aborted.screens();
    let last = screens.last().expect("a screen");
    assert!(last.contains("The game is unfinished.") && last.contains("Player vs. AI"), "{last}");
    // Games without a result screen are not cleared at all.
    let mut kalah = ScriptedTerminal::typing(&["1", "3,2", "", "bad", "q", "y", "q"]);
    kalah.is_screen = true;
    main_menu(&mut settings(), &mut NoArchive, &mut kalah).expect("nothing fails");
    assert_eq!(kalah.screens().len(), 1, "{}", kalah.output);
}

#[test]
fn the_end_of_input_in_the_menu_quits_and_wrong_choices_are_asked_again() {
    let mut term = ScriptedTerminal::typing(&["3", "7", "x"]);
    main_menu(&mut settings(), &mut NoArchive, &mut term).expect("nothing fails");
    assert_eq!(term.output.matches("Please type a number from 0 to 2.").count(), 2);
    assert!(term.output.ends_with("Goodbye.\n"));
}

#[test]
fn the_board_has_player_2_on_top_with_its_pits_from_f_to_a() {
    let said = transcript(game_at("oware", "", PEOPLE), &[]);
    let line = |text: &str| said.lines().position(|line| line.split_whitespace().eq(text.split_whitespace()));
    let (top, bottom) = (line("F E D C B A"), line("a b c d e f"));
    assert!(top.is_some() && top < bottom, "{said}");
}

#[test]
fn words_are_read_in_any_case_but_letters_by_theirs() {
    let (said, record) = played(game_at("oware", "", PEOPLE), &["HELP", "Moves", "moves A", "a", "moves A"]);
    assert!(
        said.contains("the letter of a pit with seeds, a-f") && said.contains("6 moves: a b c d e f"),
        "{said}"
    );
    assert!(
        said.contains("No legal move begins with A.") && said.contains("A is a complete move."),
        "{said}"
    );
    assert_eq!(record.moves, ["a"]);
}
