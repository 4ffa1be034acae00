//! What a game looks like on a terminal: boards with their players' names, tones as colours, and sentences, prompts and lists.
//! Sentences break at the ends of words where the terminal is narrower than they are; boards never do. Without colours the same
//! characters are shown: colour alone carries no meaning.

use crate::Terminal;
use parlor_core::{
    Audience, Board, Cause, Colour, Ending, GameInfo, Picture, Side, Span, Stress, Tone, Turn, is_unseen,
    sanitized, shortened, winner_sentence,
};
use std::{fmt, io};

/// Longer names are cut: they stand on the board.
const LONGEST_NAME: usize = 24;
/// What stays free at the left of a board.
const MARGIN: usize = 2;

/// A board with its players' names, as a terminal shows it.
#[derive(Clone, Debug)]
pub struct BoardView {
    /// Constant through the game.
    pub info: GameInfo,
    pub names: [String; 2],
    reported_width: bool,
}

impl BoardView {
    /// A view with these names, where names were given. Two equal names get their sides added.
    pub fn new(info: GameInfo, given: [Option<&str>; 2]) -> BoardView {
        let seats = info.seats;
        let name = |side: Side| {
            let i = side.index();
            given[i].map_or(seats[i].to_string(), |name| shortened(name, LONGEST_NAME))
        };
        let mut names = Side::BOTH.map(name);
        if names[0] == names[1] {
            for i in 0..2 {
                if given[i].is_some() {
                    names[i] = format!("{} ({})", names[i], seats[i]);
                }
            }
        }
        BoardView { info, names, reported_width: false }
    }

    pub fn called(&self) -> [&str; 2] {
        [&self.names[0], &self.names[1]]
    }

    pub fn name(&self, side: Side) -> &str {
        &self.names[side.index()]
    }

    /// The names and the terminal's width.
    pub fn audience(&self, term: &dyn Terminal) -> Audience<'_> {
        Audience { names: self.called(), width: term.width() }
    }

    pub fn show(&mut self, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let picture = board.draw(self.audience(term));
        self.show_picture(&picture, term)
    }

    fn show_picture(&mut self, picture: &Picture, term: &mut dyn Terminal) -> io::Result<()> {
        let (needed, width) = (picture.width(), term.width());
        if needed > width && !self.reported_width {
            self.reported_width = true;
            tell(
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

    /// What happened in a move: each event that has a picture after it, then the board, then the other events.
    pub fn tell_turn(&mut self, turn: Turn, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let (staged, plain): (Vec<_>, Vec<_>) =
            turn.events.into_iter().partition(|described| described.before.is_some());
        for described in staged {
            if let Some(picture) = &described.before {
                self.show_picture(picture, term)?;
            }
            tell(&described.event.text, term)?;
        }
        self.show(board, term)?;
        for described in plain {
            tell(&described.event.text, term)?;
        }
        Ok(())
    }

    fn gives_up(&self, side: Side) -> String {
        format!("{} {}s.", self.name(side), self.info.keywords.give_up[0])
    }

    /// Why a game ended that did not end by the rules, for readers who know only its record.
    pub fn tell_cause(&self, ending: Ending, term: &mut dyn Terminal) -> io::Result<()> {
        let loser = ending.outcome.and_then(|outcome| outcome.winner).map(Side::other);
        let sentence = match (ending.cause, loser) {
            (Cause::Normal | Cause::Abandoned, _) => return Ok(()),
            (Cause::Cycle, _) => "The game ended by repetition.".to_string(),
            (Cause::Resigned, Some(side)) => self.gives_up(side),
            (Cause::Timeout, Some(side)) => format!("{} ran out of time.", self.name(side)),
            (Cause::Illegal, Some(side)) => format!("{} played an illegal move.", self.name(side)),
            (Cause::Crash, Some(side)) => format!("{} crashed.", self.name(side)),
            (Cause::Agreed, _) => "Both players agreed on the result.".to_string(),
            (Cause::Adjudicated, _) => "The game was adjudicated: its result is proven.".to_string(),
            (cause, None) => format!("The game ended early ({cause})."),
        };
        tell(&sentence, term)
    }

    /// The result; after an ending by repetition, first what each side keeps.
    pub fn announce(&self, board: &dyn Board, term: &mut dyn Terminal) -> io::Result<()> {
        let ending = board.ending();
        if ending.is_some_and(|ending| ending.cause == Cause::Cycle) {
            for sentence in board.settlement(self.called()) {
                tell(&sentence, term)?;
            }
        }
        let names = self.called();
        let sentence = board.verdict(names).unwrap_or_else(|| match ending.and_then(|e| e.outcome) {
            Some(outcome) => winner_sentence(None, outcome, names),
            None => "The game is unfinished.".to_string(),
        });
        tell_strong(&sentence, term)
    }
}

/// The codes of a side's colour: one of the ordinary sixteen, which every terminal lets its user choose, except for black.
fn colour_code(colour: Colour) -> &'static str {
    match colour {
        Colour::Red => "1;31",
        Colour::Green => "1;32",
        Colour::Yellow => "1;33",
        // The bright one: the dark blue of many terminals cannot be read on black.
        Colour::Blue => "1;94",
        Colour::Cyan => "1;36",
        // Mid grey of the 256 colours: black is invisible on black, and some palettes make bright black the background.
        Colour::Black => "1;38;5;244",
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
    /// A text with one colour.
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

/// SGR parameters of a highlighted sentence.
const STRONG: &str = "1";
/// SGR parameters of a remark.
const FAINT: &str = "2";

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

/// Prints a sentence on lines of its own.
pub fn tell(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    let text = fitted(text, 0, term);
    term.print(&format!("{text}\n"))
}

/// Prints a highlighted sentence.
pub fn tell_strong(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    styled(STRONG, &fitted(text, 0, term), term)?;
    term.print("\n")
}

/// Prints a remark in faint text.
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
