//! Analysis requests and their answers as JSON, for workers in other processes.

use parlor_catalog::MoveAnalysis;
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
struct RequestJson {
    game: String,
    start: Option<String>,
    moves: Vec<String>,
    millis: u64,
}

#[derive(Serialize, Deserialize)]
struct MoveJson {
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
        serde_json::to_string(&RequestJson { game, start, moves, millis }).unwrap_or_default()
    }

    /// Reads what [`AnalysisRequest::text`] writes.
    pub fn read(text: &str) -> Option<AnalysisRequest> {
        let RequestJson { game, start, moves, millis } = serde_json::from_str(text).ok()?;
        let record = Record { game, start, moves, ..Record::default() };
        Some(AnalysisRequest { record, time: Duration::from_millis(millis) })
    }
}

pub fn answer_text(moves: &[MoveAnalysis]) -> String {
    let moves_json = |analysis: &MoveAnalysis| MoveJson {
        mv: analysis.mv.clone(),
        value: analysis.value.0,
        chance: analysis.chance,
        lo: analysis.proved.lo.0,
        hi: analysis.proved.hi.0,
        by_hash: analysis.by_hash,
        line: analysis.line.clone(),
        nodes: analysis.nodes,
    };
    serde_json::to_string(&moves.iter().map(moves_json).collect::<Vec<_>>()).unwrap_or_default()
}

/// Reads what [`answer_text`] writes.
pub fn read_answer(text: &str) -> Option<Vec<MoveAnalysis>> {
    let moves_json: Vec<MoveJson> = serde_json::from_str(text).ok()?;
    let analysis = |MoveJson { mv, value, chance, lo, hi, by_hash, line, nodes }| MoveAnalysis {
        mv,
        value: Margin(value),
        chance,
        proved: Bounds { lo: Margin(lo), hi: Margin(hi) },
        by_hash,
        line,
        nodes,
    };
    Some(moves_json.into_iter().map(analysis).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_are_read_as_they_were_written() {
        let record = Record { game: "kalah:6,4".into(), moves: vec!["3".into()], ..Record::default() };
        let request = AnalysisRequest { record, time: Duration::from_millis(1660) };
        assert_eq!(AnalysisRequest::read(&request.text()), Some(request));
        let analysis = MoveAnalysis {
            mv: "3".into(),
            value: Margin(-2),
            chance: Some(0.25),
            proved: Bounds { lo: Margin(-48), hi: Margin(7) },
            by_hash: true,
            line: vec!["3".into(), "6".into()],
            nodes: u64::MAX,
        };
        let moves = vec![analysis];
        assert_eq!(read_answer(&answer_text(&moves)), Some(moves));
        assert_eq!((AnalysisRequest::read("{}"), read_answer("what?")), (None, None));
    }
}
