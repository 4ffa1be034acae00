//! A table: the layers from the lowest up to some top, opened or in memory, asked by number. It refuses to answer above its
//! top, and to open a file that is not what it must be.

use crate::{
    BadTable, Filler, Work,
    format::{Title, entries, rules_fingerprint},
    layer::LayerFile,
};
use parlor_play::{Bounds, Indexed, Margin, Oracle};
use std::path::{Path, PathBuf};

/// Exact values of all positions up to some layer, for all games of one family.
///
/// Ask it only about games of that family: a position of another board has another number.
#[derive(Debug)]
pub struct Table<G> {
    family: G,
    layers: Vec<Layer>,
}

#[derive(Debug)]
enum Layer {
    File(LayerFile),
    Memory(Vec<i8>),
}

impl Layer {
    #[inline]
    fn entries(&self) -> &[i8] {
        match self {
            Layer::File(file) => file.entries(),
            Layer::Memory(entries) => entries,
        }
    }
}

/// What there is to say about a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerInfo {
    /// Its number.
    pub layer: u32,
    /// How many positions it has.
    pub positions: u64,
    /// The size of its file; none for a layer that is only in memory.
    pub bytes: Option<u64>,
    /// The checksum that stands for its whole file.
    pub checksum: Option<u32>,
}

/// The folder of a family's table below the folder of all tables: its spec, without what file names cannot hold everywhere.
pub fn folder<G: Indexed>(game: &G, dir: &Path) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_,=".contains(c) { c } else { '-' };
    dir.join(game.family().spec().chars().map(plain).collect::<String>())
}

impl<G: Indexed> Table<G> {
    /// Opens the table of the game's family below the folder of all tables: the layers from 0 up to the first that is
    /// missing. Everything but the entries is checked; the entries are [`verify`](crate::verify)'s concern.
    pub fn open(game: &G, dir: &Path) -> Result<Table<G>, BadTable> {
        let folder = folder(game, dir);
        let mut table = Table { family: game.family(), layers: Vec::new() };
        let rules = rules_fingerprint(&table.family);
        for layer in 0.. {
            // Counting and numbering a layer that nobody has built may not even be possible.
            if !LayerFile::path(&folder, layer).exists() {
                break;
            }
            match LayerFile::open(&folder, &Title::of(&table.family, rules, layer))? {
                Some(file) => table.layers.push(Layer::File(file)),
                None => break,
            }
        }
        if table.layers.is_empty() { Err(BadTable::Missing(folder)) } else { Ok(table) }
    }

    /// Computes all layers up to one, without any disk. None if it was stopped.
    pub fn in_memory(game: &G, up_to: u32, filler: &dyn Filler<G>, work: &Work<'_>) -> Option<Table<G>> {
        let mut table = Table { family: game.family(), layers: Vec::new() };
        for layer in 0..=up_to {
            let mut entries = vec![0; entries(&table.family, layer) as usize];
            if !filler.fill(&table.family, layer, &table.layers(), &mut entries, work) {
                return None;
            }
            table.layers.push(Layer::Memory(entries));
        }
        Some(table)
    }

    /// The game in whose name it is kept.
    pub fn family(&self) -> &G {
        &self.family
    }

    /// The highest layer.
    pub fn top(&self) -> u32 {
        self.layers.len() as u32 - 1
    }

    /// The entries of all layers, from layer 0.
    pub fn layers(&self) -> Vec<&[i8]> {
        self.layers.iter().map(Layer::entries).collect()
    }

    /// The entries of one layer; none above the top.
    pub(crate) fn layer(&self, layer: u32) -> &[i8] {
        self.layers.get(layer as usize).map_or(&[], Layer::entries)
    }

    /// What there is to say about each layer.
    pub fn info(&self) -> Vec<LayerInfo> {
        let about = |(layer, held): (u32, &Layer)| {
            let file = match held {
                Layer::File(file) => Some(file),
                Layer::Memory(_) => None,
            };
            let positions = (held.entries().len() / self.family.planes()) as u64;
            let (bytes, checksum) = (file.map(LayerFile::bytes), file.map(LayerFile::checksum));
            LayerInfo { layer, positions, bytes, checksum }
        };
        (0..).zip(&self.layers).map(about).collect()
    }

    /// How often each pair of bounds stands in a layer, the smallest first; nothing above the top. Where they meet, that is a
    /// value. A number that stands for no position counts as the 0 it holds.
    pub fn histogram(&self, layer: u32) -> Vec<([i8; 2], u64)> {
        let entries = self.layer(layer);
        let len = entries.len() / self.family.planes();
        let upper = if self.family.planes() == 1 { entries } else { &entries[len..2 * len] };
        let mut counts = vec![0_u64; 1 << 16];
        // Flipping the sign bit makes the order of bytes that of values.
        let byte = |value: i8| usize::from(value as u8 ^ 0x80);
        for (&lo, &hi) in entries[..len].iter().zip(upper) {
            counts[byte(lo) << 8 | byte(hi)] += 1;
        }
        let value = |byte: usize| (byte as u8 ^ 0x80) as i8;
        let pairs = counts.into_iter().enumerate().filter(|&(_, count)| count > 0);
        pairs.map(|(pair, count)| ([value(pair >> 8), value(pair)], count)).collect()
    }

    /// The files behind the layers.
    pub(crate) fn files(&self) -> impl Iterator<Item = &LayerFile> {
        self.layers.iter().filter_map(|layer| match layer {
            Layer::File(file) => Some(file),
            Layer::Memory(_) => None,
        })
    }
}

impl<G: Indexed> Oracle<G> for Table<G> {
    #[inline]
    fn probe(&self, game: &G, pos: &G::Position) -> Option<Bounds> {
        if let Some(margin) = game.result(pos) {
            return Some(Bounds::exactly(margin));
        }
        // The layer first: where no table reaches, numbers need not exist.
        let layer = self.layers.get(game.layer(pos) as usize)?;
        let (entries, number) = (layer.entries(), game.index(pos) as usize);
        let Margin(banked) = game.banked(pos);
        let margin = |entry: &i8| Margin(banked + i16::from(*entry));
        let lo = margin(entries.get(number)?);
        let hi = match game.planes() {
            1 => lo,
            planes => margin(entries.get(entries.len() / planes + number)?),
        };
        Some(Bounds { lo, hi })
    }
}
