//! Statements of many rows: each statement is a way to the database and back, and with one for each row the ways would take
//! longer than the writing.

use std::{fmt::Write, iter};

/// How many rows one statement may have. A few sizes do for all, so that the database need not learn a new statement each time.
const SIZES: [usize; 4] = [64, 16, 4, 1];

/// All rows in their order, in parts of those sizes.
pub fn parts<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    iter::from_fn(move || {
        let &size = SIZES.iter().find(|&&size| size <= rest.len())?;
        let (part, others) = rest.split_at(size);
        rest = others;
        Some(part)
    })
}

/// The list of values for so many rows of so many columns: `($1, $2), ($3, $4)`.
pub fn values(rows: usize, columns: usize) -> String {
    let mut text = String::with_capacity(rows * columns * 6);
    for number in 1..=rows * columns {
        let before = match (number - 1) % columns {
            0 if number == 1 => "(",
            0 => "), (",
            _ => ", ",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "{before}${number}");
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_few_sizes_and_leave_nothing_out() {
        let rows: Vec<usize> = (0..151).collect();
        assert_eq!(parts(&rows).map(<[usize]>::len).collect::<Vec<_>>(), [64, 64, 16, 4, 1, 1, 1]);
        assert_eq!(parts(&rows).flatten().copied().collect::<Vec<_>>(), rows);
        assert_eq!(parts(&rows[..0]).count(), 0);
    }

    #[test]
    fn values_are_numbered_through() {
        assert_eq!(values(1, 1), "($1)");
        assert_eq!(values(2, 3), "($1, $2, $3), ($4, $5, $6)");
    }
}
