//! Parses any text as a game spec. A valid spec is written canonically, and that text parses to the same game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::exercise;

fuzz_target!(|text: &str| {
    let Ok(game) = parlor_catalog::game(text) else { return };
    let spec = game.spec();
    let again = parlor_catalog::game(&spec).expect("a canonical spec is a spec");
    assert_eq!(again.spec(), spec);
    exercise(&*game.board());
});
