//! The rules of a game on a terminal: text as wide as the terminal, and the boards of the examples as text pictures.

use crate::{
    Styled, Terminal,
    display::{FAINT, MARGIN, STRONG, paint, print_strong, wrap},
};
use parlor_catalog::Entry;
use parlor_core::{
    Audience, Picture, PictureLine, Tone,
    rules_text::{Block, Example, Inline},
};
use std::io;

/// The width of text in a file or a pipe, in characters.
const PIPE: usize = 80;
/// Longer lines are hard to read.
const WIDEST: usize = 100;

/// Prints the rules of a game.
pub fn show_rules(entry: &Entry, term: &mut dyn Terminal) -> io::Result<()> {
    let width = term.wrap_at().unwrap_or(PIPE).min(WIDEST);
    let blocks = entry.rules().map_err(io::Error::other)?;
    print_strong(&wrap(&format!("{} - {}", entry.title, entry.blurb), width, 0), term)?;
    for block in &blocks {
        term.print("\n")?;
        match block {
            Block::Heading(title) => print_strong(&wrap(title, width, 0), term)?,
            Block::Paragraph(text) => show(&flow("", text, width), term)?,
            Block::List(items) => items.iter().try_for_each(|item| show(&flow("- ", item, width), term))?,
            Block::Example(example) => show_example(entry, example, width, term)?,
        }
    }
    Ok(())
}

/// The boards, the caption and what happens in the move.
fn show_example(entry: &Entry, example: &Example, width: usize, term: &mut dyn Terminal) -> io::Result<()> {
    let shown = entry.illustrate(example).map_err(io::Error::other)?;
    let info = shown.before.info();
    let audience = Audience { names: info.seats, width: width - MARGIN };
    let before = shown.before.draw(audience);
    let picture = match &shown.after {
        Some((text, after)) => change(before, after.draw(audience), text, audience.width),
        None => before,
    };
    term.print_styled(&paint(&picture, term.colours().then_some(info.colours), MARGIN))?;
    term.print("\n")?;
    show(&flow(&" ".repeat(MARGIN), &example.caption, width), term)?;
    let refusal = shown.refusal.map(|(text, why)| format!("{text} is illegal: {why}."));
    for sentence in shown.events.into_iter().chain(refusal) {
        let text = wrap(&format!("{:MARGIN$}> {sentence}", ""), width, MARGIN + 2);
        show(&Styled::new(FAINT, &text), term)?;
    }
    Ok(())
}

/// The board before and after a move, side by side if they fit.
fn change(before: Picture, after: Picture, text: &str, width: usize) -> Picture {
    let arrow = format!("   {text} ->   ");
    let left = before.width();
    if left + arrow.chars().count() + after.width() > width {
        let mut picture = before;
        picture.line();
        picture.line().push(Tone::Plain, format!("{text} ->"));
        picture.line();
        picture.0.extend(after.0);
        return picture;
    }
    let rows = before.0.len().max(after.0.len());
    let row = |picture: &Picture, row: usize| picture.0.get(row).cloned().unwrap_or_default();
    let joined = (0..rows).map(|at| {
        let PictureLine(mut spans) = row(&before, at);
        let mut gap = PictureLine::new();
        gap.push(Tone::Plain, " ".repeat(left - row(&before, at).width()));
        let blank = " ".repeat(arrow.chars().count());
        gap.push(Tone::Plain, if at == rows / 2 { arrow.clone() } else { blank });
        spans.extend(gap.0);
        spans.extend(row(&after, at).0);
        PictureLine(spans)
    });
    Picture(joined.collect())
}

/// Text behind a lead, broken into lines; notation and terms are highlighted.
fn flow(lead: &str, pieces: &[Inline], width: usize) -> Styled {
    let text: String = pieces.iter().map(Inline::text).collect();
    // Wrapping changes nothing but blanks, so the other characters keep their order.
    let codes = pieces.iter().flat_map(|piece| {
        let code = if matches!(piece, Inline::Text(_)) { "" } else { STRONG };
        piece.text().chars().filter(|c| !c.is_whitespace()).map(move |_| code)
    });
    let lead_codes = lead.chars().filter(|c| !c.is_whitespace()).map(|_| "");
    let mut codes = lead_codes.chain(codes);
    let mut styled = Styled::default();
    for c in wrap(&format!("{lead}{text}"), width, lead.chars().count()).chars() {
        let code = if c.is_whitespace() { "" } else { codes.next().unwrap_or_default() };
        styled.push_char(code, c);
    }
    styled
}

/// Prints text, without its colours where the terminal has none, and ends the line.
fn show(text: &Styled, term: &mut dyn Terminal) -> io::Result<()> {
    if term.colours() {
        term.print_styled(text)?;
    } else {
        term.print(&text.plain())?;
    }
    term.print("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(lines: &[&str]) -> Picture {
        let mut picture = Picture::new();
        for line in lines {
            picture.line().push(Tone::Plain, *line);
        }
        picture
    }

    #[test]
    fn boards_stand_side_by_side_if_they_fit() {
        let [before, after] = [picture(&["ab", "c", "d"]), picture(&["ef", "g"])];
        let wide = change(before.clone(), after.clone(), "3", 14);
        assert_eq!(wide.to_string(), "ab          ef\nc    3 ->   g\nd\n");
        let narrow = change(before, after, "3", 13);
        assert_eq!(narrow.to_string(), "ab\nc\nd\n\n3 ->\n\nef\ng\n");
    }

    #[test]
    fn highlighted_words_keep_their_colour_across_lines() {
        let pieces = [
            Inline::Text("the ".to_string()),
            Inline::Code("a b".to_string()),
            Inline::Text(".".to_string()),
        ];
        assert_eq!(flow("- ", &pieces, 8).plain(), "- the a\n  b.");
        assert_eq!(flow("- ", &pieces, 8).to_string(), "- the \u{1b}[1ma\u{1b}[0m\n  \u{1b}[1mb\u{1b}[0m.");
    }
}
