//! Type-erased games and solvers: the trait objects behind which code without generics makes boards, players and solvers.

use crate::{
    Analyst, BadPlayer, BadTable, PlayerSpec, Resources, TableFamily, analysis::GameAnalyst,
    support::GameSupport,
};
use parlor_core::{
    BadPosition, BadRecord, Board, Bounds, Evaluated, Limits, Margin, Match, Notation, Player, Record,
    Report, Solve, View, laws, perft_until, split_moves,
};
use parlor_engine::{NullWindowSolver, Random, playout};
use parlor_tables::{BadCheckpoint, Checkpoints};
use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

/// A game with fixed parameters, independent of its type.
pub trait DynGame: Send + Sync {
    fn spec(&self) -> String;
    fn board(&self) -> Box<dyn Board>;
    /// A board that starts from this position.
    fn board_at(&self, position: &str) -> Result<Box<dyn Board>, BadPosition>;
    /// Replays a record, whose spec must be that of this game.
    fn replay(&self, record: &Record) -> Result<Box<dyn Board>, BadRecord>;
    /// Whether a recorded game is over in the scoring variant, too (see [`parlor_core::Game::scoring_variant`]). False for a
    /// decided game that ended early: its result is not the value of its last move.
    fn ends_in_scoring_variant(&self, record: &Record) -> bool;
    /// Splits a list of moves.
    fn split(&self, moves: &str) -> Vec<String>;
    /// A margin in words, seen by the side that has it, such as `8 beans ahead`.
    fn describe(&self, margin: Margin) -> String;
    fn player(&self, spec: &PlayerSpec, resources: &Resources) -> Result<Box<dyn Player>, BadPlayer>;
    fn solver(&self, resources: &Resources) -> Result<Box<dyn DynSolver>, BadTable>;
    /// The endgame tables of the game's family; `None` if its positions are not indexed.
    fn tables(&self) -> Option<Box<dyn TableFamily>>;
    fn analyst(&self, resources: &Resources) -> Result<Box<dyn Analyst>, BadPlayer>;
    /// Counts the move sequences of length `depth` from the board's position; `None` if `stop` returned true before the end.
    fn perft(&self, board: &dyn Board, depth: u32, stop: &dyn Fn() -> bool)
    -> Result<Option<u64>, BadRecord>;
    /// Plays random games from the start. Returns the number of moves.
    fn playouts(&self, games: u64, seed: u64) -> u64;
    /// Checks the laws of [`parlor_core::laws`] along one game of at most `plies` moves; also those of indexed positions, if the
    /// game has tables.
    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String>;
    /// Compares positions with the same exact key; see [`laws::check_keys`].
    fn check_keys(&self, most: usize) -> Result<(), String>;
}

/// The implementation of [`DynGame`] for a game type.
pub(crate) struct TypedGame<G: Notation> {
    pub game: G,
    pub support: Arc<GameSupport<G>>,
}

impl<G: Notation + View + Evaluated> DynGame for TypedGame<G> {
    fn spec(&self) -> String {
        self.game.spec()
    }

    fn board(&self) -> Box<dyn Board> {
        Box::new(Match::new(self.game.clone()))
    }

    fn board_at(&self, position: &str) -> Result<Box<dyn Board>, BadPosition> {
        let start = self.game.parse_position(position)?;
        Ok(Box::new(Match::from_position(self.game.clone(), start)))
    }

    fn replay(&self, record: &Record) -> Result<Box<dyn Board>, BadRecord> {
        Ok(Box::new(Match::replay(self.game.clone(), record)?))
    }

    fn ends_in_scoring_variant(&self, record: &Record) -> bool {
        in_scoring_variant(&self.game, record).is_ok_and(|played| played.result().is_some())
    }

    fn split(&self, moves: &str) -> Vec<String> {
        split_moves(moves, self.game.run_together())
    }

    fn describe(&self, margin: Margin) -> String {
        self.game.describe(margin)
    }

    fn player(&self, spec: &PlayerSpec, resources: &Resources) -> Result<Box<dyn Player>, BadPlayer> {
        let kinds = self.support.players();
        let Some((kind, make)) = kinds.iter().find(|(kind, _)| kind.name == spec.kind) else {
            let known: Vec<&str> = kinds.iter().map(|(kind, _)| kind.name).collect();
            return Err(BadPlayer::Spec(format!(
                "there is no player '{}' for {}; the players are human, {}",
                spec.kind,
                G::NAME,
                known.join(", ")
            )));
        };
        for (i, (name, _)) in spec.options.iter().enumerate() {
            if !kind.takes(name) {
                let takes: Vec<String> = kind.options.iter().map(|(name, _)| format!("{name}=")).collect();
                let takes = if takes.is_empty() { "no options".to_string() } else { takes.join(", ") };
                return Err(BadPlayer::Spec(format!(
                    "player {}: unknown option '{name}'; it takes {takes}",
                    spec.kind
                )));
            }
            if spec.options[..i].iter().any(|(other, _)| other == name) {
                return Err(BadPlayer::Spec(format!("player {}: duplicate option {name}", spec.kind)));
            }
        }
        make(&self.game, spec, resources, &self.support)
    }

    fn solver(&self, resources: &Resources) -> Result<Box<dyn DynSolver>, BadTable> {
        let solver = (self.support.solver)(&self.game, resources)?;
        Ok(Box::new(TypedSolver::new(&self.game, solver)))
    }

    fn tables(&self) -> Option<Box<dyn TableFamily>> {
        self.support.tables.as_ref().map(|support| (support.tables)(&self.game))
    }

    fn analyst(&self, resources: &Resources) -> Result<Box<dyn Analyst>, BadPlayer> {
        Ok(Box::new(GameAnalyst::new(&self.game, &self.support, resources)?))
    }

