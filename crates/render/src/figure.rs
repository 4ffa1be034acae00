//! Static boards for a page with many of them. They share definitions of equal parts, which keeps the page small.
//! Each board has a description in words.

use crate::{
    Scene, classes,
    defs::{Needs, defs},
    ground,
    layout::BoardLayout,
    marks::parts,
    seat_colours,
    targets::{contents, name_of_cell},
};
use maud::{Markup, PreEscaped, html};
use parlor_core::{Cell, GameInfo, Mark, Token};
use std::collections::BTreeMap;

/// The figures of a page. All of them are of one game, but its size may differ.
#[derive(Debug)]
pub struct Figures {
    id: &'static str,
    info: GameInfo,
    /// The different grounds, each with the cells that it shows.
    grounds: Vec<(Vec<Cell>, Markup)>,
    /// The number of each token's definition, by its markup. Equal counts in the same cell have equal markup.
    tokens: BTreeMap<String, usize>,
    /// The marks of all figures, which determine the shapes to define.
    marks: Vec<Mark>,
}

impl Figures {
    /// Creates an empty collection. The ids of its definitions begin with `id`.
    pub fn new(id: &'static str, info: GameInfo) -> Figures {
        Figures { id, info, grounds: Vec::new(), tokens: BTreeMap::new(), marks: Vec::new() }
    }

    /// Draws a static board. Its label for screen readers is `about` and the content of the board. The scene's id
    /// is not used. The figure shows nothing on a page without [`Figures::definitions`].
    pub fn figure(&mut self, scene: &Scene<'_>, about: &str) -> Markup {
        let scene = Scene { id: self.id, ..*scene };
        let layout = BoardLayout::of(&scene);
        let (width, height) = layout.size();
        let ground = self.ground(&scene, &layout);
        self.marks.extend(scene.marks);
        let [under, tokens, above] = parts(&scene, &layout);
        let tokens: Vec<usize> = tokens.into_iter().map(|token| self.token(token)).collect();
        html! {
            svg class=(classes(&scene, &layout)) viewBox={ "0 0 " (width) " " (height) } role="img"
                aria-label={ (about) ": " (describe(&scene)) } {
                use href={ "#" (self.id) "-ground" (ground) } {}
                @for part in &under { (part) }
                @for token in &tokens { use href={ "#" (self.id) "-token" (token) } {} }
                @for part in &above { (part) }
            }
        }
    }

    fn token(&mut self, token: Markup) -> usize {
        let next = self.tokens.len();
        *self.tokens.entry(token.into_string()).or_insert(next)
    }

    /// The number of the ground of these cells.
    fn ground(&mut self, scene: &Scene<'_>, layout: &BoardLayout<'_>) -> usize {
        let known = self.grounds.iter().position(|(cells, _)| *cells == scene.info.cells);
        known.unwrap_or_else(|| {
            let ground =
                html! { (ground::without_details(scene, layout)) (ground::edge_names(scene, layout)) };
            self.grounds.push((scene.info.cells.clone(), ground));
            self.grounds.len() - 1
        })
    }

    /// The definitions that the figures drawn so far use, as an invisible element.
    pub fn definitions(&self) -> Markup {
        html! {
            svg class={ "figure-defs board " (seat_colours(&self.info)) } width="0" height="0" aria-hidden="true" {
                (defs(self.id, Needs::for_marks(&self.marks)))
                defs {
                    @for (number, (_, ground)) in self.grounds.iter().enumerate() {
                        g id={ (self.id) "-ground" (number) } { (ground) }
                    }
                    @for (token, number) in &self.tokens {
                        g id={ (self.id) "-token" (number) } { (PreEscaped(token)) }
                    }
                }
            }
        }
    }
}

/// Describes the board cell by cell, without empty cells: `pit 1, lower row: 4; South's pot: 3`.
fn describe(scene: &Scene<'_>) -> String {
    let layout = BoardLayout::of(scene);
    let filled = scene.marks.iter().filter(|mark| mark.token != Token::Count(0));
    let description = |mark: &Mark| {
        let cell = scene.info.cells.get(usize::from(mark.cell))?;
        let name = name_of_cell(scene.info, &layout, cell);
        Some(format!("{name}: {}", contents(scene.info, &[mark.token], false)))
    };
    let cells: Vec<String> = filled.filter_map(description).collect();
    if cells.is_empty() { "empty".to_string() } else { cells.join("; ") }
}
