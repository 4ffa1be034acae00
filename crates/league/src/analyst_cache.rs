//! LRU cache of analysts. An analyst keeps its tables, which speed up the analysis of the following
//! positions of the same game. Workers and servers use this cache.

use parlor_catalog::{Analyst, BadPlayer, Clock, DynGame, Monotonic, MoveAnalysis, Resources};
use parlor_core::{BadRecord, Limits, Record};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
    time::Duration,
};

/// Number of idle analysts; the least recently used one is dropped first.
const CAPACITY: usize = 4;
/// Bytes that one analyst may use for its tables.
const MEMORY: usize = 64 << 20;

/// Idle analysts, each with the spec of its game. There may be two for one game if two were in use
/// at the same time.
pub struct AnalystCache {
    idle: Mutex<Vec<(String, Box<dyn Analyst>)>>,
    tables: Option<PathBuf>,
    clock: Arc<dyn Clock>,
}

/// Why a position cannot be analysed.
#[derive(Debug, thiserror::Error)]
pub enum AnalystError {
    /// No analyst can be made, for example because an endgame table is damaged.
    #[error(transparent)]
    Analyst(#[from] BadPlayer),
    #[error(transparent)]
    Record(#[from] BadRecord),
}

impl AnalystCache {
    pub fn new(tables: Option<PathBuf>) -> AnalystCache {
        AnalystCache { idle: Mutex::default(), tables, clock: Arc::new(Monotonic::start()) }
    }

    /// Analyses the position after `record` for at most `time`. An analyst that panics is dropped.
    pub fn analyze(
        &self,
        game: &dyn DynGame,
        record: &Record,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Vec<MoveAnalysis>, AnalystError> {
        let spec = game.spec();
        let mut analyst = match self.take(&spec) {
            Some(analyst) => analyst,
            None => game.analyst(&self.resources())?,
        };
        let limits = Limits { time: Some(time), ..Limits::default() };
        let moves = analyst.analyze(record, &limits, stop);
        let mut idle = self.lock();
        idle.push((spec, analyst));
        if idle.len() > CAPACITY {
            idle.remove(0);
        }
        Ok(moves?)
    }

    fn take(&self, spec: &str) -> Option<Box<dyn Analyst>> {
        let mut idle = self.lock();
        let at = idle.iter().rposition(|(own, _)| own == spec)?;
        Some(idle.remove(at).1)
    }

    fn resources(&self) -> Resources {
        let tables = self.tables.clone();
        Resources { memory: Some(MEMORY), tables, ..Resources::with_clock(0, self.clock.clone()) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Box<dyn Analyst>)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
