//! The report on a whole game: the value of every position and the loss of every move. It works from the end to the start, because
//! proofs of later positions help with earlier ones: first a quick search of every position, then proofs as far back as they succeed,
//! then a longer search of the moves with the largest losses.

use super::{
    AnalysisLine,
    analysts::{Analysis, CachedAnalysis, Ticket},
    move_value::expected_lead,
    position_analysis::all_proven,
};
use crate::{problem::Problem, wire::SideWord};
use parlor_catalog::{DynGame, MoveAnalysis};
use parlor_core::{Margin, Outcome, Record, Side};
use serde::Serialize;
use std::{collections::BTreeMap, net::IpAddr, sync::Arc, time::Duration};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Time of the first pass for the whole game, and the limits for one ply.
const QUICK_TOTAL: Duration = Duration::from_secs(8);
const QUICK_MIN: Duration = Duration::from_millis(20);
const QUICK_MAX: Duration = Duration::from_millis(60);
/// Number of moves that are searched again, and the time for each.
const MAX_RECHECKED: usize = 6;
const RECHECK_TIME: Duration = Duration::from_secs(1);
/// Moves with a smaller loss are not searched again.
const MIN_SUSPICIOUS_LOSS: f32 = 0.1;
/// Time for the proof of one position.
const PROOF_TIME: Duration = Duration::from_millis(600);
/// Estimates are noisy: a smaller estimated loss is no mistake, in margins and in winning chances.
const MIN_MARGIN_LOSS: f32 = 3.0;
const MIN_CHANCE_LOSS: f32 = 0.16;

/// The analysis of one position of a game and of the move that was played in it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlyReport {
    /// Number of moves that led to the position.
    pub ply: usize,
    /// The side to move; null after the end.
    pub turn: Option<SideWord>,
    /// The margin by which the first side wins, negative for a loss: proven if `exact`, else an estimate.
    pub value: i16,
    /// The first side's winning chance, if that was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Whether the value is proven.
    pub exact: bool,
    /// The move that was played here, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<PlayedMove>,
}

/// A played move compared with the best one, with values for the side that played it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PlayedMove {
    /// The move in the notation of the game.
    #[serde(rename = "move")]
    pub mv: String,
    /// The side that played the move.
    pub side: SideWord,
    /// The value of the move: the margin of the win, negative for a loss.
    pub value: i16,
    /// The winning chance after the move, if it was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Whether the value of the move is proven.
    pub exact: bool,
    /// The best move that is known, in the notation of the game.
    pub best: String,
    /// The value of the best move.
    pub best_value: i16,
    /// The winning chance after the best move, if it was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_chance: Option<f32>,
    /// Whether the value of the best move is proven.
    pub best_exact: bool,
    /// The loss of the move: a margin, or twice the winning chance.
    pub gave: f32,
    /// Whether the move provably turned a win into a draw or loss, or a draw into a loss.
    pub turned: bool,
}

impl PlyReport {
    /// How far ahead the first side is; negative if it is behind.
    pub fn lead(&self) -> f32 {
        expected_lead(Margin(self.value), self.chance)
    }
}

impl PlayedMove {
    fn of(text: &str, side: Side, moves: &[MoveAnalysis]) -> Option<PlayedMove> {
        let (best, made) = (moves.first()?, moves.iter().find(|judgement| judgement.mv == text)?);
        let mut all = PlayedMove {
            mv: text.to_string(),
            side: side.into(),
            value: made.value.0,
            chance: made.chance,
            exact: made.proved.are_exact(),
            best: best.mv.clone(),
            best_value: best.value.0,
            best_chance: best.chance,
            best_exact: best.proved.are_exact(),
            gave: 0.0,
            turned: false,
        };
        all.compare_with_best();
        Some(all)
    }

    fn compare_with_best(&mut self) {
        let worth = expected_lead(Margin(self.value), self.chance);
        if worth > expected_lead(Margin(self.best_value), self.best_chance) {
            // The played move was searched deeper than the others: no better move is known.
            self.best.clone_from(&self.mv);
            (self.best_value, self.best_chance) = (self.value, self.chance);
            self.best_exact = self.exact;
        }
        self.gave = expected_lead(Margin(self.best_value), self.best_chance) - worth;
        let is_proven = self.exact && self.best_exact;
        self.turned = is_proven && self.best_value.signum() != self.value.signum();
    }

    /// Whether both sides of the comparison are proven.
    pub fn is_proven(&self) -> bool {
        self.exact && self.best_exact
    }

