//! The rules of every game for people: the text can be read, and its examples keep the rules.

use parlor_core::rules_text::{Block, Example};
use parlor_fifth_game::games;
use std::collections::HashSet;

#[test]
fn every_example_is_played_by_the_rules_in_every_game() {
    for entry in games() {
        let blocks = entry.rules().unwrap_or_else(|e| panic!("{}: rules.md: {e}", entry.name));
        let examples: Vec<&Example> = blocks
            .iter()
            .filter_map(|block| if let Block::Example(example) = block { Some(example) } else { None })
            .collect();
        assert!(examples.len() >= 3, "{}: rules.md has {} examples", entry.name, examples.len());
        for example in examples {
            let shown = entry.illustrate(example).unwrap_or_else(|e| panic!("{}: rules.md: {e}", entry.name));
            assert!(!example.caption.is_empty(), "{}: line {}", entry.name, example.line);
            assert_eq!(shown.refusal.is_some(), example.illegal.is_some());
            assert_eq!(shown.after.is_some(), example.moves.is_some() && example.illegal.is_none());
            if let Some((text, after)) = &shown.after {
                let mut before = shown.before.clone_box();
                before.play(text).expect("the move that is shown");
                assert_eq!(before.position(), after.position(), "{}: line {}", entry.name, example.line);
            }
        }
    }
}

#[test]
fn every_section_has_its_own_title_in_every_game() {
    for entry in games() {
        let blocks = entry.rules().expect("rules");
        assert!(matches!(blocks.first(), Some(Block::Paragraph(_))), "{}: no summary", entry.name);
        let mut seen = HashSet::new();
        for block in &blocks {
            let Block::Heading(title) = block else { continue };
            assert!(seen.insert(title), "{}: two sections '{title}'", entry.name);
        }
        assert!(seen.len() >= 3, "{}: {} sections", entry.name, seen.len());
    }
}

#[test]
fn an_example_that_breaks_the_rules_is_an_error_with_its_line() {
    let entry = parlor_catalog::find("kalah").expect("a game");
    let example = |game: &str, position: Option<&str>, moves: Option<&str>, illegal: Option<&str>| Example {
        line: 7,
        game: game.to_string(),
        position: position.map(str::to_string),
        moves: moves.map(str::to_string),
        illegal: illegal.map(str::to_string),
        caption: Vec::new(),
    };
    for (example, part) in [
        (example("kalah:0", None, None, None), "line 7: game: "),
        (example("oware", None, None, None), "line 7: game: 'oware' is not a spec of kalah"),
        (example("kalah", Some("x"), None, None), "line 7: position: "),
        (example("kalah", None, Some("1 9"), None), "line 7: moves: '9': there is no hole 9"),
        (example("kalah", None, None, Some("1")), "line 7: illegal: '1' is a legal move"),
    ] {
        let error = entry.illustrate(&example).err().expect("an error").0;
        assert!(error.starts_with(part), "{error}");
    }
}
