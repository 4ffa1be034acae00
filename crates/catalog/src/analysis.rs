//! Analysis of a position: every legal move with its value. A value is proved if the solver finishes in time, and otherwise
//! estimated by the search; the result says which. If the solver proves all moves quickly, the search does not run.
//!
//! The position itself is solved, too, because that is often easier than an exact value of each move: the value of the
//! position is that of its best move.

use crate::{BadPlayer, Resources, dyn_game::in_scoring_variant, support::GameSupport};
use parlor_core::{
    BadRecord, Bounds, Evaluated, Evaluator, Game, Limits, Margin, Match, Notation, Record, Report, Solve,
    Value, is_finished, margin_of,
};
use parlor_engine::{AlphaBeta, Clock, ScoredMove, Searcher};
use std::{
    cmp::Reverse,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// The analysis of one move. Values are seen by the side that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveAnalysis {
    pub mv: String,
    /// The value: the margin, proved if the bounds meet, else an estimate between them.
    pub value: Margin,
    /// Estimated chance to win, between 0 and 1, in games that estimate chances. `None` if the value is proved.
    pub chance: Option<f32>,
    /// Proved bounds of the value.
    pub proved: Bounds,
    /// Whether the proof rests on hashes of positions that might collide.
    pub by_hash: bool,
    /// Expected continuation, starting with the move.
    pub line: Vec<String>,
    /// Nodes searched for this move. The common search of all moves is counted at the best one.
    pub nodes: u64,
}

impl MoveAnalysis {
    /// Sort key, larger for better moves: the value, then the chance to win.
    fn rank(&self) -> (Margin, i32) {
        let sure = i32::from(self.value.0.signum()) * 1_000_000;
        (self.value, self.chance.map_or(sure, |chance| ((chance - 0.5) * 1e6) as i32))
    }
}

/// Analyses positions of one game. It keeps its tables from one position to the next.
///
/// # Examples
///
/// ```
/// use parlor_catalog::{Resources, game};
/// use parlor_core::{Bounds, Limits, Margin};
/// use std::sync::atomic::AtomicBool;
///
/// let game = game("kalah:3,2")?;
/// let board = game.board_at("0,0,1/0,1,1 5/4 s")?;
/// let mut analyst = game.analyst(&Resources::seeded(1))?;
/// let limits = Limits { nodes: Some(10_000), ..Limits::default() };
/// let moves = analyst.analyze(&board.record(), &limits, &AtomicBool::new(false))?;
/// assert_eq!((moves.len(), moves[0].mv.as_str()), (2, "3"));
/// assert_eq!(moves[0].proved, Bounds::exactly(Margin(2)), "an extra turn, then a capture");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Analyst: Send {
    /// Analyses every legal move of the position after the record, within the limits. Returns the best move first. Values are
    /// those of [`parlor_core::Game::scoring_variant`].
    fn analyze(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Vec<MoveAnalysis>, BadRecord>;
}

/// The solver does not start with less time than this, because it would prove nothing that the search does not see.
const MIN_SOLVER_TIME: Duration = Duration::from_micros(500);

/// The implementation of [`Analyst`] for a game type.
pub(crate) struct GameAnalyst<G: Game> {
    game: G,
    clock: Arc<dyn Clock>,
    solver: Box<dyn Solve<G>>,
    search: Box<dyn Searcher<G>>,
}

struct AnalysisLimits<'a> {
    limits: &'a Limits,
    stop: &'a AtomicBool,
}

impl<G: Notation + Evaluated> GameAnalyst<G> {
    pub(crate) fn new(
        game: &G,
        support: &GameSupport<G>,
        resources: &Resources,
    ) -> Result<GameAnalyst<G>, BadPlayer> {
        let solver = (support.solver)(game, resources).map_err(BadPlayer::Table)?;
        let mut search = if G::ODDS.is_some() {
            // The memory of the resources goes to the solver, and the search takes its default.
            let own = Resources { memory: None, ..resources.clone() };
            support.search(game, &own).map_err(BadPlayer::Table)?
        } else {
            let mut search = AlphaBeta::new(G::CLASSIC, resources.clock.clone());
            search.threads = resources.threads;
            Box::new(search)
        };
        search.widen(Value::MAX);
        Ok(GameAnalyst { game: game.clone(), clock: resources.clock.clone(), solver, search })
    }

