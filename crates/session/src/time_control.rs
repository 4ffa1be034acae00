//! Time controls: their notation and their values. docs/time-controls.md describes them for users.

use parlor_core::{duration, write_duration};
use std::{fmt, str::FromStr, time::Duration};

/// How much time, or how much work, a player may use. The definition is that of lichess: the increment is added after each own
/// move, so `10s+60s` allows 10 s for the first timed move. A base of 0 starts with the increment.
///
/// # Examples
///
/// ```
/// use parlor_session::TimeControl;
/// use std::time::Duration;
///
/// let (base, increment) = (Duration::from_secs(300), Duration::from_secs(3));
/// assert_eq!("5m+3s".parse(), Ok(TimeControl::Clock { base, increment }));
/// assert_eq!("move=500ms".parse::<TimeControl>()?.to_string(), "move=500ms");
/// assert!("5".parse::<TimeControl>().is_err());
/// # Ok::<(), parlor_session::BadTimeControl>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeControl {
    /// `free`: no limit.
    #[default]
    Unlimited,
    /// `5m+3s`: a base time, and an increment after each own move (Fischer).
    Clock {
        /// The time at the start of the game.
        base: Duration,
        /// Added after each own move.
        increment: Duration,
    },
    /// `5m,delay=3s`: the clock starts to run a delay after the turn begins (US delay).
    Delay {
        /// The time at the start of the game.
        base: Duration,
        /// Free time at the beginning of each turn.
        delay: Duration,
    },
    /// `5m,bronstein=3s`: after each own move the time used for it is given back, up to the delay (Bronstein delay).
    Bronstein {
        /// The time at the start of the game.
        base: Duration,
        /// The most time that is given back per move.
        delay: Duration,
    },
    /// `10m,byoyomi=3x30s`: after the base time, periods; a move within the period leaves it as it was.
    ByoYomi {
        /// The time before the periods.
        base: Duration,
        /// Number of periods.
        periods: u32,
        /// Length of each period.
        period: Duration,
    },
    /// `move=100ms`, `move=3d`: time per move.
    Move(Duration),
    /// `nodes=10000`: visited positions per move.
    Nodes(u64),
    /// `depth=6`: search depth in plies.
    Depth(u32),
}

/// From this time per move on, a game is correspondence: its time runs while no server has it loaded.
const CORRESPONDENCE: Duration = Duration::from_secs(3600);
/// More periods serve no purpose.
const MOST_PERIODS: u32 = 100;

/// Why a text is not a time control: one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadTimeControl(pub String);

impl TimeControl {
    /// What would be accepted, for error messages.
    pub const EXAMPLES: &'static str = "5m+3s (time for the game, increment per move), move=10s, \
         5m,delay=3s, 5m,bronstein=3s, 10m,byoyomi=3x30s, nodes=10000 or depth=6";

    /// Whether the time runs on while no program has the game loaded.
    pub fn is_correspondence(self) -> bool {
        matches!(self, TimeControl::Move(time) if time >= CORRESPONDENCE)
    }

    /// Whether it limits time, and not the work of a search.
    pub fn is_timed(self) -> bool {
        !matches!(self, TimeControl::Unlimited | TimeControl::Nodes(_) | TimeControl::Depth(_))
    }

    fn read(text: &str) -> Option<TimeControl> {
        if text == "free" {
            return Some(TimeControl::Unlimited);
        }
        if let Some((base, rest)) = text.split_once(',') {
            let base = duration(base)?;
            return match rest.split_once('=')? {
                ("delay", delay) => Some(TimeControl::Delay { base, delay: positive(delay)? }),
                ("bronstein", delay) => Some(TimeControl::Bronstein { base, delay: positive(delay)? }),
                ("byoyomi", periods) => {
                    let (count, period) = periods.split_once('x')?;
                    let periods = count.parse().ok().filter(|count| (1..=MOST_PERIODS).contains(count))?;
                    Some(TimeControl::ByoYomi { base, periods, period: positive(period)? })
                }
                _ => None,
            };
        }
        match text.split_once('=') {
            Some(("move", time)) => positive(time).map(TimeControl::Move),
            Some(("nodes", count)) => count.parse().ok().filter(|&count| count > 0).map(TimeControl::Nodes),
            Some(("depth", count)) => {
                count.parse().ok().filter(|count| (1..=200).contains(count)).map(TimeControl::Depth)
            }
            Some(_) => None,
            None => {
                let (base, increment) = text.split_once('+').unwrap_or((text, "0s"));
                let (base, increment) = (duration(base)?, duration(increment)?);
                (base + increment > Duration::ZERO).then_some(TimeControl::Clock { base, increment })
            }
        }
    }
}

