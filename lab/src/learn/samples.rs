//! The file of positions that `datagen` writes and `fit` reads: CSV, a line for each position, with a comment line at the top that
//! names the command.
//!
//! ```text
//! # cargo lab datagen oware --games 1000 --nodes 4000 --seed 1
//! game,position,value,outcome
//! 0,4-4-4-4-0-5-5-5-5-4-4-4-0-0-N,-12,1
//! ```
//!
//! `value` is that of the search and `outcome` that of the game, 1 for a win, 0.5 for a draw and 0 for a loss; both are seen by the
//! side to move.

use anyhow::{Context, Result, ensure};
use parlor_core::{LARGE, Value};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
};

pub const HEADER: &str = "game,position,value,outcome";
/// Values of finished games are written as this, or as its negative.
pub const WON: Value = LARGE;

/// A line of the file. The position may contain commas.
pub struct Line {
    pub game: u64,
    pub position: String,
    pub value: Value,
    pub outcome: f32,
}

impl Line {
    fn parse(text: &str) -> Option<Line> {
        let (game, rest) = text.split_once(',')?;
        let (rest, outcome) = rest.rsplit_once(',')?;
        let (position, value) = rest.rsplit_once(',')?;
        Some(Line {
            game: game.parse().ok()?,
            position: position.trim_matches('"').to_string(),
            value: value.parse().ok()?,
            outcome: outcome.parse().ok()?,
        })
    }

    /// The text of the line, with the position quoted if it contains commas.
    pub fn text(&self) -> String {
        let quote = if self.position.contains(',') { "\"" } else { "" };
        format!("{},{quote}{}{quote},{},{}\n", self.game, self.position, self.value, self.outcome)
    }
}

/// Calls `each` with every line of a file.
pub fn read(path: &Path, mut each: impl FnMut(Line) -> Result<()>) -> Result<()> {
    let file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let line = line?;
        if line.starts_with('#') || line == HEADER {
            continue;
        }
        let line = Line::parse(&line)
            .with_context(|| format!("{}, line {number}: expected {HEADER}", path.display()))?;
        each(line)?;
    }
    Ok(())
}

/// The number of the next game of an unfinished file; its last game, which may be incomplete, is removed.
pub fn resume(path: &Path, command: &str) -> Result<u64> {
    let Ok(text) = fs::read_to_string(path) else {
        fs::write(path, format!("# {command}\n{HEADER}\n"))?;
        return Ok(0);
    };
    ensure!(
        text.lines().next() == Some(&format!("# {command}")),
        "{} was written by another command: {}",
        path.display(),
        text.lines().next().unwrap_or("nothing")
    );
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let Some(last) = whole.lines().last().and_then(Line::parse) else { return Ok(0) };
    let is_last = |line: &&str| Line::parse(line).is_some_and(|line| line.game == last.game);
    let len: usize = whole.lines().rev().take_while(is_last).map(|line| line.len() + 1).sum();
    fs::write(path, &whole[..whole.len() - len])?;
    Ok(last.game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_testkit::temp_folder;

    #[test]
    fn lines_are_read_back_and_an_incomplete_game_is_repeated() {
        let folder = temp_folder();
        let path = folder.join("data.csv");
        assert_eq!(resume(&path, "command").expect("a file"), 0);
        let line =
            |game, position: &str| Line { game, position: position.into(), value: -7, outcome: 0.5 }.text();
        let head = fs::read_to_string(&path).expect("a text");
        fs::write(&path, format!("{head}{}{}{}1,4-4", line(0, "a-b"), line(0, "1,2/3"), line(1, "x")))
            .expect("written");
        assert_eq!(resume(&path, "command").expect("a file"), 1);
        let mut seen = Vec::new();
        read(&path, |line| {
            seen.push((line.game, line.position, line.value, line.outcome));
            Ok(())
        })
        .expect("a file");
        assert_eq!(seen, [(0, "a-b".to_string(), -7, 0.5), (0, "1,2/3".to_string(), -7, 0.5)]);
        assert!(resume(&path, "another").is_err());
    }
}
