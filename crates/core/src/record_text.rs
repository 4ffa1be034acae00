//! The text format of records: tags as in PGN, then moves with comments in braces. It is readable by people, parsed strictly,
//! and round-trips.
//!
//! ```text
//! [Game "kalah:6,4"] [Version "2"]
//! [First "ours"] [Second "team7"] [Result "first by 8"] [Termination "normal"]
//!
//! 3 {+8 exact 0.010s cpu 0.009s} 6 {0.120s} 2
//! ```
//!
//! Several games follow one another; each begins with its `Game` tag. A record without `Version` is of version 1 and is written
//! back without it. Replaying a record, not parsing it, decides whether its moves are legal.

use crate::{BadRecord, Cause, Ending, Outcome, Record, RecordVersion};
use std::fmt;

const WIDTH: usize = 100;
const RESERVED: [&str; 5] = ["Game", "Start", "Result", "Termination", "Version"];

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[Game {}]", quoted(&self.game))?;
        match self.version {
            RecordVersion::V1 => writeln!(f)?,
            RecordVersion::V2 => writeln!(f, " [Version \"2\"]")?,
        }
        if let Some(start) = &self.start {
            writeln!(f, "[Start {}]", quoted(start))?;
        }
        let result = match self.ending {
            Some(Ending { outcome: Some(outcome), .. }) => outcome.to_string(),
            _ => "*".to_string(),
        };
        let mut tags: Vec<String> = Vec::new();
        for (name, value) in &self.tags {
            if is_tag_name(name) && !RESERVED.contains(&name.as_str()) {
                tags.push(format!("[{name} {}]", quoted(value)));
            }
        }
        tags.push(format!("[Result {}]", quoted(&result)));
        tags.extend(self.ending.map(|ending| format!("[Termination \"{}\"]", ending.cause)));
        wrap(f, tags)?;
        let mut words = Vec::new();
        for ply in 0..=self.moves.len() {
            words.extend(ply.checked_sub(1).map(|i| self.moves[i].clone()));
            words.extend(self.comments.get(&ply).map(|text| clean_comment(text)).filter(|c| c != "{}"));
        }
        if words.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        wrap(f, words)
    }
}

fn wrap(f: &mut fmt::Formatter<'_>, words: Vec<String>) -> fmt::Result {
    let mut column = 0;
    for word in words {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            writeln!(f)?;
            column = 0;
        }
        if column > 0 {
            write!(f, " ")?;
        }
        write!(f, "{word}")?;
        column += length + 1;
    }
    writeln!(f)
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars().filter(|c| !c.is_control()) {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// Braces do not nest, so a closing brace inside would end the comment; it becomes a round bracket.
fn clean_comment(text: &str) -> String {
    format!("{{{}}}", plain_words(text).replace('}', ")"))
}

/// Joins words with single spaces and removes control characters: a comment is untrusted text.
fn plain_words(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain: String = spaced.chars().filter(|c| !c.is_control()).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_tag_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(|b| b.is_ascii_alphanumeric())
}

impl Record {
    /// Parses a text that contains exactly one game.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Outcome, Record, Side};
    ///
    /// let record = Record::parse("[Game \"kalah:6,4\"] [Result \"second\"] [Termination \"resigned\"]\n\n3 6")?;
    /// assert_eq!(record.moves, ["3", "6"]);
    /// assert_eq!(record.ending.and_then(|ending| ending.outcome), Some(Outcome::win(Side::Second)));
    /// # Ok::<(), parlor_core::BadRecord>(())
    /// ```
    pub fn parse(text: &str) -> Result<Record, BadRecord> {
        let mut records = Record::parse_many(text)?;
        match (records.pop(), records.len()) {
            (Some(record), 0) => Ok(record),
            (_, more) => Err(BadRecord(format!("the file contains {} games; expected one", more + 1))),
        }
    }

    /// Reads a file of games that follow one another. A file without any is an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::Record;
    ///
    /// let text = "[Game \"kalah:6,4\"]\n[Result \"*\"]\n\n3 6\n\n[Game \"oware\"]\n[Result \"*\"]\n\nc D\n";
    /// let records = Record::parse_many(text)?;
    /// assert_eq!(records.iter().map(|record| record.moves.len()).collect::<Vec<_>>(), [2, 2]);
    /// # Ok::<(), parlor_core::BadRecord>(())
    /// ```
    pub fn parse_many(text: &str) -> Result<Vec<Record>, BadRecord> {
        let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 };
        let mut drafts: Vec<Draft> = Vec::new();
        while let Some((line, item)) = reader.item()? {
            let fail = |what: String| BadRecord(format!("line {line}: {what}"));
            match item {
                Item::Tag(name, value) if name == "Game" => drafts.push(Draft::new(line, value)),
                Item::Tag(name, value) => {
                    let draft = drafts
                        .last_mut()
                        .ok_or_else(|| fail(format!("the tag {name} is before the tag Game")))?;
                    draft.tag(name, value).map_err(fail)?;
                }
                Item::Move(word) => {
                    let draft = drafts.last_mut().ok_or_else(|| fail(no_game(&word)))?;
                    draft.in_moves = true;
                    draft.record.moves.push(word);
                }
                Item::Comment(text) => {
                    let draft =
                        drafts.last_mut().ok_or_else(|| fail("a comment is before the tag Game".into()))?;
                    draft.comment(&text);
                }
            }
        }
        if drafts.is_empty() {
            return Err(BadRecord(
                "the file contains no game; expected a tag like [Game \"kalah:6,4\"]".into(),
            ));
        }
        drafts.into_iter().map(Draft::finish).collect()
    }
}