fn positive(text: &str) -> Option<Duration> {
    // Shorter times could not be written.
    duration(text).filter(|time| time.as_millis() > 0)
}

impl FromStr for TimeControl {
    type Err = BadTimeControl;

    fn from_str(text: &str) -> Result<TimeControl, BadTimeControl> {
        TimeControl::read(text.trim()).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            BadTimeControl(format!("'{shown}' is not a time control; expected {}", TimeControl::EXAMPLES))
        })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let w = |time: &Duration| write_duration(*time);
        match self {
            TimeControl::Unlimited => f.write_str("free"),
            TimeControl::Clock { base, increment } if increment.is_zero() => f.write_str(&w(base)),
            TimeControl::Clock { base, increment } => write!(f, "{}+{}", w(base), w(increment)),
            TimeControl::Delay { base, delay } => write!(f, "{},delay={}", w(base), w(delay)),
            TimeControl::Bronstein { base, delay } => write!(f, "{},bronstein={}", w(base), w(delay)),
            TimeControl::ByoYomi { base, periods, period } => {
                write!(f, "{},byoyomi={periods}x{}", w(base), w(period))
            }
            TimeControl::Move(time) => write!(f, "move={}", w(time)),
            TimeControl::Nodes(count) => write!(f, "nodes={count}"),
            TimeControl::Depth(count) => write!(f, "depth={count}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_read_back_as_written() {
        for text in [
            "200ms+2ms",
            "5m+3s",
            "90s",
            "0ms+5s",
            "5m,delay=3s",
            "5m,bronstein=3s",
            "10m,byoyomi=3x30s",
            "move=100ms",
            "move=3d",
            "nodes=10000",
            "depth=6",
            "free",
        ] {
            assert_eq!(text.parse::<TimeControl>().map(|control| control.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn texts_of_older_builds_are_read() {
        let base = Duration::from_secs(10);
        let plain = Ok(TimeControl::Clock { base, increment: Duration::ZERO });
        assert_eq!("10s+0ms".parse(), plain);
        assert_eq!("10s+0s".parse(), plain);
        assert_eq!("10s".parse(), plain);
        assert_eq!(
            "180m+3s".parse::<TimeControl>().map(|control| control.to_string()).as_deref(),
            Ok("3h+3s")
        );
    }

    #[test]
    fn other_texts_are_refused_with_examples() {
        for bad in [
            "",
            "5",
            "5m+",
            "+3s",
            "0s",
            "0s+0s",
            "five",
            "1s+x",
            "move=",
            "move=0s",
            "nodes=0",
            "nodes=-1",
            "depth=0",
            "depth=201",
            "5m,delay=",
            "5m,delay=0s",
            "5m,fischer=3s",
            "5m,byoyomi=30s",
            "5m,byoyomi=0x30s",
            "5m,byoyomi=101x1s",
            "5m,delay=0.4ms",
            ",delay=3s",
            "move=3x",
        ] {
            let error = bad.parse::<TimeControl>().expect_err(bad);
            assert!(error.0.contains("5m+3s") && error.0.contains("byoyomi"), "{error}");
        }
    }

    #[test]
    fn hours_per_move_are_correspondence() {
        let is = |text: &str| text.parse::<TimeControl>().expect("a time control").is_correspondence();
        assert!(is("move=3d") && is("move=1h"));
        assert!(!is("move=59m") && !is("5h") && !is("free"));
    }
}
