//! Amazons: an exact solver, and the searches that players use.
//!
//! Static analysis finds the independent regions of the board (`regions.rs`), the turns that a side has where it is alone
//! (`fillers.rs`), and the winner if that decides ([`Racer`]).
//!
//! The rest is searched by df-pn (proof-number search) while there are many empty squares (`proof.rs`) and depth first when
//! there are few (`search.rs`), with decided regions removed from the board at every step (`state.rs`). Boards are bitboards of
//! 32, 64 or 128 bits (`grid.rs`); up to 30 squares the keys of the transposition table are exact (`key.rs`). Players search by
//! Monte Carlo tree search (`strategist.rs`).

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

pub use expert::AmazonsExpert;
pub use race::{Racer, race};
pub use selective::Selective;
pub use strategist::Strategist;