    /// The value of every move by the search. A Monte Carlo search may leave moves unvisited, which are evaluated statically.
    fn estimates(
        &mut self,
        played: &Match<G>,
        question: &AnalysisLimits<'_>,
    ) -> (Vec<ScoredMove<G::Move>>, u64) {
        let half = Limits { time: question.limits.time.map(|time| time / 2), ..*question.limits };
        let found = self.search.run(played, &half, question.stop, &mut |_| ());
        let mut scored = found.moves;
        if G::ODDS.is_some() {
            let best = scored.first().map_or(Value::MAX, |best| best.value);
            let mut unseen = moves_of(played);
            unseen.retain(|mv| scored.iter().all(|seen| seen.mv != *mv));
            let static_value =
                |mv| ScoredMove { mv, value: static_value(played, mv).min(best), line: vec![mv] };
            scored.extend(unseen.into_iter().map(static_value));
        }
        (scored, found.nodes)
    }
}

impl<G: Notation + Evaluated> Analyst for GameAnalyst<G> {
    fn analyze(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Vec<MoveAnalysis>, BadRecord> {
        let played = in_scoring_variant(&self.game, record)?;
        let question = AnalysisLimits { limits, stop };
        let begun = self.clock.now();
        // Without a time limit the answer is deterministic, so it must not depend on earlier positions.
        if limits.time.is_none() {
            self.search.forget();
        }
        if let Some(analyses) = prove_all(&played, self.solver.as_mut(), self.clock.as_ref(), &question) {
            return Ok(analyses);
        }
        let (moves, nodes) = self.estimates(&played, &question);
        let left = |parts: usize| {
            let left = limits.time.map(|time| time.saturating_sub(self.clock.now() - begun) / parts as u32);
            let stopped = stop.load(Ordering::Relaxed) || left.is_some_and(|time| time < MIN_SOLVER_TIME);
            (!stopped).then_some(Limits { time: left, ..*limits })
        };
        let found_by_search = |scored: &ScoredMove<G::Move>| G::ODDS.is_some() && is_finished(scored.value);
        let asked = left(2).filter(|_| !moves.iter().all(found_by_search));
        let whole = match &asked {
            Some(limits) => PositionProof::by(self.solver.as_mut(), &played, limits, stop),
            None => PositionProof::of_rules(&played),
        };
        let mut proofs = Vec::new();
        for (i, scored) in moves.iter().enumerate() {
            proofs.push(if found_by_search(scored) {
                MoveProof { bounds: Bounds::exactly(margin_of(scored.value)), last: Report::default() }
            } else if let Some(proof) = whole.of_best_move(&played, scored.mv) {
                proof
            } else if let Some(limits) = left(moves.len() - i) {
                MoveProof::by(self.solver.as_mut(), &played, scored.mv, &limits, stop)
            } else {
                MoveProof::of_rules(&played, scored.mv)
            });
        }
        whole.narrow(&mut proofs);
        let analyses = moves.iter().zip(proofs).enumerate().map(|(i, (scored, proof))| {
            let mut analysis = analyse_move(&played, scored, proof);
            analysis.nodes += if i == 0 { nodes } else { 0 };
            analysis
        });
        Ok(best_first(analyses.collect()))
    }
}

/// Proved bounds of the position itself, with the last report of the solver.
struct PositionProof {
    bounds: Bounds,
    last: Report,
}

impl PositionProof {
    fn of_rules<G: Game>(played: &Match<G>) -> PositionProof {
        PositionProof { bounds: played.game().bounds(played.position()), last: Report::default() }
    }

