//! Open tables, so that all who use one at the same time share it. A table stays open only as long as somebody uses it: whoever
//! opens it after that finds what was built meanwhile. A table that is not right is never kept here, nor believed.

use parlor_core::{Indexed, Oracle};
use parlor_tables::{BadTable, Table, folder};
use std::{
    any::Any,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// Opens the table of a game below the folder of all tables; none where there is no table.
pub(crate) type Open<G> = fn(&G, &Path) -> Result<Option<Arc<dyn Oracle<G>>>, BadTable>;

/// Who uses which folder's table. A folder has one game's tables, so that the types always fit.
static SHELF: Mutex<Vec<(PathBuf, Weak<dyn Any + Send + Sync>)>> = Mutex::new(Vec::new());

/// The table of a game below the folder of all tables: the one that is open, or opened now; none where there is no table.
pub(crate) fn table<G: Indexed>(game: &G, dir: &Path) -> Result<Option<Arc<Table<G>>>, BadTable> {
    let folder = folder(game, dir);
    let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    shelf.retain(|(_, table)| table.strong_count() > 0);
    let open = shelf.iter().find(|(path, _)| *path == folder).and_then(|(_, table)| table.upgrade());
    if let Some(table) = open.and_then(|table| table.downcast().ok()) {
        return Ok(Some(table));
    }
    match Table::open(game, dir).and_then(|table| table.is_sound().map(|()| table)) {
        Ok(table) => {
            let table = Arc::new(table);
            let kept: Weak<dyn Any + Send + Sync> = Arc::downgrade(&(table.clone() as Arc<_>));
            shelf.push((folder, kept));
            Ok(Some(table))
        }
        Err(BadTable::Missing(_)) => Ok(None),
        Err(bad) => Err(bad),
    }
}

/// The same where there may be no folder.
pub(crate) fn table_below<G: Indexed>(
    game: &G,
    dir: Option<&Path>,
) -> Result<Option<Arc<Table<G>>>, BadTable> {
    dir.map_or(Ok(None), |dir| table(game, dir))
}

/// The same for those who only ask.
pub(crate) fn oracle<G: Indexed>(game: &G, dir: &Path) -> Result<Option<Arc<dyn Oracle<G>>>, BadTable> {
    Ok(table(game, dir)?.map(|table| table as Arc<dyn Oracle<G>>))
}