    fn perft(
        &self,
        board: &dyn Board,
        depth: u32,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<u64>, BadRecord> {
        let own = Match::<G>::of(board).filter(|played| played.game().values() == self.game.values());
        match own {
            Some(played) => Ok(perft_until(&self.game, played.position(), depth, stop)),
            None => {
                let played = Match::replay(self.game.clone(), &board.record())?;
                Ok(perft_until(&self.game, played.position(), depth, stop))
            }
        }
    }

    fn playouts(&self, games: u64, seed: u64) -> u64 {
        let (mut random, mut moves, start) = (Random::new(seed), Vec::new(), self.game.start());
        (0..games).map(|_| u64::from(playout(&self.game, &start, &mut random, &mut moves).plies)).sum()
    }

    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String> {
        laws::check(&self.game, plies, choose)?;
        self.tables().map_or(Ok(()), |tables| tables.check_laws(plies, choose))
    }

    fn check_keys(&self, most: usize) -> Result<(), String> {
        laws::check_keys(&self.game, most)
    }
}

/// Makes the solver of a game.
pub(crate) type MakeSolver<G> = fn(&G, &Resources) -> Result<Box<dyn Solve<G>>, BadTable>;

/// The solver of games that have no solver of their own.
pub(crate) fn general_solver<G: Notation + Evaluated>(resources: &Resources) -> Box<dyn Solve<G>> {
    let mut solver = NullWindowSolver::new(G::CLASSIC, resources.solver_memory(), resources.clock.clone());
    solver.threads = resources.threads;
    Box::new(solver)
}

/// The general solver with iterative deepening, for large boards: a search to the end of the game would fill the memory. It
/// proves what can be proved within 250 moves.
pub(crate) fn deepening_solver<G: Notation + Evaluated>(resources: &Resources) -> Box<dyn Solve<G>> {
    let mut solver = NullWindowSolver::new(G::CLASSIC, resources.solver_memory(), resources.clock.clone());
    (solver.threads, solver.deepens) = (resources.threads, true);
    Box::new(solver)
}

/// A solver for one game, independent of its type. It keeps its tables from one position to the next.
///
/// # Examples
///
/// ```
/// use parlor_catalog::{Resources, game};
/// use parlor_core::{Bounds, Limits, Margin};
/// use std::sync::atomic::AtomicBool;
///
/// let game = game("connect:4,4,4")?;
/// let mut solver = game.solver(&Resources::seeded(1))?;
/// let board = game.board();
/// let value = solver.solve(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ())?;
/// assert_eq!(value, Bounds::exactly(Margin(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait DynSolver: Send {
    /// Proves bounds of the board's position, seen by the side to move; see [`Solve::solve`].
    fn solve(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord>;

    /// State of the proof for a checkpoint; see [`Solve::remembered`].
    fn remembered(&self) -> Vec<u64>;

    /// Restores the state of a proof of the board's position; see [`Solve::recall`].
    fn recall(&mut self, board: &dyn Board, proved: Bounds, words: &[u64]) -> Result<(), BadRecord>;

    /// The checkpoints of the board's position in this folder.
    fn checkpoints(&self, dir: &Path, board: &dyn Board) -> Result<Checkpoints, BadCheckpoint>;
}

/// The implementation of [`DynSolver`] for a game type.
pub(crate) struct TypedSolver<G: Notation> {
    /// The game in its scoring variant.
    game: G,
    solver: Box<dyn Solve<G>>,
    /// The match of the last call. A call with a later position of the same game replays only the new moves.
    last: Option<Match<G>>,
}

impl<G: Notation> TypedSolver<G> {
    pub(crate) fn new(game: &G, solver: Box<dyn Solve<G>>) -> TypedSolver<G> {
        TypedSolver { game: game.scoring_variant(), solver, last: None }
    }

    /// The match of a board in the scoring variant of the game.
    fn variant(&mut self, board: &dyn Board) -> Result<Match<G>, BadRecord> {
        let own = Match::<G>::of(board).filter(|played| played.game().values() == self.game.values());
        let last = self.last.take();
        match own {
            Some(played) => {
                let followed = last.and_then(|mut last| last.follow(played).then_some(last));
                Ok(followed.unwrap_or_else(|| played.replayed_as(self.game.clone())))
            }
            None => in_scoring_variant(&self.game, &board.record()),
        }
    }
}

/// Replays a record in the scoring variant of the game. The ending of the record is ignored.
pub(crate) fn in_scoring_variant<G: Notation>(game: &G, record: &Record) -> Result<Match<G>, BadRecord> {
    Match::replay(game.scoring_variant(), &Record { ending: None, ..record.clone() })
}

impl<G: Notation> DynSolver for TypedSolver<G> {
    fn solve(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord> {
        let played = self.variant(board)?;
        let bounds = self.solver.solve(&played, limits, stop, report);
        self.last = Some(played);
        Ok(bounds)
    }

    fn remembered(&self) -> Vec<u64> {
        self.solver.remembered()
    }

    fn recall(&mut self, board: &dyn Board, proved: Bounds, words: &[u64]) -> Result<(), BadRecord> {
        let played = self.variant(board)?;
        self.solver.recall(&played, proved, words);
        self.last = Some(played);
        Ok(())
    }

    fn checkpoints(&self, dir: &Path, board: &dyn Board) -> Result<Checkpoints, BadCheckpoint> {
        // The value of a position may depend on its history (GHI problem), so the title contains all moves.
        let (start, moves) = (board.start(), board.move_list());
        let start = start.as_deref().unwrap_or("the start");
        let after = if moves.is_empty() { String::new() } else { format!(" after {moves}") };
        Checkpoints::in_folder(dir, &self.game, &format!("{start}{after}"))
    }
}
