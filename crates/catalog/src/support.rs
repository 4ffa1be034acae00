//! What a game supports beside its rules: its solver, its search, its endgame tables and players of its own. Everything that
//! is made for a game is made with [`Resources`].

use crate::{
    BadPlayer, BadTable, KindInfo, PlayerSpec,
    hosted::{MakeSolver, general_solver},
    players::general_players,
    tabling::TableSupport,
};
use parlor_core::{Evaluated, Evaluator, Notation, Player};
use parlor_engine::{AlphaBeta, Clock, Monotonic, Random, Searcher};
use std::{path::PathBuf, sync::Arc};

/// What players, searches, solvers and analysts are made with.
#[derive(Clone, Debug)]
pub struct Resources {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Source of all time.
    pub clock: Arc<dyn Clock>,
    /// The number of threads, unless a player's spec sets it.
    pub threads: usize,
    /// The memory in bytes of a transposition table or search tree, unless a player's spec or level sets it. None is the
    /// default of the search or solver.
    pub memory: Option<usize>,
    /// The folder of all endgame tables, where there is one. A player or solver that would use a damaged table is refused.
    pub tables: Option<PathBuf>,
    /// Whether a solver may answer from its opening book.
    pub book: bool,
}

impl Resources {
    /// The system's clock, this seed, one thread, default memory and no tables.
    pub fn seeded(seed: u64) -> Resources {
        Resources::with_clock(seed, Arc::new(Monotonic::start()))
    }

    /// The same as `seeded`, with this clock.
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

/// What a game supports. A game without code of its own outside its rules has [`GameSupport::general`].
pub(crate) struct GameSupport<G> {
    pub solver: MakeSolver<G>,
    /// Its search, where it is not the general one.
    pub search: Option<MakeSearch<G>>,
    /// `None` if the game's positions are not numbered.
    pub tables: Option<TableSupport<G>>,
    /// Players that only this game has.
    pub own_players: Vec<(KindInfo, MakePlayer<G>)>,
}

impl<G: Notation + Evaluated> GameSupport<G> {
    /// What every game has: the general solver, search and players.
    pub(crate) fn general() -> GameSupport<G> {
        let solver: MakeSolver<G> = |_, resources| Ok(general_solver(resources));
        GameSupport { solver, search: None, tables: None, own_players: Vec::new() }
    }

    /// All kinds of players: the general ones, then those that only this game has.
    pub(crate) fn players(&self) -> Vec<(KindInfo, MakePlayer<G>)> {
        general_players().into_iter().chain(self.own_players.iter().copied()).collect()
    }

    /// The strongest search of the game.
    pub(crate) fn search(&self, game: &G, resources: &Resources) -> Result<Box<dyn Searcher<G>>, BadTable> {
        match self.search {
            Some(make) => make(game, resources),
            None => self.general_search(G::STRONG, game, resources),
        }
    }

    /// The search that every game has. A damaged table is an error and never believed.
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
