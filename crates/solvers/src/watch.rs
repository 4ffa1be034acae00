//! How long the experts' solvers work: until a deadline, which somebody else watches, and until the first of several threads
//! has the answer. It knows no game and no table.

use parlor_engine::Deadline;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

/// How often somebody looks at the clock while a solver works.
const TICK: Duration = Duration::from_millis(1);
/// How often somebody looks whether a crew is to stop: many questions take less than a millisecond.
const SHORT_TICK: Duration = Duration::from_micros(200);

/// Does some work that stops when the flag it is given is set: as soon as the deadline is over.
pub(crate) fn until<T>(deadline: &Deadline<'_>, work: impl FnOnce(&AtomicBool) -> T) -> T {
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

/// All threads at the same question: the first that has the answer, was stopped or ran out of room stops the others. The
/// answer, and the nodes of all.
pub(crate) fn first_of<T: Send>(
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
