//! What a move is worth, for programs and for people: the number, whether it is proven, and the words for it.

use parlor_catalog::{Hosted, Judgement};
use parlor_core::Margin;
use serde::Serialize;
use std::cmp::Ordering;
use utoipa::ToSchema;

/// A move and its value, from the point of view of the side that makes it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Worth {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The margin (negative: loses): proven if `exact`, otherwise an estimate.
    pub value: i16,
    /// The win probability, if that was estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance: Option<f32>,
    /// Whether the value is proven.
    pub exact: bool,
    /// Whether the proof rests on hashes of positions, which might collide.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_hash: bool,
    /// Proven lower bound of the value.
    pub lo: i16,
    /// Proven upper bound of the value.
    pub hi: i16,
    /// The value in words.
    pub words: String,
    /// The principal variation, starting with the move.
    pub line: Vec<String>,
    /// Positions searched.
    pub nodes: u64,
}

impl Worth {
    pub fn of(host: &dyn Hosted, judgement: &Judgement) -> Worth {
        Worth {
            mv: judgement.mv.clone(),
            value: judgement.value.0,
            chance: judgement.chance.map(|chance| (chance * 1000.0).round() / 1000.0),
            exact: judgement.proved.are_exact(),
            by_hash: judgement.by_hash,
            lo: judgement.proved.lo.0,
            hi: judgement.proved.hi.0,
            words: words_of(host, judgement),
            line: judgement.line.clone(),
            nodes: judgement.nodes,
        }
    }
}

/// The value as it stands on a chip or a badge: `+3`, `0`, `57%`.
pub fn text_of(value: Margin, chance: Option<f32>) -> String {
    match (chance, value.0) {
        (Some(chance), _) => format!("{:.0}%", chance * 100.0),
        (None, 0) => "0".to_string(),
        (None, 1..) => format!("+{}", value.0),
        (None, _) => format!("−{}", value.0.unsigned_abs()),
    }
}

/// Whether it is good for who has it: `win`, `loss`, `draw`, or nothing where nobody knows.
pub fn class_of(value: Margin, chance: Option<f32>, exact: bool) -> &'static str {
    let sign = chance.map_or(i32::from(value.0), |chance| ((chance - 0.5) * 20.0) as i32);
    match sign.signum() {
        1 => "win",
        -1 => "loss",
        _ if exact => "draw",
        _ => "",
    }
}

/// How much of it is proven, in words; nothing where it is all estimated.
pub fn sort_of(judgement: &Judgement) -> &'static str {
    let (lo, hi) = (judgement.proved.lo.0, judgement.proved.hi.0);
    match judgement.proved.are_exact() {
        true if judgement.by_hash => "proven, up to hash collisions",
        true => "proven",
        false if lo > 0 => "proven win",
        false if hi < 0 => "proven loss",
        false => "",
    }
}

/// The worth in words: `8 beans ahead`, `about 3 beans ahead`, `about 57% win probability`.
pub fn words_of(host: &dyn Hosted, judgement: &Judgement) -> String {
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

/// How far ahead it leaves who has it: the margin, or what is expected where chances are estimated.
pub fn lead(value: Margin, chance: Option<f32>) -> f32 {
    chance.map_or(f32::from(value.0), |chance| 2.0 * chance - 1.0)
}

/// What two looks at the same position say together: a proof is never lost, and the later estimate counts.
pub(super) fn together(before: &[Judgement], mut now: Vec<Judgement>) -> Vec<Judgement> {
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

/// The better first; among equals what is proven.
fn best_first(one: &Judgement, other: &Judgement) -> Ordering {
    let merit = |j: &Judgement| lead(j.value, j.chance);
    let by_worth = merit(other).total_cmp(&merit(one));
    by_worth.then_with(|| other.proved.are_exact().cmp(&one.proved.are_exact()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::Bounds;

    fn judgement(mv: &str, value: i16, lo: i16, hi: i16) -> Judgement {
        let proved = Bounds { lo: Margin(lo), hi: Margin(hi) };
        let (mv, line) = (mv.to_string(), vec![mv.to_string()]);
        Judgement { mv, value: Margin(value), chance: None, proved, by_hash: false, line, nodes: 1 }
    }

    #[test]
    fn a_proof_is_never_lost_to_a_later_estimate() {
        let before = [judgement("a", -4, -4, -4), judgement("b", 0, -9, 3)];
        let now = vec![judgement("a", 2, -9, 9), judgement("b", 8, -9, 9)];
        let both = together(&before, now);
        assert_eq!(both[0], judgement("b", 3, -9, 3), "what bounded it still does");
        assert_eq!(both[1], before[0]);
    }

    #[test]
    fn proven_and_estimated_are_told_apart_in_words() {
        let host = parlor_catalog::game("kalah").expect("a game");
        let (sure, guess) = (judgement("a", 8, 8, 8), judgement("a", 8, -48, 48));
        assert_eq!(words_of(host.as_ref(), &sure), "8 beans ahead");
        assert_eq!(words_of(host.as_ref(), &guess), "about 8 beans ahead");
        assert_eq!((sort_of(&sure), sort_of(&guess)), ("proven", ""));
        assert_eq!(text_of(Margin(-3), None), "−3");
        assert_eq!(text_of(Margin(1), Some(0.568)), "57%");
        assert_eq!(class_of(Margin(0), None, false), "");
        assert_eq!(class_of(Margin(0), Some(0.2), false), "loss");
    }
}