fn no_game(word: &str) -> String {
    let shown: String = word.chars().take(20).collect();
    format!("unexpected '{shown}'; expected a tag like [Game \"kalah:6,4\"]")
}

/// A record while its text is read.
struct Draft {
    line: usize,
    record: Record,
    version: Option<RecordVersion>,
    result: Option<String>,
    termination: Option<String>,
    in_moves: bool,
}

impl Draft {
    fn new(line: usize, game: String) -> Draft {
        Draft {
            line,
            record: Record { game, ..Record::default() },
            version: None,
            result: None,
            termination: None,
            in_moves: false,
        }
    }

    fn tag(&mut self, name: String, value: String) -> Result<(), String> {
        if self.in_moves {
            return Err(format!("the tag {name} is after the moves; a new game starts with the tag Game"));
        }
        let place = match name.as_str() {
            "Start" => &mut self.record.start,
            "Result" => &mut self.result,
            "Termination" => &mut self.termination,
            "Version" => return self.version(&value),
            _ if self.record.tag(&name).is_some() => return Err(format!("duplicate tag {name}")),
            _ => {
                self.record.tags.push((name, value));
                return Ok(());
            }
        };
        match place.replace(value) {
            Some(_) => Err(format!("duplicate tag {name}")),
            None => Ok(()),
        }
    }

    fn version(&mut self, value: &str) -> Result<(), String> {
        let version = RecordVersion::parse(value)
            .ok_or_else(|| format!("unknown version '{value}' of the record format; expected 1 or 2"))?;
        match self.version.replace(version) {
            Some(_) => Err("duplicate tag Version".to_string()),
            None => Ok(()),
        }
    }

    fn comment(&mut self, text: &str) {
        self.in_moves = true;
        let text = plain_words(text);
        if text.is_empty() {
            return;
        }
        let place = self.record.comments.entry(self.record.moves.len()).or_default();
        if !place.is_empty() {
            place.push(' ');
        }
        place.push_str(&text);
    }

