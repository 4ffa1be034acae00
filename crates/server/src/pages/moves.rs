//! The list of a game's moves, in rounds: whoever moves twice running stands in one box.

use maud::{Markup, html};
use parlor_core::Side;

/// The moves as links, that of the ply `now` pointed out.
pub fn move_list<T: AsRef<str>>(
    moves: &[T],
    movers: &[Side],
    now: usize,
    link: impl Fn(usize) -> String,
) -> Markup {
    if moves.is_empty() {
        return html! { p.muted { "None yet." } };
    }
    let mut rounds: Vec<[Vec<(usize, &str)>; 2]> = Vec::new();
    let mut before = None;
    for (i, (text, &side)) in moves.iter().zip(movers).enumerate() {
        if rounds.is_empty() || (side == Side::First && before != Some(Side::First)) {
            rounds.push(Default::default());
        }
        if let Some(round) = rounds.last_mut() {
            round[side.index()].push((i + 1, text.as_ref()));
        }
        before = Some(side);
    }
    let long = moves.iter().any(|text| text.as_ref().chars().count() > 4);
    html! {
        ol.moves.long[long] {
            @for round in &rounds {
                li {
                    @for side in round {
                        span {
                            @for &(ply, text) in side {
                                a href=(link(ply)) .now[ply == now] aria-current=[(ply == now).then_some("true")] { (text) }
                                " "
                            }
                        }
                    }
                }
            }
        }
    }
}
