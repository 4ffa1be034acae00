//! Checks the laws of [`parlor_core::laws`] for every game of the catalogue at many sizes.

use parlor_catalog::Entry;
use parlor_core::ParameterKind;
use parlor_engine::Random;
use parlor_fifth_game::games;
use parlor_testkit::seed;

/// A spec with random parameters; small ones more often, because their games are stranger.
fn random_parameters(entry: &Entry, random: &mut Random) -> String {
    let parts = entry.parameters.iter().map(|parameter| match parameter.kind {
        ParameterKind::Number(min, max) => {
            let span = (max - min).min(if random.below(4) == 0 { 20 } else { 5 });
            (min + random.below(span as usize + 1) as u32).to_string()
        }
        ParameterKind::Choice(words) => format!("{}={}", parameter.name, words[random.below(words.len())]),
    });
    parts.collect::<Vec<_>>().join(",")
}

#[test]
fn the_laws_hold_in_every_game_at_many_sizes() {
    for entry in games() {
        let mut random = Random::new(seed(2026));
        let mut played = 0;
        while played < 40 {
            // Some sizes are invalid and must be refused without a panic.
            let Ok(game) = entry.build(&random_parameters(entry, &mut random)) else { continue };
            let result = game.check_laws(60, &mut |n| random.below(n));
            result.unwrap_or_else(|broken| panic!("{}: {broken}", game.spec()));
            played += 1;
        }
    }
}

#[test]
fn the_laws_hold_in_every_game_at_the_sizes_that_it_names() {
    for spec_of in games().flat_map(|entry| entry.sizes().map(move |spec| (entry, spec))) {
        let (entry, spec) = spec_of;
        let game = entry.game(spec).expect("a size");
        let mut random = Random::new(seed(2027));
        for _ in 0..3 {
            let result = game.check_laws(60, &mut |n| random.below(n));
            result.unwrap_or_else(|broken| panic!("{spec}: {broken}"));
        }
    }
}

#[test]
fn positions_with_the_same_exact_key_have_the_same_moves_and_result() {
    for entry in games() {
        for spec in entry.sizes() {
            let game = entry.game(spec).expect("a size");
            game.check_keys(if spec == entry.small() { 30_000 } else { 300 })
                .unwrap_or_else(|broken| panic!("{broken}"));
        }
    }
}

#[test]
fn every_entry_describes_itself() {
    for entry in games() {
        let game = entry.build("").expect("the usual game");
        let board = game.board();
        assert!(!entry.title.is_empty() && !entry.blurb.is_empty() && !entry.move_form.is_empty());
        assert!(!board.moves().is_empty(), "{} can be played", entry.name);
        assert!(game.board_at(&board.position()).is_ok());
        assert_eq!(entry.game(&game.spec()).map(|again| again.spec()), Ok(game.spec()));
    }
}

#[test]
fn unknown_games_are_refused_with_the_list_of_games() {
    let error = parlor_catalog::game("chess:8").err().expect("there is no such game").0;
    for entry in parlor_catalog::entries() {
        assert!(error.contains(entry.name), "{error}");
    }
}

#[test]
fn random_games_end_and_are_the_same_for_the_same_seed() {
    for entry in games() {
        let game = entry.build("").expect("the usual game");
        assert_eq!(game.playouts(20, 7), game.playouts(20, 7));
        assert_ne!(game.playouts(20, 7), game.playouts(20, 8));
    }
}
