//! Integration tests of the crate, built as one program.

mod board;
