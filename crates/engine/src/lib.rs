//! Players and searches, generic over the game: they know no game by name.
//!
//! A [`Chooser`] picks a move in a typed match; [`Seated`] makes a [`parlor_play::Player`] of it, which answers records. Time
//! comes from a [`Clock`] that is passed in, randomness from a seed.

mod beam;
mod clock;
mod memory;
mod minimax;
mod playout;
mod random;
mod seated;
mod simple;

pub use beam::Beam;
pub use clock::{Clock, Deadline, Manual, Monotonic};
pub use memory::{Memory, prefetch};
pub use minimax::Minimax;
pub use playout::{Playout, playout};
pub use random::Random;
pub use seated::{Chooser, Seated, Thinking};
pub use simple::{Bad, Drawing, Uniform};
