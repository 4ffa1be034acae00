//! Chess clocks for two: so much time each, and a little more with every move.

use parlor_catalog::{Clock, duration, write_duration};
use parlor_play::Side;
use std::{fmt, str::FromStr, sync::Arc, time::Duration};

/// Time for a whole game: `5m+3s`, or `5m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// What each side starts with.
    pub base: Duration,
    /// What each move adds.
    pub increment: Duration,
}

impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControl, String> {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0s"));
        match (duration(base), duration(increment)) {
            (Some(base), Some(increment)) if base + increment > Duration::ZERO => {
                Ok(TimeControl { base, increment })
            }
            _ => Err(format!(
                "'{text}' is not a clock like 5m+3s (time for the game, plus time for each move)"
            )),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_duration(self.base))?;
        if self.increment > Duration::ZERO {
            write!(f, "+{}", write_duration(self.increment))?;
        }
        Ok(())
    }
}

/// The moment at which the flag of the side to move falls: one for the whole turn, whatever is asked and answered in it.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    pub clock: Arc<dyn Clock>,
    pub falls: Duration,
}

impl Flag {
    /// What is left until then.
    pub fn left(&self) -> Duration {
        self.falls.saturating_sub(self.clock.now())
    }
}

/// The two clocks of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    control: TimeControl,
    left: [Duration; 2],
}

impl Clocks {
    pub fn new(control: TimeControl) -> Clocks {
        Clocks { control, left: [control.base + control.increment; 2] }
    }

    pub fn left(&self, side: Side) -> Duration {
        self.left[side.index()]
    }

    /// What a program is told: it shares its time out by itself.
    pub fn told(&self) -> parlor_play::Clocks {
        parlor_play::Clocks { left: self.left, increment: [self.control.increment; 2] }
    }

    /// A side has thought for so long. False: its flag has fallen.
    pub fn spend(&mut self, side: Side, thought: Duration) -> bool {
        let left = &mut self.left[side.index()];
        let in_time = thought <= *left;
        *left = left.saturating_sub(thought);
        in_time
    }

    /// A side has moved.
    pub fn moved(&mut self, side: Side) {
        self.left[side.index()] += self.control.increment;
    }
}

/// `4:59`, or `9.5s` in the last ten seconds.
pub(crate) fn shown(time: Duration) -> String {
    if time < Duration::from_secs(10) {
        format!("{:.1}s", time.as_secs_f64())
    } else {
        format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_refused() {
        let five = TimeControl { base: Duration::from_secs(300), increment: Duration::from_secs(3) };
        assert_eq!("5m+3s".parse(), Ok(five));
        assert_eq!("5m".parse::<TimeControl>().map(|c| c.increment), Ok(Duration::ZERO));
        assert_eq!(five.to_string(), "5m+3s");
        assert_eq!("90s".parse::<TimeControl>().map(|c| c.to_string()).as_deref(), Ok("90s"));
        for bad in ["", "5", "5m+", "+3s", "0s", "five"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_flag_falls_when_more_is_used_than_is_left() {
        let second = Duration::from_secs(1);
        let mut clocks = Clocks::new(TimeControl { base: 10 * second, increment: second });
        assert!(clocks.spend(Side::First, 5 * second));
        assert_eq!(clocks.left(Side::First), 6 * second, "thinking adds nothing");
        clocks.moved(Side::First);
        assert_eq!(clocks.left(Side::First), 7 * second);
        assert!(!clocks.spend(Side::First, 8 * second));
        assert_eq!(clocks.left(Side::First), Duration::ZERO);
        assert_eq!(clocks.left(Side::Second), 11 * second);
        assert_eq!(clocks.told().increment, [second; 2]);
    }
}
