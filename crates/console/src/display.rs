//! Output on a terminal: boards with players' names, colours, sentences, prompts and lists. Sentences are wrapped at word ends to
//! the width of the terminal; boards are never wrapped. Colour alone carries no meaning: without colours the characters are the
//! same.

use crate::Terminal;
use parlor_core::{
    Audience, Board, Cause, Colour, Ending, GameInfo, Picture, Side, Span, Stress, Tone, Turn, is_unseen,
    sanitized, shortened, winner_sentence,
};
use std::{fmt, io};

/// Longer names are cut, because they are part of the board's picture.
const LONGEST_NAME: usize = 24;
/// Number of blank columns at the left of a board.
pub(crate) const MARGIN: usize = 2;

/// A board with its players' names, as a terminal shows it.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// The game's constant data.
    pub info: GameInfo,
    pub names: [String; 2],
    reported_width: bool,
}

impl BoardView {
    /// A view with the given names; the default is the name of the side. If both names are equal, the sides are appended.
    pub fn new(info: GameInfo, given: [Option<&str>; 2]) -> BoardView {
        let participants = info.seats;
        let name = |side: Side| {
            let i = side.index();
            given[i].map_or(participants[i].to_string(), |name| shortened(name, LONGEST_NAME))
        };
        let mut names = Side::BOTH.map(name);
        if names[0] == names[1] {
            for i in 0..2 {
                if given[i].is_some() {
                    names[i] = format!("{} ({})", names[i], participants[i]);
                }
            }
        }
        BoardView { info, names, reported_width: false }
    }

    pub fn both_names(&self) -> [&str; 2] {
        [&self.names[0], &self.names[1]]
    }

    pub fn name(&self, side: Side) -> &str {
        &self.names[side.index()]
    }

    /// The names and the terminal's width.
    pub fn audience(&self, term: &dyn Terminal) -> Audience<'_> {
        Audience { names: self.both_names(), width: term.width() }
    }

    pub fn show(&mut self, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let picture = board.draw(self.audience(term));
        self.show_picture(&picture, term)
    }

    fn show_picture(&mut self, picture: &Picture, term: &mut dyn Terminal) -> io::Result<()> {
        let (needed, width) = (picture.width(), term.width());
        if needed > width && !self.reported_width {
            self.reported_width = true;
            print_line(
                &format!("The board needs {needed} columns, but the terminal has {width}: please widen it."),
                term,
            )?;
        }
        let margin = if needed + MARGIN <= width { MARGIN } else { 0 };
        let sides: Option<[Colour; 2]> = term.colours().then_some(self.info.colours);
        term.print("\n")?;
        term.print_styled(&paint(picture, sides, margin))?;
        term.print("\n")
    }

    /// Prints a turn: first each event that has its own picture, then the board, then the other events.
    pub fn print_turn(&mut self, turn: Turn, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let (staged, plain): (Vec<_>, Vec<_>) =
            turn.events.into_iter().partition(|described| described.before.is_some());
        for described in staged {
            if let Some(picture) = &described.before {
                self.show_picture(picture, term)?;
            }
            print_line(&described.event.text, term)?;
        }
        self.show(board, term)?;
        for described in plain {
            print_line(&described.event.text, term)?;
        }
        Ok(())
    }

    fn resignation(&self, side: Side) -> String {
        format!("{} {}s.", self.name(side), self.info.keywords.give_up[0])
    }

    /// Prints why a game ended early, for readers of a record.
    pub fn print_cause(&self, ending: Ending, term: &mut dyn Terminal) -> io::Result<()> {
        let loser = ending.outcome.and_then(|outcome| outcome.winner).map(Side::other);
        let sentence = match (ending.cause, loser) {
            (Cause::Normal | Cause::Abandoned, _) => return Ok(()),
            (Cause::Cycle, _) => "The game ended by repetition.".to_string(),
            (Cause::Resigned, Some(side)) => self.resignation(side),
            (Cause::Timeout, Some(side)) => format!("{} ran out of time.", self.name(side)),
            (Cause::Illegal, Some(side)) => format!("{} played an illegal move.", self.name(side)),
            (Cause::Crash, Some(side)) => format!("{} crashed.", self.name(side)),
            (Cause::Agreed, _) => "Both players agreed on the result.".to_string(),
            (Cause::Adjudicated, _) => "The game was adjudicated: its result is proven.".to_string(),
            (cause, None) => format!("The game ended early ({cause})."),
        };
        print_line(&sentence, term)
    }

    /// Prints the result. After an ending by repetition, prints first what each side keeps.
    pub fn announce(&self, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let ending = board.ending();
        if ending.is_some_and(|ending| ending.cause == Cause::Cycle) {
            for sentence in board.settlement(self.both_names()) {
                print_line(&sentence, term)?;
            }
        }
        let names = self.both_names();
        let sentence = board.verdict(names).unwrap_or_else(|| match ending.and_then(|e| e.outcome) {
            Some(outcome) => winner_sentence(None, outcome, names),
            None => "The game is unfinished.".to_string(),
        });
        print_strong(&sentence, term)
    }
}

/// SGR parameters of a side's colour: one of the sixteen standard colours, because users can configure these; except for black.
fn colour_code(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "1;31",
        Colour::Green => "1;32",
        Colour::Yellow => "1;33",
        // Bright blue, because the dark blue of many terminals is illegible on black.
        Colour::Blue => "1;94",
        Colour::Cyan => "1;36",
        // Mid grey of the 256 colours: black is invisible on black, and some palettes make bright black the background.
        Colour::Black => "1;38;5;244",
        // Bold in the default text colour, which is visible on dark and light backgrounds.
        Colour::White => "1",
    }
}

