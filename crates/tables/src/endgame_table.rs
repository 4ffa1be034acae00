//! An endgame table: the layers from the lowest up to some top, in files or in memory, probed by number. It has no values above
//! its top, and refuses to open a file with an unexpected header.

use crate::{
    BadTable, Filler, Form, Work,
    cache::Cache,
    format::{Title, entries, rules_fingerprint},
    layer::LayerFile,
};
use parlor_core::{Bounds, Indexed, Margin, Oracle};
use std::path::{Path, PathBuf};

/// Exact values of all positions up to some layer, for all games of one family.
///
/// Probe it only for games of that family: a position of another board has another number.
#[derive(Debug)]
pub struct EndgameTable<G> {
    family: G,
    layers: Vec<Layer>,
    cache: Cache,
}

#[derive(Debug)]
enum Layer {
    File(Box<LayerFile>),
    Memory(Vec<i8>),
}

impl Layer {
    #[inline]
    fn len(&self) -> u64 {
        match self {
            Layer::File(file) => file.len(),
            Layer::Memory(entries) => entries.len() as u64,
        }
    }

    /// The entries, if they are in memory.
    #[inline]
    fn entries_in_memory(&self) -> Option<&[i8]> {
        match self {
            Layer::File(file) => file.entries_in_memory(),
            Layer::Memory(entries) => Some(entries),
        }
    }

