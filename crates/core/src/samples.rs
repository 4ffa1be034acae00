//! The sample data of a game, for code that covers every game: tests, fuzz targets and benchmarks.

/// The texts of a game's `data/` folder, and its rows of `parlor bench`. CONTRIBUTING.md ("Adding a
/// game") describes the formats.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    /// `data/sizes.txt`: a spec on each line. The first is small, so that a whole game is fast.
    pub sizes: &'static str,
    /// `data/perft.txt`: counts of move sequences.
    pub perft: &'static str,
    /// `data/illegal.txt`: illegal moves, with their errors.
    pub illegal_moves: &'static str,
    /// `data/positions.txt`: invalid position texts, with their errors.
    pub bad_positions: &'static str,
    /// `data/game.parlor`: the record of a whole game.
    pub game: &'static str,
    /// The searches of `parlor bench`: a spec, and the depth of the search from the start. If it is empty, the catalogue
    /// searches the standard size to a depth that takes about as long as those of the other games.
    pub bench: &'static [(&'static str, u32)],
}

impl Samples {
    /// No samples: for a game outside the catalogue.
    pub const NONE: Samples =
        Samples { sizes: "", perft: "", illegal_moves: "", bad_positions: "", game: "", bench: &[] };

    /// The lines of a `data/` file, without blank lines and comments (`#`).
    pub fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
}
