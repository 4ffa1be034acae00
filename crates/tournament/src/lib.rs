//! Tournaments between players: pairings and openings, a referee that drives a session for each game, and statistics of the
//! results (Elo, SPRT).
//!
//! It starts no processes, writes no files and prints nothing. The caller passes in the clock, the seed and the ledger that
//! stores finished games.
//!
//! # Examples
//!
//! A tournament of two players at one game, kept in memory:
//!
//! ```
//! use parlor_catalog::{DynGame, Monotonic, Resources, game};
//! use parlor_tournament::{Entrant, MemoryLedger, TournamentPlan, Tournament};
//! use std::{
//!     ops::ControlFlow,
//!     sync::{Arc, atomic::AtomicBool},
//! };
//!
//! let entrant = |name: &str, spec: &str| Entrant { name: name.into(), spec: spec.into(), ..Entrant::default() };
//! let plan = TournamentPlan {
//!     name: "example".into(),
//!     games: vec!["kalah:3,2".into()],
//!     rounds: 4,
//!     players: vec![entrant("deep", "minimax:depth=4"), entrant("random", "random")],
//!     ..TournamentPlan::default()
//! };
//! plan.check()?;
//! let make_player = |game: &dyn DynGame, player: usize, seed: u64| {
//!     game.player(&plan.players[player].spec.parse()?, &Resources::seeded(seed))
//! };
//! let tournament = Tournament {
//!     plan: &plan,
//!     games: vec![game("kalah:3,2")?],
//!     make_player: Box::new(make_player),
//!     clock: Arc::new(Monotonic::start()),
//! };
//! let (mut ledger, stop) = (MemoryLedger::default(), AtomicBool::new(false));
//! let state = tournament.run(&mut ledger, &stop, &mut |_, _| ControlFlow::Continue(())).expect("played");
//! assert_eq!(state.entries.len(), 8, "four openings with both sides");
//! assert_eq!(state.standings(&plan).lines.iter().map(|line| line.halves).sum::<u64>(), 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cores;
mod delays;
mod executor;
mod formats;
mod ledger;
mod openings;
mod plan;
mod rating;
mod referee;
mod schedule;
mod score;
mod sprt;
mod standings;
mod state;
mod tournament;

pub use cores::Cores;
pub use delays::Delays;
pub use executor::Executor;
pub use ledger::{Ledger, LedgerEntry, MemoryLedger, NotKept};
pub use openings::MOST_PLIES;
pub use plan::{BadPlan, Entrant, Format, Openings, TournamentPlan};
pub use rating::{Points, ratings};
pub use referee::{Played, Referee};
pub use schedule::{Meeting, Results, Schedule, Slot, Stage};
pub use score::{Elo, Tally, normal_below};
pub use sprt::{Sprt, Verdict};
pub use standings::{Standings, StandingsRow};
pub use state::TournamentState;
pub use tournament::{Halt, MakePlayer, Tournament, WorkerCache};
