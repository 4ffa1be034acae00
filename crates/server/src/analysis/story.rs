//! How a whole game went: what every position of it was worth, what every move gave away. From its end to its start, because what
//! is proven of later positions helps with earlier ones: quickly for all of it first; then proofs as far back as they get; then the
//! moves that seem to have given the most away once more, with time.

use super::{
    Line,
    pool::{Analysis, Kept, Ticket},
    study::all_proven,
    worth::lead,
};
use crate::{problem::Problem, wire::SideWord};
use parlor_catalog::{Hosted, Judgement};
use parlor_core::{Margin, Outcome, Record, Side};
use serde::Serialize;
use std::{collections::BTreeMap, net::IpAddr, sync::Arc, time::Duration};
use tokio::sync::watch;
use utoipa::ToSchema;

/// What the first pass takes for a whole game, shared out between these for a ply.
const QUICKLY: Duration = Duration::from_secs(8);
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_millis(60);
/// How many moves are looked at once more, and for how long.
const DOUBTFUL: usize = 6;
const CAREFULLY: Duration = Duration::from_secs(1);
/// What seems to have given less away is not looked at once more.
const SUSPECT: f32 = 0.1;
/// How long the last position that is not proven may take, and then the one before it.
const ONWARD: Duration = Duration::from_millis(600);
/// Estimates differ by chance: less than this is no mistake, in margins and in chances.
const IN_MARGINS: f32 = 3.0;
const IN_CHANCES: f32 = 0.16;

/// A position of a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Point {
    /// The number of moves before the position.
    pub ply: usize,
    /// The side to move; none after the end.
    pub turn: Option<SideWord>,
    /// The margin of the first side (negative: it loses): proven if `exact`, otherwise an estimate.
    pub value: i16,
    /// The win probability of the first side, if that was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Whether the value is proven.
    pub exact: bool,
    /// The move made in this position, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
}

/// A move that was made, compared with the best move, from the point of view of its player.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Made {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The side that made it.
    pub side: SideWord,
    /// Its value.
    pub value: i16,
    /// Its win probability, if that was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Whether that is proven.
    pub exact: bool,
    /// The best move.
    pub best: String,
    /// The value of the best move.
    pub best_value: i16,
    /// The win probability of the best move, if that was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_chance: Option<f32>,
    /// Whether that is proven.
    pub best_exact: bool,
    /// The loss in value compared with the best move: a margin, or twice the win probability.
    pub gave: f32,
    /// Whether the move provably turned a win into a draw or a loss, or a draw into a loss.
    pub turned: bool,
}

impl Point {
    /// How far ahead the first side is; negative if it is behind.
    pub fn lead(&self) -> f32 {
        lead(Margin(self.value), self.chance)
    }
}

