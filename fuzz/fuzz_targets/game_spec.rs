//! Any text as a game spec: what is read is written canonically and reads back as the same game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::look_at;

fuzz_target!(|text: &str| {
    let Ok(game) = parlor_catalog::game(text) else { return };
    let spec = game.spec();
    let again = parlor_catalog::game(&spec).expect("a canonical spec is a spec");
    assert_eq!(again.spec(), spec);
    look_at(&*game.board());
});
