//! Analysis of a position: every legal move with its value, proved where the solver is done in time, estimated by the
//! search elsewhere, the two never mixed up. Where everything is proved at once nothing is estimated.

use crate::{BadPlayer, Resources, hosted::valued, support::GameSupport};
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

/// A move with what is known of it, seen by the side that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub mv: String,
    /// The value: the margin, proved if the bounds meet, else an estimate between them.
    pub value: Margin,
    /// The chance to win, between 0 and 1, where that is what was estimated and nothing is proved.
    pub chance: Option<f32>,
    /// Proved bounds of the value.
    pub proved: Bounds,
    /// Whether the proof rests on hashes of positions that might collide.
    pub by_hash: bool,
    /// Expected continuation, starting with the move.
    pub line: Vec<String>,
    /// Nodes searched for this move alone; the search of all moves together counts for the best one.
    pub nodes: u64,
}

impl Judgement {
    /// What is better has more of it: the value, and among equals of whom only the chance is known that.
    fn merit(&self) -> (Margin, i32) {
        let sure = i32::from(self.value.0.signum()) * 1_000_000;
        (self.value, self.chance.map_or(sure, |chance| ((chance - 0.5) * 1e6) as i32))
    }
}

/// Analyses positions of one game; remembers what it found from one question to the next.
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
    /// Every legal move after the record with its value, the best first. It thinks at most as long as the limits say; the
    /// game is valued as [`parlor_core::Game::scoring_variant`] plays it.
    fn analyze(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Vec<Judgement>, BadRecord>;
}

/// In so little time nothing is proved that a search does not see.
const TOO_LITTLE: Duration = Duration::from_micros(500);

/// The only implementation of `Analyst`.
pub(crate) struct Judge<G: Game> {
    game: G,
    clock: Arc<dyn Clock>,
    solver: Box<dyn Solve<G>>,
    search: Box<dyn Searcher<G>>,
}

/// Parameters of one call.
struct Question<'a> {
    limits: &'a Limits,
    stop: &'a AtomicBool,
}

impl<G: Notation + Evaluated> Judge<G> {
    pub(crate) fn new(
        game: &G,
        support: &GameSupport<G>,
        resources: &Resources,
    ) -> Result<Judge<G>, BadPlayer> {
        let solver = (support.solver)(game, resources).map_err(BadPlayer::Table)?;
        let mut search = if G::ODDS.is_some() {
            // The memory is that of the solver.
            let own = Resources { memory: None, ..resources.clone() };
            support.search(game, &own).map_err(BadPlayer::Table)?
        } else {
            let mut search = AlphaBeta::new(G::CLASSIC, resources.clock.clone());
            search.threads = resources.threads;
            Box::new(search)
        };
        search.widen(Value::MAX);
        Ok(Judge { game: game.clone(), clock: resources.clock.clone(), solver, search })
    }

    /// Every move with its value by the search. Where the search measures chances it may not have visited all moves: the
    /// others are evaluated statically.
    fn estimates(&mut self, played: &Match<G>, question: &Question<'_>) -> (Vec<ScoredMove<G::Move>>, u64) {
        let half = Limits { time: question.limits.time.map(|time| time / 2), ..*question.limits };
        let found = self.search.run(played, &half, question.stop, &mut |_| ());
        let mut judged = found.moves;
        if G::ODDS.is_some() {
            let best = judged.first().map_or(Value::MAX, |best| best.value);
            let mut unseen = moves_of(played);
            unseen.retain(|mv| judged.iter().all(|seen| seen.mv != *mv));
            let static_value =
                |mv| ScoredMove { mv, value: static_value(played, mv).min(best), line: vec![mv] };
            judged.extend(unseen.into_iter().map(static_value));
        }
        (judged, found.nodes)
    }
}

