//! A picture that stands alone, for files and previews: the same layers with their style inside, on light ground, and nothing
//! to touch.

use crate::{CSS, Scene, classes, defs::Needs, layers, plan::Plan};
use maud::{Markup, PreEscaped, html};

/// The picture as the text of a file.
pub fn file(scene: &Scene<'_>) -> String {
    let plan = Plan::of(scene);
    let (width, height) = plan.size();
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" id=(scene.id) class=(classes(scene, &plan)) width=(width) height=(height)
            viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(scene.info.title) {
            title { (scene.info.title) }
            (style(""))
            rect class="paper" width="100%" height="100%" {}
            (layers(scene, &plan, Needs::of(scene.marks), true))
        }
    };
    picture.into_string() + "\n"
}

/// The style of a board, and whatever else a file needs. Nothing in it comes from a user, so nothing is to be escaped.
pub(crate) fn style(more: &str) -> Markup {
    html! { style { (PreEscaped(format!("{}\n{more}", CSS.trim()))) } }
}
