//! Consistency check of an opening book: every entry can be reached, and no value contradicts another one. It solves nothing,
//! so a value whose children are not all in the book is only bounded.

use super::Book;
use parlor_core::{Game, Margin};
use parlor_games::connect::{Connect, Position};
use std::collections::HashSet;

/// Statistics of a consistent book.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookStatistics {
    /// Entries by the number of checkers on the board.
    pub entries: Vec<usize>,
    /// Entries whose values follow from the values after all of their moves.
    pub settled: usize,
    /// All unfinished positions with at most this many checkers are in the book; `None` if the empty board is missing.
    pub complete: Option<u32>,
}

/// An inconsistency in a book.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// A value that contradicts the values after its moves.
    #[error("the book gives the position with key {key} the value {}, and its best move {}", told.0, best.0)]
    Value {
        key: u64,
        /// The value in the book.
        told: Margin,
        /// Best value of its children.
        best: Margin,
    },
    /// Number of entries that no path through other entries reaches.
    #[error("{0} entries of the book are not reached through other entries")]
    Unreached(usize),
}

impl BookStatistics {
    /// Traverses the book from the empty board, ply by ply.
    pub fn of(book: &Book, game: &Connect) -> Result<BookStatistics, Contradiction> {
        let mut statistics = BookStatistics::default();
        let start = game.start();
        let mut layer: Vec<Position> = book.find(game, &start).map(|_| start).into_iter().collect();
        let mut whole = !layer.is_empty();
        while !layer.is_empty() {
            let ply = statistics.entries.len() as u32;
            statistics.entries.push(layer.len());
            statistics.complete = if whole { Some(ply) } else { statistics.complete };
            let (mut next, mut seen) = (Vec::new(), HashSet::new());
            for pos in &layer {
                let after = After::of(book, game, pos)?;
                statistics.settled += usize::from(after.all_known);
                whole &= after.all_known;
                next.extend(after.unfinished.into_iter().filter(|pos| seen.insert(game.key(pos))));
            }
            layer = next;
        }
        match book.len() - statistics.entries.iter().sum::<usize>() {
            0 => Ok(statistics),
            unreached => Err(Contradiction::Unreached(unreached)),
        }
    }
}

/// The book's values after the moves of a position.
struct After {
    all_known: bool,
    /// The positions that are in the book.
    unfinished: Vec<Position>,
}

impl After {
    fn of(book: &Book, game: &Connect, pos: &Position) -> Result<After, Contradiction> {
        let (mut moves, mut best) = (Vec::new(), None);
        game.moves(pos, &mut moves);
        let mut after = After { all_known: true, unfinished: Vec::new() };
        for mv in moves {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            let (over, listed) = (game.result(&next), book.find(game, &next));
            best = best.max(over.or(listed).map(|value| -value));
            after.all_known &= over.is_some() || listed.is_some();
            after.unfinished.extend(listed.map(|_| next));
        }
        let told = book.find(game, pos);
        let agrees = |told, best| if after.all_known { best == told } else { best <= told };
        match (told, best) {
            (Some(told), Some(best)) if !agrees(told, best) => {
                Err(Contradiction::Value { key: game.key(pos), told, best })
            }
            _ => Ok(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Connect {
        Connect::new(&[7, 6, 4]).expect("a size")
    }

    /// The empty board and the positions after the columns from the left to the middle.
    fn first_plies(values: [i16; 5]) -> Vec<(u64, Margin)> {
        let game = game();
        let mut moves = Vec::new();
        game.moves(&game.start(), &mut moves);
        let after = |mv| {
            let mut pos = game.start();
            game.play(&mut pos, mv);
            pos
        };
        let positions = std::iter::once(game.start()).chain(moves.into_iter().take(4).map(after));
        positions.zip(values).map(|(pos, value)| (game.key(&pos), Margin(value))).collect()
    }

    fn statistics(entries: Vec<(u64, Margin)>) -> Result<BookStatistics, Contradiction> {
        BookStatistics::of(&Book::parse(Book::write(entries)).expect("a book"), &game())
    }

    #[test]
    fn values_that_agree_are_counted_by_ply() {
        let found = statistics(first_plies([1, 2, 1, 0, -1]));
        assert_eq!(found, Ok(BookStatistics { entries: vec![1, 4], settled: 1, complete: Some(1) }));
        assert_eq!(statistics(Vec::new()), Ok(BookStatistics::default()));
    }

    #[test]
    fn a_ply_with_a_gap_is_not_complete() {
        let mut entries = first_plies([1, 2, 1, 0, -1]);
        entries.remove(2);
        assert_eq!(
            statistics(entries),
            Ok(BookStatistics { entries: vec![1, 3], settled: 0, complete: Some(0) })
        );
    }

    #[test]
    fn a_value_that_its_moves_refute_is_found() {
        for told in [0, 2] {
            let found = statistics(first_plies([told, 2, 1, 0, -1]));
            assert!(matches!(found, Err(Contradiction::Value { best: Margin(1), .. })), "{found:?}");
        }
    }

    #[test]
    fn an_entry_that_nothing_leads_to_is_found() {
        let mut entries = first_plies([1, 2, 1, 0, -1]);
        entries.push((12345, Margin(0)));
        assert_eq!(statistics(entries), Err(Contradiction::Unreached(1)));
    }
}
