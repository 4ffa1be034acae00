//! The time of all games of a server.

use parlor_catalog::Clock;
use parlor_session::Micros;
use std::{sync::Arc, time::Duration};

/// The time of all games of a server, in microseconds since 1970. It starts with the wall clock and runs by a clock that never
/// goes back, so that no player is charged when the wall clock is set.
#[derive(Clone)]
pub struct GameTime {
    clock: Arc<dyn Clock>,
    zero: Micros,
}

impl GameTime {
    /// Creates a time that runs by this clock and is now `now` milliseconds since 1970.
    pub fn new(clock: Arc<dyn Clock>, now: i64) -> GameTime {
        let zero = Micros::from_millis(now) - clock.now().into();
        GameTime { clock, zero }
    }

    /// The current time, since 1970.
    pub fn now(&self) -> Micros {
        self.zero + self.clock.now().into()
    }

    /// The current time in milliseconds since 1970.
    pub fn millis(&self) -> i64 {
        self.now().as_millis()
    }

    /// The time until a moment; zero if it has passed.
    pub fn until(&self, moment: Micros) -> Duration {
        (moment - self.now()).into()
    }
}
