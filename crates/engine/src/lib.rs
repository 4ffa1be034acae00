//! Game-independent players and searches: alpha-beta with Lazy SMP, Monte Carlo tree search, and a proof search. They are
//! independent of any particular game.
//!
//! A [`MoveChooser`] picks a move in a typed match; [`PlayerAdapter`] makes a [`parlor_core::Player`] of it. Time comes from a
//! [`Clock`] that is passed in, randomness from a seed.

mod beam;
mod clock;
mod entry;
mod mcts;
mod memory;
mod minimax;
mod path;
mod perfect;
mod players;
mod prover;
mod random;
mod search;
mod solve;
mod table;
mod tree;
mod worker;

pub use beam::Beam;
pub use clock::{Clock, Deadline, Manual, Monotonic};
pub use entry::{Bound, SearchEntry};
pub use mcts::{Mcts, MctsResult, MoveStats};
pub use memory::{ZeroedMemory, prefetch};
pub use minimax::Minimax;
pub use perfect::Perfect;
pub use players::{Bad, Drawing, Engine, Level, MoveChooser, PlayerAdapter, SearchContext, Uniform};
pub use random::{Playout, Random, playout};
pub use search::{
    AlphaBeta, DEEPEST, HELPER_STACK, INFINITE, RootSearch, Scored, ScoredMove, SearchResult, Searcher,
    Window, helper_search, lazy_smp, main_search, memory_for_nodes, useful_memory,
};
pub use solve::Solver;
pub use table::{Key, TranspositionTable};
