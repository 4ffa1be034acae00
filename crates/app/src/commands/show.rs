//! `parlor show`: replays a record position by position.

use crate::{args::ShowOptions, error::CommandError, files, stdio::Stdout};
use parlor_catalog::PlayerSpec;
use parlor_console::{BoardView, print_line, print_strong};
use parlor_core::{Board, GameInfo, MoveTime, Record, Side, counted};
use serde_json::json;
use std::{io::Write, path::Path};

pub fn run(options: &ShowOptions, out: &mut Stdout) -> Result<(), CommandError> {
    let records = numbered(&options.file, options.number)?;
    for (i, (number, record)) in records.iter().enumerate() {
        if i > 0 && !options.json {
            writeln!(out)?;
        }
        let place = |what: String| {
            CommandError::Input(format!("{}: game {number}: {what}", display_name(&options.file)))
        };
        let game = parlor_catalog::game(&record.game).map_err(|e| place(e.0))?;
        // The replay needs the canonical spec, which a record may abbreviate.
        let record = Record { game: game.spec(), ..record.clone() };
        let last = game.replay(&record).map_err(|e| place(e.0))?;
        if let Some(ply) = options.ply.filter(|&ply| ply > record.moves.len()) {
            return Err(place(format!(
                "--ply: expected 0 to {}, the number of moves, not {ply}",
                record.moves.len()
            )));
        }
        let start = Record { moves: Vec::new(), ending: None, ..record.clone() };
        let board = game.replay(&start).map_err(|e| place(e.0))?;
        let mut replay = Replay { options, record: &record, board };
        if options.json { replay.as_json(out)? } else { replay.as_text(last.as_ref(), out)? }
    }
    Ok(())
}

pub fn read(file: &Path) -> Result<Vec<Record>, CommandError> {
    let name = display_name(file);
    let text = files::read_text(file)
        .map_err(|why| CommandError::Input(format!("{name}: cannot read the file: {why}")))?;
    Record::parse_many(&text).map_err(|e| CommandError::Input(format!("{name}: {e}")))
}

/// The chosen games with their numbers in the file.
pub fn numbered(file: &Path, number: Option<usize>) -> Result<Vec<(usize, Record)>, CommandError> {
    let (name, records) = (display_name(file), read(file)?);
    let count = records.len();
    let numbered = (1..).zip(records);
    match number {
        None => Ok(numbered.collect()),
        Some(wanted) if (1..=count).contains(&wanted) => Ok(numbered.skip(wanted - 1).take(1).collect()),
        Some(wanted) => Err(CommandError::Input(format!(
            "--number: there is no game {wanted} in {name}; it contains {}",
            counted(count as u64, "game")
        ))),
    }
}

/// The file's name in messages.
pub fn display_name(file: &Path) -> String {
    if file == Path::new("-") { "standard input".to_string() } else { file.display().to_string() }
}

/// A board view with the players' names of a record.
pub fn view(record: &Record, info: GameInfo) -> BoardView {
    let own_name = |tag: &str| record.tag(tag)?.parse::<PlayerSpec>().ok()?.name;
    let given = ["First", "Second"].map(own_name);
    BoardView::new(info, [given[0].as_deref(), given[1].as_deref()])
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

    /// Shows the game as the console shows it during play.
    fn as_text(&mut self, last: &dyn Board, out: &mut Stdout) -> Result<(), CommandError> {
        let mut view = view(self.record, self.board.info());
        self.head(&view, out)?;
        if self.wanted(0) {
            view.show(self.board.as_ref(), out)?;
            self.remark(0, out)?;
        }
        for (ply, text) in (1..).zip(&self.record.moves) {
            self.board.play(text)?;
            if self.wanted(ply)
                && let Some(turn) = self.board.last_turn(view.audience(out))
            {
                print_line(&format!("{ply}. {} plays {text}.", view.name(turn.side)), out)?;
                view.print_turn(turn, self.board.as_ref(), out)?;
                self.remark(ply, out)?;
            }
        }
        if self.wanted(self.record.moves.len()) {
            match last.ending() {
                Some(ending) => {
                    view.print_cause(ending, out)?;
                    view.announce(last, out)?;
                }
                None => print_strong("The game is unfinished.", out)?,
            }
        }
        Ok(())
    }

    fn head(&self, view: &BoardView, out: &mut Stdout) -> Result<(), CommandError> {
        let described = |side: Side, tag: &str| {
            let seat = view.info.seats[side.index()];
            self.record.tag(tag).map_or(seat.to_string(), |player| format!("{seat}: {player}"))
        };
        let (first, second) = (described(Side::First, "First"), described(Side::Second, "Second"));
        print_strong(&format!("{} - {first}, {second}", self.record.game), out)?;
        for (name, value) in self.record.tags.iter().filter(|(name, _)| name != "First" && name != "Second") {
            print_line(&format!("{name}: {value}"), out)?;
        }
        Ok(())
    }

    fn remark(&self, ply: usize, out: &mut Stdout) -> Result<(), CommandError> {
        match self.record.comments.get(&ply) {
            Some(comment) => Ok(print_line(&format!("({comment})"), out)?),
            None => Ok(()),
        }
    }

    fn as_json(&mut self, out: &mut Stdout) -> Result<(), CommandError> {
        for ply in 0..=self.record.moves.len() {
            let text = ply.checked_sub(1).map(|i| self.record.moves[i].clone());
            let side = self.board.turn().to_string();
            if let Some(text) = &text {
                self.board.play(text)?;
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
                    if let Some(time) = MoveTime::in_comment(comment) {
                        line["seconds"] = json!(time.wall.as_secs_f64());
                        if let Some(cpu) = time.cpu {
                            line["cpu_seconds"] = json!(cpu.as_secs_f64());
                        }
                    }
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
