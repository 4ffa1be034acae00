//! Rewrites the targets of the links and images of a Markdown text, and leaves everything else byte for byte as it is.

use mdbook_markdown::pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

/// Replaces the target of every link and image by the result of `target`. If that is `None`, the link becomes plain
/// text. In raw HTML, `src` and `href` in double quotes are replaced.
pub fn rewrite(text: &str, mut target: impl FnMut(&str) -> Option<String>) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let link = &text[range.clone()];
                // Autolinks and reference links have no target at this place.
                let Some(at) = link.rfind(&format!("]({dest_url}")) else { continue };
                let start = range.start + at;
                let place = start + 2..start + 2 + dest_url.len();
                match target(&dest_url) {
                    Some(new) => edits.push((place, new)),
                    None => {
                        edits.push((range.start..range.start + 1, String::new()));
                        edits.push((start..range.end, String::new()));
                    }
                }
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                for place in attributes(text, range) {
                    if let Some(new) = target(&text[place.clone()]) {
                        edits.push((place, new));
                    }
                }
            }
            _ => (),
        }
    }
    edits.sort_by_key(|(place, _)| place.start);
    let (mut rewritten, mut done) = (String::new(), 0);
    for (place, new) in edits {
        rewritten.push_str(&text[done..place.start]);
        rewritten.push_str(&new);
        done = place.end;
    }
    rewritten + &text[done..]
}

/// The ranges of the values of `src` and `href`.
fn attributes(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for name in [" src=\"", " href=\""] {
        for (at, _) in text[range.clone()].match_indices(name) {
            let start = range.start + at + name.len();
            if let Some(length) = text[start..range.end].find('"') {
                found.push(start..start + length);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shout(target: &str) -> Option<String> {
        (target != "gone.md").then(|| target.to_uppercase())
    }

    #[test]
    fn targets_are_replaced_and_everything_else_stays() {
        let text = "# [a](b.md)\n\n| ![c](d.svg) | `[e](f.md)` |\n| --- | --- |\n| <img src=\"g.svg\" alt=\"h\"> | i |\n\n    [j](k.md)\n";
        let wanted = text.replace("b.md", "B.MD").replace("d.svg", "D.SVG").replace("g.svg", "G.SVG");
        assert_eq!(rewrite(text, shout), wanted);
    }

    #[test]
    fn a_link_without_a_target_in_the_site_becomes_plain_text() {
        assert_eq!(rewrite("See [the `code`](gone.md) and [a](b).", shout), "See the `code` and [a](B).");
    }
}