impl<G: Notation + Evaluated> Analyst for Judge<G> {
    fn analyze(
        &mut self,
        record: &Record,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Result<Vec<Judgement>, BadRecord> {
        let played = valued(&self.game, record)?;
        let question = Question { limits, stop };
        let begun = self.clock.now();
        // Without a clock the answer shall depend on the question alone, not on what was asked before.
        if limits.time.is_none() {
            self.search.forget();
        }
        if let Some(judgements) = at_once(&played, self.solver.as_mut(), self.clock.as_ref(), &question) {
            return Ok(judgements);
        }
        let (moves, nodes) = self.estimates(&played, &question);
        let mut judgements = Vec::new();
        for (i, judged) in moves.iter().enumerate() {
            let share = limits.time.map(|time| {
                let left = time.saturating_sub(self.clock.now() - begun);
                left / (moves.len() - i) as u32
            });
            let stopped = stop.load(Ordering::Relaxed) || share.is_some_and(|time| time < TOO_LITTLE);
            let proof = if G::ODDS.is_some() && is_finished(judged.value) {
                Proof { bounds: Bounds::exactly(margin_of(judged.value)), last: Report::default() }
            } else if stopped {
                Proof::of_rules(&played, judged.mv)
            } else {
                Proof::by(self.solver.as_mut(), &played, judged.mv, &Limits { time: share, ..*limits }, stop)
            };
            let mut judgement = judge(&played, judged, proof);
            judgement.nodes += if i == 0 { nodes } else { 0 };
            judgements.push(judgement);
        }
        Ok(best_first(judgements))
    }
}

fn moves_of<G: Game>(played: &Match<G>) -> Vec<G::Move> {
    let mut moves = Vec::new();
    played.game().moves(played.position(), &mut moves);
    moves
}

/// The static value of a move for the side that makes it.
fn static_value<G: Notation + Evaluated>(played: &Match<G>, mv: G::Move) -> Value {
    let (after, same, over) = Proof::after(played, mv);
    let (game, pos) = (played.game(), after.position());
    let value = match over {
        Some(result) => parlor_core::finished(result.lo, 1),
        None => G::STRONG.evaluate(game, pos),
    };
    if same { value } else { -value }
}

/// What is proved to be better stands first; equals stay in order, which is the search's where it was asked.
fn best_first(mut judgements: Vec<Judgement>) -> Vec<Judgement> {
    judgements.sort_by_key(|judgement| Reverse(judgement.merit()));
    judgements
}

/// All moves, if the solver proves each of them in a small part of the time. Where one takes longer the others still have their
/// share of it, and what it found out is not lost to it.
fn at_once<G: Notation + Evaluated>(
    played: &Match<G>,
    solver: &mut dyn Solve<G>,
    clock: &dyn Clock,
    question: &Question<'_>,
) -> Option<Vec<Judgement>> {
    let (begun, time) = (clock.now(), question.limits.time? / 5);
    let (moves, mut judgements, mut all) = (moves_of(played), Vec::new(), true);
    for (i, &mv) in moves.iter().enumerate() {
        let share = time.saturating_sub(clock.now() - begun) / (moves.len() - i) as u32;
        if question.stop.load(Ordering::Relaxed) || share < TOO_LITTLE {
            return None;
        }
        let limits = Limits { time: Some(share), ..*question.limits };
        let proof = Proof::by(solver, played, mv, &limits, question.stop);
        all &= proof.bounds.are_exact();
        judgements.push(judge(played, &ScoredMove { mv, value: 0, line: vec![mv] }, proof));
    }
    all.then(|| best_first(judgements))
}

/// What is proved of a move, seen by the side that makes it.
struct Proof {
    bounds: Bounds,
    last: Report,
}

impl Proof {
    fn after<G: Notation>(played: &Match<G>, mv: G::Move) -> (Match<G>, bool, Option<Bounds>) {
        let mut after = played.clone();
        after.make(mv);
        let (game, pos) = (played.game(), after.position());
        let same = game.turn(pos) == game.turn(played.position());
        let repeated = game.repetition_payoff(pos).filter(|_| after.occurrences() > 1);
        let over = game.result(pos).or(repeated).map(Bounds::exactly);
        (after, same, over)
    }

    fn of_rules<G: Notation>(played: &Match<G>, mv: G::Move) -> Proof {
        let (after, same, over) = Proof::after(played, mv);
        let bounds = over.unwrap_or_else(|| played.game().bounds(after.position()));
        Proof { bounds: if same { bounds } else { -bounds }, last: Report::default() }
    }

    fn by<G: Notation>(
        solver: &mut dyn Solve<G>,
        played: &Match<G>,
        mv: G::Move,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Proof {
        let (after, same, over) = Proof::after(played, mv);
        let mut last = Report::default();
        let bounds =
            over.unwrap_or_else(|| solver.solve(&after, limits, stop, &mut |report| last = report.clone()));
        Proof { bounds: if same { bounds } else { -bounds }, last }
    }
}

fn judge<G: Notation + Evaluated>(
    played: &Match<G>,
    judged: &ScoredMove<G::Move>,
    proof: Proof,
) -> Judgement {
    let game = played.game();
    let Proof { bounds, last } = proof;
    let text = game.write_move(judged.mv);
    let line = if bounds.are_exact() && !last.line.is_empty() {
        std::iter::once(text.clone()).chain(last.line).collect()
    } else {
        judged.line.iter().map(|&mv| game.write_move(mv)).collect()
    };
    let estimate = if is_finished(judged.value) {
        margin_of(judged.value)
    } else {
        Margin(judged.value.clamp(-i32::from(i16::MAX), i16::MAX.into()) as i16)
    };
    let value = estimate.clamp(bounds.lo, bounds.hi);
    let chance = |odds: Value| 1.0 / (1.0 + (-judged.value as f32 / odds as f32).exp());
    let chance = G::ODDS.filter(|_| !bounds.are_exact()).map(chance);
    Judgement { mv: text, value, chance, proved: bounds, by_hash: last.by_hash, line, nodes: last.nodes }
}