/// SGR parameters of a span. A highlighted span keeps the colour of its owner.
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

/// Text in pieces, each with SGR parameters (`1;31`) or none. The pieces are sanitised when they are written, so the output
/// contains no other escape sequences than ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styled(Vec<(String, String)>);

impl Styled {
    /// A text with one colour.
    pub(crate) fn new(code: &str, text: &str) -> Styled {
        let mut styled = Styled::default();
        styled.push(code, text);
        styled
    }

    /// Adds a piece. Empty parameters mean the default colour.
    pub(crate) fn push(&mut self, code: &str, text: &str) {
        self.0.push((code.to_string(), text.to_string()));
    }

    /// Adds a character to the last piece, or begins a new one where the colour changes.
    pub(crate) fn push_char(&mut self, code: &str, c: char) {
        match self.0.last_mut() {
            Some((last, text)) if last == code => text.push(c),
            _ => self.push(code, &c.to_string()),
        }
    }

    /// The text without colours.
    pub(crate) fn plain(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
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

/// Renders a picture as text with `margin` blanks at the left and a line end after each line. It is coloured if the sides'
/// colours are given.
pub fn paint(picture: &Picture, sides: Option<[Colour; 2]>, margin: usize) -> Styled {
    let mut out = Styled::default();
    for line in &picture.0 {
        let mut pieces = vec![(String::new(), " ".repeat(margin))];
        for span in &line.0 {
            // Blanks need a colour only where the background is inverted.
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

/// SGR parameters of a highlighted sentence.
pub(crate) const STRONG: &str = "1";
/// SGR parameters of a remark.
pub(crate) const FAINT: &str = "2";

/// Wraps lines at word ends to `width` characters, with a hanging indent of `hang` characters. Spaces inside a line are kept. A
/// word longer than a line is broken.
///
/// # Examples
///
/// ```
/// use parlor_console::wrap;
///
/// assert_eq!(wrap("sow the beans of hole 3", 12, 2), "sow the\n  beans of\n  hole 3");
/// ```
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

/// Wraps a text to the terminal. It is sanitised first, because sanitising makes it longer.
fn fitted(text: &str, hang: usize, term: &dyn Terminal) -> String {
    let text = sanitized(text);
    term.wrap_at().map_or_else(|| text.to_string(), |width| wrap(&text, width, hang))
}

/// Prints a sentence on lines of its own.
pub fn print_line(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let text = fitted(text, 0, term);
    term.print(&format!("{text}\n"))
}

pub fn print_strong(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(STRONG, &fitted(text, 0, term), term)?;
    term.print("\n")
}

/// Prints a remark in faint text.
pub(crate) fn print_faint(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(FAINT, &fitted(text, 0, term), term)?;
    term.print("\n")
}

/// Prints a question without a line end, so that the answer is typed behind it.
pub(crate) fn prompt(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(STRONG, &fitted(&format!("{text} "), 0, term), term)
}

/// Prints text in a colour if the terminal shows colours.
fn styled(code: &str, text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let code = if term.colours() { code } else { "" };
    term.print_styled(&Styled::new(code, text))
}

/// Prints a list item with a hanging indent behind its lead.
pub(crate) fn item(lead: &str, meaning: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let text = fitted(&format!("{lead}{meaning}"), lead.chars().count(), term);
    term.print(&format!("{text}\n"))
}

/// A typed line without invisible characters, shortened to `most` characters.
pub(crate) fn sanitised_input(line: &str, most: usize) -> String {
    shortened(line.replace(is_unseen, "").trim(), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [Colour; 2] = [Colour::Red, Colour::Cyan];

    #[test]
    fn coloured_output_has_the_same_characters() {
        let mut picture = Picture::new();
        picture.line().push(Tone::First, "R").push(Tone::Faint, "|").push(Tone::Plain, "  ");
        let (plain, coloured) =
            (paint(&picture, None, 2).to_string(), paint(&picture, Some(SIDES), 2).to_string());
        assert_eq!(plain, "  R|\n");
        assert_eq!(coloured, "  \u{1b}[1;31mR\u{1b}[0m\u{1b}[2m|\u{1b}[0m\n");
    }

    #[test]
    fn a_highlighted_span_keeps_the_colour_of_its_owner() {
        let mut picture = Picture::new();
        let line = picture.line();
        line.point_out(Tone::Second, Stress::Touched, "B").point_out(Tone::First, Stress::Won, "R");
        line.point_out(Tone::Plain, Stress::Touched, "x");
        let coloured = paint(&picture, Some(SIDES), 0).to_string();
        assert_eq!(coloured, "\u{1b}[1;36;4mB\u{1b}[0m\u{1b}[1;31;7mR\u{1b}[0m\u{1b}[1;4mx\u{1b}[0m\n");
    }

    #[test]
    fn escape_sequences_inside_a_text_are_sanitised() {
        let mut picture = Picture::new();
        picture.line().push(Tone::First, "a\u{1b}[32m").push(Tone::Plain, "\u{9b}31m");
        let coloured = paint(&picture, Some(SIDES), 0).to_string();
        assert_eq!(coloured, "\u{1b}[1;31ma\\u001b[32m\u{1b}[0m\\u009b31m\n");
    }

    #[test]
    fn wraps_lines_at_word_ends_with_a_hanging_indent() {
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
    fn typed_input_is_shortened_and_stripped_of_control_characters() {
        assert_eq!(sanitised_input(" d1\u{1b}[31m\u{7} \u{0}", 40), "d1[31m");
        assert_eq!(sanitised_input(&"9".repeat(200), 40).chars().count(), 40);
    }
}
