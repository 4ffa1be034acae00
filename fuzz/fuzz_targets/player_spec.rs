//! Parses any text as a player spec. A valid spec is written and parses to the same spec; every game creates the
//! player or returns an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_catalog::{PlayerSpec, Resources, duration, entries, write_duration};

fuzz_target!(|text: &str| {
    if let Some(time) = duration(text) {
        write_duration(time);
    }
    let Ok(spec) = text.parse::<PlayerSpec>() else { return };
    let written = spec.to_string();
    assert_eq!(written.parse::<PlayerSpec>().as_ref(), Ok(&spec), "{written}");
    for entry in entries() {
        let game = entry.build("").expect("every game has a usual size");
        let _ = game.player(&spec, &Resources::seeded(1));
    }
});