    pub fn is_mistake(&self) -> bool {
        let chances = self.chance.is_some() || self.best_chance.is_some();
        let least = if chances { MIN_CHANCE_LOSS } else { MIN_MARGIN_LOSS };
        if self.is_proven() { self.gave > 0.0 } else { self.gave >= least }
    }

    /// Sort key of mistakes: moves that turned the outcome first, then by loss.
    pub fn severity(&self) -> (bool, i64) {
        (self.turned, (self.gave * 1000.0) as i64)
    }
}

/// The pass over the game that comes next.
enum Pass {
    /// A short search of every position.
    Quick,
    /// Proofs back from the first proven position, until one fails; the number of failures so far.
    Prove(usize),
    /// The plies to search again, the largest loss last.
    Recheck(Vec<usize>),
}

/// The report on a game, built ply by ply.
pub struct GameReport {
    analysis: Analysis,
    host: Arc<dyn DynGame>,
    record: Record,
    /// The side to move at each ply.
    turns: Vec<Side>,
    /// The outcome, if the moves decide it.
    outcome: Option<Outcome>,
    /// Whether the outcome is the value of the last position. It is not if the rules end a decided game early.
    outcome_is_value: bool,
    ticket: Ticket,
    /// By ply, filled from the end to the start.
    points: BTreeMap<usize, PlyReport>,
    pass: Pass,
    ended: bool,
}

impl GameReport {
    pub fn begin(analysis: &Analysis, line: &AnalysisLine, visitor: IpAddr) -> Result<GameReport, Problem> {
        line.refuse_live_game()?;
        let whole = line.host.replay(&line.record).map_err(|bad| Problem::BadInput(bad.0))?;
        let turns = line.movers.iter().copied().chain([whole.turn()]).collect();
        Ok(GameReport {
            analysis: analysis.clone(),
            host: line.host.clone(),
            record: line.record.clone(),
            turns,
            outcome: whole.ending().and_then(|ending| ending.outcome),
            outcome_is_value: line.host.ends_in_scoring_variant(&line.record),
            ticket: analysis.ticket(visitor)?,
            points: BTreeMap::new(),
            pass: Pass::Quick,
            ended: false,
        })
    }

    /// The complete report from the cache, if it is there.
    pub fn known(analysis: &Analysis, line: &AnalysisLine) -> Option<Arc<Vec<PlyReport>>> {
        if line.is_running() { None } else { analysis.cached_report(&line.record) }
    }

    /// Whether no more points follow.
    pub fn is_over(&self) -> bool {
        self.ended
    }

    /// The place in the queue, while the report waits for a thread.
    pub fn place(&self) -> watch::Receiver<Option<usize>> {
        self.ticket.place()
    }

    /// All plies so far, in the order of the game.
    pub fn points(&self) -> Vec<PlyReport> {
        self.points.values().cloned().collect()
    }

