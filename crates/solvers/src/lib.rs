//! Game-specific solvers and searches, one folder per game, which are stronger than the general search. They convert the public
//! position once, at the root, and are tested against plain negamax. `shared` has their common parts.
//!
//! # Examples
//!
//! Solve a position, and follow the value through best play:
//!
//! ```
//! use parlor_core::{Bounds, Game, Limits, Margin, Match, Solve};
//! use parlor_engine::Monotonic;
//! use parlor_games::connect::Connect;
//! use parlor_solvers::connect::ConnectExpert;
//! use std::sync::{Arc, atomic::AtomicBool};
//!
//! let mut expert = ConnectExpert::new(4 << 20, 1, Arc::new(Monotonic::start()));
//! let (limits, stop) = (Limits::default(), AtomicBool::new(false));
//! let mut game = Match::new(Connect::new(&[4, 5, 3])?);
//! let mut line = Vec::new();
//! let value = expert.solve(&game, &limits, &stop, &mut |report| line.clone_from(&report.line));
//! assert!(value.are_exact() && value.lo > Margin(0), "the first side wins");
//!
//! for text in line {
//!     game.play(&text)?;
//! }
//! let result = game.ending().and_then(|ending| ending.outcome).and_then(|outcome| outcome.by);
//! assert_eq!(result, Some(value.lo.0.unsigned_abs()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod amazons;
pub mod connect;
pub mod kalah;
pub mod oware;
mod shared;
