//! Time in microseconds, as drivers pass it in.

use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// A moment or a span in microseconds. Where zero lies is the driver's choice. Arithmetic saturates: there is no negative time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Micros(pub u64);

impl Micros {
    /// Nothing.
    pub const ZERO: Micros = Micros(0);

    /// Milliseconds; a negative number counts as zero.
    pub fn from_millis(millis: i64) -> Micros {
        Micros(u64::try_from(millis).unwrap_or(0).saturating_mul(1000))
    }

    /// Whole milliseconds, rounded down.
    pub fn as_millis(self) -> i64 {
        i64::try_from(self.0 / 1000).unwrap_or(i64::MAX)
    }
}

impl From<Duration> for Micros {
    fn from(time: Duration) -> Micros {
        Micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }
}

impl From<Micros> for Duration {
    fn from(time: Micros) -> Duration {
        Duration::from_micros(time.0)
    }
}

impl Add for Micros {
    type Output = Micros;

    fn add(self, other: Micros) -> Micros {
        Micros(self.0.saturating_add(other.0))
    }
}

impl Sub for Micros {
    type Output = Micros;

    fn sub(self, other: Micros) -> Micros {
        Micros(self.0.saturating_sub(other.0))
    }
}
