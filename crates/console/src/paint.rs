//! Tones to colours. Without colours the same characters stand there: nothing is told by colour alone.

use parlor_play::{Picture, Tone};

/// The codes that switch a tone on: the ordinary sixteen colours, which every terminal lets its user choose.
fn code(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Faint => "2",
        Tone::First => "1;31",
        Tone::Second => "1;36",
        Tone::Last => "1;33",
        Tone::Bright => "1;30;42",
    }
}

/// The picture as text for a terminal, two spaces in from the left, a line end after each line.
pub fn paint(picture: &Picture, colours: bool) -> String {
    let mut out = String::new();
    for line in &picture.0 {
        let mut text = String::from("  ");
        for span in &line.0 {
            let code = if colours { code(span.tone) } else { "" };
            // Blanks have no colour, save where a background shows.
            if code.is_empty() || span.text.trim().is_empty() && span.tone != Tone::Bright {
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

    #[test]
    fn colours_add_nothing_but_colour() {
        let mut picture = Picture::new();
        picture.line().push(Tone::First, "R").push(Tone::Faint, "|").push(Tone::Plain, "  ");
        let (plain, coloured) = (paint(&picture, false), paint(&picture, true));
        assert_eq!(plain, "  R|\n");
        assert_eq!(coloured, "  \u{1b}[1;31mR\u{1b}[0m\u{1b}[2m|\u{1b}[0m\n");
    }
}
