//! A board drawn as text, with a tone for each piece of text. A terminal turns tones into colours; a file or a pipe omits them
//! and loses only the colour.

use std::fmt;

/// The kind of a piece of text, by which a front end chooses its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Ordinary text.
    Plain,
    /// Frames, coordinates and empty cells.
    Faint,
    /// Belongs to the first side.
    First,
    /// Belongs to the second side.
    Second,
}

/// How text is highlighted in addition to its tone: the owner of a piece must stay visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stress {
    /// Not highlighted.
    #[default]
    None,
    /// Touched by the last move.
    Touched,
    /// Part of a winning line.
    Won,
}

/// A colour of a side, available on terminals and pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Red.
    Red,
    /// Blue.
    Blue,
    /// Yellow.
    Yellow,
    /// White: on a white background, the colour of the text.
    White,
    /// Black: a terminal uses a mid grey, which is readable on black and on white.
    Black,
    /// Blue-green.
    Cyan,
    /// Green.
    Green,
}

/// A piece of a line in one tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The characters to print.
    pub text: String,
    /// Determines the colour.
    pub tone: Tone,
    /// Whether and why the text is highlighted.
    pub stress: Stress,
}

/// One line of a picture, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureLine(pub Vec<Span>);

impl PictureLine {
    /// An empty line.
    pub fn new() -> PictureLine {
        PictureLine::default()
    }

    /// Appends a piece that is not highlighted.
    pub fn push(&mut self, tone: Tone, text: impl Into<String>) -> &mut PictureLine {
        self.point_out(tone, Stress::None, text)
    }

    /// Appends a highlighted piece.
    pub fn point_out(&mut self, tone: Tone, stress: Stress, text: impl Into<String>) -> &mut PictureLine {
        self.0.push(Span { text: text.into(), tone, stress });
        self
    }

    /// Width in characters.
    pub fn width(&self) -> usize {
        self.0.iter().map(|span| span.text.chars().count()).sum()
    }
}

/// A text picture: lines from top to bottom.
///
/// # Examples
///
/// ```
/// use parlor_core::{Picture, Tone};
///
/// let mut picture = Picture::new();
/// picture.line().push(Tone::Faint, "a b c");
/// picture.line().push(Tone::First, "x").push(Tone::Plain, " ").push(Tone::Second, "o");
/// assert_eq!(picture.width(), 5);
/// assert_eq!(picture.to_string(), "a b c\nx o\n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture(pub Vec<PictureLine>);

impl Picture {
    /// An empty picture.
    pub fn new() -> Picture {
        Picture::default()
    }

    /// Starts a new line below and returns it.
    pub fn line(&mut self) -> &mut PictureLine {
        self.0.push(PictureLine::new());
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Width of the widest line, in characters.
    pub fn width(&self) -> usize {
        self.0.iter().map(PictureLine::width).max().unwrap_or(0)
    }
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.0 {
            let text: String = line.0.iter().map(|span| span.text.as_str()).collect();
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}
