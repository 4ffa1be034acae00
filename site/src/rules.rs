//! The rules of every game of the catalogue as pages, with the boards of their examples as SVG files beside them.

use crate::pages::Generated;
use anyhow::{Context, Result};
use parlor_catalog::{Entry, entries};
use parlor_core::{
    Board,
    rules_text::{Block, Example, Inline},
};
use parlor_render::Scene;

/// The folder of these pages in the site.
const FOLDER: &str = "rules";

/// The page of a game.
pub struct Rules {
    pub page: Generated,
    /// The path of the source text in the repository.
    pub source: String,
    /// The pictures: paths in the site, and SVG.
    pub pictures: Vec<(String, String)>,
}

pub fn pages() -> Result<Vec<Rules>> {
    entries()
        .iter()
        .map(|entry| page(entry).with_context(|| format!("the rules of {}", entry.name)))
        .collect()
}

fn page(entry: &'static Entry) -> Result<Rules> {
    let mut writer = Writer { entry, text: format!("# {}\n", plain(entry.title)), pictures: Vec::new() };
    for block in entry.rules()? {
        writer.text.push('\n');
        match block {
            Block::Heading(title) => writer.text += &format!("## {}\n", plain(&title)),
            Block::Paragraph(text) => writer.text += &format!("{}\n", inline(&text)),
            Block::List(items) => {
                items.iter().for_each(|item| writer.text += &format!("- {}\n", inline(item)));
            }
            Block::Example(example) => writer.example(&example)?,
        }
    }
    let page = Generated {
        path: format!("{FOLDER}/{}.md", entry.name),
        title: format!("Rules of {}", entry.title),
        depth: 0,
        text: writer.text,
    };
    let source = format!("crates/games/src/{}/data/rules.md", entry.name);
    Ok(Rules { page, source, pictures: writer.pictures })
}

struct Writer {
    entry: &'static Entry,
    text: String,
    pictures: Vec<(String, String)>,
}

impl Writer {
    /// Writes an example as one block of HTML: the boards, the events of the move, and the caption.
    fn example(&mut self, example: &Example) -> Result<()> {
        let shown = self.entry.illustrate(example)?;
        let caption: String = example.caption.iter().map(Inline::text).collect();
        let before = self.picture(shown.before.as_ref(), &caption);
        let boards = match &shown.after {
            None => before,
            Some((text, after)) => {
                let after = self.picture(after.as_ref(), &format!("After {text}"));
                format!("{before}\n<span class=\"move\"><code>{}</code></span>\n{after}", html(text))
            }
        };
        let refusal = shown.refusal.map(|(text, why)| format!("{text} is illegal: {why}."));
        let events: Vec<String> = shown.events.into_iter().chain(refusal).map(|event| html(&event)).collect();
        let events: String = events.iter().map(|event| format!("<br><em>{event}</em>")).collect();
        let caption = inline_html(&example.caption);
        self.text += &format!(
            "<figure class=\"example\">\n<div class=\"boards\">\n{boards}\n</div>\n\
             <figcaption>{caption}{events}</figcaption>\n</figure>\n"
        );
        Ok(())
    }

    /// Draws a board, and returns the element that shows it.
    fn picture(&mut self, board: &dyn Board, alt: &str) -> String {
        let (info, marks, (last, won)) = (board.info(), board.marks(), board.pointed_out());
        let scene = Scene { id: "board", info: &info, marks: &marks, last: &last, won, turned: false };
        let svg = parlor_render::file(&scene);
        let name = format!("{}-{}.svg", self.entry.name, self.pictures.len() + 1);
        self.pictures.push((format!("{FOLDER}/{name}"), svg));
        format!("<img src=\"{name}\" alt=\"{}\">", html(alt))
    }
}

fn inline(text: &[Inline]) -> String {
    let piece = |inline: &Inline| match inline {
        Inline::Text(text) => plain(text),
        Inline::Code(text) => format!("`{text}`"),
        Inline::Strong(text) => format!("**{}**", plain(text)),
    };
    text.iter().map(piece).collect()
}

fn inline_html(text: &[Inline]) -> String {
    let piece = |inline: &Inline| match inline {
        Inline::Text(text) => html(text),
        Inline::Code(text) => format!("<code>{}</code>", html(text)),
        Inline::Strong(text) => format!("<strong>{}</strong>", html(text)),
    };
    text.iter().map(piece).collect()
}

/// Escapes a text for Markdown.
fn plain(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if ['\\', '`', '*', '_', '[', ']', '<', '&'].contains(&c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_page_with_a_picture_for_each_board() {
        for rules in pages().expect("rules that can be drawn") {
            let shown = rules.page.text.matches("<img ").count();
            assert!(shown > 0 && shown == rules.pictures.len(), "{}: {shown}", rules.page.path);
            assert!(rules.page.text.starts_with("# "), "{}", rules.page.text);
            assert!(rules.pictures.iter().all(|(_, svg)| svg.starts_with("<svg ")));
        }
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(plain("a_b <c> *d*"), "a\\_b \\<c> \\*d\\*");
        assert_eq!(html("\"<&>\""), "&quot;&lt;&amp;&gt;&quot;");
    }
}
