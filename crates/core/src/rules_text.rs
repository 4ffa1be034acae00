//! The rules of a game as text for people, with worked examples: restricted Markdown, which a game has in `data/rules.md`.
//!
//! Allowed are headings (`## `), paragraphs, lists (`- `), `code` and **bold** inside them, and examples:
//!
//! ````text
//! ```board
//! game: kalah:6,4
//! moves: 3
//! caption: South sows hole 3. The last bean falls into the pot, so South moves again.
//! ```
//! ````
//!
//! `position` (optional) is where the example starts; `moves` (optional) are played from there, and the last one is shown:
//! the board before and after it. `illegal` (optional) is a move that the rules forbid in that position. A line that begins
//! with two spaces continues a list item or a value. This module reads the text only; the catalogue plays the examples.

use crate::BadRulesText;
use std::iter::Peekable;

/// A part of the text, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// The title of a section.
    Heading(String),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// The items of a list.
    List(Vec<Vec<Inline>>),
    /// A worked example with its boards.
    Example(Example),
}

/// A piece of a paragraph, a list item or a caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Text without markup.
    Text(String),
    /// Text in a notation: a move, a position, a game spec.
    Code(String),
    /// A term that the sentence explains.
    Strong(String),
}

impl Inline {
    /// The text without its markup.
    pub fn text(&self) -> &str {
        match self {
            Inline::Text(text) | Inline::Code(text) | Inline::Strong(text) => text,
        }
    }
}

/// A worked example: a position, and what a move does in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Number of its first line, for errors.
    pub line: usize,
    /// A game spec such as `kalah:6,4`.
    pub game: String,
    /// Where the example starts; none is the start of the game.
    pub position: Option<String>,
    /// A list of moves. The last one is the move that the example shows.
    pub moves: Option<String>,
    /// A move that the rules forbid after these moves.
    pub illegal: Option<String>,
    /// What the example shows, in words.
    pub caption: Vec<Inline>,
}

/// The blocks of a text. The error names the line of the block that is wrong.
pub fn parse(text: &str) -> Result<Vec<Block>, BadRulesText> {
    let mut lines = (1..).zip(text.lines().map(str::trim_end)).peekable();
    let mut blocks = Vec::new();
    while let Some((number, line)) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let block = if let Some(title) = line.strip_prefix("## ") {
            Ok(Block::Heading(title.trim().to_string()))
        } else if line == "```board" {
            example(number, &mut lines).map(Block::Example)
        } else if line.starts_with('#') || line.starts_with("```") {
            Err(format!("unexpected '{line}'; expected '## TITLE' or '```board'"))
        } else if let Some(item) = line.strip_prefix("- ") {
            list(item, &mut lines).map(Block::List)
        } else {
            let rest = following(&mut lines, |line| !begins_block(line));
            inlines(&joined(line, rest)).map(Block::Paragraph)
        };
        blocks.push(block.map_err(|why| BadRulesText(format!("line {number}: {why}")))?);
    }
    Ok(blocks)
}

fn begins_block(line: &str) -> bool {
    line.is_empty() || ["#", "```", "- "].iter().any(|beginning| line.starts_with(beginning))
}

/// The next lines, as long as they belong to the block.
fn following<'a>(
    lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>,
    belongs: impl Fn(&str) -> bool,
) -> Vec<&'a str> {
    let mut taken = Vec::new();
    while let Some((_, line)) = lines.next_if(|(_, line)| belongs(line)) {
        taken.push(line);
    }
    taken
}

fn joined(first: &str, rest: Vec<&str>) -> String {
    std::iter::once(first).chain(rest).map(str::trim).collect::<Vec<_>>().join(" ")
}

fn list<'a>(
    first: &str,
    lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>,
) -> Result<Vec<Vec<Inline>>, String> {
    let mut items = vec![first.to_string()];
    for line in following(lines, |line| line.starts_with("- ") || line.starts_with("  ")) {
        match (line.strip_prefix("- "), items.last_mut()) {
            (None, Some(last)) => *last = joined(last, vec![line]),
            (item, _) => items.push(item.unwrap_or(line).to_string()),
        }
    }
    items.iter().map(|item| inlines(item)).collect()
}

