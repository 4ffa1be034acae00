//! One position, judged with more and more time: a first estimate at once, proofs as they come, until every move is proven or
//! patience ends. Whoever drops a study stops it.

use super::{
    Line,
    analysts::{Analysis, Kept, Ticket},
    move_value::Worth,
};
use crate::{problem::Problem, wire::SideWord};
use parlor_catalog::{Hosted, Judgement};
use parlor_core::Record;
use serde::Serialize;
use std::{net::IpAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};
use utoipa::ToSchema;

/// How long each look takes; the last one ends the patience.
const STAGES: [Duration; 4] = [
    Duration::from_millis(40),
    Duration::from_millis(300),
    Duration::from_millis(1660),
    Duration::from_secs(6),
];

pub struct Study {
    analysis: Analysis,
    host: Arc<dyn Hosted>,
    record: Record,
    turn: SideWord,
    position: String,
    over: bool,
    ticket: Ticket,
    known: Option<Kept>,
    /// Time limit for all searches of this position together.
    patience: Duration,
    spent: Duration,
    stage: usize,
    ended: bool,
}

/// What is known of a position.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Verdict {
    /// The game's spec.
    pub game: String,
    /// The position in the game's notation.
    pub position: String,
    /// How many moves led to it.
    pub ply: usize,
    /// Who is to move; nobody after the end.
    pub turn: Option<SideWord>,
    /// Whether nothing more will come.
    pub done: bool,
    /// Whether the value of every move is proven.
    pub proven: bool,
    /// The place in the queue of the rest of the analysis, where the time was over before its turn; else left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<usize>,
    /// Every legal move, the best first; none after the end of the game.
    pub moves: Vec<Worth>,
    /// The same as the analyst said it.
    #[serde(skip)]
    pub judged: Arc<Vec<Judgement>>,
}

impl Study {
    pub fn begin(
        analysis: &Analysis,
        line: &Line,
        patience: Option<Duration>,
        visitor: IpAddr,
    ) -> Result<Study, Problem> {
        line.must_be_free()?;
        let record = line.record_at(line.ply);
        Ok(Study {
            analysis: analysis.clone(),
            host: line.host.clone(),
            turn: line.board.turn().into(),
            position: line.board.position(),
            over: line.board.ending().is_some(),
            ticket: analysis.ticket(visitor)?,
            known: analysis.known(&record),
            record,
            patience: patience.unwrap_or_else(|| STAGES.iter().sum()),
            spent: Duration::ZERO,
            stage: 0,
            ended: false,
        })
    }

    /// The verdict that needs no search.
    pub fn at_sight(&self) -> Option<Verdict> {
        let done = self.next_stage().is_none();
        self.known.as_ref().map(|kept| self.verdict(kept, done))
    }

    /// The next that is known; none after the last.
    pub async fn next(&mut self) -> Option<Result<Verdict, Problem>> {
        if self.ended {
            return None;
        }
        let told = self.stage == 0;
        let stage = self.next_stage();
        match (stage, &self.known) {
            _ if self.over => {
                self.ended = true;
                Some(Ok(self.verdict(&Kept { time: Duration::ZERO, moves: Arc::default() }, true)))
            }
            (None, Some(kept)) => {
                self.ended = true;
                Some(Ok(self.verdict(&kept.clone(), true)))
            }
            // What was found out before is told before more is found out.
            (Some((at, _)), Some(kept)) if told && at > 0 => {
                self.stage = at;
                Some(Ok(self.verdict(&kept.clone(), false)))
            }
            (Some((at, time)), _) => Some(self.look(at, time).await),
            (None, None) => None,
        }
    }

    /// The next look that could tell more, if there is one within the patience.
    fn next_stage(&self) -> Option<(usize, Duration)> {
        let known = self.known.as_ref();
        if known.is_some_and(|kept| all_proven(&kept.moves)) {
            return None;
        }
        let left = self.patience.saturating_sub(self.spent);
        let stages = STAGES.iter().enumerate().skip(self.stage);
        let mut wanted = stages.filter(|(_, time)| known.is_none_or(|kept| kept.time < **time));
        let (at, time) = wanted.next().map(|(at, time)| (at, (*time).min(left)))?;
        (known.is_none() || time >= STAGES[0]).then_some((at, time))
    }

    async fn look(&mut self, at: usize, time: Duration) -> Result<Verdict, Problem> {
        match self.analysis.judge(&self.host, &self.record, time, &self.ticket).await {
            Ok(kept) => {
                self.spent += time;
                self.stage = at + 1;
                self.known = Some(kept.clone());
                self.ended = self.next_stage().is_none();
                Ok(self.verdict(&kept, self.ended))
            }
            Err(problem) => {
                self.ended = true;
                Err(problem)
            }
        }
    }

    /// Its place in the queue while it waits for a thread.
    pub fn place(&self) -> watch::Receiver<Option<usize>> {
        self.ticket.place()
    }

    /// All of it at once: the last verdict. Where it is still in the queue after `limit`, the last one that is known, with the
    /// place in the queue, or a refusal with that place.
    pub async fn finish(mut self, limit: Duration) -> Result<Verdict, Problem> {
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
            (Some(verdict), queue) => Ok(Verdict { queue, ..verdict }),
            (None, Some(place)) => Err(Problem::Queued(place)),
            (None, None) => Err(Problem::Broken("the analysis ended without a result".to_string())),
        }
    }

    fn verdict(&self, kept: &Kept, done: bool) -> Verdict {
        Verdict {
            game: self.record.game.clone(),
            position: self.position.clone(),
            ply: self.record.moves.len(),
            turn: (!self.over).then_some(self.turn),
            done,
            queue: None,
            proven: all_proven(&kept.moves),
            moves: kept.moves.iter().map(|judgement| Worth::of(self.host.as_ref(), judgement)).collect(),
            judged: kept.moves.clone(),
        }
    }
}

pub(super) fn all_proven(moves: &[Judgement]) -> bool {
    moves.iter().all(|judgement| judgement.proved.are_exact())
}
