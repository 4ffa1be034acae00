//! Tests of the console that loop over all games.

use crate::common::{ending, game_of, played, transcript};
use parlor_console::{ScriptedTerminal, show_rules};
use parlor_fifth_game::games;

#[test]
fn the_end_of_input_at_a_move_resigns_and_q_asks_first() {
    for entry in games() {
        let people = || game_of(entry.build("").expect("the usual game"), ["human", "human"]);
        let (said, record) = played(people(), &[]);
        assert_eq!(ending(&record), ("resigned".into(), "second".into()), "{said}");
        assert!(!said.contains("Do you "), "{said}");
        let (said, record) = played(people(), &["q", "n", "q", "y"]);
        assert_eq!(ending(&record), ("resigned".into(), "second".into()), "{said}");
        assert_eq!(said.matches("Do you ").count(), 2, "{said}");
    }
}

#[test]
fn a_recorded_game_that_is_typed_ends_as_recorded() {
    for entry in games() {
        let recorded = parlor_core::Record::parse(entry.samples.game).expect("a record");
        if recorded.start.is_some() {
            continue;
        }
        let game = entry.game(&recorded.game).expect("a game");
        let lines: Vec<&str> = recorded.moves.iter().map(String::as_str).collect();
        let (said, record) = played(game_of(game, ["human", "human"]), &lines);
        assert_eq!(record.moves, recorded.moves, "{said}");
        assert_eq!(record.ending, recorded.ending, "{said}");
        assert!(said.contains("The winner is ") || said.contains("The game is a tie."), "{said}");
    }
}

#[test]
fn the_computer_plays_a_whole_game_against_itself() {
    for entry in games() {
        let game = entry.game(entry.small()).expect("a size");
        let (said, record) = played(game_of(game, ["minimax:depth=2", "random"]), &[]);
        assert!(record.ending.is_some_and(|ending| ending.outcome.is_some()), "{said}");
    }
}

#[test]
fn the_usual_board_and_the_help_fit_40_columns() {
    for entry in games() {
        let mut prepared = game_of(entry.build("").expect("the usual game"), ["human", "bad"]);
        prepared.term.width = 40;
        let said = transcript(prepared, &["help", "x", "moves", "q"]);
        let widest = said.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
        let fits = widest.chars().count() <= 40 && !said.contains("columns wide");
        assert!(fits, "{}: {widest}\n{said}", entry.name);
    }
}

#[test]
fn the_rules_fit_the_terminal_and_colours_add_nothing_but_colour() {
    for entry in games() {
        for width in [80, 40] {
            let printed = |colours: bool| {
                let mut term = ScriptedTerminal::typing(&[]);
                (term.width, term.colours) = (width, colours);
                show_rules(entry, &mut term).expect("rules");
                term.output
            };
            let said = printed(false);
            let widest = said.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
            assert!(widest.chars().count() <= width, "{}: {widest}", entry.name);
            assert!(said.contains("->") && !said.contains('`') && !said.contains("**"), "{said}");
            let coloured = printed(true);
            let bare: String = coloured
                .split('\u{1b}')
                .enumerate()
                .map(|(i, part)| if i == 0 { part } else { part.split_once('m').expect("a colour").1 })
                .collect();
            assert_eq!(bare, said, "{}", entry.name);
        }
    }
}

#[test]
fn the_word_rules_prints_the_rules_during_a_game() {
    for entry in parlor_catalog::entries() {
        let mut term = ScriptedTerminal::typing(&[]);
        show_rules(entry, &mut term).expect("rules");
        let prepared = game_of(entry.build("").expect("the usual game"), ["human", "human"]);
        let said = transcript(prepared, &["rules"]);
        assert!(said.contains(&term.output), "{}: {said}", entry.name);
    }
}
