//! Everything that is said in words: sentences, prompts, lists. They break at the ends of words where the terminal is narrower
//! than they are; boards never do.

use crate::{
    Terminal,
    paint::{FAINT, STRONG, Styled},
};
use parlor_core::{is_unseen, sanitized, shortened};
use std::io;

/// Breaks lines longer than `width` at the ends of words; what goes on below begins `hang` characters in. Spaces inside a line
/// stay as they are, and a word longer than a line is broken where it must be.
pub fn wrap(text: &str, width: usize, hang: usize) -> String {
    let width = width.max(8);
    let hang = hang.min(width * 2 / 3);
    text.split('\n').map(|line| wrap_line(line, width, hang)).collect::<Vec<_>>().join("\n")
}

fn wrap_line(line: &str, width: usize, hang: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    let mut rest = line;
    let mut begun = false;
    while !rest.is_empty() {
        let word_at = rest.find(|c| c != ' ').unwrap_or(rest.len());
        let (spaces, after) = rest.split_at(word_at);
        let (word, after) = after.split_at(after.find(' ').unwrap_or(after.len()));
        rest = after;
        let length = word.chars().count();
        if begun && !word.is_empty() && column + spaces.len() + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            column = hang;
        } else {
            out.push_str(spaces);
            column += spaces.len();
        }
        for c in word.chars() {
            if column == width {
                out.push('\n');
                out.push_str(&" ".repeat(hang));
                column = hang;
            }
            out.push(c);
            column += 1;
        }
        begun |= !word.is_empty();
    }
    out
}

/// The text as wide as the terminal. It is sanitised before it is measured, for escapes are wider than what they stand for.
fn fitted(text: &str, hang: usize, term: &dyn Terminal) -> String {
    let text = sanitized(text);
    term.wrap_at().map_or_else(|| text.to_string(), |width| wrap(&text, width, hang))
}

/// A sentence on lines of its own.
pub fn tell(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let text = fitted(text, 0, term);
    term.print(&format!("{text}\n"))
}

/// A sentence that stands out.
pub fn tell_strong(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(STRONG, &fitted(text, 0, term), term)?;
    term.print("\n")
}

/// A remark in the background.
pub(crate) fn tell_faint(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(FAINT, &fitted(text, 0, term), term)?;
    term.print("\n")
}

/// A question, with the answer to be typed behind it.
pub(crate) fn prompt(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(STRONG, &fitted(&format!("{text} "), 0, term), term)
}

/// Text in a colour, where the terminal shows any.
fn styled(code: &str, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let code = if term.colours() { code } else { "" };
    term.print_styled(&Styled::new(code, text))
}

/// An item of a list: the meaning stands behind its lead, also where it goes on below.
pub(crate) fn item(lead: &str, meaning: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let text = fitted(&format!("{lead}{meaning}"), lead.chars().count(), term);
    term.print(&format!("{text}\n"))
}

/// A typed line without the characters that cannot be seen, and not too long.
pub(crate) fn presentable(line: &str, most: usize) -> String {
    shortened(line.replace(is_unseen, "").trim(), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_the_ends_of_words_and_hang() {
        assert_eq!(wrap("one two three four", 9, 0), "one two\nthree\nfour");
        assert_eq!(
            wrap("  1  Game      a board for two", 20, 15),
            "  1  Game      a\n             board\n             for two"
        );
        assert_eq!(wrap("it fits just so", 15, 4), "it fits just so");
        assert_eq!(wrap("a b\nc d e f g h", 8, 0), "a b\nc d e f\ng h", "its own line ends stay");
        assert_eq!(wrap("Game: ", 40, 0), "Game: ", "the space behind a prompt stays");
    }

    #[test]
    fn a_word_longer_than_a_line_is_broken() {
        assert_eq!(wrap("abcdefghijklmnopqrs t", 8, 0), "abcdefgh\nijklmnop\nqrs t");
        assert_eq!(wrap("", 8, 0), "");
        assert!(wrap("x ".repeat(90).trim_end(), 0, 99).lines().all(|line| line.chars().count() <= 8));
    }

    #[test]
    fn what_was_typed_is_shown_short_and_without_codes() {
        assert_eq!(presentable(" d1\u{1b}[31m\u{7} \u{0}", 40), "d1[31m");
        assert_eq!(presentable(&"9".repeat(200), 40).chars().count(), 40);
    }
}
