//! A small game for tests of tables. It has banked parts, second turns, moves that stay in a layer, empty layers, unused
//! numbers, and numbers of finished games.
//!
//! Two piles, one per side, and a fuse. A side may take 1 from its pile (the other side moves then) or 2 (it moves again), or
//! hand 1 over to the other pile, which burns one length of the fuse. The game is over when the side to move has an empty pile;
//! the other side gets its own pile.

#![allow(dead_code, reason = "no test uses all of it")]

use parlor_core::{
    BadParams, BadPosition, Bounds, Fallback, Game, IllegalMove, Indexed, Margin, Notation, Parameter,
    Samples, Side,
};
use parlor_tables::Work;
use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64},
};

/// The longest fuse.
const FUSE: u8 = 3;
/// Numbers for each size of the mover's pile: one more than there are fuses, or enough for several blocks in a layer.
const SLOTS: [u64; 2] = [FUSE as u64 + 2, 1100];

/// The game; `quick` is another one, in which taking 2 is not followed by a second turn. The last three are changes that a
/// later version of the program might make under the same name: number positions from the other end, let piles be handed over
/// for ever so long, or leave wide gaps between numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piles {
    pub size: u32,
    pub quick: bool,
    pub reversed: bool,
    pub lasting: bool,
    pub wide: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    pub piles: [u8; 2],
    pub banks: [u8; 2],
    pub fuse: u8,
    pub turn: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Take(u8),
    Hand,
}

impl Spot {
    fn own(&self) -> u8 {
        self.piles[self.turn.index()]
    }

    fn other(&self) -> u8 {
        self.piles[self.turn.other().index()]
    }
}

impl Piles {
    fn slots(&self) -> u64 {
        SLOTS[usize::from(self.wide)]
    }
}

impl Game for Piles {
    const NAME: &'static str = "piles";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::number("size", 0, 200, Fallback::Value(5)),
        Parameter::choice("turns", &["slow", "quick"]),
    ];
    type Position = Spot;
    type Move = Step;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        Ok(Piles { size: values[0], quick: values[1] == 1, ..PILES })
    }
    fn values(&self) -> Vec<u32> {
        vec![self.size, self.quick.into()]
    }
    fn start(&self) -> Spot {
        Spot { piles: [self.size as u8; 2], banks: [0; 2], fuse: FUSE, turn: Side::First }
    }
    fn turn(&self, pos: &Spot) -> Side {
        pos.turn
    }
    fn moves(&self, pos: &Spot, out: &mut Vec<Step>) {
        out.extend([1, 2].into_iter().filter(|&n| n <= pos.own()).map(Step::Take));
        out.extend((pos.own() > 0 && pos.fuse > 0).then_some(Step::Hand));
    }
    fn play(&self, pos: &mut Spot, mv: Step) {
        let (own, other) = (pos.turn.index(), pos.turn.other().index());
        match mv {
            Step::Take(n) => {
                pos.piles[own] -= n;
                pos.banks[own] += n;
            }
            Step::Hand => {
                pos.piles[own] -= 1;
                pos.piles[other] += 1;
                pos.fuse -= u8::from(!self.lasting || pos.piles[other].is_multiple_of(2));
            }
        }
        if mv != Step::Take(2) || self.quick {
            pos.turn = pos.turn.other();
        }
    }
    fn result(&self, pos: &Spot) -> Option<Margin> {
        (pos.own() == 0).then(|| Margin(self.banked(pos).0 - i16::from(pos.other())))
    }
    fn largest_margin(&self) -> Margin {
        Margin(2 * self.size as i16)
    }
    fn banked(&self, pos: &Spot) -> Margin {
        Margin(i16::from(pos.banks[pos.turn.index()]) - i16::from(pos.banks[pos.turn.other().index()]))
    }
    fn key(&self, pos: &Spot) -> u64 {
        u64::from(pos.own()) << 16 | u64::from(pos.other()) << 8 | u64::from(pos.fuse)
    }
    fn bounds(&self, pos: &Spot) -> Bounds {
        let (banked, left) = (self.banked(pos).0, i16::from(pos.own()) + i16::from(pos.other()));
        Bounds { lo: Margin(banked - left), hi: Margin(banked + left) }
    }
}

impl Indexed for Piles {
    fn family(&self) -> Piles {
        Piles { size: 2, ..*self }
    }
    /// Twice what lies in the piles: every other layer is empty.
    fn layer(&self, pos: &Spot) -> u32 {
        2 * (u32::from(pos.own()) + u32::from(pos.other()))
    }
    fn len(&self, layer: u32) -> u64 {
        if layer.is_multiple_of(2) { self.slots() * (u64::from(layer) / 2 + 1) } else { 0 }
    }
    fn index(&self, pos: &Spot) -> u64 {
        let index = self.slots() * u64::from(pos.own()) + u64::from(pos.fuse);
        if self.reversed { self.len(self.layer(pos)) - 1 - index } else { index }
    }
    fn position(&self, layer: u32, index: u64) -> Option<Spot> {
        let index = if self.reversed { self.len(layer) - 1 - index } else { index };
        let (own, fuse) = ((index / self.slots()) as u8, index % self.slots());
        let (other, fuse) = ((layer / 2) as u8 - own, u8::try_from(fuse).unwrap_or(u8::MAX));
        (fuse <= FUSE).then_some(Spot { piles: [own, other], banks: [0; 2], fuse, turn: Side::First })
    }
}

impl Notation for Piles {
    const MOVE_FORM: &'static str = "";
    const POSITION_FORM: &'static str = "";
    const SAMPLES: Samples = Samples::NONE;

    fn write_position(&self, pos: &Spot) -> String {
        format!("{}+{} fuse {}", pos.own(), pos.other(), pos.fuse)
    }
    fn parse_position(&self, _: &str) -> Result<Spot, BadPosition> {
        Err(BadPosition::new("not supported"))
    }
    fn write_move(&self, mv: Step) -> String {
        format!("{mv:?}")
    }
    fn parse_move(&self, _: &Spot, _: &str) -> Result<Step, IllegalMove> {
        Err(IllegalMove::new("not supported"))
    }
}

pub const PILES: Piles = Piles { size: 5, quick: false, reversed: false, lasting: false, wide: false };

/// Negamax without pruning: the reference value.
pub fn truth<G: Game>(game: &G, pos: &G::Position) -> Margin {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let values = moves.into_iter().map(|mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        let margin = truth(game, &next);
        if game.turn(&next) == game.turn(pos) { margin } else { -margin }
    });
    game.result(pos).or_else(|| values.max()).expect("a move or a result")
}

/// Flags and counters for work with this many threads.
#[derive(Default)]
pub struct Workshop {
    pub stop: AtomicBool,
    pub done: AtomicU64,
}

impl Workshop {
    pub fn work(&self, threads: usize) -> Work<'_> {
        Work { threads, stop: &self.stop, done: &self.done }
    }
}

/// All layer files of a folder, by name.
pub fn layers_in(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).expect("a name").to_string();
    let mut found: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "layer"))
        .map(|path| (name(&path), fs::read(&path).expect("bytes")))
        .collect();
    found.sort();
    found
}
