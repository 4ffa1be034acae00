//! Values that shell completion offers for games and languages. Any text is accepted; the command that uses it checks it.

use crate::commands::new_bot::KITS;
use clap::{
    Arg, Command, Error,
    builder::{PossibleValue, StringValueParser, TypedValueParser},
};
use std::ffi::OsStr;

/// Accepts any text; the command parses the game spec.
#[derive(Clone, Copy, Debug)]
pub struct AnyGame;

impl TypedValueParser for AnyGame {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(parlor_catalog::entries().iter().map(|entry| PossibleValue::new(entry.name))))
    }
}

/// Accepts any text; the command looks the language up.
#[derive(Clone, Copy, Debug)]
pub struct AnyLanguage;

impl TypedValueParser for AnyLanguage {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(KITS.iter().map(|kit| PossibleValue::new(kit.language))))
    }
}
