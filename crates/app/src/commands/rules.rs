//! `parlor rules`: the rules of a game with worked examples, or the list of games.

use crate::{error::CommandError, stdio::Stdout};
use parlor_catalog::{entries, find};
use parlor_console::{print_line, show_rules};
use parlor_core::split_spec;

pub fn run(game: Option<&str>, out: &mut Stdout) -> Result<(), CommandError> {
    match game {
        Some(spec) => {
            // Wrong parameters are an error here as in every other subcommand, though the rules are those of all sizes.
            parlor_catalog::game(spec)?;
            show_rules(find(split_spec(spec)?.0)?, out)?;
        }
        None => {
            for entry in entries() {
                print_line(&format!("{:<9} {}", entry.name, entry.blurb), out)?;
            }
            print_line("\nparlor rules GAME prints the rules of a game.", out)?;
        }
    }
    Ok(())
}
