//! Amazons, exactly. What can be told of a position without searching the game: which parts of the board have nothing to do with
//! one another (`regions.rs`), how long a side lasts where it is alone (`fillers.rs`), and who wins if that decides (`race.rs`).
//! The boards are words of 32, 64 or 128 bits (`word.rs`, `grid.rs`).

mod fillers;
#[allow(dead_code, reason = "the solver, which follows, makes turns on boards")]
mod grid;
mod race;
#[allow(dead_code, reason = "the solver, which follows, asks for whole regions")]
mod regions;
mod selective;
mod strategist;
mod word;

pub use race::{Racer, race};
pub use selective::Selective;
pub use strategist::Strategist;
