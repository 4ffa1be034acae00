//! Rows of a board in FEN (Forsyth-Edwards Notation): a letter for each occupied cell, a decimal number for each run of empty
//! ones. `2Q1*` is two empty cells, Q, an empty cell, and an arrow.
//!
//! The caller specifies the letters; a game words the error messages.

use std::iter::repeat_n;

/// Why a text is not a valid row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRow {
    /// No cell has this letter.
    Letter {
        /// Index of the cell, from 0.
        at: usize,
        letter: char,
    },
    /// A run of 0 cells.
    NoRun {
        /// The number of the cell after it, from 0.
        at: usize,
    },
    /// The row has more cells than the board has columns.
    Long,
    /// The row has too few cells.
    Short {
        /// Number of cells that it has.
        cells: usize,
    },
}

/// The text of a row; `None` is an empty cell.
///
/// # Examples
///
/// ```
/// let cells = [None, None, Some('Q'), None, Some('*')];
/// assert_eq!(parlor_games::fen::write_row(cells), "2Q1*");
/// ```
pub fn write_row(cells: impl IntoIterator<Item = Option<char>>) -> String {
    let mut text = String::new();
    let mut empty = 0_usize;
    for cell in cells {
        let Some(letter) = cell else {
            empty += 1;
            continue;
        };
        push_run(&mut text, empty);
        empty = 0;
        text.push(letter);
    }
    push_run(&mut text, empty);
    text
}

fn push_run(text: &mut String, empty: usize) {
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
}

/// The cells of a row of exactly `columns`, whose letters are among `letters`. Several runs may follow one another.
///
/// # Examples
///
/// ```
/// use parlor_games::fen::{BadRow, read_row};
///
/// assert_eq!(read_row("2Q1*", 5, "Qq*"), Ok(vec![None, None, Some('Q'), None, Some('*')]));
/// assert_eq!(read_row("2K2", 5, "Qq*"), Err(BadRow::Letter { at: 2, letter: 'K' }));
/// ```
pub fn read_row(text: &str, columns: usize, letters: &str) -> Result<Vec<Option<char>>, BadRow> {
    let mut cells = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let at = cells.len();
        let (cell, count, used) = if digits > 0 {
            // A number that does not fit is longer than any row.
            (None, rest[..digits].parse().unwrap_or(usize::MAX), digits)
        } else {
            (Some(letter), 1, letter.len_utf8())
        };
        if count == 0 {
            return Err(BadRow::NoRun { at });
        }
        if count > columns - at {
            return Err(BadRow::Long);
        }
        if cell.is_some_and(|letter| !letters.contains(letter)) {
            return Err(BadRow::Letter { at, letter });
        }
        cells.extend(repeat_n(cell, count));
        rest = &rest[used..];
    }
    if cells.len() < columns { Err(BadRow::Short { cells: cells.len() }) } else { Ok(cells) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_five_cells_reads_back() {
        let kinds = [None, Some('Q'), Some('q'), Some('*')];
        for number in 0..kinds.len().pow(5) {
            let row: Vec<Option<char>> = (0..5).map(|place| kinds[number >> (2 * place) & 3]).collect();
            let text = write_row(row.iter().copied());
            assert_eq!(read_row(&text, 5, "Qq*"), Ok(row), "{text}");
        }
    }

    #[test]
    fn a_row_is_written_with_the_longest_runs() {
        assert_eq!(write_row([None; 12]), "12");
        assert_eq!(write_row([Some('r'), None, None, Some('b')]), "r2b");
        assert_eq!(write_row([]), "");
    }

    #[test]
    fn runs_are_read_in_pieces_and_with_leading_zeros() {
        assert_eq!(read_row("1r010", 12, "r").map(write_row).as_deref(), Ok("1r10"));
        assert_eq!(read_row("r1r1r", 5, "r").map(write_row).as_deref(), Ok("r1r1r"));
    }

    #[test]
    fn a_bad_row_says_what_is_wrong_and_where() {
        for (text, bad) in [
            ("", BadRow::Short { cells: 0 }),
            ("3r", BadRow::Short { cells: 4 }),
            ("6", BadRow::Long),
            ("31r1", BadRow::Long),
            ("99999999999999999999999", BadRow::Long),
            ("rrrrrr", BadRow::Long),
            ("2x2", BadRow::Letter { at: 2, letter: 'x' }),
            ("2é2", BadRow::Letter { at: 2, letter: 'é' }),
            ("3r0r", BadRow::NoRun { at: 4 }),
        ] {
            assert_eq!(read_row(text, 5, "rb"), Err(bad), "{text}");
        }
    }
}
