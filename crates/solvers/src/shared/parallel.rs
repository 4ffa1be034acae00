//! Runs a search until a deadline, and on several threads until the first of them has the answer. It knows no game and no
//! table.

use parlor_engine::Deadline;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// The interval at which the clock is read while a solver works.
const TICK: Duration = Duration::from_millis(1);
/// The interval at which the stop flag of a race is read: many questions take less than a millisecond.
const SHORT_TICK: Duration = Duration::from_micros(200);

/// Runs `work`, which stops when its flag is set: as soon as the deadline is over.
pub(crate) fn with_deadline<T>(deadline: &Deadline<'_>, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let (halt, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) && !deadline.is_over() {
                thread::sleep(TICK);
            }
            halt.store(true, Relaxed);
        });
        let found = work(&halt);
        done.store(true, Relaxed);
        found
    })
}

/// Asks all threads the same question: the first that has the answer, was stopped or reached its limit stops the others.
/// Returns the answer and the nodes of all threads.
pub(crate) fn race<T: Send>(
    threads: usize,
    stop: &AtomicBool,
    ask: impl Fn(&AtomicBool) -> (Option<T>, u64) + Sync,
) -> (Option<T>, u64) {
    let (answer, nodes, done) = (Mutex::new(None), AtomicU64::new(0), AtomicBool::new(false));
    let work = || {
        let (found, took) = ask(&done);
        nodes.fetch_add(took, Relaxed);
        if found.is_some() {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
        done.store(true, Relaxed);
    };
    thread::scope(|scope| {
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
        while !done.load(Relaxed) {
            if stop.load(Relaxed) {
                done.store(true, Relaxed);
            }
            thread::sleep(SHORT_TICK);
        }
    });
    (answer.into_inner().unwrap_or_else(PoisonError::into_inner), nodes.into_inner())
}
