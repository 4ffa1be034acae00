//! Every legal move of a position with its worth: proved where the solver is done in time, estimated by the search elsewhere,
//! the two never mixed up. Where everything is proved at once nothing is estimated.

use crate::{Tools, solving::valued};
use parlor_engine::{Judged, Search};
use parlor_play::{
    BadRecord, Bounds, Evaluated, Limits, Margin, Match, Notation, Record, Report, Solve, Value, is_finished,
    margin_of,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// A move with what is known of it, seen by the side that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The move.
    pub mv: String,
    /// Its worth: the margin, proved if the bounds meet, else an estimate between them.
    pub value: Margin,
    /// What is proved.
    pub proved: Bounds,
    /// Whether the proof rests on hashes of positions that might collide.
    pub by_hash: bool,
    /// What is expected to follow, the move first.
    pub line: Vec<String>,
    /// Positions looked at for this move alone; the search of all moves together counts for the best one.
    pub nodes: u64,
}

/// In so little time nothing is proved that a search does not see.
const TOO_LITTLE: Duration = Duration::from_micros(500);

/// One call's question.
pub(crate) struct Question<'a> {
    pub limits: &'a Limits,
    pub stop: &'a AtomicBool,
}

/// Judges all moves after a record, the best first.
pub(crate) fn analyze<G: Notation + Evaluated>(
    game: &G,
    solver: &mut dyn Solve<G>,
    record: &Record,
    tools: &Tools,
    question: &Question<'_>,
) -> Result<Vec<Judgement>, BadRecord> {
    let played = valued(game, record)?;
    let begun = tools.clock.now();
    if let Some(judgements) = at_once(&played, solver, tools, question) {
        return Ok(judgements);
    }
    let half = Limits { time: question.limits.time.map(|time| time / 2), ..*question.limits };
    let mut search = Search::new(G::CLASSIC, tools.clock.clone());
    (search.threads, search.width) = (tools.threads, Value::MAX);
    let found = search.run(&played, &half, question.stop, &mut |_| ());
    let mut judgements = Vec::new();
    for (i, judged) in found.moves.iter().enumerate() {
        let share = question.limits.time.map(|time| {
            let left = time.saturating_sub(tools.clock.now() - begun);
            left / (found.moves.len() - i) as u32
        });
        let stopped = question.stop.load(Ordering::Relaxed) || share.is_some_and(|time| time < TOO_LITTLE);
        let proof = if stopped {
            Proof::of_rules(&played, judged.mv)
        } else {
            Proof::by(solver, &played, judged.mv, &Limits { time: share, ..*question.limits }, question.stop)
        };
        let mut judgement = judge(&played, judged, proof);
        judgement.nodes += if i == 0 { found.nodes } else { 0 };
        judgements.push(judgement);
    }
    Ok(best_first(judgements))
}

/// What is proved to be better stands first; equals stay in order, which is the search's where it was asked.
fn best_first(mut judgements: Vec<Judgement>) -> Vec<Judgement> {
    judgements.sort_by_key(|judgement| std::cmp::Reverse(judgement.value));
    judgements
}

/// All moves, if the solver proves each of them in a small part of the time. It gives up at the first that takes longer, and
/// what it found out until then is not lost to it.
fn at_once<G: Notation>(
    played: &Match<G>,
    solver: &mut dyn Solve<G>,
    tools: &Tools,
    question: &Question<'_>,
) -> Option<Vec<Judgement>> {
    let (begun, time) = (tools.clock.now(), question.limits.time? / 5);
    let (mut moves, mut judgements) = (Vec::new(), Vec::new());
    played.game().moves(played.position(), &mut moves);
    for (i, &mv) in moves.iter().enumerate() {
        let share = time.saturating_sub(tools.clock.now() - begun) / (moves.len() - i) as u32;
        if question.stop.load(Ordering::Relaxed) || share < TOO_LITTLE {
            return None;
        }
        let limits = Limits { time: Some(share), ..*question.limits };
        let proof = Proof::by(solver, played, mv, &limits, question.stop);
        if !proof.bounds.are_exact() {
            return None;
        }
        judgements.push(judge(played, &Judged { mv, value: 0, line: vec![mv] }, proof));
    }
    Some(best_first(judgements))
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
        let repeated = game.settle(pos).filter(|_| after.occurrences() > 1);
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

fn judge<G: Notation>(played: &Match<G>, judged: &Judged<G::Move>, proof: Proof) -> Judgement {
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
    Judgement { mv: text, value, proved: bounds, by_hash: last.by_hash, line, nodes: last.nodes }
}