impl Made {
    fn of(text: &str, side: Side, judged: &[Judgement]) -> Option<Made> {
        let (best, made) = (judged.first()?, judged.iter().find(|judgement| judgement.mv == text)?);
        let mut all = Made {
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
        all.weigh();
        Some(all)
    }

    fn weigh(&mut self) {
        let worth = lead(Margin(self.value), self.chance);
        if worth > lead(Margin(self.best_value), self.best_chance) {
            // More is known of the move that was made than of the others: nothing better is known.
            self.best.clone_from(&self.mv);
            (self.best_value, self.best_chance) = (self.value, self.chance);
            self.best_exact = self.exact;
        }
        self.gave = lead(Margin(self.best_value), self.best_chance) - worth;
        let sure = self.exact && self.best_exact;
        self.turned = sure && self.best_value.signum() != self.value.signum();
    }

    /// Whether both sides of the comparison are proven.
    pub fn is_sure(&self) -> bool {
        self.exact && self.best_exact
    }

    pub fn is_mistake(&self) -> bool {
        let chances = self.chance.is_some() || self.best_chance.is_some();
        let least = if chances { IN_CHANCES } else { IN_MARGINS };
        if self.is_sure() { self.gave > 0.0 } else { self.gave >= least }
    }

    /// What has more of it is worse: who turned the outcome, then who gave more away.
    pub fn gravity(&self) -> (bool, i64) {
        (self.turned, (self.gave * 1000.0) as i64)
    }
}

/// The pass over the game that comes next.
enum Pass {
    /// A short search of every position.
    Quick,
    /// Back from the first position that is proven, for as long as that gets on; so many failures so far.
    Onward(usize),
    /// The plies to look at once more, the worst last.
    Doubtful(Vec<usize>),
}

pub struct Story {
    analysis: Analysis,
    host: Arc<dyn Hosted>,
    record: Record,
    /// The side to move at each ply.
    turns: Vec<Side>,
    /// How it came out, where the moves say so.
    outcome: Option<Outcome>,
    /// Whether that is also the value of the last position: not where the rules stop a decided game early.
    outcome_is_value: bool,
    ticket: Ticket,
    /// From the end back to the start: what was proven of later positions helps with earlier ones.
    points: BTreeMap<usize, Point>,
    pass: Pass,
    ended: bool,
}

impl Story {
    pub fn begin(analysis: &Analysis, line: &Line, visitor: IpAddr) -> Result<Story, Problem> {
        line.must_be_free()?;
        let whole = line.host.replay(&line.record).map_err(|bad| Problem::BadInput(bad.0))?;
        let turns = line.movers.iter().copied().chain([whole.turn()]).collect();
        Ok(Story {
            analysis: analysis.clone(),
            host: line.host.clone(),
            record: line.record.clone(),
            turns,
            outcome: whole.ending().and_then(|ending| ending.outcome),
            outcome_is_value: line.host.ends_as_valued(&line.record),
            ticket: analysis.ticket(visitor)?,
            points: BTreeMap::new(),
            pass: Pass::Quick,
            ended: false,
        })
    }

    /// All that was found out before, if it was.
    pub fn known(analysis: &Analysis, line: &Line) -> Option<Arc<Vec<Point>>> {
        if line.is_running() { None } else { analysis.known_story(&line.record) }
    }

    /// Whether no more points follow.
    pub fn is_over(&self) -> bool {
        self.ended
    }

    /// Its place in the queue while it waits for a thread.
    pub fn place(&self) -> watch::Receiver<Option<usize>> {
        self.ticket.place()
    }

    /// Everything so far, in the order of the game.
    pub fn points(&self) -> Vec<Point> {
        self.points.values().cloned().collect()
    }

    /// The points that are new or known better; none after the last.
    pub async fn next(&mut self) -> Option<Result<Vec<Point>, Problem>> {
        if self.ended {
            return None;
        }
        if self.points.is_empty()
            && let Some(known) = self.analysis.known_story(&self.record)
        {
            self.ended = true;
            self.points = known.iter().map(|point| (point.ply, point.clone())).collect();
            return Some(Ok(known.to_vec()));
        }
        let told = self.go_on().await;
        self.ended |= told.is_err();
        Some(told)
    }

    async fn go_on(&mut self) -> Result<Vec<Point>, Problem> {
        let Some((ply, time)) = self.wanted() else {
            self.ended = true;
            self.analysis.keep_story(&self.record, self.points());
            return Ok(Vec::new());
        };
        let point = self.point(ply, time).await?;
        if let Pass::Onward(failures) = &mut self.pass {
            *failures += usize::from(!point.exact);
        }
        self.points.insert(ply, point);
        self.look_ahead(ply);
        let before = ply.checked_sub(1).filter(|before| self.look_ahead(*before));
        Ok(before.into_iter().chain([ply]).filter_map(|ply| self.points.get(&ply).cloned()).collect())
    }

