//! How a program talks to Parlor: lines on standard input and output, in two dialects. It makes a foreign program a
//! [`parlor_play::Player`], lets our own players speak to foreign managers, and keeps foreign programs in a sandbox.
//!
//! It knows no game by name and trusts nothing that a program says: whether a move is legal is the referee's word.

pub mod sandbox;