    fn by<G: Game>(
        solver: &mut dyn Solve<G>,
        played: &Match<G>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> PositionProof {
        let mut last = Report::default();
        let bounds = solver.solve(played, limits, stop, &mut |report| last = report.clone());
        PositionProof { bounds, last }
    }

    /// The proof of a move that begins the principal variation of a proved value: it has that value.
    fn of_best_move<G: Notation>(&self, played: &Match<G>, mv: G::Move) -> Option<MoveProof> {
        let (first, rest) = self.last.line.split_first()?;
        let is_best = self.bounds.are_exact() && *first == played.game().write_move(mv);
        let last = Report { line: rest.to_vec(), ..self.last.clone() };
        is_best.then_some(MoveProof { bounds: self.bounds, last })
    }

    /// Narrows the bounds of all legal moves by those of the position, whose value is that of the best move: no move has more,
    /// and if only one can have as much as the lower bound, it does.
    fn narrow(&self, proofs: &mut [MoveProof]) {
        let Bounds { lo, hi } = self.bounds;
        let by_hash = self.last.by_hash;
        for proof in proofs.iter_mut().filter(|proof| proof.bounds.hi > hi) {
            proof.bounds.hi = hi.max(proof.bounds.lo);
            proof.last.by_hash |= by_hash;
        }
        let others_by_hash = proofs.iter().any(|proof| proof.last.by_hash);
        let mut candidates = proofs.iter_mut().filter(|proof| proof.bounds.hi >= lo);
        if let (Some(only), None) = (candidates.next(), candidates.next())
            && only.bounds.lo < lo
        {
            only.bounds.lo = lo;
            only.last.by_hash |= by_hash || others_by_hash;
        }
    }
}

fn moves_of<G: Game>(played: &Match<G>) -> Vec<G::Move> {
    let mut moves = Vec::new();
    played.game().moves(played.position(), &mut moves);
    moves
}

/// The static value of a move for the side that makes it.
fn static_value<G: Notation + Evaluated>(played: &Match<G>, mv: G::Move) -> Value {
    let (after, same, over) = MoveProof::after(played, mv);
    let (game, pos) = (played.game(), after.position());
    let value = match over {
        Some(result) => parlor_core::finished(result.lo, 1),
        None => G::STRONG.evaluate(game, pos),
    };
    if same { value } else { -value }
}

/// Sorts by rank. The sort is stable, so that equal moves keep the order of the search.
fn best_first(mut analyses: Vec<MoveAnalysis>) -> Vec<MoveAnalysis> {
    analyses.sort_by_key(|analysis| Reverse(analysis.rank()));
    analyses
}

/// Proves all moves within a fifth of the time; `None` if a move takes longer. Each move gets an equal share of the remaining
/// time, and the solver's table keeps partial results for the next attempt.
fn prove_all<G: Notation + Evaluated>(
    played: &Match<G>,
    solver: &mut dyn Solve<G>,
    clock: &dyn Clock,
    question: &AnalysisLimits<'_>,
) -> Option<Vec<MoveAnalysis>> {
    let (begun, time) = (clock.now(), question.limits.time? / 5);
    let (moves, mut analyses, mut all) = (moves_of(played), Vec::new(), true);
    for (i, &mv) in moves.iter().enumerate() {
        let share = time.saturating_sub(clock.now() - begun) / (moves.len() - i) as u32;
        if question.stop.load(Ordering::Relaxed) || share < MIN_SOLVER_TIME {
            return None;
        }
        let limits = Limits { time: Some(share), ..*question.limits };
        let proof = MoveProof::by(solver, played, mv, &limits, question.stop);
        all &= proof.bounds.are_exact();
        analyses.push(analyse_move(played, &ScoredMove { mv, value: 0, line: vec![mv] }, proof));
    }
    all.then(|| best_first(analyses))
}

/// Proved bounds of a move, seen by the side that makes it, with the last report of the solver.
struct MoveProof {
    bounds: Bounds,
    last: Report,
}

impl MoveProof {
    fn after<G: Notation>(played: &Match<G>, mv: G::Move) -> (Match<G>, bool, Option<Bounds>) {
        let mut after = played.clone();
        after.make(mv);
        let (game, pos) = (played.game(), after.position());
        let same = game.turn(pos) == game.turn(played.position());
        let repeated = game.repetition_payoff(pos).filter(|_| after.occurrences() > 1);
        let over = game.result(pos).or(repeated).map(Bounds::exactly);
        (after, same, over)
    }

