//! Clocks and deadlines: the monotonic clock for users, and a manual one for tests of deadlines.

use std::{
    fmt::Debug,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

/// A monotonic clock.
pub trait Clock: Send + Sync + Debug {
    /// Time since a fixed moment; it never runs backwards.
    fn now(&self) -> Duration;
}

#[derive(Clone, Copy, Debug)]
pub struct Monotonic(Instant);

impl Monotonic {
    /// Starts a clock at zero.
    pub fn start() -> Monotonic {
        Monotonic(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock for tests: each reading advances it by a fixed step.
///
/// # Examples
///
/// ```
/// use parlor_engine::{Clock, Manual};
/// use std::time::Duration;
///
/// let clock = Manual::stepping(Duration::from_millis(1));
/// assert_eq!(clock.now(), Duration::from_millis(1));
/// clock.advance(Duration::from_secs(1));
/// assert_eq!(clock.shown(), Duration::from_millis(1001));
/// ```
#[derive(Debug)]
pub struct Manual {
    micros: AtomicU64,
    step: u64,
}

impl Manual {
    /// A clock at zero that advances by `step` at each reading.
    pub fn stepping(step: Duration) -> Manual {
        Manual { micros: AtomicU64::new(0), step: step.as_micros() as u64 }
    }

    /// The current time; unlike `now`, does not advance the clock.
    pub fn shown(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }

    pub fn advance(&self, by: Duration) {
        self.micros.fetch_add(by.as_micros() as u64, Ordering::Relaxed);
    }
}

impl Clock for Manual {
    fn now(&self) -> Duration {
        Duration::from_micros(self.micros.fetch_add(self.step, Ordering::Relaxed) + self.step)
    }
}

/// When to stop a search: at a time of the clock, or when the stop flag is set. Each thread has its own.
///
/// # Examples
///
/// ```
/// use parlor_engine::{Deadline, Manual};
/// use std::{
///     sync::{Arc, atomic::AtomicBool},
///     time::Duration,
/// };
///
/// let clock = Arc::new(Manual::stepping(Duration::ZERO));
/// let stop = AtomicBool::new(false);
/// let deadline = Deadline::after(Some(Duration::from_secs(1)), clock.clone(), &stop);
/// assert!(!deadline.is_over());
/// clock.advance(Duration::from_secs(1));
/// assert!(deadline.is_over());
/// ```
#[derive(Clone, Debug)]
pub struct Deadline<'a> {
    clock: Arc<dyn Clock>,
    at: Option<Duration>,
    stop: &'a AtomicBool,
    passed: bool,
    looks: u32,
}

/// One call in this many reads the clock: a reading costs as much as a few positions.
const STRIDE: u32 = 32;

impl<'a> Deadline<'a> {
    /// A deadline `time` from now, minus a margin so that the answer itself arrives in time: a twenty-fifth, at least 1 ms and
    /// at most 50 ms, because on a busy machine a thread may have to wait that long for a processor.
    pub fn after(time: Option<Duration>, clock: Arc<dyn Clock>, stop: &'a AtomicBool) -> Deadline<'a> {
        let at = time.map(|time| {
            let reserve = (time / 25).clamp(Duration::from_millis(1), Duration::from_millis(50));
            clock.now() + time.saturating_sub(reserve)
        });
        Deadline { clock, at, stop, passed: false, looks: 0 }
    }

    /// Reads the clock at every call; for callers that check rarely.
    pub fn is_over(&self) -> bool {
        self.passed || self.stop.load(Ordering::Relaxed) || self.at.is_some_and(|at| self.clock.now() >= at)
    }

    /// Whether the deadline has passed. Once true, it stays true.
    #[inline]
    pub fn passed(&mut self) -> bool {
        if self.passed {
            return true;
        }
        self.looks += 1;
        if self.looks % STRIDE == 1 {
            self.passed =
                self.stop.load(Ordering::Relaxed) || self.at.is_some_and(|at| self.clock.now() >= at);
        }
        self.passed
    }
}
