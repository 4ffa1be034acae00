//! `parlor games`: prints the catalogue as text or JSON.

use crate::{args::GamesOptions, error::CommandError, stdio::Stdout};
use parlor_catalog::{Entry, entries, find};
use parlor_console::{Terminal, wrap};
use parlor_core::{Fallback, Parameter, ParameterKind};
use serde_json::{Value, json};
use std::io::Write;

pub fn run(options: &GamesOptions, out: &mut Stdout) -> Result<(), CommandError> {
    let chosen: Vec<&Entry> = match &options.game {
        Some(name) => vec![find(parlor_core::split_spec(name)?.0)?],
        None => entries().iter().collect(),
    };
    for (i, entry) in chosen.into_iter().enumerate() {
        if options.json {
            writeln!(out, "{}", as_json(entry)?)?;
        } else {
            if i > 0 {
                writeln!(out)?;
            }
            describe(entry, out)?;
        }
    }
    Ok(())
}

/// The default value as text; `before` is the previous parameter.
fn default_of(parameter: &Parameter, before: Option<&Parameter>) -> String {
    match (parameter.fallback, parameter.kind, before) {
        (Fallback::Value(value), ParameterKind::Choice(words), _) => words[value as usize].to_string(),
        (Fallback::AsBefore(_), _, Some(before)) => format!("the same as {}", before.name),
        (Fallback::Value(value) | Fallback::AsBefore(value), ..) => value.to_string(),
    }
}

/// Start of the second column, in characters.
const COLUMN: usize = 12;

/// Prints a line of two columns; the second one is wrapped with a hanging indent.
fn line(about: &str, text: &str, hang: usize, out: &mut Stdout) -> Result<(), CommandError> {
    let text = format!("{about:<COLUMN$}{text}");
    let text = out.wrap_at().map_or_else(|| text.clone(), |width| wrap(&text, width, hang));
    Ok(writeln!(out, "{}", text.trim_end())?)
}

fn describe(entry: &Entry, out: &mut Stdout) -> Result<(), CommandError> {
    let board = entry.build("")?.board();
    let moves = board.moves();
    let head = format!("{}  {} - {}", entry.name, entry.title, entry.blurb);
    line(&head, "", 4, out)?;
    let spec = format!("{}   ({} against {})", board.info().spec, entry.seats[0], entry.seats[1]);
    line("  spec", &spec, COLUMN, out)?;
    for (i, parameter) in entry.parameters.iter().enumerate() {
        let (form, range) = match parameter.kind {
            ParameterKind::Number(min, max) => (parameter.name.to_string(), format!("{min} to {max}")),
            ParameterKind::Choice(words) => (format!("{}=", parameter.name), words.join(" or ")),
        };
        let before = i.checked_sub(1).map(|i| &entry.parameters[i]);
        let text = format!("  {form:<9} {range}; default: {}", default_of(parameter, before));
        line("  ", text.trim_start(), 14, out)?;
    }
    if !entry.note.is_empty() {
        line("", entry.note, COLUMN, out)?;
    }
    let form = format!("{}, like {}", entry.move_form, moves.first().map_or("", String::as_str));
    line("  move", &form, COLUMN, out)?;
    line("  position", &format!("{}, like", entry.position_form), COLUMN, out)?;
    line("", &board.position(), COLUMN, out)?;
    line("  players", "human     a person at this keyboard", COLUMN + 10, out)?;
    for kind in &entry.kinds {
        line("", &format!("{:<9} {}", kind.name, kind.about), COLUMN + 10, out)?;
        for (name, meaning) in kind.options {
            line("", &format!("{:<9}   {name}=  {meaning}", ""), COLUMN + 14, out)?;
        }
    }
    Ok(())
}

fn as_json(entry: &Entry) -> Result<Value, CommandError> {
    let board = entry.build("")?.board();
    let parameter = |p: &Parameter| match p.kind {
        ParameterKind::Number(min, max) => {
            let (default, as_before) = match p.fallback {
                Fallback::Value(value) => (value, false),
                Fallback::AsBefore(value) => (value, true),
            };
            json!({"name": p.name, "min": min, "max": max, "default": default, "as_before": as_before})
        }
        ParameterKind::Choice(words) => {
            json!({"name": p.name, "choices": words, "default": default_of(p, None)})
        }
    };
    let options = |options: &'static [(&'static str, &'static str)]| {
        options.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let human =
        std::iter::once(json!({"kind": "human", "about": "a person at this keyboard", "options": []}));
    let kinds =
        entry.kinds.iter().map(|k| json!({"kind": k.name, "about": k.about, "options": options(k.options)}));
    Ok(json!({
        "name": entry.name,
        "title": entry.title,
        "about": entry.blurb,
        "spec": board.info().spec,
        "seats": entry.seats,
        "parameters": entry.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "note": entry.note,
        "players": human.chain(kinds).collect::<Vec<_>>(),
        "move": {"form": entry.move_form, "example": board.moves().first()},
        "position": {"form": entry.position_form, "example": board.position()},
    }))
}
