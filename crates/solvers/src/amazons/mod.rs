//! Amazons, exactly.
//!
//! What can be told of a position without searching the game: which parts of the board have nothing to do with one another
//! (`regions.rs`), how long a side lasts where it is alone (`fillers.rs`), and who wins if that decides ([`Racer`]).
//!
//! What must be searched is searched by proof numbers while there are many empty squares (`proof.rs`) and depth first when there
//! are few (`search.rs`), with what is settled taken off the board at every step (`state.rs`). The boards are words of 32, 64 or 128
//! bits (`word.rs`, `grid.rs`); up to 30 squares the keys of the table are exact (`key.rs`).

mod children;
pub mod endgames;
mod expert;
mod fillers;
mod grid;
mod key;
mod numbers;
mod proof;
mod race;
mod regions;
mod search;
mod selective;
mod solver;
mod state;
mod strategist;

pub use expert::Expert;
pub use race::{Racer, race};
pub use selective::Selective;
pub use strategist::Strategist;
