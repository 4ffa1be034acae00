//! `parlor rules`: the rules of a game with worked examples, or the list of games.

use crate::{fault::Fault, stdio::Stdout};
use parlor_catalog::{entries, find};
use parlor_console::{show_rules, tell};
use parlor_core::split_spec;

pub fn run(game: Option<&str>, out: &mut Stdout) -> Result<(), Fault> {
    match game {
        Some(spec) => show_rules(find(split_spec(spec)?.0)?, out)?,
        None => {
            for entry in entries() {
                tell(&format!("{:<9} {}", entry.name, entry.blurb), out)?;
            }
            tell("\nparlor rules GAME prints the rules of a game.", out)?;
        }
    }
    Ok(())
}