/// The lines of an example after its first one, up to the closing fence.
fn example<'a>(
    line: usize,
    lines: &mut Peekable<impl Iterator<Item = (usize, &'a str)>>,
) -> Result<Example, String> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for line in following(lines, |line| line != "```") {
        match (line.strip_prefix("  "), line.split_once(": "), fields.last_mut()) {
            (Some(more), _, Some((_, value))) => *value = joined(value, vec![more]),
            (_, Some((key, value)), _) => {
                if !["game", "position", "moves", "illegal", "caption"].contains(&key) {
                    return Err(format!(
                        "unknown key '{key}'; expected game, position, moves, illegal or caption"
                    ));
                }
                if fields.iter().any(|(known, _)| *known == key) {
                    return Err(format!("duplicate key '{key}'"));
                }
                fields.push((key, value.trim().to_string()));
            }
            _ => return Err(format!("'{line}' is not 'KEY: VALUE'")),
        }
    }
    lines.next().ok_or("the example has no closing '```'")?;
    let value = |key: &str| fields.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone());
    let needed = |key: &str| value(key).ok_or(format!("the example has no '{key}'"));
    Ok(Example {
        line,
        game: needed("game")?,
        position: value("position"),
        moves: value("moves"),
        illegal: value("illegal"),
        caption: inlines(&needed("caption")?)?,
    })
}

/// Splits text at its markup.
fn inlines(text: &str) -> Result<Vec<Inline>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let at = [rest.find('`'), rest.find("**")].into_iter().flatten().min().unwrap_or(rest.len());
        let (plain, marked) = rest.split_at(at);
        if plain.contains("](") {
            return Err(format!("'{plain}' has a link; the text is shown where links do not work"));
        }
        if !plain.is_empty() {
            pieces.push(Inline::Text(plain.to_string()));
        }
        if marked.is_empty() {
            break;
        }
        let (mark, make): (&str, fn(String) -> Inline) =
            if marked.starts_with('`') { ("`", Inline::Code) } else { ("**", Inline::Strong) };
        let (inside, after) =
            marked[mark.len()..].split_once(mark).ok_or(format!("{mark} is not closed in '{text}'"))?;
        pieces.push(make(inside.to_string()));
        rest = after;
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Inline {
        Inline::Text(text.to_string())
    }

    #[test]
    fn a_text_has_headings_paragraphs_lists_and_examples() {
        let blocks = parse(
            "## The board\n\nTwo rows\nof `holes`.\n- one\n  and **more**\n- two\n\n```board\ngame: kalah:6,4\n\
             moves: 3 1\ncaption: South\n  sows.\n```\nAfter it.\n",
        );
        let example = Example {
            line: 9,
            game: "kalah:6,4".to_string(),
            position: None,
            moves: Some("3 1".to_string()),
            illegal: None,
            caption: vec![text("South sows.")],
        };
        let expected = vec![
            Block::Heading("The board".to_string()),
            Block::Paragraph(vec![text("Two rows of "), Inline::Code("holes".to_string()), text(".")]),
            Block::List(vec![vec![text("one and "), Inline::Strong("more".to_string())], vec![text("two")]]),
            Block::Example(example),
            Block::Paragraph(vec![text("After it.")]),
        ];
        assert_eq!(blocks, Ok(expected));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, part) in [
            ("# Title", "line 1: unexpected '# Title'"),
            ("\n```rust\n```", "line 2: unexpected '```rust'"),
            ("one\n\na `b", "line 3: ` is not closed"),
            ("a **b", "line 1: ** is not closed"),
            ("see [this](there)", "line 1: 'see [this](there)' has a link"),
            ("```board\ngame: x\ncaption: y", "line 1: the example has no closing"),
            ("```board\ncaption: y\n```", "line 1: the example has no 'game'"),
            ("```board\ngame: x\n```", "line 1: the example has no 'caption'"),
            ("```board\ngame: x\ngame: y\n```", "line 1: duplicate key 'game'"),
            ("```board\nsize: x\n```", "line 1: unknown key 'size'"),
            ("```board\nhello\n```", "line 1: 'hello' is not 'KEY: VALUE'"),
        ] {
            let error = parse(text).expect_err(text).0;
            assert!(error.starts_with(part), "{error}");
        }
    }
}
