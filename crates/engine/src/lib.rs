//! Game-independent players and searches: alpha-beta with Lazy SMP, Monte Carlo tree search, and a proof search. They are
//! independent of any particular game.
//!
//! A [`MoveChooser`] picks a move in a typed match; [`PlayerAdapter`] makes a [`parlor_core::Player`] of it. Time comes from a
//! [`Clock`] that is passed in, randomness from a seed.
//!
//! # Examples
//!
//! The deep search as a player:
//!
//! ```
//! use parlor_core::{Answer, Evaluated, Limits, Match, Player};
//! use parlor_engine::{AlphaBeta, Engine, Level, Monotonic, PlayerAdapter};
//! use parlor_games::kalah::Kalah;
//! use std::sync::{Arc, atomic::AtomicBool};
//!
//! let game = Kalah::sized(4, 3)?;
//! let search = Box::new(AlphaBeta::new(Kalah::STRONG, Arc::new(Monotonic::start())));
//! let engine = Engine { search, level: Level::USUAL, limits: Limits::default(), seed: 1 };
//! let mut player = PlayerAdapter::new(game.clone(), engine);
//!
//! let board = Match::new(game);
//! let answer = player.choose(&board, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
//! let Ok(Answer::Move(text)) = answer else { panic!("the game has only begun") };
//! assert!(board.check(&text).is_ok());
//! # Ok::<(), parlor_core::BadParams>(())
//! ```

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
pub use solve::NullWindowSolver;
pub use table::{Key, TranspositionTable};
