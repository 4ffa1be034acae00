//! The value of a move, for the API and for pages: the number, whether it is proven, and its description.

use parlor_catalog::{DynGame, MoveAnalysis};
use parlor_core::Margin;
use serde::Serialize;
use std::cmp::Ordering;
use utoipa::ToSchema;

/// The value of a move for the side that makes it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MoveValue {
    /// The move in the notation of the game.
    #[serde(rename = "move")]
    pub mv: String,
    /// The margin of the win, negative for a loss: proven if `exact`, else an estimate.
    pub value: i16,
    /// The winning chance after the move, if it was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Whether the value is proven.
    pub exact: bool,
    /// Whether the proof relies on position hashes, which might collide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_hash: bool,
    /// The proven lower bound of the value.
    pub lo: i16,
    /// The proven upper bound of the value.
    pub hi: i16,
    /// The value in words, such as `about 3 beans ahead`.
    pub words: String,
    /// The principal variation: the best line found, beginning with the move.
    pub line: Vec<String>,
    /// Number of positions searched for this move.
    pub nodes: u64,
}

impl MoveValue {
    pub fn of(host: &dyn DynGame, judgement: &MoveAnalysis) -> MoveValue {
        MoveValue {
            mv: judgement.mv.clone(),
            value: judgement.value.0,
            chance: judgement.chance.map(|chance| (chance * 1000.0).round() / 1000.0),
            exact: judgement.proved.are_exact(),
            by_hash: judgement.by_hash,
            lo: judgement.proved.lo.0,
            hi: judgement.proved.hi.0,
            words: value_words(host, judgement),
            line: judgement.line.clone(),
            nodes: judgement.nodes,
        }
    }
}

/// The value as a short text for a badge: `+3`, `0`, `57%`.
pub fn value_text(value: Margin, chance: Option<f32>) -> String {
    match (chance, value.0) {
        (Some(chance), _) => format!("{:.0}%", chance * 100.0),
        (None, 0) => "0".to_string(),
        (None, 1..) => format!("+{}", value.0),
        (None, _) => format!("−{}", value.0.unsigned_abs()),
    }
}

/// The CSS class of a value: `win`, `loss`, `draw`, or empty if it is unknown.
pub fn value_class(value: Margin, chance: Option<f32>, exact: bool) -> &'static str {
    let sign = chance.map_or(i32::from(value.0), |chance| ((chance - 0.5) * 20.0) as i32);
    match sign.signum() {
        1 => "win",
        -1 => "loss",
        _ if exact => "draw",
        _ => "",
    }
}

/// How much of the value is proven, in words; empty for an estimate.
pub fn proof_text(judgement: &MoveAnalysis) -> &'static str {
    let (lo, hi) = (judgement.proved.lo.0, judgement.proved.hi.0);
    match judgement.proved.are_exact() {
        true if judgement.by_hash => "proven, up to hash collisions",
        true => "proven",
        false if lo > 0 => "proven win",
        false if hi < 0 => "proven loss",
        false => "",
    }
}

/// The value in words: `8 beans ahead`, `about 3 beans ahead`, `about 57% win probability`.
pub fn value_words(host: &dyn DynGame, judgement: &MoveAnalysis) -> String {
    match (judgement.chance, judgement.proved.are_exact()) {
        (_, true) => host.describe(judgement.value),
        (Some(chance), _) => format!("about {:.0}% win probability", chance * 100.0),
        (None, false) if judgement.value.0 == 0 => "about even".to_string(),
        (None, false) => {
            let described = host.describe(judgement.value);
            let is_amount = described.starts_with(|c: char| c.is_ascii_digit());
            format!("{} {described}", if is_amount { "about" } else { "probably" })
        }
    }
}

/// The expected lead of the side to move: the margin, or the expected result if a winning chance was estimated.
pub fn expected_lead(value: Margin, chance: Option<f32>) -> f32 {
    chance.map_or(f32::from(value.0), |chance| 2.0 * chance - 1.0)
}

/// Merges two analyses of the same position: proofs are kept, and later estimates replace earlier ones.
pub(super) fn merge(before: &[MoveAnalysis], mut now: Vec<MoveAnalysis>) -> Vec<MoveAnalysis> {
    for judgement in &mut now {
        let Some(known) = before.iter().find(|known| known.mv == judgement.mv) else { continue };
        if judgement.proved.are_exact() {
            continue;
        }
        if known.proved.are_exact() {
            *judgement = known.clone();
        } else {
            judgement.proved = judgement.proved.and(known.proved);
            judgement.value = judgement.value.clamp(judgement.proved.lo, judgement.proved.hi);
        }
    }
    now.sort_by(best_first);
    now
}

/// Best move first; of equal values the proven one.
fn best_first(one: &MoveAnalysis, other: &MoveAnalysis) -> Ordering {
    let lead = |j: &MoveAnalysis| expected_lead(j.value, j.chance);
    let by_lead = lead(other).total_cmp(&lead(one));
    by_lead.then_with(|| other.proved.are_exact().cmp(&one.proved.are_exact()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Bounds;

    fn judgement(mv: &str, value: i16, lo: i16, hi: i16) -> MoveAnalysis {
        let proved = Bounds { lo: Margin(lo), hi: Margin(hi) };
        let (mv, line) = (mv.to_string(), vec![mv.to_string()]);
        MoveAnalysis { mv, value: Margin(value), chance: None, proved, by_hash: false, line, nodes: 1 }
    }

    #[test]
    fn a_proof_is_never_lost_to_a_later_estimate() {
        let before = [judgement("a", -4, -4, -4), judgement("b", 0, -9, 3)];
        let now = vec![judgement("a", 2, -9, 9), judgement("b", 8, -9, 9)];
        let both = merge(&before, now);
        assert_eq!(both[0], judgement("b", 3, -9, 3), "what bounded it still does");
        assert_eq!(both[1], before[0]);
    }

    #[test]
    fn words_distinguish_proven_values_and_estimates() {
        let host = parlor_catalog::game("kalah").expect("a game");
        let (sure, guess) = (judgement("a", 8, 8, 8), judgement("a", 8, -48, 48));
        assert_eq!(value_words(host.as_ref(), &sure), "8 beans ahead");
        assert_eq!(value_words(host.as_ref(), &guess), "about 8 beans ahead");
        assert_eq!((proof_text(&sure), proof_text(&guess)), ("proven", ""));
        assert_eq!(value_text(Margin(-3), None), "−3");
        assert_eq!(value_text(Margin(1), Some(0.568)), "57%");
        assert_eq!(value_class(Margin(0), None, false), "");
        assert_eq!(value_class(Margin(0), Some(0.2), false), "loss");
    }
}
