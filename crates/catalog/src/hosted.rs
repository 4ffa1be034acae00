//! A game with its types forgotten: makes boards, players and solvers, counts, and checks its own laws. A solver without types gets
//! boards and returns bounds.

use crate::{
    Analyst, BadPlayer, BadTable, PlayerSpec, Resources, Tables, analysis::Judge, support::GameSupport,
};
use parlor_core::{
    BadPosition, BadRecord, Board, Bounds, Evaluated, Limits, Margin, Match, Notation, Player, Record,
    Report, Solve, View, laws, perft_until, split_moves,
};
use parlor_engine::{Random, Solver, playout};
use parlor_tables::{BadCheckpoint, Checkpoints};
use std::{
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

/// A game with fixed parameters.
pub trait Hosted: Send + Sync {
    fn spec(&self) -> String;
    fn board(&self) -> Box<dyn Board>;
    /// A game that starts from this position.
    fn board_at(&self, position: &str) -> Result<Box<dyn Board>, BadPosition>;
    /// The game of a record, which must be of this very spec.
    fn replay(&self, record: &Record) -> Result<Box<dyn Board>, BadRecord>;
    /// Whether the game of a record is over by the rules as it is valued too (see [`parlor_core::Game::scoring_variant`]). Where a
    /// decided game stops early it is not, and its result is not the value of its last move.
    fn ends_as_valued(&self, record: &Record) -> bool;
    /// Splits a list of moves.
    fn split(&self, moves: &str) -> Vec<String>;
    /// A margin in words, seen by the side that has it: `8 beans ahead`.
    fn describe(&self, margin: Margin) -> String;
    fn player(&self, spec: &PlayerSpec, resources: &Resources) -> Result<Box<dyn Player>, BadPlayer>;
    fn solver(&self, resources: &Resources) -> Result<Box<dyn Solving>, BadTable>;
    /// The endgame tables of its family; none where its positions are not numbered.
    fn tables(&self) -> Option<Box<dyn Tables>>;
    /// An analyst, which evaluates every move of a position.
    fn analyst(&self, resources: &Resources) -> Result<Box<dyn Analyst>, BadPlayer>;
    /// Move sequences of exactly this length from where the board stands; none if `stop` said so before the end.
    fn perft(&self, board: &dyn Board, depth: u32, stop: &dyn Fn() -> bool)
    -> Result<Option<u64>, BadRecord>;
    /// Plays random games from the start; gives the number of moves made.
    fn playouts(&self, games: u64, seed: u64) -> u64;
    /// Checks the laws of play along one game of at most `plies` moves, and those of numbered positions where there are tables.
    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String>;
    /// Compares positions with the same exact key; see [`laws::check_keys`].
    fn check_keys(&self, most: usize) -> Result<(), String>;
}

/// The only implementation of `Hosted`.
pub(crate) struct Host<G: Notation> {
    pub game: G,
    pub support: Arc<GameSupport<G>>,
}

impl<G: Notation + View + Evaluated> Hosted for Host<G> {
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

    fn ends_as_valued(&self, record: &Record) -> bool {
        valued(&self.game, record).is_ok_and(|played| played.result().is_some())
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

    fn solver(&self, resources: &Resources) -> Result<Box<dyn Solving>, BadTable> {
        let solver = (self.support.solver)(&self.game, resources)?;
        Ok(Box::new(Solves::new(&self.game, solver)))
    }

    fn tables(&self) -> Option<Box<dyn Tables>> {
        self.support.tables.as_ref().map(|support| (support.tables)(&self.game))
    }

    fn analyst(&self, resources: &Resources) -> Result<Box<dyn Analyst>, BadPlayer> {
        Ok(Box::new(Judge::new(&self.game, &self.support, resources)?))
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

/// Makes the solver of a game: the general one, or one that knows the game.
pub(crate) type MakeSolver<G> = fn(&G, &Resources) -> Result<Box<dyn Solve<G>>, BadTable>;

/// The solver for games without one of their own.
pub(crate) fn general_solver<G: Notation + Evaluated>(resources: &Resources) -> Box<dyn Solve<G>> {
    let mut solver = Solver::new(G::CLASSIC, resources.solver_memory(), resources.clock.clone());
    solver.threads = resources.threads;
    Box::new(solver)
}

/// The general solver for boards so large that one line to the end would fill the memory: it proves what can be proved in at
/// most 250 moves.
pub(crate) fn deepening_solver<G: Notation + Evaluated>(resources: &Resources) -> Box<dyn Solve<G>> {
    let mut solver = Solver::new(G::CLASSIC, resources.solver_memory(), resources.clock.clone());
    (solver.threads, solver.deepens) = (resources.threads, true);
    Box::new(solver)
}

/// Solves positions of one game. It remembers what it found from one question to the next.
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
pub trait Solving: Send {
    /// What is proved of the position on the board, seen by the side to move; see [`Solve::solve`].
    fn solve(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Bounds, BadRecord>;

    /// What it has proved and would take long to prove again; see [`Solve::remembered`].
    fn remembered(&self) -> Vec<u64>;

    /// Takes up what was proved before of the position on the board; see [`Solve::recall`].
    fn recall(&mut self, board: &dyn Board, proved: Bounds, words: &[u64]) -> Result<(), BadRecord>;

    /// Where the proof of the position on the board is kept in this folder.
    fn checkpoints(&self, dir: &Path, board: &dyn Board) -> Result<Checkpoints, BadCheckpoint>;
}

pub(crate) struct Solves<G: Notation> {
    /// The game in its scoring variant.
    game: G,
    solver: Box<dyn Solve<G>>,
    /// The match of the last question. A question about the same game makes only the moves that are new.
    last: Option<Match<G>>,
}

impl<G: Notation> Solves<G> {
    pub(crate) fn new(game: &G, solver: Box<dyn Solve<G>>) -> Solves<G> {
        Solves { game: game.scoring_variant(), solver, last: None }
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
            None => valued(&self.game, &board.record()),
        }
    }
}

/// The match of a record in the game as it is valued. How the record ended says nothing about the position.
pub(crate) fn valued<G: Notation>(game: &G, record: &Record) -> Result<Match<G>, BadRecord> {
    Match::replay(game.scoring_variant(), &Record { ending: None, ..record.clone() })
}

impl<G: Notation> Solving for Solves<G> {
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
        // Where positions can return, what came before counts too: the whole line is named.
        let (start, moves) = (board.start(), board.move_list());
        let start = start.as_deref().unwrap_or("the start");
        let after = if moves.is_empty() { String::new() } else { format!(" after {moves}") };
        Checkpoints::in_folder(dir, &self.game, &format!("{start}{after}"))
    }
}
