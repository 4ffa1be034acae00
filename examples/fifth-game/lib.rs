//! A game as a contributor would add it. `mnk/` is the whole folder that CONTRIBUTING.md
//! ("Adding a game") describes, and nothing here is part of the binary.
//!
//! Tests that cover every game loop over [`games`], so that an ordinary test run shows that no code outside its
//! folder depends on the list of games. `cargo xtask nightly fifth-game` goes further: in a copy of the checkout it
//! moves the folder into the games crate, adds the two lines that a contributor adds, and runs the tests and the
//! binary.

pub mod mnk;

use parlor_catalog::{Entry, entries};
// In the games crate, the folder uses the module as `crate::fen`.
use parlor_games::fen;
use std::sync::OnceLock;

/// The games of the catalogue, followed by this one.
pub fn games() -> impl Iterator<Item = &'static Entry> {
    static FIFTH: OnceLock<Entry> = OnceLock::new();
    let fifth = FIFTH.get_or_init(Entry::of::<mnk::Mnk>);
    let known = entries().iter().any(|entry| entry.name == fifth.name);
    entries().iter().chain((!known).then_some(fifth))
}