    fn finish(mut self) -> Result<Record, BadRecord> {
        let line = self.line;
        let fail = |what: String| BadRecord(format!("the game of line {line}: {what}"));
        let outcome = match self.result.as_deref() {
            None | Some("*") => None,
            Some(text) => Some(Outcome::parse(text).ok_or_else(|| {
                fail(format!(
                    "invalid Result '{text}'; expected one like 'first by 8', 'second', 'draw' or '*'"
                ))
            })?),
        };
        let cause = match self.termination.as_deref() {
            None => None,
            Some(text) => Some(Cause::parse(text).ok_or_else(|| {
                let known: Vec<String> = Cause::ALL.iter().map(Cause::to_string).collect();
                fail(format!("Termination '{text}' is not one of {}", known.join(", ")))
            })?),
        };
        self.record.ending = match (cause, outcome) {
            (None, None) => None,
            (None, Some(_)) => Some(Ending { cause: Cause::Normal, outcome }),
            (Some(Cause::Abandoned), _) => Some(Ending { cause: Cause::Abandoned, outcome }),
            (Some(cause), None) => return Err(fail(format!("Termination '{cause}' needs a Result"))),
            (Some(cause), _) => Some(Ending { cause, outcome }),
        };
        self.record.version = self.version.unwrap_or(RecordVersion::V1);
        Ok(self.record)
    }
}

enum Item {
    Tag(String, String),
    Move(String),
    Comment(String),
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl Reader<'_> {
    /// The next item and the line it begins on.
    fn item(&mut self) -> Result<Option<(usize, Item)>, BadRecord> {
        self.skip(self.rest.len() - self.rest.trim_start().len());
        let line = self.line;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let fail = |what: &str| BadRecord(format!("line {line}: {what}"));
        let item = match first {
            '[' => self.tag(line)?,
            '{' => {
                let end = self.rest.find('}').ok_or_else(|| fail("the comment has no closing '}'"))?;
                let text = self.rest[1..end].to_string();
                self.skip(end + 1);
                Item::Comment(text)
            }
            _ => {
                let end = self
                    .rest
                    .find(|c: char| c.is_whitespace() || "{}[]\"".contains(c))
                    .unwrap_or(self.rest.len());
                if end == 0 || self.rest[..end].contains(char::is_control) {
                    return Err(fail(&format!("unexpected {first:?}; expected a move, a tag or a comment")));
                }
                let word = self.rest[..end].to_string();
                self.skip(end);
                Item::Move(word)
            }
        };
        Ok(Some((line, item)))
    }

