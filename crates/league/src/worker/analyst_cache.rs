//! The analysts of a worker: a few are kept for the next question about the same game.

use crate::analysis_request::{AnalysisRequest, answer_text};
use parlor_catalog::{Analyst, Monotonic, Resources};
use parlor_core::Limits;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicBool},
};

/// Analysts that are kept, and what each may remember.
const KEPT: usize = 4;
const MEMORY: usize = 64 << 20;

/// Analysts by game spec.
pub struct AnalystCache {
    analysts: Mutex<Vec<(String, Box<dyn Analyst>)>>,
    tables: Option<PathBuf>,
}

impl AnalystCache {
    pub fn new(tables: Option<PathBuf>) -> AnalystCache {
        AnalystCache { analysts: Mutex::default(), tables: tables.filter(|dir| dir.is_dir()) }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Box<dyn Analyst>)>> {
        self.analysts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a question, or why there is none.
    pub fn answer(&self, text: &str, halt: &AtomicBool) -> Result<String, String> {
        let question = AnalysisRequest::read(text).ok_or("the question cannot be read")?;
        let game = parlor_catalog::game(&question.record.game).map_err(|bad| bad.0)?;
        let spec = game.spec();
        let kept = {
            let mut analysts = self.lock();
            analysts.iter().position(|(name, _)| *name == spec).map(|at| analysts.remove(at).1)
        };
        let mut analyst = match kept {
            Some(analyst) => analyst,
            None => {
                let clock = Arc::new(Monotonic::start());
                let resources = Resources {
                    memory: Some(MEMORY),
                    tables: self.tables.clone(),
                    ..Resources::with_clock(0, clock)
                };
                game.analyst(&resources).map_err(|bad| bad.to_string())?
            }
        };
        let limits = Limits { time: Some(question.time), ..Limits::default() };
        let judged = analyst.analyze(&question.record, &limits, halt);
        let mut analysts = self.lock();
        analysts.push((spec, analyst));
        if analysts.len() > KEPT {
            analysts.remove(0);
        }
        judged.map(|moves| answer_text(&moves)).map_err(|bad| bad.0)
    }
}
