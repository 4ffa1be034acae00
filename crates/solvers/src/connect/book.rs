//! The opening book of Connect Four (7x6): exact values of early positions, which need no search.
//!
//! ```text
//!   bytes   what                                        all numbers little-endian
//!   0..8    the magic PARLBOOK
//!   8..12   format version
//!   12..16  number of entries
//!   16..24  fingerprint of the rules: perft to 8 plies
//!   24..40  the game's spec, zeros behind it
//!   40..    entries of 8 bytes in rising order
//!           63          57 56       …       8 7     …     0
//!           [ always zero ] [ the game's key ] [ value + 128 ]
//!   then    CRC-32 of everything before
//! ```
//!
//! A key is exact and shared with the mirror image ([`Game::key`]). A file that is damaged or belongs to another game is
//! refused as a whole. Only [`super::ConnectExpert`] probes the book: the plain solver proves everything itself.

use crc32fast::hash as crc32;
use parlor_core::{Game, Margin};
use parlor_games::connect::{Connect, Position};
use std::{borrow::Cow, sync::OnceLock};

const MAGIC: &[u8; 8] = b"PARLBOOK";
const VERSION: u32 = 1;
const SPEC: &str = "connect:7,6,4";
const SIZE: (u32, u32, u32) = (7, 6, 4);
/// The number of move sequences of eight plies; other rules give another number.
const FINGERPRINT: u64 = 5_673_234;
const HEADER: usize = 40;
const ENTRY: usize = 8;
const CHECKSUM: usize = 4;

/// The book that is embedded in the program.
static EMBEDDED: &[u8] = include_bytes!("data/7x6.book");

/// Exact values by position.
#[derive(Clone, Debug)]
pub struct Book {
    bytes: Cow<'static, [u8]>,
}

/// Why the bytes are not a valid book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadBook {
    /// The magic bytes are missing.
    #[error("not an opening book: it does not begin with PARLBOOK")]
    Foreign,
    #[error("unknown book format {0}; expected {VERSION}")]
    Version(u32),
    /// The values are for another game.
    #[error("the book is for another game than {SPEC}")]
    OtherGame,
    /// The values are for other rules.
    #[error("the book was built with another version of the rules")]
    OtherRules,
    /// The length differs from the header.
    #[error("the length of the book does not match its header")]
    Length,
    /// The checksum does not match.
    #[error("the book is damaged: its checksum is wrong")]
    Damaged,
    /// An entry that is not larger than the one before it.
    #[error("entry {0} of the book is out of order")]
    Unsorted(usize),
}

impl Book {
    /// The largest size of a book in bytes: it is part of every binary.
    pub const MOST_BYTES: usize = 1_000_000;
    /// The largest number of entries.
    pub const MOST_ENTRIES: usize = (Book::MOST_BYTES - HEADER - CHECKSUM) / ENTRY;
    /// No entry has more checkers: later positions need no lookup.
    pub const LAST_PLY: u32 = 16;