    fn tag(&mut self, line: usize) -> Result<Item, BadRecord> {
        let fail = || BadRecord(format!("line {line}: invalid tag; expected [Name \"value\"]"));
        let (name, after) = self.rest[1..].split_once('"').ok_or_else(fail)?;
        let name = name.trim().to_string();
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next().ok_or_else(fail)? {
                (i, '"') => break i,
                (_, '\\') => {
                    value
                        .push(chars.next().map(|(_, c)| c).filter(|c| "\"\\".contains(*c)).ok_or_else(fail)?);
                }
                (_, c) if c.is_control() => return Err(fail()),
                (_, c) => value.push(c),
            }
        };
        let tail = &after[end + 1..];
        let spaces = tail.len() - tail.trim_start().len();
        if !is_tag_name(&name) || !tail[spaces..].starts_with(']') {
            return Err(fail());
        }
        self.skip(self.rest.len() - tail.len() + spaces + 1);
        Ok(Item::Tag(name, value))
    }

    fn skip(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;

    fn sample() -> Record {
        let mut record = Record { game: "kalah:6,4".into(), ..Record::default() };
        record.set_tag("First", "ours");
        record.set_tag("Second", "a \"quoted\" \\ name");
        record.moves = vec!["3".into(), "6".into(), "2".into()];
        record.comments.insert(1, "+8 exact 0.01s".into());
        record.ending = Some(Ending { cause: Cause::Normal, outcome: Outcome::parse("first by 8") });
        record
    }

    #[test]
    fn a_record_reads_back_as_written() {
        let mut unfinished = sample();
        unfinished.ending = None;
        let mut bare = Record { game: "oware".into(), ..Record::default() };
        bare.ending = Some(Ending { cause: Cause::Abandoned, outcome: None });
        let mut resigned = sample();
        resigned.start = Some("4,4/4,4 0/0 s".into());
        resigned.ending = Some(Ending::lost_by(Side::First, Cause::Resigned));
        resigned.comments.insert(0, "before".into());
        resigned.comments.insert(2, "+8 0.010s cpu 0.009s".into());
        let all = [sample(), unfinished, bare, resigned];
        for record in &all {
            assert_eq!(Record::parse(&record.to_string()).as_ref(), Ok(record));
        }
        let together: String = all.iter().map(|record| record.to_string() + "\n").collect();
        assert_eq!(Record::parse_many(&together).as_deref(), Ok(&all[..]));
    }

    #[test]
    fn the_form_is_the_documented_one() {
        let mut record = sample();
        record.set_tag("Second", "team7");
        let want = "[Game \"kalah:6,4\"] [Version \"2\"]\n[First \"ours\"] [Second \"team7\"] [Result \"first by 8\"] \
                    [Termination \"normal\"]\n\n3 {+8 exact 0.01s} 6 2\n";
        assert_eq!(record.to_string(), want);
    }

    #[test]
    fn a_record_without_a_version_is_of_version_1_and_stays_so() {
        let text = "[Game \"kalah:6,4\"]\n[First \"ours\"] [Result \"*\"]\n\n3 6\n";
        let record = Record::parse(text).expect("a record");
        assert_eq!((record.version, record.to_string().as_str()), (RecordVersion::V1, text));
        let tagged = text.replacen("]\n", "] [Version \"1\"]\n", 1);
        assert_eq!(Record::parse(&tagged).expect("a record"), record);
        let current = text.replacen("]\n", "] [Version \"2\"]\n", 1);
        assert_eq!(Record::parse(&current).expect("a record").to_string(), current);
    }

    #[test]
    fn a_hostile_comment_or_tag_cannot_break_out() {
        let mut record = sample();
        record.comments.insert(2, "} [Game \"x\"] {\n".into());
        record.set_tag("Event", "a\nb\u{1b}[31m");
        let back = Record::parse(&record.to_string()).expect("still one record");
        assert_eq!(back.comments[&2], ") [Game \"x\"] {");
        assert_eq!(back.tag("Event"), Some("ab[31m"));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, part) in [
            ("", "the file contains no game"),
            ("3 6 2", "line 1: unexpected '3'; expected a tag"),
            ("[First \"a\"]", "line 1: the tag First is before the tag Game"),
            ("[Game \"g\"]\n[Game", "line 2: invalid tag; expected [Name \"value\"]"),
            ("[Game \"g]", "line 1: invalid tag"),
            ("[Game \"g\"]\n1 [First \"a\"]", "line 2: the tag First is after the moves"),
            ("[Game \"g\"]\n[Result \"x\"]", "invalid Result 'x'"),
            ("[Game \"g\"]\n[Termination \"x\"]", "Termination 'x' is not one of normal"),
            ("[Game \"g\"]\n[Termination \"normal\"]", "Termination 'normal' needs a Result"),
            ("[Game \"g\"]\n\n1 {open", "line 3: the comment has no closing"),
            ("[Game \"g\"]\n\n1 } 2", "line 3: unexpected '}'"),
            ("[Game \"g\"]\n\n1 \u{0} 2", "unexpected "),
            (
                "[Game \"g\"]\n[Version \"3\"]",
                "line 2: unknown version '3' of the record format; expected 1 or 2",
            ),
            ("[Game \"g\"] [Version \"2\"] [Version \"2\"]", "duplicate tag Version"),
            ("[Game \"g\"]\n[First \"a\"] [First \"b\"]", "duplicate tag First"),
        ] {
            let error = Record::parse_many(text).expect_err(text).0;
            assert!(error.contains(part), "{text:?}: {error}");
        }
        let two = format!("{}{}", sample(), sample());
        assert_eq!(Record::parse(&two).expect_err("two").0, "the file contains 2 games; expected one");
    }
}
