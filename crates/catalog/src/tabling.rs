//! Tables with their types forgotten: folders and records in, layers, verdicts and values out. A game has them if its
//! positions are numbered; who fills the layers, the catalogue says.
//!
//! All users of a table at the same time share it. It stays open only while it is used, so that a table that was built meanwhile is
//! found when it is opened again. A damaged table is an error and never shared.

use crate::hosted::valued;
use parlor_core::{BadRecord, Bounds, Indexed, Notation, Oracle, Record, laws};
use parlor_tables::{
    BadTable, Built, Filler, Form, LayerInfo, Plan, Progress, Sample, Table, Verified, Work, build_as,
    folder, verify,
};
use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// The endgame tables of a family of games.
///
/// # Examples
///
/// ```
/// use parlor_catalog::{Plan, Work, game};
/// use std::sync::atomic::{AtomicBool, AtomicU64};
///
/// # let folder = parlor_testkit::temp_folder();
/// # let dir: &std::path::Path = &folder;
/// let game = game("kalah:3,2")?;
/// let tables = game.tables().expect("Kalah has endgame tables");
/// let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
/// let work = Work { threads: 1, stop: &stop, done: &done };
/// tables.build(&Plan { dir, up_to: 6, memory: 64 << 20 }, &work, &mut |_| ())?;
///
/// let board = game.board_at("0,0,1/0,1,1 5/4 s")?;
/// let probed = tables.open(dir)?.probe(&board.record())?;
/// assert_eq!(probed.moves.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Tables: Send + Sync {
    /// The game spec under which the tables are stored.
    fn family(&self) -> String;
    /// Where they lie below the folder of all tables.
    fn folder(&self, dir: &Path) -> PathBuf;
    /// Builds them, or what is missing of them; see [`parlor_tables::build`].
    fn build(
        &self,
        plan: &Plan<'_>,
        work: &Work<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Built, BadTable> {
        self.build_as(Form::Plain, plan, work, progress)
    }
    /// The same, with new layers in some form; see [`parlor_tables::build_as`].
    fn build_as(
        &self,
        form: Form,
        plan: &Plan<'_>,
        work: &Work<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Built, BadTable>;
    /// Opens the existing layers; see [`Table::open`].
    fn open(&self, dir: &Path) -> Result<Box<dyn Opened>, BadTable>;
    /// Checks the laws of numbered positions; see [`laws::check_numbers`].
    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String>;
}

pub trait Opened: Send + Sync {
    /// A description of each layer.
    fn info(&self) -> Vec<LayerInfo>;
    /// How often each pair of bounds stands in a layer, the smallest first; where they meet, that is a value. Nothing where the
    /// layer cannot be unpacked.
    fn histogram(&self, layer: u32) -> Vec<([i8; 2], u64)>;
    /// Checks blocks and entries; see [`parlor_tables::verify`].
    fn verify(&self, sample: Option<Sample>, work: &Work<'_>) -> Result<Verified, BadTable>;
    /// What the table knows of the position after a record and of its moves.
    fn probe(&self, record: &Record) -> Result<Probed, BadRecord>;
}

/// What a table knows of a position. Values are seen by the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    pub layer: u32,
    /// What is proved of its value, if the table reaches so far.
    pub value: Option<Bounds>,
    /// Every legal move in listing order, with its value if the table reaches so far.
    pub moves: Vec<(String, Option<Bounds>)>,
}

type MakeTables<G> = Box<dyn Fn(&G) -> Box<dyn Tables> + Send + Sync>;

/// How a game builds and uses endgame tables.
pub(crate) struct TableSupport<G> {
    /// Opens the table below the folder of all tables, for searches that probe it.
    pub open: Open<G>,
    pub tables: MakeTables<G>,
}

impl<G: Indexed + Notation> TableSupport<G> {
    /// Tables whose layers this filler computes.
    pub(crate) fn filled_by(filler: impl Filler<G> + Clone + Send + 'static) -> TableSupport<G> {
        let tables = move |game: &G| -> Box<dyn Tables> {
            Box::new(Tabled { game: game.clone(), filler: filler.clone() })
        };
        TableSupport { open: oracle::<G>, tables: Box::new(tables) }
    }
}

struct Tabled<G, F> {
    game: G,
    filler: F,
}

impl<G: Indexed + Notation, F: Filler<G> + Send> Tables for Tabled<G, F> {
    fn family(&self) -> String {
        self.game.family().spec()
    }

    fn folder(&self, dir: &Path) -> PathBuf {
        folder(&self.game, dir)
    }

    fn build_as(
        &self,
        form: Form,
        plan: &Plan<'_>,
        work: &Work<'_>,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<Built, BadTable> {
        build_as(form, &self.game, plan, &self.filler, work, progress)
    }

    fn open(&self, dir: &Path) -> Result<Box<dyn Opened>, BadTable> {
        Ok(Box::new(Asked { game: self.game.clone(), table: Table::open(&self.game, dir)? }))
    }

    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String> {
        laws::check_numbers(&self.game, plies, choose)
    }
}

struct Asked<G> {
    game: G,
    table: Table<G>,
}

impl<G: Indexed + Notation> Opened for Asked<G> {
    fn info(&self) -> Vec<LayerInfo> {
        self.table.info()
    }

    fn histogram(&self, layer: u32) -> Vec<([i8; 2], u64)> {
        self.table.histogram(layer)
    }

    fn verify(&self, sample: Option<Sample>, work: &Work<'_>) -> Result<Verified, BadTable> {
        verify(&self.table, sample, work)
    }

    fn probe(&self, record: &Record) -> Result<Probed, BadRecord> {
        let played = valued(&self.game, record)?;
        let (game, pos) = (played.game(), played.position());
        let value = |pos: &G::Position| self.table.probe(game, pos);
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let worth = |mv| {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            let same = game.turn(&next) == game.turn(pos);
            let seen = |Bounds { lo, hi }| if same { Bounds { lo, hi } } else { Bounds { lo: -hi, hi: -lo } };
            (game.write_move(mv), value(&next).map(seen))
        };
        let moves = moves.into_iter().map(worth).collect();
        Ok(Probed { layer: game.layer(pos), value: value(pos), moves })
    }
}

/// Opens the table of a game below the folder of all tables; none where there is no table.
pub(crate) type Open<G> = fn(&G, &Path) -> Result<Option<Arc<dyn Oracle<G>>>, BadTable>;

/// The tables in use, by folder. A folder has one game's tables, so that the types always fit.
static OPEN_TABLES: Mutex<Vec<(PathBuf, Weak<dyn Any + Send + Sync>)>> = Mutex::new(Vec::new());

/// The table of a game below the folder of all tables: the one that is open, or opened now; none where there is no table.
pub(crate) fn table<G: Indexed>(game: &G, dir: &Path) -> Result<Option<Arc<Table<G>>>, BadTable> {
    let folder = folder(game, dir);
    let mut open_tables = OPEN_TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    open_tables.retain(|(_, table)| table.strong_count() > 0);
    let open = open_tables.iter().find(|(path, _)| *path == folder).and_then(|(_, table)| table.upgrade());
    if let Some(table) = open.and_then(|table| table.downcast().ok()) {
        return Ok(Some(table));
    }
    match Table::open(game, dir).and_then(|table| table.is_sound().map(|()| table)) {
        Ok(table) => {
            let table = Arc::new(table);
            let kept: Weak<dyn Any + Send + Sync> = Arc::downgrade(&(table.clone() as Arc<_>));
            open_tables.push((folder, kept));
            Ok(Some(table))
        }
        Err(BadTable::Missing(_)) => Ok(None),
        Err(bad) => Err(bad),
    }
}

/// The same; `None` without a folder.
pub(crate) fn table_below<G: Indexed>(
    game: &G,
    dir: Option<&Path>,
) -> Result<Option<Arc<Table<G>>>, BadTable> {
    dir.map_or(Ok(None), |dir| table(game, dir))
}

/// The same as an oracle.
pub(crate) fn oracle<G: Indexed>(game: &G, dir: &Path) -> Result<Option<Arc<dyn Oracle<G>>>, BadTable> {
    Ok(table(game, dir)?.map(|table| table as Arc<dyn Oracle<G>>))
}
