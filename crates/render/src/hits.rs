//! What people touch: one element for each target, above everything else and as large as its room, invisible until the page
//! says that it can be touched; and the badges by which an analysis tells what touching it is worth.

use crate::{
    Scene, labels,
    plan::{Plan, Rect, short},
    tokens::outline,
};
use maud::{Markup, html};
use parlor_core::{Shape, Target};

/// What touching a target is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// Which.
    pub target: Target,
    /// The value as people read it.
    pub text: String,
    /// Whether it is proven; otherwise it is a guess.
    pub proven: bool,
    /// `win`, `loss`, `draw`, or nothing.
    pub class: &'static str,
}

/// The layer of hits.
pub(crate) fn hits(scene: &Scene<'_>, plan: &Plan<'_>) -> Markup {
    html! {
        g class="hits" {
            @for (target, label) in (0..).zip(labels(scene)) { (hit(plan, target, &label)) }
        }
    }
}

fn hit(plan: &Plan<'_>, target: Target, label: &str) -> Markup {
    let Some(extent) = plan.extent(target) else { return Markup::default() };
    let shape = plan.cells_of(target).next().map_or(Shape::Square, |cell| cell.shape);
    let several = shape == Shape::Slot || plan.cells_of(target).count() > 1;
    let (x, y) = extent.centre();
    html! {
        g class="hit" role="button" tabindex="-1" data-target=(target) data-x=(short(x)) data-y=(short(y)) aria-label=(label) {
            @if several {
                @for body in areas(plan, target, extent) {
                    rect class="area" x=(short(body.x)) y=(short(body.y)) width=(short(body.w)) height=(short(body.h)) rx="24" {}
                }
                path class="dot" d="M-13 -7H13L0 9Z"
                    transform={ "translate(" (short(x)) " " (short(extent.y - 5.0 - plan.frame() / 2.0)) ")" } {}
            } @else {
                @for room in plan.cells_of(target).map(|cell| plan.room(cell)) {
                    rect class="reach" x=(short(room.x)) y=(short(room.y)) width=(short(room.w)) height=(short(room.h)) {}
                }
                (outline(shape, &extent, if shape == Shape::Pit { 6.0 } else { 0.0 }))
                @if matches!(shape, Shape::Square | Shape::DarkSquare) { circle class="dot" cx=(short(x)) cy=(short(y)) r="13" {} }
            }
        }
    }
}

/// One area where the cells of a target lie side by side without a gap, otherwise one each.
fn areas(plan: &Plan<'_>, target: Target, extent: Rect) -> Vec<Rect> {
    let rooms: Vec<Rect> = plan.cells_of(target).map(|cell| plan.room(cell)).collect();
    let whole = extent.inset(-5.0);
    let filled: f64 = rooms.iter().map(|room| room.w * room.h).sum();
    if filled + 1.0 > whole.w * whole.h { vec![whole] } else { rooms }
}

/// The inner of the layer of badges: a value on each of these targets, proven ones square with a tick, guesses round with a `~`.
pub fn badges(scene: &Scene<'_>, badges: &[Badge]) -> Markup {
    let plan = Plan::of(scene);
    html! { @for badge in badges { (one(&plan, badge)) } }
}

fn one(plan: &Plan<'_>, badge: &Badge) -> Markup {
    let Some(extent) = plan.extent(badge.target) else { return Markup::default() };
    let several = plan.cells_of(badge.target).count() > 1;
    let (x, middle) = extent.centre();
    let y = if several { extent.y + 45.0 } else { middle };
    let text = if badge.proven { format!("✓{}", badge.text) } else { format!("~{}", badge.text) };
    let width = (20.0 + 16.0 * text.chars().count() as f64).min(98.0);
    let (kind, round) = if badge.proven { ("proven", "3") } else { ("guess", "20") };
    html! {
        g class={ "badge " (kind) " " (badge.class) } data-target=(badge.target) {
            rect x=(short(x - width / 2.0)) y=(short(y - 20.0)) width=(short(width)) height="40" rx=(round) {}
            text x=(short(x)) y=(short(y)) font-size=(if text.chars().count() > 5 { "19" } else { "25" }) { (text) }
        }
    }
}
