//! Players and searches, generic over the game: they know no game by name.
//!
//! A [`MoveChooser`] picks a move in a typed match; [`PlayerAdapter`] makes a [`parlor_core::Player`] of it, which answers boards. Time
//! comes from a [`Clock`] that is passed in, randomness from a seed.

mod beam;
mod clock;
mod entry;
mod level;
mod mcts;
mod memory;
mod minimax;
mod path;
mod perfect;
mod player_adapter;
mod playout;
mod prover;
mod random;
mod search;
mod simple;
mod solve;
mod table;
mod think;
mod tree;
mod worker;

pub use beam::Beam;
pub use clock::{Clock, Deadline, Manual, Monotonic};
pub use entry::{Bound, SearchEntry};
pub use level::{Engine, Level};
pub use mcts::{Mcts, MoveStats, SearchResult};
pub use memory::{Memory, prefetch};
pub use minimax::Minimax;
pub use perfect::Perfect;
pub use player_adapter::{MoveChooser, PlayerAdapter, Thinking};
pub use playout::{Playout, playout};
pub use random::Random;
pub use search::Search;
pub use simple::{Bad, Drawing, Uniform};
pub use solve::Solver;
pub use table::{Key, Table};
pub use think::{
    DEEPEST, Found, HELPER_STACK, INFINITE, Judged, Look, Think, Valued, Window, help, lazy_smp, lead,
    memory_for_nodes, useful_memory,
};
