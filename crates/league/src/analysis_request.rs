//! Analysis requests and their answers as JSON, for workers in other processes. Both ends are this
//! program.

use parlor_catalog::Judgement;
use parlor_core::{Bounds, Margin, Record};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A position to be analysed by a worker.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisRequest {
    pub record: Record,
    /// Time limit of the search.
    pub time: Duration,
}

#[derive(Serialize, Deserialize)]
struct Asked {
    game: String,
    start: Option<String>,
    moves: Vec<String>,
    millis: u64,
}

#[derive(Serialize, Deserialize)]
struct Judged {
    mv: String,
    value: i16,
    chance: Option<f32>,
    lo: i16,
    hi: i16,
    by_hash: bool,
    line: Vec<String>,
    nodes: u64,
}

impl AnalysisRequest {
    pub fn text(&self) -> String {
        let Record { game, start, moves, .. } = self.record.clone();
        let millis = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX);
        serde_json::to_string(&Asked { game, start, moves, millis }).unwrap_or_default()
    }

    /// Reads what [`AnalysisRequest::text`] writes.
    pub fn read(text: &str) -> Option<AnalysisRequest> {
        let Asked { game, start, moves, millis } = serde_json::from_str(text).ok()?;
        let record = Record { game, start, moves, ..Record::default() };
        Some(AnalysisRequest { record, time: Duration::from_millis(millis) })
    }
}

pub fn answer_text(moves: &[Judgement]) -> String {
    let judged = |judgement: &Judgement| Judged {
        mv: judgement.mv.clone(),
        value: judgement.value.0,
        chance: judgement.chance,
        lo: judgement.proved.lo.0,
        hi: judgement.proved.hi.0,
        by_hash: judgement.by_hash,
        line: judgement.line.clone(),
        nodes: judgement.nodes,
    };
    serde_json::to_string(&moves.iter().map(judged).collect::<Vec<_>>()).unwrap_or_default()
}

/// Reads what [`answer_text`] writes.
pub fn read_answer(text: &str) -> Option<Vec<Judgement>> {
    let judged: Vec<Judged> = serde_json::from_str(text).ok()?;
    let judgement = |Judged { mv, value, chance, lo, hi, by_hash, line, nodes }| Judgement {
        mv,
        value: Margin(value),
        chance,
        proved: Bounds { lo: Margin(lo), hi: Margin(hi) },
        by_hash,
        line,
        nodes,
    };
    Some(judged.into_iter().map(judgement).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_answers_are_read_as_they_were_written() {
        let record = Record { game: "kalah:6,4".into(), moves: vec!["3".into()], ..Record::default() };
        let question = AnalysisRequest { record, time: Duration::from_millis(1660) };
        assert_eq!(AnalysisRequest::read(&question.text()), Some(question));
        let judgement = Judgement {
            mv: "3".into(),
            value: Margin(-2),
            chance: Some(0.25),
            proved: Bounds { lo: Margin(-48), hi: Margin(7) },
            by_hash: true,
            line: vec!["3".into(), "6".into()],
            nodes: u64::MAX,
        };
        let moves = vec![judgement];
        assert_eq!(read_answer(&answer_text(&moves)), Some(moves));
        assert_eq!((AnalysisRequest::read("{}"), read_answer("what?")), (None, None));
    }
}
