//! Features of a game beside its rules: solver, search, endgame tables and players of its own. [`Resources`] are the common
//! parameters of all of them.

use crate::{
    BadPlayer, BadTable, PlayerKind, PlayerSpec,
    dyn_game::{MakeSolver, general_solver},
    players::general_players,
    tables::TableSupport,
};
use parlor_core::{Evaluated, Evaluator, Notation, Player};
use parlor_engine::{AlphaBeta, Clock, Monotonic, Random, Searcher};
use std::{path::PathBuf, sync::Arc};

/// Parameters with which players, searches, solvers and analysts are made.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Seed of all random numbers.
    pub seed: u64,
    pub clock: Arc<dyn Clock>,
    /// The number of threads, unless a player's spec sets it.
    pub threads: usize,
    /// The memory in bytes of a transposition table or search tree, unless a player's spec or level sets it. `None` means the
    /// default of the search or solver.
    pub memory: Option<usize>,
    /// The folder of all endgame tables. A player or solver that would use a damaged table is refused.
    pub tables: Option<PathBuf>,
    /// Whether a solver may answer from its opening book.
    pub book: bool,
}

impl Resources {
    /// Resources with this seed, the system's clock, one thread, default memory and no tables.
    pub fn seeded(seed: u64) -> Resources {
        Resources::with_clock(seed, Arc::new(Monotonic::start()))
    }

    /// Like [`Resources::seeded`], with this clock.
    pub fn with_clock(seed: u64, clock: Arc<dyn Clock>) -> Resources {
        Resources { seed, clock, threads: 1, memory: None, tables: None, book: true }
    }

    pub(crate) fn random(&self) -> Random {
        Random::new(self.seed)
    }

    /// In bytes.
    pub(crate) fn solver_memory(&self) -> usize {
        self.memory.unwrap_or(SOLVER_MEMORY)
    }
}

/// In bytes.
const SOLVER_MEMORY: usize = 64 << 20;

pub(crate) type MakePlayer<G> =
    fn(&G, &PlayerSpec, &Resources, &GameSupport<G>) -> Result<Box<dyn Player>, BadPlayer>;
pub(crate) type MakeSearch<G> = fn(&G, &Resources) -> Result<Box<dyn Searcher<G>>, BadTable>;

/// The features of a game. A game that has only rules uses [`GameSupport::general`].
pub(crate) struct GameSupport<G> {
    pub solver: MakeSolver<G>,
    /// The search, if it is not the general one.
    pub search: Option<MakeSearch<G>>,
    /// `None` if the game's positions are not indexed.
    pub tables: Option<TableSupport<G>>,
    /// Players that only this game has.
    pub own_players: Vec<(PlayerKind, MakePlayer<G>)>,
}

impl<G: Notation + Evaluated> GameSupport<G> {
    /// The general solver, search and players.
    pub(crate) fn general() -> GameSupport<G> {
        let solver: MakeSolver<G> = |_, resources| Ok(general_solver(resources));
        GameSupport { solver, search: None, tables: None, own_players: Vec::new() }
    }

    /// All kinds of players: the general ones, then those that only this game has.
    pub(crate) fn players(&self) -> Vec<(PlayerKind, MakePlayer<G>)> {
        general_players().into_iter().chain(self.own_players.iter().copied()).collect()
    }

    /// The strongest search of the game.
    pub(crate) fn search(&self, game: &G, resources: &Resources) -> Result<Box<dyn Searcher<G>>, BadTable> {
        match self.search {
            Some(make) => make(game, resources),
            None => self.general_search(G::STRONG, game, resources),
        }
    }

    /// Alpha-beta with an evaluator, which every game has. A damaged table is an error.
    pub(crate) fn general_search<E: Evaluator<G> + 'static>(
        &self,
        evaluator: E,
        game: &G,
        resources: &Resources,
    ) -> Result<Box<dyn Searcher<G>>, BadTable> {
        let mut search = AlphaBeta::new(evaluator, resources.clock.clone());
        search.threads = resources.threads;
        search.memory = resources.memory.unwrap_or(search.memory);
        if let (Some(tables), Some(dir)) = (&self.tables, &resources.tables) {
            search.oracle = (tables.open)(game, dir)?;
        }
        Ok(Box::new(search))
    }
}
