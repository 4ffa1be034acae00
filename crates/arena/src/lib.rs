//! Games between players: who meets whom from which opening, a referee who trusts neither, and what the results prove.
//!
//! Players in, records and statistics out. It starts no processes, keeps no files and writes to no terminal; time comes from
//! a clock that is passed in, chance from a seed.

mod duel;
mod normal;
mod openings;
mod pairing;
mod referee;
mod score;
mod sprt;

pub use duel::{Duel, Game};
pub use normal::normal_below;
pub use openings::opening;
pub use pairing::{Pairing, Pairs};
pub use referee::{Played, Referee};
pub use score::{Elo, Tally};
pub use sprt::{Sprt, Verdict};
