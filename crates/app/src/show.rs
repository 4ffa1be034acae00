//! `parlor show`: a record replayed, position by position.

use crate::{args::ShowOptions, fault::Fault, terminal::Stdout};
use parlor_console::paint;
use parlor_play::{Audience, Board, Record};
use serde_json::json;
use std::{fs, io::Write, path::Path};

/// A record file larger than this is not one.
const LARGEST: u64 = 256 * 1024 * 1024;

pub fn run(options: &ShowOptions, out: &mut Stdout) -> Result<(), Fault> {
    let records = numbered(options)?;
    for (i, (number, record)) in records.iter().enumerate() {
        if i > 0 && !options.json {
            writeln!(out)?;
        }
        let place = |what: String| Fault::Input(format!("{}: game {number}: {what}", options.file.display()));
        let game = parlor_catalog::game(&record.game).map_err(|e| place(e.0))?;
        // A record may name its game loosely; its canonical name is what the replay wants.
        let record = Record { game: game.spec(), ..record.clone() };
        let last = game.replay(&record).map_err(|e| place(e.0))?;
        if let Some(ply) = options.ply.filter(|&ply| ply > record.moves.len()) {
            return Err(place(format!("there is no ply {ply}; the game has {} moves", record.moves.len())));
        }
        let start = Record { moves: Vec::new(), ending: None, ..record.clone() };
        let board = game.replay(&start).map_err(|e| place(e.0))?;
        let mut replay = Replay { options, record: &record, board };
        if options.json { replay.as_json(out)? } else { replay.as_text(last.as_ref(), out)? }
    }
    Ok(())
}

/// All games of a record file.
pub fn read(file: &Path) -> Result<Vec<Record>, Fault> {
    let name = file.display();
    let unreadable = |why: String| Fault::Input(format!("{name}: the file cannot be read: {why}"));
    let size = fs::metadata(file).map_err(|e| unreadable(e.to_string()))?.len();
    if size > LARGEST {
        return Err(unreadable(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    let bytes = fs::read(file).map_err(|e| unreadable(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not text (UTF-8)".to_string()))?;
    Record::parse_many(&text).map_err(|e| Fault::Input(format!("{name}: {e}")))
}

/// The games asked for, with their numbers in the file.
fn numbered(options: &ShowOptions) -> Result<Vec<(usize, Record)>, Fault> {
    let (name, records) = (options.file.display(), read(&options.file)?);
    let count = records.len();
    let numbered = (1..).zip(records);
    match options.number {
        None => Ok(numbered.collect()),
        Some(wanted) if (1..=count).contains(&wanted) => Ok(numbered.skip(wanted - 1).take(1).collect()),
        Some(wanted) => {
            Err(Fault::Input(format!("{name}: there is no game {wanted}; the file holds {count}")))
        }
    }
}

struct Replay<'a> {
    options: &'a ShowOptions,
    record: &'a Record,
    board: Box<dyn Board>,
}

impl Replay<'_> {
    fn wanted(&self, ply: usize) -> bool {
        self.options.ply.is_none_or(|wanted| wanted == ply)
    }

    fn as_text(&mut self, last: &dyn Board, out: &mut Stdout) -> Result<(), Fault> {
        let face = self.board.face();
        let first = self.record.tag("First").unwrap_or(face.seats[0]);
        let second = self.record.tag("Second").unwrap_or(face.seats[1]);
        let names = [face.seats[0], face.seats[1]];
        let audience = Audience { names, width: out.width().saturating_sub(2) };
        writeln!(out, "{} - {}: {first}, {}: {second}", self.record.game, names[0], names[1])?;
        for (name, value) in self.record.tags.iter().filter(|(name, _)| name != "First" && name != "Second") {
            writeln!(out, "{name}: {value}")?;
        }
        self.position(0, audience, out)?;
        for (ply, text) in (1..).zip(&self.record.moves) {
            let side = self.board.turn();
            let turn = self.board.play(text, audience)?;
            if self.wanted(ply) {
                writeln!(out, "{ply}. {} plays {text}.", names[side.index()])?;
                for seen in turn.seen.iter().filter(|seen| !seen.sentence.is_empty()) {
                    writeln!(out, "{}", seen.sentence)?;
                }
                self.position(ply, audience, out)?;
            }
        }
        if self.options.ply.is_none() {
            let ending = last.ending();
            let told = last.verdict(names).or_else(|| {
                let ending = ending?;
                let winner = parlor_play::winner_sentence(None, ending.outcome?, names);
                Some(format!("{winner} ({})", ending.cause))
            });
            writeln!(out, "{}", told.unwrap_or_else(|| "The game is unfinished.".to_string()))?;
        }
        Ok(())
    }

    fn position(&mut self, ply: usize, audience: Audience<'_>, out: &mut Stdout) -> Result<(), Fault> {
        if !self.wanted(ply) {
            return Ok(());
        }
        let picture = paint(&self.board.draw(audience), out.colours);
        writeln!(out, "\n{picture}")?;
        if let Some(comment) = self.record.comments.get(&ply) {
            writeln!(out, "({comment})")?;
        }
        Ok(())
    }

    fn as_json(&mut self, out: &mut Stdout) -> Result<(), Fault> {
        let audience = Audience { names: self.board.face().seats, width: 80 };
        for ply in 0..=self.record.moves.len() {
            let text = ply.checked_sub(1).map(|i| self.record.moves[i].clone());
            let side = self.board.turn().to_string();
            if let Some(text) = &text {
                self.board.play(text, audience)?;
            }
            if self.wanted(ply) {
                let mut line = json!({"game": self.record.game, "ply": ply, "position": self.board.position(),
                    "turn": self.board.turn().to_string()});
                if let Some(text) = text {
                    line["move"] = json!(text);
                    line["side"] = json!(side);
                }
                if let Some(comment) = self.record.comments.get(&ply) {
                    line["comment"] = json!(comment);
                }
                if let (true, Some(ending)) = (ply == self.record.moves.len(), self.record.ending) {
                    line["result"] =
                        json!(ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string()));
                    line["termination"] = json!(ending.cause.to_string());
                }
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}
