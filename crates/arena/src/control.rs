//! How long players may think: `200ms+2ms` for a whole game and for each move made, `move=100ms`, `nodes=10000`, `depth=6`.

use parlor_catalog::{duration, write_duration};
use parlor_play::{Clocks, Limits, Side};
use std::{fmt, str::FromStr, time::Duration};

/// The time control of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// As long as each player likes.
    #[default]
    Free,
    /// So much for all moves, and so much more for each move made.
    Clock {
        /// At the beginning.
        base: Duration,
        /// For each move.
        increment: Duration,
    },
    /// So much for each move.
    Move(Duration),
    /// So many positions for each move.
    Nodes(u64),
    /// So many moves ahead.
    Depth(u32),
}

/// Why a text is no time control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadControl(pub String);

impl fmt::Display for BadControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Control {
    type Err = BadControl;

    fn from_str(text: &str) -> Result<Control, BadControl> {
        let text = text.trim();
        let control = match text.split_once('=') {
            Some(("move", time)) => duration(time).map(Control::Move),
            Some(("nodes", count)) => count.parse().ok().filter(|&n| n > 0).map(Control::Nodes),
            Some(("depth", count)) => {
                count.parse().ok().filter(|n| (1..=200).contains(n)).map(Control::Depth)
            }
            Some(_) => None,
            None => {
                let (base, increment) = text.split_once('+').unwrap_or((text, "0s"));
                let both = duration(base).zip(duration(increment));
                both.map(|(base, increment)| Control::Clock { base, increment })
            }
        };
        control.filter(|control| !control.is_nothing()).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            BadControl(format!(
                "time '{shown}' is not like 200ms+2ms (a clock), move=100ms, nodes=10000 or depth=6"
            ))
        })
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Control::Free => f.write_str("free"),
            Control::Clock { base, increment } => {
                write!(f, "{}+{}", write_duration(*base), write_duration(*increment))
            }
            Control::Move(time) => write!(f, "move={}", write_duration(*time)),
            Control::Nodes(count) => write!(f, "nodes={count}"),
            Control::Depth(count) => write!(f, "depth={count}"),
        }
    }
}

impl Control {
    fn is_nothing(self) -> bool {
        matches!(self, Control::Move(time) if time.is_zero())
            || matches!(self, Control::Clock { base, increment } if (base + increment).is_zero())
    }
}

/// The clocks of one game, set by its time control.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    control: Control,
    left: [Duration; 2],
}

impl Watch {
    pub(crate) fn new(control: Control) -> Watch {
        let left = match control {
            Control::Clock { base, increment } => base.max(increment),
            _ => Duration::ZERO,
        };
        Watch { control, left: [left; 2] }
    }

    /// What the side to move is told.
    pub(crate) fn limits(&self, side: Side) -> Limits {
        let none = Limits::default();
        match self.control {
            Control::Free => none,
            Control::Clock { increment, .. } => Limits {
                time: Some(self.left[side.index()]),
                clocks: Some(Clocks { left: self.left, increment: [increment; 2] }),
                ..none
            },
            Control::Move(time) => Limits { time: Some(time), ..none },
            Control::Nodes(nodes) => Limits { nodes: Some(nodes), ..none },
            Control::Depth(depth) => Limits { depth: Some(depth), ..none },
        }
    }

    /// A move was made after so much thought.
    pub(crate) fn pressed(&mut self, side: Side, thought: Duration) {
        if let Control::Clock { increment, .. } = self.control {
            let left = &mut self.left[side.index()];
            *left = left.saturating_sub(thought) + increment;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_read_back_as_written() {
        for text in ["200ms+2ms", "5m+3s", "10s+0ms", "move=100ms", "nodes=10000", "depth=6"] {
            assert_eq!(text.parse::<Control>().map(|control| control.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("1s".parse::<Control>().map(|c| c.to_string()).as_deref(), Ok("1s+0ms"));
        for bad in ["", "5", "move=", "move=0s", "nodes=0", "nodes=-1", "depth=0", "0s+0s", "fast", "1s+x"] {
            assert!(bad.parse::<Control>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_clock_loses_what_was_thought_and_gains_the_increment() {
        let millis = Duration::from_millis;
        let mut watch = Watch::new("200ms+2ms".parse().expect("a control"));
        watch.pressed(Side::First, millis(50));
        assert_eq!(watch.limits(Side::First).time, Some(millis(152)));
        assert_eq!(watch.limits(Side::Second).time, Some(millis(200)));
        watch.pressed(Side::First, millis(500));
        assert_eq!(watch.limits(Side::First).time, Some(millis(2)));
        assert_eq!(watch.limits(Side::First).clocks.map(|c| c.left), Some([millis(2), millis(200)]));
    }
}
