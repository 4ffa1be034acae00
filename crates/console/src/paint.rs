//! Tones to colours. Without colours the same characters stand there: colour alone carries no meaning.

use parlor_core::{Colour, Picture, Span, Stress, Tone, sanitized};
use std::fmt;

/// The codes of a side's colour: the ordinary sixteen, which every terminal lets its user choose.
fn colour_code(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "1;31",
        Colour::Green => "1;32",
        Colour::Yellow => "1;33",
        // The bright one: the dark blue of many terminals cannot be read on black.
        Colour::Blue => "1;94",
        Colour::Cyan => "1;36",
        // Bold in the colour of the text: bright white on a dark screen, and still to be seen on a white one.
        Colour::White => "1",
    }
}

/// The codes that switch a piece's tone and stress on. What is pointed out keeps its owner's colour.
fn code(span: &Span, sides: [Colour; 2]) -> String {
    let tone = match span.tone {
        Tone::Plain => "",
        Tone::Faint => "2",
        Tone::First => colour_code(sides[0]),
        Tone::Second => colour_code(sides[1]),
    };
    let stress = match span.stress {
        Stress::None => "",
        Stress::Touched if span.tone == Tone::Plain => "1;4",
        Stress::Touched => "4",
        Stress::Won => "7",
    };
    [tone, stress].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(";")
}

/// Text in pieces, each with the SGR parameters of its colour (`1;31`), or none. What it is written as has our own colour
/// sequences and no other: the pieces are sanitised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styled(Vec<(String, String)>);

impl Styled {
    /// One piece.
    pub(crate) fn new(code: &str, text: &str) -> Styled {
        let mut styled = Styled::default();
        styled.push(code, text);
        styled
    }

    /// Adds a piece; without parameters it has the colour of ordinary text.
    pub(crate) fn push(&mut self, code: &str, text: &str) {
        self.0.push((code.to_string(), text.to_string()));
    }
}

impl fmt::Display for Styled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (code, text) in &self.0 {
            let text = sanitized(text);
            if code.is_empty() { f.write_str(&text)? } else { write!(f, "\x1b[{code}m{text}\x1b[0m")? }
        }
        Ok(())
    }
}

/// The picture as text for a terminal, `margin` spaces in from the left, a line end after each line; coloured if the sides'
/// colours are given.
pub fn paint(picture: &Picture, sides: Option<[Colour; 2]>, margin: usize) -> Styled {
    let mut out = Styled::default();
    for line in &picture.0 {
        let mut pieces = vec![(String::new(), " ".repeat(margin))];
        for span in &line.0 {
            // Blanks have no colour, save where a background shows.
            let is_blank = span.text.trim().is_empty() && span.stress != Stress::Won;
            let code = sides.filter(|_| !is_blank).map_or(String::new(), |sides| code(span, sides));
            pieces.push((code, span.text.clone()));
        }
        trim_end(&mut pieces);
        out.0.extend(pieces);
        out.push("", "\n");
    }
    out
}

/// Removes uncoloured blanks at the end of a line.
fn trim_end(pieces: &mut Vec<(String, String)>) {
    while let Some((_, text)) = pieces.last_mut().filter(|(code, _)| code.is_empty()) {
        text.truncate(text.trim_end().len());
        if !text.is_empty() {
            break;
        }
        pieces.pop();
    }
}

/// The parameters of a sentence that stands out.
pub(crate) const STRONG: &str = "1";
/// The parameters of a remark in the background.
pub(crate) const FAINT: &str = "2";

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [Colour; 2] = [Colour::Red, Colour::Cyan];

    #[test]
    fn colours_add_nothing_but_colour() {
        let mut picture = Picture::new();
        picture.line().push(Tone::First, "R").push(Tone::Faint, "|").push(Tone::Plain, "  ");
        let (plain, coloured) =
            (paint(&picture, None, 2).to_string(), paint(&picture, Some(SIDES), 2).to_string());
        assert_eq!(plain, "  R|\n");
        assert_eq!(coloured, "  \u{1b}[1;31mR\u{1b}[0m\u{1b}[2m|\u{1b}[0m\n");
    }

    #[test]
    fn what_is_pointed_out_keeps_its_owners_colour() {
        let mut picture = Picture::new();
        let line = picture.line();
        line.point_out(Tone::Second, Stress::Touched, "B").point_out(Tone::First, Stress::Won, "R");
        line.point_out(Tone::Plain, Stress::Touched, "x");
        let coloured = paint(&picture, Some(SIDES), 0).to_string();
        assert_eq!(coloured, "\u{1b}[1;36;4mB\u{1b}[0m\u{1b}[1;31;7mR\u{1b}[0m\u{1b}[1;4mx\u{1b}[0m\n");
    }

    #[test]
    fn colour_sequences_inside_a_text_are_escaped_and_ours_stay() {
        let mut picture = Picture::new();
        picture.line().push(Tone::First, "a\u{1b}[32m").push(Tone::Plain, "\u{9b}31m");
        let coloured = paint(&picture, Some(SIDES), 0).to_string();
        assert_eq!(coloured, "\u{1b}[1;31ma\\u001b[32m\u{1b}[0m\\u009b31m\n");
    }
}