    /// The plies that are new or improved; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<Vec<PlyReport>, Problem>> {
        if self.ended {
            return None;
        }
        if self.points.is_empty()
            && let Some(known) = self.analysis.cached_report(&self.record)
        {
            self.ended = true;
            self.points = known.iter().map(|point| (point.ply, point.clone())).collect();
            return Some(Ok(known.to_vec()));
        }
        let reports = self.analyse_next_position().await;
        self.ended |= reports.is_err();
        Some(reports)
    }

    async fn analyse_next_position(&mut self) -> Result<Vec<PlyReport>, Problem> {
        let Some((ply, time)) = self.next_ply() else {
            self.ended = true;
            self.analysis.cache_report(&self.record, self.points());
            return Ok(Vec::new());
        };
        let point = self.point(ply, time).await?;
        if let Pass::Prove(failures) = &mut self.pass {
            *failures += usize::from(!point.exact);
        }
        self.points.insert(ply, point);
        self.propagate_proof(ply);
        let before = ply.checked_sub(1).filter(|before| self.propagate_proof(*before));
        Ok(before.into_iter().chain([ply]).filter_map(|ply| self.points.get(&ply).cloned()).collect())
    }

    /// The next ply to analyse and its time limit; `None` when the report is complete.
    fn next_ply(&mut self) -> Option<(usize, Duration)> {
        if let Pass::Quick = self.pass {
            if self.points.len() < self.turns.len() {
                return Some((self.turns.len() - 1 - self.points.len(), self.quick_time()));
            }
            self.pass = Pass::Prove(0);
        }
        if let Pass::Prove(failures) = self.pass {
            let open = self.points.values().rfind(|point| !point.exact).map(|point| point.ply);
            if let Some(ply) = open.filter(|_| failures == 0) {
                return Some((ply, PROOF_TIME));
            }
            self.pass = Pass::Recheck(self.suspicious_plies());
        }
        match &mut self.pass {
            Pass::Recheck(suspicious) => suspicious.pop().map(|ply| (ply, RECHECK_TIME)),
            _ => None,
        }
    }

    fn quick_time(&self) -> Duration {
        (QUICK_TOTAL / self.turns.len() as u32).clamp(QUICK_MIN, QUICK_MAX)
    }

    async fn point(&self, ply: usize, time: Duration) -> Result<PlyReport, Problem> {
        let side = self.turns[ply];
        if let Some(outcome) = self.outcome.filter(|_| ply + 1 == self.turns.len()) {
            let by = outcome.by.map_or(1, |by| by as i16);
            let value = outcome.winner.map_or(0, |winner| if winner == Side::First { by } else { -by });
            return Ok(PlyReport { ply, turn: None, value, chance: None, exact: true, made: None });
        }
        let moves = self.analyse_ply(ply, time).await?.moves;
        let made = self.record.moves.get(ply).and_then(|text| PlayedMove::of(text, side, &moves));
        let best = moves.first();
        let (value, chance) = best.map_or((Margin(0), None), |best| (best.value, best.chance));
        let first = side == Side::First;
        Ok(PlyReport {
            ply,
            turn: Some(side.into()),
            value: if first { value.0 } else { -value.0 },
            chance: chance.map(|chance| if first { chance } else { 1.0 - chance }),
            // The best move is proven only if no other move can be better.
            exact: best.is_some_and(|best| {
                best.proved.are_exact() && moves.iter().all(|other| other.proved.hi <= best.value)
            }),
            made,
        })
    }

    async fn analyse_ply(&self, ply: usize, time: Duration) -> Result<CachedAnalysis, Problem> {
        let record = Record { moves: self.record.moves[..ply].to_vec(), ..self.record.clone() };
        let known = self.analysis.cached(&record);
        match known.filter(|cached| cached.time >= time || all_proven(&cached.moves)) {
            Some(cached) => Ok(cached),
            None => self.analysis.analyse(&self.host, &record, time, &self.ticket).await,
        }
    }

    /// Copies a proven value of the next position to the move that led to it. Returns whether that changed anything.
    fn propagate_proof(&mut self, ply: usize) -> bool {
        let is_last_move = ply + 2 == self.turns.len();
        if is_last_move && self.outcome.is_some() && !self.outcome_is_value {
            return false;
        }
        let Some(value) = self.points.get(&(ply + 1)).filter(|next| next.exact).map(|next| next.value) else {
            return false;
        };
        let made = self.points.get_mut(&ply).and_then(|point| point.made.as_mut());
        let Some(made) = made.filter(|made| !made.exact) else { return false };
        made.value = if made.side == SideWord::First { value } else { -value };
        (made.chance, made.exact) = (None, true);
        made.compare_with_best();
        true
    }

    /// The plies of moves with the largest estimated losses, the worst last.
    fn suspicious_plies(&self) -> Vec<usize> {
        let made = |point: &PlyReport| {
            point.made.clone().filter(|made| made.gave >= MIN_SUSPICIOUS_LOSS && !made.is_proven())
        };
        let mut suspicious: Vec<(i64, usize)> = self
            .points
            .values()
            .filter_map(|point| made(point).map(|made| (made.severity().1, point.ply)))
            .collect();
        suspicious.sort_unstable();
        let fewest = suspicious.len().saturating_sub(MAX_RECHECKED);
        suspicious.split_off(fewest).into_iter().map(|(_, ply)| ply).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(value: i16, best_value: i16, exact: bool) -> PlayedMove {
        let (mv, best) = ("a".to_string(), "b".to_string());
        let mut made = PlayedMove {
            mv,
            side: SideWord::First,
            value,
            chance: None,
            exact,
            best,
            best_value,
            best_chance: None,
            best_exact: exact,
            gave: 0.0,
            turned: false,
        };
        made.compare_with_best();
        made
    }

    #[test]
    fn any_proven_loss_is_a_mistake_and_a_small_estimated_one_is_not() {
        assert!(made(2, 3, true).is_mistake() && !made(2, 3, true).turned);
        assert!(made(0, 1, true).turned && made(-1, 0, true).turned);
        assert!(!made(2, 3, false).is_mistake());
        assert!(made(-2, 3, false).is_mistake());
        assert!(made(0, 1, true).severity() > made(2, 9, true).severity(), "the outcome counts first");
    }

    #[test]
    fn a_move_with_the_best_known_value_has_no_loss() {
        let better = made(5, 3, false);
        assert_eq!((better.best.as_str(), better.gave), ("a", 0.0));
    }
}