    /// The next ply to analyse and its time limit; `None` when the report is complete.
    fn wanted(&mut self) -> Option<(usize, Duration)> {
        if let Pass::Quick = self.pass {
            if self.points.len() < self.turns.len() {
                return Some((self.turns.len() - 1 - self.points.len(), self.glance()));
            }
            self.pass = Pass::Onward(0);
        }
        if let Pass::Onward(failures) = self.pass {
            let open = self.points.values().rfind(|point| !point.exact).map(|point| point.ply);
            if let Some(ply) = open.filter(|_| failures == 0) {
                return Some((ply, ONWARD));
            }
            self.pass = Pass::Doubtful(self.doubts());
        }
        match &mut self.pass {
            Pass::Doubtful(doubtful) => doubtful.pop().map(|ply| (ply, CAREFULLY)),
            _ => None,
        }
    }

    fn glance(&self) -> Duration {
        (QUICKLY / self.turns.len() as u32).clamp(SHORTEST, LONGEST)
    }

    async fn point(&self, ply: usize, time: Duration) -> Result<Point, Problem> {
        let side = self.turns[ply];
        if let Some(outcome) = self.outcome.filter(|_| ply + 1 == self.turns.len()) {
            let by = outcome.by.map_or(1, |by| by as i16);
            let value = outcome.winner.map_or(0, |winner| if winner == Side::First { by } else { -by });
            return Ok(Point { ply, turn: None, value, chance: None, exact: true, made: None });
        }
        let moves = self.judged(ply, time).await?.moves;
        let made = self.record.moves.get(ply).and_then(|text| Made::of(text, side, &moves));
        let best = moves.first();
        let (value, chance) = best.map_or((Margin(0), None), |best| (best.value, best.chance));
        let first = side == Side::First;
        Ok(Point {
            ply,
            turn: Some(side.into()),
            value: if first { value.0 } else { -value.0 },
            chance: chance.map(|chance| if first { chance } else { 1.0 - chance }),
            // The best is proven only if nothing can be better.
            exact: best.is_some_and(|best| {
                best.proved.are_exact() && moves.iter().all(|other| other.proved.hi <= best.value)
            }),
            made,
        })
    }

    async fn judged(&self, ply: usize, time: Duration) -> Result<Kept, Problem> {
        let record = Record { moves: self.record.moves[..ply].to_vec(), ..self.record.clone() };
        let known = self.analysis.known(&record);
        match known.filter(|kept| kept.time >= time || all_proven(&kept.moves)) {
            Some(kept) => Ok(kept),
            None => self.analysis.judge(&self.host, &record, time, &self.ticket).await,
        }
    }

    /// What is proven of a position is proven of the move that led to it. Whether that changed anything.
    fn look_ahead(&mut self, ply: usize) -> bool {
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
        made.weigh();
        true
    }

    /// The plies whose moves seem to have given the most away without a proof, the worst last.
    fn doubts(&self) -> Vec<usize> {
        let made = |point: &Point| point.made.clone().filter(|made| made.gave >= SUSPECT && !made.is_sure());
        let mut doubtful: Vec<(i64, usize)> = self
            .points
            .values()
            .filter_map(|point| made(point).map(|made| (made.gravity().1, point.ply)))
            .collect();
        doubtful.sort_unstable();
        let fewest = doubtful.len().saturating_sub(DOUBTFUL);
        doubtful.split_off(fewest).into_iter().map(|(_, ply)| ply).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(value: i16, best_value: i16, exact: bool) -> Made {
        let (mv, best) = ("a".to_string(), "b".to_string());
        let mut made = Made {
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
        made.weigh();
        made
    }

    #[test]
    fn a_proven_loss_of_anything_is_a_mistake_and_a_small_doubt_is_none() {
        assert!(made(2, 3, true).is_mistake() && !made(2, 3, true).turned);
        assert!(made(0, 1, true).turned && made(-1, 0, true).turned);
        assert!(!made(2, 3, false).is_mistake());
        assert!(made(-2, 3, false).is_mistake());
        assert!(made(0, 1, true).gravity() > made(2, 9, true).gravity(), "the outcome counts first");
    }

    #[test]
    fn nothing_is_better_than_what_is_known_to_be_best() {
        let better = made(5, 3, false);
        assert_eq!((better.best.as_str(), better.gave), ("a", 0.0));
    }
}
