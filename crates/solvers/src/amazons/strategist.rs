//! Monte Carlo tree search of Amazons, as players use it: two stages a turn, queen and arrow, evaluated by territory, with
//! races between separated queens decided statically.
//!
//! MCTS has no depth; with a depth limit the general alpha-beta search is used.

use super::race::Racer;
use parlor_core::{Bounds, Limits, Margin, Match, Notation, Oracle, Report, Value, finished, is_finished};
use parlor_engine::{AlphaBeta, Clock, Mcts, MctsResult, MoveStats, ScoredMove, SearchResult, Searcher};
use parlor_games::amazons::{Amazons, HalfTurn, HalfTurnPosition, HalfTurns, Shot, Territory};
use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool};

/// The evaluator's value of odds of e to 1.
const UNIT: f32 = Territory::ODDS as f32;
/// The turn limit for filling a region; beyond it the bounds are used.
const FILLING: u64 = 200;

/// Deep search of Amazons.
///
/// # Examples
///
/// ```
/// use parlor_core::{Evaluated, Limits, Match};
/// use parlor_engine::{Monotonic, Searcher};
/// use parlor_games::amazons::Amazons;
/// use parlor_solvers::amazons::Strategist;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let mut search = Strategist::new(Amazons::STRONG, Arc::new(Monotonic::start()));
/// search.memory = 1 << 20;
/// let mut game = Match::new(Amazons::sized(6, 6)?);
/// let limits = Limits { nodes: Some(500), ..Limits::default() };
/// let found = search.run(&game, &limits, &AtomicBool::new(false), &mut |_| ());
/// game.make(found.moves[0].mv);
/// assert_eq!(game.ending(), None, "the game goes on after the best move");
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub struct Strategist {
    /// At least 1.
    pub threads: usize,
    /// Memory limit of the tree in bytes.
    pub memory: usize,
    territory: Territory,
    clock: Arc<dyn Clock>,
    mcts: Option<(Amazons, Mcts<HalfTurns, Territory>)>,
    alpha_beta: AlphaBeta<Amazons, Territory>,
}

/// Proves the winner where the queens are separated.
struct Races(Mutex<Racer>);

impl Oracle<HalfTurns> for Races {
    fn probe(&self, _: &HalfTurns, stage: &HalfTurnPosition) -> Option<Bounds> {
        if stage.shooter.is_some() {
            return None;
        }
        let mut racer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        racer.race(&stage.pos, FILLING).map(Bounds::exactly)
    }
}

impl Strategist {
    /// A search with one thread and 128 MiB.
    pub fn new(territory: Territory, clock: Arc<dyn Clock>) -> Strategist {
        let alpha_beta = AlphaBeta::new(territory, clock.clone());
        Strategist { threads: 1, memory: 128 << 20, territory, clock, mcts: None, alpha_beta }
    }

    /// The tree search of this game; its tree is reused if the last search was of the same game.
    fn mcts(&mut self, game: &Amazons) -> &mut Mcts<HalfTurns, Territory> {
        if self.mcts.as_ref().is_none_or(|(of, _)| of != game) {
            self.mcts = None;
        }
        let (territory, clock) = (self.territory, &self.clock);
        let (_, mcts) = self.mcts.get_or_insert_with(|| {
            let mut mcts = Mcts::new(territory, UNIT, clock.clone());
            mcts.oracle = Some(Arc::new(Races(Mutex::new(Racer::new(game)))));
            (*game, mcts)
        });
        (mcts.threads, mcts.memory) = (self.threads, self.memory);
        mcts
    }
}

impl Searcher<Amazons> for Strategist {
    fn run(
        &mut self,
        played: &Match<Amazons>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<Shot> {
        if limits.depth.is_some() {
            return self.alpha_beta.run(played, limits, stop, report);
        }
        let game = *played.game();
        let stage = HalfTurnPosition::before(played.position());
        let mcts = self.mcts(&game);
        let mut on_result = |result: &MctsResult<HalfTurn>| report(&report_of(&game, result));
        let result = mcts.run(&HalfTurns(game), &stage, limits, stop, &mut on_result);
        let moves = scored_moves(&result.moves);
        let exact = moves.first().is_none_or(|best| is_finished(best.value));
        SearchResult { depth: depth(&moves), moves, nodes: result.nodes, exact }
    }

    fn forget(&mut self) {
        self.mcts = None;
        self.alpha_beta.forget();
    }

    fn widen(&mut self, width: Value) {
        self.alpha_beta.widen(width);
    }
}

/// The turns that the result lists with both stages, the best first.
fn scored_moves(queen_moves: &[MoveStats<HalfTurn>]) -> Vec<ScoredMove<Shot>> {
    let mut moves: Vec<(u32, ScoredMove<Shot>)> = Vec::new();
    for go in queen_moves {
        for shoot in &go.next_stage {
            let Some(mv) = HalfTurns::joined(go.mv, shoot.mv) else { continue };
            let line = [mv].into_iter().chain(shots(&shoot.pv)).collect();
            moves.push((shoot.visits, ScoredMove { mv, value: value(shoot), line }));
        }
    }
    // The queen move with the most visits comes first, and of its arrows the one with the most visits:
    // that is the best turn. The others follow by value, and none has a higher value than the best.
    if let Some((best, others)) = moves.split_first_mut() {
        others.iter_mut().for_each(|(_, other)| other.value = other.value.min(best.1.value));
        others.sort_by_key(|(visits, other)| (-other.value, u32::MAX - visits));
    }
    moves.into_iter().map(|(_, scored_moves)| scored_moves).collect()
}

/// The turns of a line of stages; a single last stage is left out.
fn shots(line: &[HalfTurn]) -> Vec<Shot> {
    line.chunks_exact(2).map_while(|stages| HalfTurns::joined(stages[0], stages[1])).collect()
}

/// A win probability as log odds; a proven result as a finished game, after as many plies as the
/// principal variation has.
fn value(stats: &MoveStats<HalfTurn>) -> Value {
    let plies = shots(&stats.pv).len() as u32 + 1;
    match stats.proven {
        Some(true) => finished(Margin(1), plies),
        Some(false) => finished(Margin(-1), plies),
        None => {
            let probability = stats.win_probability.clamp(1e-6, 1.0 - 1e-6);
            (UNIT * (probability / (1.0 - probability)).ln()) as Value
        }
    }
}

fn depth(moves: &[ScoredMove<Shot>]) -> u32 {
    moves.first().map_or(0, |best| best.line.len() as u32)
}

fn report_of(game: &Amazons, result: &MctsResult<HalfTurn>) -> Report {
    let moves = scored_moves(&result.moves);
    let best = moves.first();
    let value = best.map_or(0, |best| best.value);
    let line = best.map_or_else(Vec::new, |best| best.line.iter().map(|&mv| game.write_move(mv)).collect());
    let margin = Margin(if value > 0 { 1 } else { -1 });
    let proved = is_finished(value).then(|| Bounds::exactly(margin));
    Report { depth: depth(&moves), nodes: result.nodes, value, line, proved, by_hash: false }
}
