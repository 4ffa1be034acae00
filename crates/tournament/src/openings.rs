//! Openings, the same for both games of a meeting: a few random legal moves that do not end the game, the most balanced of
//! several candidates; or openings from a file. The same seed and number give the same opening on every machine.

use crate::Openings;
use parlor_catalog::{DynGame, PlayerSpec, Random, Resources};
use parlor_core::{Board, Limits, Record, mix};
use std::{collections::HashMap, sync::atomic::AtomicBool};

/// The longest opening, in plies.
pub const MOST_PLIES: usize = 60;
/// Attempts at a random walk of one length that does not end the game, before a shorter one is used.
const TRIES: u32 = 50;
/// The number of candidates from which the most balanced is chosen, and the node limit of the search that evaluates them.
const CANDIDATES: u64 = 4;
const LOOK: u64 = 500;

/// A cache of evaluated openings, so that each is searched once: both games of a meeting have the same opening, and short
/// openings are drawn often. The search depends only on the opening.
#[derive(Default)]
pub(crate) struct OpeningCache(HashMap<String, u32>);

/// The number of openings whose values are cached; a full cache is cleared.
const KEPT: usize = 4096;

impl OpeningCache {
    fn unevenness(&mut self, game: &dyn DynGame, board: &dyn Board) -> u32 {
        let key = format!("{} {}", board.spec(), board.move_list());
        if let Some(&known) = self.0.get(&key) {
            return known;
        }
        if self.0.len() >= KEPT {
            self.0.clear();
        }
        let found = unevenness(game, board);
        self.0.insert(key, found);
        found
    }
}

impl Openings {
    /// The board after the opening with this number.
    pub fn board(&self, game: &dyn DynGame, number: u64) -> Box<dyn Board> {
        self.cached_board(game, number, &mut OpeningCache::default())
    }

    /// Like [`Openings::board`], with a cache.
    pub(crate) fn cached_board(
        &self,
        game: &dyn DynGame,
        number: u64,
        cache: &mut OpeningCache,
    ) -> Box<dyn Board> {
        match self {
            Openings::Random { plies, seed } => balanced(game, *plies, *seed, number, cache),
            Openings::Given(records) => {
                let spec = game.spec();
                let of_game: Vec<&Record> = records.iter().filter(|record| record.game == spec).collect();
                let chosen = (!of_game.is_empty()).then(|| of_game[number as usize % of_game.len()]);
                // The parser has already replayed the games of the file; their endings are irrelevant here.
                let open = chosen.map(|record| Record {
                    ending: None,
                    tags: Vec::new(),
                    comments: Default::default(),
                    ..record.clone()
                });
                open.and_then(|record| game.replay(&record).ok()).unwrap_or_else(|| game.board())
            }
        }
    }
}

/// The most balanced of a few random openings.
fn balanced(
    game: &dyn DynGame,
    plies: usize,
    seed: u64,
    number: u64,
    cache: &mut OpeningCache,
) -> Box<dyn Board> {
    let mut best = opening(game, plies, mix([seed, number]), 0);
    if best.ply() == 0 {
        return best;
    }
    let mut least = cache.unevenness(game, best.as_ref());
    for candidate in 1..CANDIDATES {
        let board = opening(game, plies, mix([seed, number]), candidate);
        let found = cache.unevenness(game, board.as_ref());
        if found < least {
            (best, least) = (board, found);
        }
    }
    best
}

/// The distance of a position from balance by a short search, in the search's own unit.
fn unevenness(game: &dyn DynGame, board: &dyn Board) -> u32 {
    let spec = PlayerSpec { kind: "engine".into(), options: Vec::new(), name: None };
    let limits = Limits { nodes: Some(LOOK), ..Limits::default() };
    let mut value = 0;
    if let Ok(mut player) = game.player(&spec, &Resources::seeded(1)) {
        let _ = player.choose(board, &limits, &AtomicBool::new(false), &mut |report| value = report.value);
    }
    value.unsigned_abs()
}

/// The board after a random opening of this many moves, or of fewer if the game is nearly always over by then.
fn opening(game: &dyn DynGame, plies: usize, seed: u64, number: u64) -> Box<dyn Board> {
    let mut random = Random::new(mix([seed, number]));
    for plies in (1..=plies).rev() {
        for _ in 0..TRIES {
            if let Some(board) = walk(game, plies, &mut random) {
                return board;
            }
        }
    }
    game.board()
}

/// A random walk, if it neither ends the game nor repeats a position.
fn walk(game: &dyn DynGame, plies: usize, random: &mut Random) -> Option<Box<dyn Board>> {
    let mut board = game.board();
    for _ in 0..plies {
        let moves = board.moves();
        let text = moves.get(random.below(moves.len()))?;
        board.play(text).ok()?;
        if board.ending().is_some() || board.occurrences() > 1 {
            return None;
        }
    }
    Some(board)
}