    /// The book that is part of the program. It is checked on first use.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Game, Margin};
    /// use parlor_games::connect::Connect;
    /// use parlor_solvers::connect::Book;
    ///
    /// let game = Connect::new(&[7, 6, 4])?;
    /// // The first side completes four in a row with its 21st checker, the last one.
    /// assert_eq!(Book::embedded()?.find(&game, &game.start()), Some(Margin(1)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embedded() -> Result<&'static Book, BadBook> {
        static BOOK: OnceLock<Result<Book, BadBook>> = OnceLock::new();
        BOOK.get_or_init(|| Book::parse(EMBEDDED)).as_ref().map_err(|&why| why)
    }

    /// Whether a book can exist for a game.
    pub fn is_for(game: &Connect) -> bool {
        game.size() == SIZE
    }

    /// Parses and validates a book.
    pub fn parse(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Book, BadBook> {
        let bytes = bytes.into();
        let count = check_header(&bytes)?;
        if bytes.len() != HEADER + ENTRY * count + CHECKSUM {
            return Err(BadBook::Length);
        }
        let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if number(checksum, 0, CHECKSUM) != Some(crc32(body).into()) {
            return Err(BadBook::Damaged);
        }
        let book = Book { bytes };
        let mut last = 0;
        for i in 0..book.len() {
            let word = book.word(i);
            if word >> 8 <= last || word >> 57 != 0 {
                return Err(BadBook::Unsorted(i));
            }
            last = word >> 8;
        }
        Ok(book)
    }

    /// The bytes of a book with these keys and values. Of a key that comes twice, one value is kept.
    pub fn write(entries: impl IntoIterator<Item = (u64, Margin)>) -> Vec<u8> {
        let mut words: Vec<u64> = entries.into_iter().map(|(key, value)| word(key, value)).collect();
        words.sort_unstable();
        words.dedup_by_key(|word| *word >> 8);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((words.len() as u32).to_le_bytes());
        bytes.extend(FINGERPRINT.to_le_bytes());
        bytes.extend(SPEC.as_bytes());
        bytes.resize(HEADER, 0);
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(crc32(&bytes).to_le_bytes());
        bytes
    }

    /// The value of a position, seen by the side to move, if it is in the book.
    pub fn find(&self, game: &Connect, pos: &Position) -> Option<Margin> {
        if pos.plies() > Book::LAST_PLY || !Book::is_for(game) {
            return None;
        }
        self.value_of(game.key(pos))
    }

    fn value_of(&self, key: u64) -> Option<Margin> {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            if self.word(middle) >> 8 < key {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        let found = (from < self.len()).then(|| self.word(from)).filter(|word| word >> 8 == key);
        found.map(value)
    }

    /// All keys with their values, in ascending order.
    pub fn entries(&self) -> impl Iterator<Item = (u64, Margin)> + '_ {
        (0..self.len()).map(|i| self.word(i)).map(|word| (word >> 8, value(word)))
    }

    pub fn len(&self) -> usize {
        (self.bytes.len() - HEADER - CHECKSUM) / ENTRY
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn word(&self, entry: usize) -> u64 {
        number(&self.bytes, HEADER + ENTRY * entry, ENTRY).unwrap_or(0)
    }
}

/// Checks the header and returns the number of entries.
fn check_header(bytes: &[u8]) -> Result<usize, BadBook> {
    if !bytes.starts_with(MAGIC) {
        return Err(BadBook::Foreign);
    }
    let field = |at, len| number(bytes, at, len).ok_or(BadBook::Length);
    let version = field(8, 4)? as u32;
    if version != VERSION {
        return Err(BadBook::Version(version));
    }
    let spec = bytes.get(24..HEADER).ok_or(BadBook::Length)?;
    if spec.strip_prefix(SPEC.as_bytes()).is_none_or(|rest| rest.iter().any(|&byte| byte != 0)) {
        return Err(BadBook::OtherGame);
    }
    if field(16, 8)? != FINGERPRINT {
        return Err(BadBook::OtherRules);
    }
    Ok(field(12, 4)? as usize)
}

/// The little-endian number in these bytes, if they are there.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + len)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

fn word(key: u64, value: Margin) -> u64 {
    key << 8 | (value.0 + 128) as u64
}

fn value(word: u64) -> Margin {
    Margin((word & 255) as i16 - 128)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<(u64, Margin)> {
        vec![(7, Margin(-18)), (5, Margin(0)), ((1 << 49) - 1, Margin(18)), (1000, Margin(1))]
    }

    /// The bytes with one change and a checksum that fits again.
    fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Result<Book, BadBook> {
        let mut bytes = Book::write(entries());
        bytes.truncate(bytes.len() - CHECKSUM);
        change(&mut bytes);
        bytes.extend(crc32(&bytes).to_le_bytes());
        Book::parse(bytes)
    }

    #[test]
    fn what_was_written_is_read_back_in_order() {
        let book = Book::parse(Book::write(entries())).expect("a book");
        let mut sorted = entries();
        sorted.sort_by_key(|&(key, _)| key);
        assert_eq!(book.entries().collect::<Vec<_>>(), sorted);
        for (key, value) in sorted {
            assert_eq!(book.value_of(key), Some(value));
            assert_eq!(book.value_of(key + 1), None);
        }
    }

    #[test]
    fn a_book_without_entries_is_a_book() {
        let book = Book::parse(Book::write([])).expect("a book");
        assert!(book.is_empty() && book.value_of(5).is_none());
    }

    #[test]
    fn foreign_bytes_are_refused_with_their_reason() {
        assert_eq!(Book::parse(&b""[..]).err(), Some(BadBook::Foreign));
        assert_eq!(Book::parse(&b"PARLBOOK"[..]).err(), Some(BadBook::Length));
        assert_eq!(changed(|bytes| bytes[0] ^= 1).err(), Some(BadBook::Foreign));
        assert_eq!(changed(|bytes| bytes[8] = 2).err(), Some(BadBook::Version(2)));
        assert_eq!(changed(|bytes| bytes[32] = b'8').err(), Some(BadBook::OtherGame));
        assert_eq!(changed(|bytes| bytes[39] = b'8').err(), Some(BadBook::OtherGame));
        assert_eq!(changed(|bytes| bytes[16] ^= 1).err(), Some(BadBook::OtherRules));
        assert_eq!(changed(|bytes| bytes[12] += 1).err(), Some(BadBook::Length));
        assert_eq!(changed(|_| ()).err(), None);
    }

    #[test]
    fn entries_out_of_order_are_refused() {
        let swapped = changed(|bytes| bytes[HEADER..HEADER + 2 * ENTRY].rotate_left(ENTRY));
        assert_eq!(swapped.err(), Some(BadBook::Unsorted(1)));
        let twice = changed(|bytes| bytes.copy_within(HEADER..HEADER + ENTRY, HEADER + ENTRY));
        assert_eq!(twice.err(), Some(BadBook::Unsorted(1)));
        let long_key = changed(|bytes| bytes[HEADER + 4 * ENTRY - 1] = 2);
        assert_eq!(long_key.err(), Some(BadBook::Unsorted(3)));
    }

    #[test]
    fn a_book_cut_anywhere_is_refused() {
        let bytes = Book::write(entries());
        for len in 0..bytes.len() {
            assert!(Book::parse(bytes[..len].to_vec()).is_err(), "{len}");
        }
    }

    #[test]
    fn a_single_wrong_bit_anywhere_is_refused() {
        let bytes = Book::write(entries());
        for bit in 0..8 * bytes.len() {
            let mut wrong = bytes.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(Book::parse(wrong).is_err(), "bit {bit}");
        }
    }
}
