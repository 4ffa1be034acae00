//! Type-erased endgame tables. A game has tables if its positions are indexed ([`Indexed`]); the catalogue names the algorithm
//! that fills their layers.
//!
//! Concurrent users of a table share it. It is closed when its last user is gone, so that the next user finds layers that were
//! built meanwhile. A damaged table is an error and is never shared.

use crate::dyn_game::in_scoring_variant;
use parlor_core::{BadRecord, Bounds, Indexed, Notation, Oracle, Record, laws};
use parlor_tables::{
    BadTable, BuildPlan, BuildProgress, Built, EndgameTable, Filler, Form, LayerInfo, Sample, Verified, Work,
    build_as, folder, verify,
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
/// use parlor_catalog::{BuildPlan, Work, game};
/// use std::sync::atomic::{AtomicBool, AtomicU64};
///
/// # let folder = parlor_testkit::temp_folder();
/// # let dir: &std::path::Path = &folder;
/// let game = game("kalah:3,2")?;
/// let tables = game.tables().expect("Kalah has endgame tables");
/// let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
/// let work = Work { threads: 1, stop: &stop, done: &done };
/// tables.build(&BuildPlan { dir, up_to: 6, memory: 64 << 20 }, &work, &mut |_| ())?;
///
/// let board = game.board_at("0,0,1/0,1,1 5/4 s")?;
/// let probed = tables.open(dir)?.probe(&board.record())?;
/// assert_eq!(probed.moves.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait TableFamily: Send + Sync {
    /// The game spec under which the tables are stored.
    fn family(&self) -> String;
    /// The folder of these tables below the folder of all tables.
    fn folder(&self, dir: &Path) -> PathBuf;
    /// Builds the missing layers; see [`parlor_tables::build`].
    fn build(
        &self,
        plan: &BuildPlan<'_>,
        work: &Work<'_>,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<Built, BadTable> {
        self.build_as(Form::Plain, plan, work, progress)
    }
    /// Builds the missing layers in this form; see [`parlor_tables::build_as`].
    fn build_as(
        &self,
        form: Form,
        plan: &BuildPlan<'_>,
        work: &Work<'_>,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<Built, BadTable>;
    /// Opens the existing layers; see [`EndgameTable::open`].
    fn open(&self, dir: &Path) -> Result<Box<dyn DynTable>, BadTable>;
    /// Checks the laws of indexed positions; see [`laws::check_numbers`].
    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String>;
}

/// An open endgame table, independent of its game type.
pub trait DynTable: Send + Sync {
    /// A description of each layer.
    fn info(&self) -> Vec<LayerInfo>;
    /// How often each pair of bounds occurs in a layer, in ascending order. Equal bounds are an exact value. Empty if the layer
    /// cannot be unpacked.
    fn histogram(&self, layer: u32) -> Vec<([i8; 2], u64)>;
    /// Checks blocks and entries; see [`parlor_tables::verify`].
    fn verify(&self, sample: Option<Sample>, work: &Work<'_>) -> Result<Verified, BadTable>;
    /// Looks up the position after a record and its successors.
    fn probe(&self, record: &Record) -> Result<ProbeResult, BadRecord>;
}

/// The entry of a position and those of its moves. Values are seen by the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    pub layer: u32,
    /// Bounds of the value; `None` if the table does not have the layer.
    pub value: Option<Bounds>,
    /// Every legal move in listing order, with its bounds if the table has the layer.
    pub moves: Vec<(String, Option<Bounds>)>,
}

type MakeTables<G> = Box<dyn Fn(&G) -> Box<dyn TableFamily> + Send + Sync>;

/// How a game builds and uses endgame tables.
pub(crate) struct TableSupport<G> {
    /// Opens the table below the folder of all tables, for searches that probe it.
    pub open: OpenOracle<G>,
    pub tables: MakeTables<G>,
}

impl<G: Indexed + Notation> TableSupport<G> {
    /// Tables whose layers this filler computes.
    pub(crate) fn filled_by(filler: impl Filler<G> + Clone + Send + 'static) -> TableSupport<G> {
        let tables = move |game: &G| -> Box<dyn TableFamily> {
            Box::new(TypedTables { game: game.clone(), filler: filler.clone() })
        };
        TableSupport { open: oracle::<G>, tables: Box::new(tables) }
    }
}

struct TypedTables<G, F> {
    game: G,
    filler: F,
}

impl<G: Indexed + Notation, F: Filler<G> + Send> TableFamily for TypedTables<G, F> {
    fn family(&self) -> String {
        self.game.family().spec()
    }

    fn folder(&self, dir: &Path) -> PathBuf {
        folder(&self.game, dir)
    }

    fn build_as(
        &self,
        form: Form,
        plan: &BuildPlan<'_>,
        work: &Work<'_>,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<Built, BadTable> {
        build_as(form, &self.game, plan, &self.filler, work, progress)
    }

    fn open(&self, dir: &Path) -> Result<Box<dyn DynTable>, BadTable> {
        Ok(Box::new(TypedTable { game: self.game.clone(), table: EndgameTable::open(&self.game, dir)? }))
    }

    fn check_laws(&self, plies: usize, choose: &mut dyn FnMut(usize) -> usize) -> Result<(), String> {
        laws::check_numbers(&self.game, plies, choose)
    }
}

struct TypedTable<G> {
    game: G,
    table: EndgameTable<G>,
}

impl<G: Indexed + Notation> DynTable for TypedTable<G> {
    fn info(&self) -> Vec<LayerInfo> {
        self.table.info()
    }

    fn histogram(&self, layer: u32) -> Vec<([i8; 2], u64)> {
        self.table.histogram(layer)
    }

    fn verify(&self, sample: Option<Sample>, work: &Work<'_>) -> Result<Verified, BadTable> {
        verify(&self.table, sample, work)
    }

    fn probe(&self, record: &Record) -> Result<ProbeResult, BadRecord> {
        let played = in_scoring_variant(&self.game, record)?;
        let (game, pos) = (played.game(), played.position());
        let value = |pos: &G::Position| self.table.probe(game, pos);
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let probe_move = |mv| {
            let mut next = pos.clone();
            game.play(&mut next, mv);
            let same = game.turn(&next) == game.turn(pos);
            let seen = |Bounds { lo, hi }| if same { Bounds { lo, hi } } else { Bounds { lo: -hi, hi: -lo } };
            (game.write_move(mv), value(&next).map(seen))
        };
        let moves = moves.into_iter().map(probe_move).collect();
        Ok(ProbeResult { layer: game.layer(pos), value: value(pos), moves })
    }
}

/// Opens the table of a game below the folder of all tables; `None` if there is none.
pub(crate) type OpenOracle<G> = fn(&G, &Path) -> Result<Option<Arc<dyn Oracle<G>>>, BadTable>;

/// The open tables by folder. A folder has tables of one game type, so that the downcast always succeeds.
static OPEN_TABLES: Mutex<Vec<(PathBuf, Weak<dyn Any + Send + Sync>)>> = Mutex::new(Vec::new());

/// The shared table of a game below the folder of all tables; opens it if it is not open. `None` if there is none.
pub(crate) fn table<G: Indexed>(game: &G, dir: &Path) -> Result<Option<Arc<EndgameTable<G>>>, BadTable> {
    let folder = folder(game, dir);
    let mut open_tables = OPEN_TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    open_tables.retain(|(_, table)| table.strong_count() > 0);
    let open = open_tables.iter().find(|(path, _)| *path == folder).and_then(|(_, table)| table.upgrade());
    if let Some(table) = open.and_then(|table| table.downcast().ok()) {
        return Ok(Some(table));
    }
    match EndgameTable::open(game, dir).and_then(|table| table.is_sound().map(|()| table)) {
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

/// Like [`table`]; `None` without a folder.
pub(crate) fn table_below<G: Indexed>(
    game: &G,
    dir: Option<&Path>,
) -> Result<Option<Arc<EndgameTable<G>>>, BadTable> {
    dir.map_or(Ok(None), |dir| table(game, dir))
}

/// The shared table of a game as an oracle.
pub(crate) fn oracle<G: Indexed>(game: &G, dir: &Path) -> Result<Option<Arc<dyn Oracle<G>>>, BadTable> {
    Ok(table(game, dir)?.map(|table| table as Arc<dyn Oracle<G>>))
}
