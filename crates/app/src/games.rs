//! `parlor games`: the catalogue, for people and for programs.

use crate::{args::GamesOptions, fault::Fault};
use parlor_catalog::{Entry, entries, find};
use parlor_play::{Fallback, Kind, Parameter};
use serde_json::{Value, json};
use std::io::Write;

pub fn run(options: &GamesOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let chosen: Vec<&Entry> = match &options.game {
        Some(name) => vec![find(parlor_play::split_spec(name)?.0)?],
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

fn default_of(parameter: &Parameter) -> String {
    match (parameter.fallback, parameter.kind) {
        (Fallback::Value(value), Kind::Choice(words)) => words[value as usize].to_string(),
        (Fallback::Value(value), Kind::Number(..)) => value.to_string(),
        (Fallback::AsBefore(value), _) => format!("as the one before, else {value}"),
    }
}

fn describe(entry: &Entry, out: &mut dyn Write) -> Result<(), Fault> {
    let board = entry.build("")?.board();
    let moves = board.moves();
    writeln!(out, "{}  {} - {}", entry.name, entry.title, entry.blurb)?;
    writeln!(out, "  spec      {}   ({} against {})", board.face().spec, entry.seats[0], entry.seats[1])?;
    for parameter in entry.parameters {
        let (form, range) = match parameter.kind {
            Kind::Number(min, max) => (parameter.name.to_string(), format!("{min} to {max}")),
            Kind::Choice(words) => (format!("{}=", parameter.name), words.join(" or ")),
        };
        writeln!(out, "    {form:<9} {range}; default {}", default_of(parameter))?;
    }
    writeln!(out, "  move      {}, like {}", entry.move_form, moves.first().map_or("", String::as_str))?;
    writeln!(out, "  position  {}, like", entry.position_form)?;
    writeln!(out, "            {}", board.position())?;
    writeln!(out, "  players   human     somebody at this keyboard")?;
    for kind in &entry.kinds {
        writeln!(out, "            {:<9} {}", kind.name, kind.about)?;
        for (name, meaning) in kind.options {
            writeln!(out, "            {:<9}   {name}=  {meaning}", "")?;
        }
    }
    Ok(())
}

fn as_json(entry: &Entry) -> Result<Value, Fault> {
    let board = entry.build("")?.board();
    let parameter = |p: &Parameter| match p.kind {
        Kind::Number(min, max) => {
            let (default, as_before) = match p.fallback {
                Fallback::Value(value) => (value, false),
                Fallback::AsBefore(value) => (value, true),
            };
            json!({"name": p.name, "min": min, "max": max, "default": default, "as_before": as_before})
        }
        Kind::Choice(words) => json!({"name": p.name, "choices": words, "default": default_of(p)}),
    };
    let options = |options: &'static [(&'static str, &'static str)]| {
        options.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    };
    let human =
        std::iter::once(json!({"kind": "human", "about": "somebody at this keyboard", "options": []}));
    let kinds =
        entry.kinds.iter().map(|k| json!({"kind": k.name, "about": k.about, "options": options(k.options)}));
    Ok(json!({
        "name": entry.name,
        "title": entry.title,
        "about": entry.blurb,
        "spec": board.face().spec,
        "seats": entry.seats,
        "parameters": entry.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "players": human.chain(kinds).collect::<Vec<_>>(),
        "move": {"form": entry.move_form, "example": board.moves().first()},
        "position": {"form": entry.position_form, "example": board.position()},
    }))
}
