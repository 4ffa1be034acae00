//! Tones to colours. Without colours the same characters stand there: nothing is told by colour alone.

use parlor_play::{Colour, Picture, Span, Stress, Tone};

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

/// The picture as text for a terminal, `margin` spaces in from the left, a line end after each line; coloured if the sides'
/// colours are given.
pub fn paint(picture: &Picture, sides: Option<[Colour; 2]>, margin: usize) -> String {
    let mut out = String::new();
    for line in &picture.0 {
        let mut text = " ".repeat(margin);
        for span in &line.0 {
            let code = sides.map_or(String::new(), |sides| code(span, sides));
            // Blanks have no colour, save where a background shows.
            if code.is_empty() || span.text.trim().is_empty() && span.stress != Stress::Won {
                text.push_str(&span.text);
            } else {
                text.push_str(&format!("\x1b[{code}m{}\x1b[0m", span.text));
            }
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// A sentence that stands out.
pub(crate) fn strong(text: &str, colours: bool) -> String {
    if colours { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
}

/// A remark in the background.
pub(crate) fn faint(text: &str, colours: bool) -> String {
    if colours { format!("\x1b[2m{text}\x1b[0m") } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [Colour; 2] = [Colour::Red, Colour::Cyan];

    #[test]
    fn colours_add_nothing_but_colour() {
        let mut picture = Picture::new();
        picture.line().push(Tone::First, "R").push(Tone::Faint, "|").push(Tone::Plain, "  ");
        let (plain, coloured) = (paint(&picture, None, 2), paint(&picture, Some(SIDES), 2));
        assert_eq!(plain, "  R|\n");
        assert_eq!(coloured, "  \u{1b}[1;31mR\u{1b}[0m\u{1b}[2m|\u{1b}[0m\n");
    }

    #[test]
    fn what_is_pointed_out_keeps_its_owners_colour() {
        let mut picture = Picture::new();
        let line = picture.line();
        line.point_out(Tone::Second, Stress::Touched, "B").point_out(Tone::First, Stress::Won, "R");
        line.point_out(Tone::Plain, Stress::Touched, "x");
        let coloured = paint(&picture, Some(SIDES), 0);
        assert_eq!(coloured, "\u{1b}[1;36;4mB\u{1b}[0m\u{1b}[1;31;7mR\u{1b}[0m\u{1b}[1;4mx\u{1b}[0m\n");
    }
}