    fn of_rules<G: Notation>(played: &Match<G>, mv: G::Move) -> MoveProof {
        let (after, same, over) = MoveProof::after(played, mv);
        let bounds = over.unwrap_or_else(|| played.game().bounds(after.position()));
        MoveProof { bounds: if same { bounds } else { -bounds }, last: Report::default() }
    }

    fn by<G: Notation>(
        solver: &mut dyn Solve<G>,
        played: &Match<G>,
        mv: G::Move,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> MoveProof {
        let (after, same, over) = MoveProof::after(played, mv);
        let mut last = Report::default();
        let bounds =
            over.unwrap_or_else(|| solver.solve(&after, limits, stop, &mut |report| last = report.clone()));
        MoveProof { bounds: if same { bounds } else { -bounds }, last }
    }
}

fn analyse_move<G: Notation + Evaluated>(
    played: &Match<G>,
    scored: &ScoredMove<G::Move>,
    proof: MoveProof,
) -> MoveAnalysis {
    let game = played.game();
    let MoveProof { bounds, last } = proof;
    let text = game.write_move(scored.mv);
    let line = if bounds.are_exact() && !last.line.is_empty() {
        std::iter::once(text.clone()).chain(last.line).collect()
    } else {
        scored.line.iter().map(|&mv| game.write_move(mv)).collect()
    };
    let estimate = if is_finished(scored.value) {
        margin_of(scored.value)
    } else {
        Margin(scored.value.clamp(-i32::from(i16::MAX), i16::MAX.into()) as i16)
    };
    let value = estimate.clamp(bounds.lo, bounds.hi);
    let chance = |odds: Value| 1.0 / (1.0 + (-scored.value as f32 / odds as f32).exp());
    let chance = G::ODDS.filter(|_| !bounds.are_exact()).map(chance);
    MoveAnalysis { mv: text, value, chance, proved: bounds, by_hash: last.by_hash, line, nodes: last.nodes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrowed(position: [i16; 2], moves: &[[i16; 2]]) -> Vec<[i16; 2]> {
        let bounds = |[lo, hi]: [i16; 2]| Bounds { lo: Margin(lo), hi: Margin(hi) };
        let whole = PositionProof { bounds: bounds(position), last: Report::default() };
        let mut proofs: Vec<MoveProof> =
            moves.iter().map(|&of| MoveProof { bounds: bounds(of), last: Report::default() }).collect();
        whole.narrow(&mut proofs);
        proofs.iter().map(|proof| [proof.bounds.lo.0, proof.bounds.hi.0]).collect()
    }

    #[test]
    fn a_move_that_has_at_least_the_value_of_the_position_has_exactly_that() {
        assert_eq!(narrowed([8, 8], &[[8, 48], [-2, 20], [4, 6]]), [[8, 8], [-2, 8], [4, 6]]);
        assert_eq!(narrowed([0, 8], &[[2, 48], [8, 10]]), [[2, 8], [8, 8]]);
    }

    #[test]
    fn the_only_move_that_can_have_the_value_of_the_position_has_it() {
        assert_eq!(narrowed([8, 8], &[[-48, 6], [-48, 48], [0, 6]]), [[-48, 6], [8, 8], [0, 6]]);
        assert_eq!(narrowed([8, 8], &[[-48, 8], [-48, 48]]), [[-48, 8], [-48, 8]]);
        assert_eq!(narrowed([2, 8], &[[-48, 0], [4, 48]]), [[-48, 0], [4, 8]]);
    }
}
