//! The threads of a worker. Each executes one job at a time: a game or an analysis request. Running
//! programs stay with their thread. A stopped game has no result, and a panic ends one job only.

use super::tournament_context::TournamentContext;
use crate::{AnalysisRequest, AnalystCache, answer_text};
use parlor_tournament::{Cores, Halt, LedgerEntry, Slot, WorkerCache};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::AtomicBool,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Number of tournaments per thread whose programs keep running between games.
const MAX_CACHES: usize = 4;

pub struct Job {
    pub id: i64,
    pub halt: Arc<AtomicBool>,
    pub work: JobKind,
}

pub enum JobKind {
    Game(Arc<TournamentContext>, Slot),
    Question(String),
}

pub struct FinishedJob {
    pub id: i64,
    pub result: JobOutcome,
    pub took: Duration,
}

pub enum JobOutcome {
    Played(Arc<TournamentContext>, Box<LedgerEntry>),
    Answered(String),
    /// The worker was stopped.
    Left,
    /// The reason, as a sentence.
    Failed(String),
}

pub struct JobThreads {
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    done: UnboundedReceiver<FinishedJob>,
}

impl JobThreads {
    pub fn of(threads: usize, analysts: &Arc<AnalystCache>) -> JobThreads {
        let (jobs, taken) = mpsc::channel();
        let (send, done) = unbounded_channel();
        let taken = Arc::new(Mutex::new(taken));
        let cores = Cores::available();
        let one = |number| {
            let (taken, send, analysts) = (taken.clone(), send.clone(), analysts.clone());
            let core = Core { number, threads, cores: cores.clone() };
            thread::spawn(move || work(&taken, &send, &analysts, &core))
        };
        JobThreads { jobs: Some(jobs), threads: (0..threads).map(one).collect(), done }
    }

    pub fn start(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // Threads end only when this sender is dropped.
            let _ = jobs.send(job);
        }
    }

    /// Waits for the next finished job.
    pub async fn next(&mut self) -> Option<FinishedJob> {
        self.done.recv().await
    }

    /// All jobs that have finished by now.
    pub fn ready(&mut self) -> Vec<FinishedJob> {
        std::iter::from_fn(|| self.done.try_recv().ok()).collect()
    }

    /// Ends the threads, and returns the jobs that they finished in the meantime.
    pub fn close(mut self) -> Vec<FinishedJob> {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // Panics are caught for each job, so the thread itself does not panic.
            let _ = thread.join();
        }
        self.ready()
    }
}

/// The cores assigned to a thread.
struct Core {
    number: usize,
    threads: usize,
    cores: Result<Cores, String>,
}

impl Core {
    /// Prepares the calling thread for a game that is pinned or not. The error is a sentence.
    fn prepare(&self, pin: bool) -> Result<(), String> {
        match &self.cores {
            Ok(cores) if pin => cores.pin(self.number),
            Ok(cores) => {
                cores.share(self.number, self.threads);
                Ok(())
            }
            Err(why) if pin => Err(why.clone()),
            Err(_) => Ok(()),
        }
    }
}

/// Answers an analysis request. The error is a sentence.
fn answer(analysts: &AnalystCache, text: &str, halt: &AtomicBool) -> Result<String, String> {
    let AnalysisRequest { record, time } =
        AnalysisRequest::read(text).ok_or("the analysis request is invalid")?;
    let game = parlor_catalog::game(&record.game).map_err(|bad| bad.0)?;
    let moves = analysts.analyze(game.as_ref(), &record, time, halt).map_err(|error| error.to_string())?;
    Ok(answer_text(&moves))
}

fn work(
    taken: &Mutex<Receiver<Job>>,
    send: &UnboundedSender<FinishedJob>,
    analysts: &AnalystCache,
    core: &Core,
) {
    let mut tables: Vec<(Arc<TournamentContext>, WorkerCache)> = Vec::new();
    loop {
        let job = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { id, halt, work }) = job else { return };
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| match work {
            JobKind::Game(context, slot) => match core.prepare(context.plan.pin) {
                Ok(()) => play(context, slot, &mut tables, &halt),
                Err(why) => JobOutcome::Failed(why),
            },
            JobKind::Question(text) => {
                match core.prepare(false).and_then(|()| answer(analysts, &text, &halt)) {
                    Ok(answer) => JobOutcome::Answered(answer),
                    Err(why) => JobOutcome::Failed(why),
                }
            }
        }));
        let result = result.unwrap_or_else(|_| {
            tables.clear();
            JobOutcome::Failed("the referee panicked".to_string())
        });
        if send.send(FinishedJob { id, result, took: begun.elapsed() }).is_err() {
            return;
        }
    }
}

fn play(
    context: Arc<TournamentContext>,
    slot: Slot,
    tables: &mut Vec<(Arc<TournamentContext>, WorkerCache)>,
    halt: &AtomicBool,
) -> JobOutcome {
    if halt.load(std::sync::atomic::Ordering::Relaxed) {
        return JobOutcome::Left;
    }
    let at = tables.iter().position(|(known, _)| Arc::ptr_eq(known, &context));
    let mut table = match at {
        Some(at) => tables.remove(at).1,
        None => WorkerCache::default(),
    };
    let played = context.tournament().play(slot, &mut table, halt);
    // LRU: the most recently used cache is last, and the first is dropped.
    tables.push((context.clone(), table));
    if tables.len() > MAX_CACHES {
        tables.remove(0);
    }
    match played {
        Ok(entry) if entry.halves().is_none() => JobOutcome::Left,
        Ok(entry) => JobOutcome::Played(context, Box::new(entry)),
        Err(Halt::Player(bad)) => JobOutcome::Failed(bad.to_string()),
        Err(other) => JobOutcome::Failed(other.to_string()),
    }
}
