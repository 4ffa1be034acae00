//! A game with its types forgotten: makes boards and players, counts, and checks its own laws.

use crate::{
    Analyst, BadPlayer, BadTable, PlayerSpec, Resources, Solving, Tables,
    analysis::Judge,
    solving::{Solves, valued},
    support::GameSupport,
};
use parlor_core::{
    BadPosition, BadRecord, Board, Evaluated, Margin, Match, Notation, Player, Record, View, laws,
    perft_until, split_moves,
};
use parlor_engine::{Random, playout};
use std::sync::Arc;

/// A game with fixed parameters.
pub trait Hosted: Send + Sync {
    /// Its canonical spec.
    fn spec(&self) -> String;
    /// A new game.
    fn board(&self) -> Box<dyn Board>;
    /// A new game from a position.
    fn board_at(&self, position: &str) -> Result<Box<dyn Board>, BadPosition>;
    /// The game of a record, which must be of this very spec.
    fn replay(&self, record: &Record) -> Result<Box<dyn Board>, BadRecord>;
    /// Whether the game of a record is over by the rules as it is valued too (see [`parlor_core::Game::scoring_variant`]). Where a
    /// decided game stops early it is not, and its result is not the value of its last move.
    fn ends_as_valued(&self, record: &Record) -> bool;
    /// A list of moves as single texts.
    fn split(&self, moves: &str) -> Vec<String>;
    /// A margin in words, seen by the side that has it: `8 beans ahead`.
    fn describe(&self, margin: Margin) -> String;
    /// A player of ours.
    fn player(&self, spec: &PlayerSpec, resources: &Resources) -> Result<Box<dyn Player>, BadPlayer>;
    /// A solver of ours.
    fn solver(&self, resources: &Resources) -> Result<Box<dyn Solving>, BadTable>;
    /// The endgame tables of its family; none where its positions are not numbered.
    fn tables(&self) -> Option<Box<dyn Tables>>;
    /// An analyst, which judges every move of a position.
    fn analyst(&self, resources: &Resources) -> Result<Box<dyn Analyst>, BadPlayer>;
    /// Move sequences of exactly this length from where the board stands; none if `stop` said so before the end.
    fn perft(&self, board: &dyn Board, depth: u32, stop: &dyn Fn() -> bool)
    -> Result<Option<u64>, BadRecord>;
    /// Plays random games from the start; gives the number of moves made.
    fn playouts(&self, games: u64, seed: u64) -> u64;
    /// Checks the laws of play along one game of at most `plies` moves, and those of numbered positions where there are tables.
    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String>;
}

/// The one implementation.
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
                    "player {}: there is no option '{name}'; it takes {takes}",
                    spec.kind
                )));
            }
            if spec.options[..i].iter().any(|(other, _)| other == name) {
                return Err(BadPlayer::Spec(format!("player {}: {name} is given twice", spec.kind)));
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
}
