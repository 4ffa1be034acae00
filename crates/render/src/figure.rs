//! Boards for a page with many of them. They share everything that looks alike, so that a page stays small, and each is described
//! in words.

use crate::{
    Scene, classes,
    defs::{Needs, defs},
    ground,
    layout::BoardLayout,
    marks::parts,
    seat_colours,
    targets::{holding, name_of_cell},
};
use maud::{Markup, PreEscaped, html};
use parlor_core::{Cell, GameInfo, Mark, Token};
use std::collections::BTreeMap;

/// The figures of a page. All of them are of one game, but its size may differ.
#[derive(Debug)]
pub struct Figures {
    id: &'static str,
    info: GameInfo,
    /// Each ground once, with the cells that it shows.
    grounds: Vec<(Vec<Cell>, Markup)>,
    /// Each token on its cell once, with its number. The same cell with the same count always looks the same.
    tokens: BTreeMap<String, usize>,
    /// The marks of all figures.
    marks: Vec<Mark>,
}

impl Figures {
    /// Figures whose definitions are named after this id, of the game with this info.
    pub fn new(id: &'static str, info: GameInfo) -> Figures {
        Figures { id, info, grounds: Vec::new(), tokens: BTreeMap::new(), marks: Vec::new() }
    }

    /// A still picture, for readers and for screen readers: its label begins with `about` and then says what is on the board.
    /// The scene's own id is not used.
    /// The scene's own id is not used. The figure shows nothing on a page without [`Figures::definitions`].
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
                aria-label={ (about) ": " (described(&scene)) } {
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
            let ground = html! { (ground::small(scene, layout)) (ground::edge_names(scene, layout)) };
            self.grounds.push((scene.info.cells.clone(), ground));
            self.grounds.len() - 1
        })
    }

    /// The definitions that the figures drawn so far use. The element shows nothing.
    pub fn definitions(&self) -> Markup {
        html! {
            svg class={ "figure-defs board " (seat_colours(&self.info)) } width="0" height="0" aria-hidden="true" {
                (defs(self.id, Needs::of(&self.marks)))
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

/// What is on the board, cell by cell: `pit 1, lower row: 4; South's pot: 3`. Empty cells are left out.
fn described(scene: &Scene<'_>) -> String {
    let layout = BoardLayout::of(scene);
    let filled = scene.marks.iter().filter(|mark| mark.token != Token::Count(0));
    let described = |mark: &Mark| {
        let cell = scene.info.cells.get(usize::from(mark.cell))?;
        let name = name_of_cell(scene.info, &layout, cell);
        Some(format!("{name}: {}", holding(scene.info, &[mark.token], false)))
    };
    let cells: Vec<String> = filled.filter_map(described).collect();
    if cells.is_empty() { "empty".to_string() } else { cells.join("; ") }
}