    fn entries(&self) -> Result<&[i8], BadTable> {
        match self {
            Layer::File(file) => file.entries(),
            Layer::Memory(entries) => Ok(entries),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerInfo {
    pub layer: u32,
    pub positions: u64,
    /// The size of its file; `None` for a layer that is only in memory.
    pub bytes: Option<u64>,
    /// Encoding of the entries in the file.
    pub form: Option<Form>,
    /// Checksum of the whole file.
    pub checksum: Option<u32>,
}

/// The folder of a family's table: its spec, without characters that file names cannot contain on all systems.
///
/// # Examples
///
/// ```
/// use parlor_games::kalah::Kalah;
/// use parlor_tables::folder;
/// use std::path::Path;
///
/// let game = Kalah::sized(6, 3)?;
/// assert_eq!(folder(&game, Path::new("tables")), Path::new("tables/kalah-6,4"));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub fn folder<G: Indexed>(game: &G, dir: &Path) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_,=".contains(c) { c } else { '-' };
    dir.join(game.family().spec().chars().map(plain).collect::<String>())
}

impl<G: Indexed> EndgameTable<G> {
    /// Opens the table of the game's family below the folder of all tables: the layers from 0 up to the first that is missing.
    /// Everything but the entries is checked; [`verify`](crate::verify) checks the entries. (Those of packed layers are checked
    /// block by block as they are unpacked: a damaged block gives no answer.)
    pub fn open(game: &G, dir: &Path) -> Result<EndgameTable<G>, BadTable> {
        let folder = folder(game, dir);
        let mut table = EndgameTable { family: game.family(), layers: Vec::new(), cache: Cache::new() };
        let rules = rules_fingerprint(&table.family);
        for layer in 0.. {
            // A layer without a file may be too large to be counted and numbered.
            if !LayerFile::path(&folder, layer).exists() {
                break;
            }
            match LayerFile::open(&folder, &Title::of(&table.family, rules, layer))? {
                Some(file) => table.layers.push(Layer::File(Box::new(file))),
                None => break,
            }
        }
        if table.layers.is_empty() { Err(BadTable::Missing(folder)) } else { Ok(table) }
    }

    /// Computes all layers up to `up_to` in memory. `None` if it was stopped.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Game, Oracle};
    /// use parlor_games::kalah::Kalah;
    /// use parlor_tables::{EndgameTable, Forward, Work};
    /// use std::sync::atomic::{AtomicBool, AtomicU64};
    ///
    /// let game = Kalah::sized(2, 2)?;
    /// let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    /// let work = Work { threads: 1, stop: &stop, done: &done };
    /// let table = EndgameTable::in_memory(&game, 8, &Forward, &work).expect("not stopped");
    /// assert_eq!(table.info()[3].positions, 20);
    /// assert!(table.probe(&game, &game.start()).is_some_and(|bounds| bounds.are_exact()));
    /// # Ok::<(), parlor_core::BadParams>(())
    /// ```
    pub fn in_memory(
        game: &G,
        up_to: u32,
        filler: &dyn Filler<G>,
        work: &Work<'_>,
    ) -> Option<EndgameTable<G>> {
        let mut table = EndgameTable { family: game.family(), layers: Vec::new(), cache: Cache::new() };
        for layer in 0..=up_to {
            let mut entries = vec![0; entries(&table.family, layer) as usize];
            if !filler.fill(&table.family, layer, &table.layers(), &mut entries, work) {
                return None;
            }
            table.layers.push(Layer::Memory(entries));
        }
        Some(table)
    }

    /// The game under whose spec the table is stored.
    pub fn family(&self) -> &G {
        &self.family
    }

    pub fn top(&self) -> u32 {
        self.layers.len() as u32 - 1
    }

    /// The entries of all layers, from layer 0. Packed layers are unpacked into memory once, a byte per entry; the list ends
    /// before one that cannot be unpacked.
    pub fn layers(&self) -> Vec<&[i8]> {
        self.layers.iter().map_while(|layer| layer.entries().ok()).collect()
    }

    /// Fails if a plain layer does not match its checksums. Packed blocks are checked whenever they are unpacked.
    pub fn is_sound(&self) -> Result<(), BadTable> {
        let mut plain = self.files().filter(|file| file.form() == Form::Plain);
        plain.try_for_each(|file| file.entries().map(|_| ()))
    }

    /// The entries of one layer, unpacked if they are not yet; `None` above the top.
    pub(crate) fn entries(&self, layer: u32) -> Result<&[i8], BadTable> {
        self.layers.get(layer as usize).map_or(Ok(&[]), Layer::entries)
    }

    /// Number of entries of each layer.
    pub(crate) fn lens(&self) -> Vec<u64> {
        self.layers.iter().map(Layer::len).collect()
    }

    /// An entry by its number, without unpacking more than its block; `None` if it does not exist.
    pub(crate) fn entry(&self, layer: u32, number: u64) -> Result<Option<i8>, BadTable> {
        match self.layers.get(layer as usize) {
            Some(Layer::File(file)) => file.entry(number, &self.cache),
            Some(Layer::Memory(entries)) => Ok(entries.get(number as usize).copied()),
            None => Ok(None),
        }
    }

    pub fn info(&self) -> Vec<LayerInfo> {
        let about = |(layer, held): (u32, &Layer)| {
            let file = match held {
                Layer::File(file) => Some(file.as_ref()),
                Layer::Memory(_) => None,
            };
            let positions = held.len() / self.family.planes() as u64;
            let (bytes, checksum) = (file.map(LayerFile::bytes), file.map(LayerFile::checksum));
            LayerInfo { layer, positions, bytes, form: file.map(LayerFile::form), checksum }
        };
        (0..).zip(&self.layers).map(about).collect()
    }

    /// How often each pair of bounds occurs in a layer, the smallest first; empty above the top, and for a packed layer that
    /// cannot be unpacked. If both bounds are equal, that is the value. An unused number counts as its stored 0.
    pub fn histogram(&self, layer: u32) -> Vec<([i8; 2], u64)> {
        let entries = self.entries(layer).unwrap_or_default();
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

    pub(crate) fn files(&self) -> impl Iterator<Item = &LayerFile> {
        self.layers.iter().filter_map(|layer| match layer {
            Layer::File(file) => Some(file.as_ref()),
            Layer::Memory(_) => None,
        })
    }
}

impl<G: Indexed> Oracle<G> for EndgameTable<G> {
    #[inline]
    fn probe(&self, game: &G, pos: &G::Position) -> Option<Bounds> {
        if let Some(margin) = game.result(pos) {
            return Some(Bounds::exactly(margin));
        }
        // The layer first: numbers need not exist where no table reaches.
        let (number, layer) = (game.layer(pos), self.layers.get(game.layer(pos) as usize)?);
        let (index, planes) = (game.index(pos), game.planes() as u64);
        let Margin(banked) = game.banked(pos);
        let margin = |at: u64| {
            let entry = match layer.entries_in_memory() {
                Some(entries) => *entries.get(at as usize)?,
                None => self.entry(number, at).ok()??,
            };
            Some(Margin(banked + i16::from(entry)))
        };
        let lo = margin(index)?;
        let hi = if planes == 1 { lo } else { margin(layer.len() / planes + index)? };
        Some(Bounds { lo, hi })
    }
}
