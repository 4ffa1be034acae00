//! Progressive analysis of one position: an estimate at once, then longer searches until every move is proven or the time limit is
//! reached. Dropping the analysis stops it.

use super::{
    AnalysisLine,
    analysts::{Analysis, CachedAnalysis, Ticket},
    move_value::MoveValue,
};
use crate::{problem::Problem, wire::SideWord};
use parlor_catalog::{DynGame, MoveAnalysis};
use parlor_core::Record;
use serde::Serialize;
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};
use utoipa::ToSchema;

/// Duration of each search; their sum is the default time limit.
const STAGES: [Duration; 4] = [
    Duration::from_millis(40),
    Duration::from_millis(300),
    Duration::from_millis(1660),
    Duration::from_secs(6),
];

pub struct PositionAnalysis {
    analysis: Analysis,
    host: Arc<dyn DynGame>,
    record: Record,
    turn: SideWord,
    position: String,
    over: bool,
    ticket: Ticket,
    known: Option<CachedAnalysis>,
    /// Time limit for all searches of this position together.
    time_limit: Duration,
    spent: Duration,
    stage: usize,
    ended: bool,
}

/// The values of all moves of a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PositionReport {
    /// The spec of the game, such as `kalah:6,4`.
    pub game: String,
    /// The position in the game's notation.
    pub position: String,
    /// Number of moves that led to the position.
    pub ply: usize,
    /// The side to move; null after the end.
    pub turn: Option<SideWord>,
    /// Whether this is the last report.
    pub done: bool,
    /// Whether the value of every move is proven.
    pub proven: bool,
    /// The place in the queue, if the time limit was reached before the rest of the analysis started; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<usize>,
    /// All legal moves, best first; empty after the end of the game.
    pub moves: Vec<MoveValue>,
    /// The same moves in the form in which the analyst returned them.
    #[serde(skip)]
    pub judged: Arc<Vec<MoveAnalysis>>,
}

impl PositionAnalysis {
    pub fn begin(
        analysis: &Analysis,
        line: &AnalysisLine,
        time_limit: Option<Duration>,
        visitor: IpAddr,
    ) -> Result<PositionAnalysis, Problem> {
        line.refuse_live_game()?;
        let record = line.record_at(line.ply);
        Ok(PositionAnalysis {
            analysis: analysis.clone(),
            host: line.host.clone(),
            turn: line.board.turn().into(),
            position: line.board.position(),
            over: line.board.ending().is_some(),
            ticket: analysis.ticket(visitor)?,
            known: analysis.cached(&record),
            record,
            time_limit: time_limit.unwrap_or_else(|| STAGES.iter().sum()),
            spent: Duration::ZERO,
            stage: 0,
            ended: false,
        })
    }

    /// The cached report, without any search.
    pub fn cached(&self) -> Option<PositionReport> {
        let done = self.next_stage().is_none();
        self.known.as_ref().map(|cached| self.report(cached, done))
    }

    /// The next report; `None` after the last.
    pub async fn next(&mut self) -> Option<Result<PositionReport, Problem>> {
        if self.ended {
            return None;
        }
        let is_first = self.stage == 0;
        let stage = self.next_stage();
        match (stage, &self.known) {
            _ if self.over => {
                self.ended = true;
                Some(Ok(self.report(&CachedAnalysis { time: Duration::ZERO, moves: Arc::default() }, true)))
            }
            (None, Some(cached)) => {
                self.ended = true;
                Some(Ok(self.report(&cached.clone(), true)))
            }
            // The cached result is reported before the next search.
            (Some((at, _)), Some(cached)) if is_first && at > 0 => {
                self.stage = at;
                Some(Ok(self.report(&cached.clone(), false)))
            }
            (Some((at, time)), _) => Some(self.search_stage(at, time).await),
            (None, None) => None,
        }
    }

    /// The next search that can improve the result within the time limit.
    fn next_stage(&self) -> Option<(usize, Duration)> {
        let known = self.known.as_ref();
        if known.is_some_and(|cached| all_proven(&cached.moves)) {
            return None;
        }
        let left = self.time_limit.saturating_sub(self.spent);
        let stages = STAGES.iter().enumerate().skip(self.stage);
        let mut wanted = stages.filter(|(_, time)| known.is_none_or(|cached| cached.time < **time));
        let (at, time) = wanted.next().map(|(at, time)| (at, (*time).min(left)))?;
        (known.is_none() || time >= STAGES[0]).then_some((at, time))
    }

    async fn search_stage(&mut self, at: usize, time: Duration) -> Result<PositionReport, Problem> {
        match self.analysis.analyse(&self.host, &self.record, time, &self.ticket).await {
            Ok(cached) => {
                self.spent += time;
                self.stage = at + 1;
                self.known = Some(cached.clone());
                self.ended = self.next_stage().is_none();
                Ok(self.report(&cached, self.ended))
            }
            Err(problem) => {
                self.ended = true;
                Err(problem)
            }
        }
    }

    /// The place in the queue, while the analysis waits for a thread.
    pub fn place(&self) -> watch::Receiver<Option<usize>> {
        self.ticket.place()
    }

    /// Runs to the end and returns the last report. If the analysis still waits in the queue after `limit`, returns the latest
    /// report with the place in the queue, or [`Problem::Queued`] if there is none.
    pub async fn finish(mut self, limit: Duration) -> Result<PositionReport, Problem> {
        let (mut last, place) = (None, self.place());
        let all = timeout(limit, async {
            while let Some(next) = self.next().await {
                last = Some(next?);
            }
            Ok::<(), Problem>(())
        });
        let queue = match all.await {
            Ok(ended) => ended.map(|()| None)?,
            Err(_) => Some((*place.borrow()).unwrap_or(1)),
        };
        match (last, queue) {
            (Some(report), queue) => Ok(PositionReport { queue, ..report }),
            (None, Some(place)) => Err(Problem::Queued(place)),
            (None, None) => Err(Problem::Broken("the analysis ended without a result".to_string())),
        }
    }

    fn report(&self, cached: &CachedAnalysis, done: bool) -> PositionReport {
        PositionReport {
            game: self.record.game.clone(),
            position: self.position.clone(),
            ply: self.record.moves.len(),
            turn: (!self.over).then_some(self.turn),
            done,
            queue: None,
            proven: all_proven(&cached.moves),
            moves: cached
                .moves
                .iter()
                .map(|judgement| MoveValue::of(self.host.as_ref(), judgement))
                .collect(),
            judged: cached.moves.clone(),
        }
    }
}

pub(super) fn all_proven(moves: &[MoveAnalysis]) -> bool {
    moves.iter().all(|judgement| judgement.proved.are_exact())
}
