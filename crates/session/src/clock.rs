//! The chess clock of a game: time in microseconds, as drivers pass it in, and the remaining times, charged by one rule for each
//! time control.

use crate::TimeControl;
use parlor_core::{Clocks, Limits, Side};
use std::{
    ops::{Add, Sub},
    time::Duration,
};

/// A moment or a duration in microseconds. The driver chooses the origin. Arithmetic saturates: there is no negative time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Micros(pub u64);

impl Micros {
    /// The origin of time, or an empty duration.
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

/// The remaining time of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remaining {
    /// Time on the clock: before the byo-yomi periods, or of the current move if each move has its own time.
    pub time: Micros,
    /// Remaining periods of byo-yomi.
    pub periods: u32,
}

/// Both clocks. The caller says which of them runs, because that depends on the board and the policy.
///
/// # Examples
///
/// ```
/// use parlor_core::Side;
/// use parlor_session::{ChessClock, Micros};
///
/// let mut clock = ChessClock::new(["10s+2s".parse()?; 2], Micros::ZERO);
/// let now = Micros::from_millis(3000);
/// let left = clock.after_move(Some(Side::First), now);
/// assert_eq!(left[0].map(|left| left.time.as_millis()), Some(9000), "10 s, less 3 s, plus 2 s");
///
/// clock.begin_turn(left, now);
/// assert_eq!(clock.deadline(Side::Second), Some(Micros::from_millis(13_000)));
/// # Ok::<(), parlor_session::BadTimeControl>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChessClock {
    controls: [TimeControl; 2],
    left: [Option<Remaining>; 2],
    /// When the current turn, or the last part of it that is charged, began.
    since: Micros,
    /// Time of the current turn that passed before `since`.
    used: Micros,
    /// Whether the clock is stopped although a side is to move: its player waits for a processor.
    paused: bool,
}

impl ChessClock {
    /// The clocks at the start of a game.
    pub fn new(controls: [TimeControl; 2], now: Micros) -> ChessClock {
        let left = controls.map(start);
        ChessClock { controls, left, since: now, used: Micros::ZERO, paused: false }
    }

    /// The time control of a side.
    pub fn control(&self, side: Side) -> TimeControl {
        self.controls[side.index()]
    }

    /// Time used in the current turn.
    pub fn elapsed(&self, now: Micros) -> Micros {
        if self.paused { self.used } else { self.used + (now - self.since) }
    }

    /// The time that a side may use for its current turn; `None` if there is no limit.
    pub fn limit(&self, side: Side) -> Option<Micros> {
        let left = self.left[side.index()]?;
        Some(match self.controls[side.index()] {
            TimeControl::Delay { delay, .. } => left.time + delay.into(),
            TimeControl::ByoYomi { period, .. } => left.time + Micros::from(period * left.periods),
            _ => left.time,
        })
    }

    /// When the side whose clock runs has used up its time; `None` while the clock is paused, or without a limit.
    pub fn deadline(&self, side: Side) -> Option<Micros> {
        let limit = self.limit(side).filter(|_| !self.paused)?;
        Some(self.since + (limit - self.used))
    }

    /// The remaining time of both sides; the side whose clock runs is charged for its turn so far.
    pub fn remaining(&self, running: Option<Side>, now: Micros) -> [Option<Remaining>; 2] {
        let mut left = self.left;
        if let Some(side) = running {
            let left = &mut left[side.index()];
            *left = left.map(|left| charged(self.controls[side.index()], left, self.elapsed(now)));
        }
        left
    }

    /// The remaining time of both sides after a move of the side whose clock runs.
    pub fn after_move(&self, running: Option<Side>, now: Micros) -> [Option<Remaining>; 2] {
        let mut left = self.remaining(running, now);
        if let Some(side) = running {
            let control = self.controls[side.index()];
            let left = &mut left[side.index()];
            *left = left.map(|left| refilled(control, left, self.elapsed(now)));
        }
        left
    }

    /// Begins a turn with these remaining times. A side without an entry keeps what it had.
    pub fn begin_turn(&mut self, left: [Option<Remaining>; 2], now: Micros) {
        for (own, new) in self.left.iter_mut().zip(left) {
            *own = new.or(*own);
        }
        (self.since, self.used, self.paused) = (now, Micros::ZERO, false);
    }

    /// Charges the current turn for time that passed before this moment.
    pub fn charge_elapsed(&mut self, time: Micros) {
        self.used = self.used + time;
    }

    /// Stops the clock: the player to move waits for a processor.
    pub fn pause(&mut self, now: Micros) {
        (self.used, self.since, self.paused) = (self.elapsed(now), now, true);
    }

    /// Starts the clock again after a pause.
    pub fn resume(&mut self, now: Micros) {
        if self.paused {
            (self.since, self.paused) = (now, false);
        }
    }

    /// When the current turn would have begun if its clock had never been stopped.
    pub fn turn_began(&self) -> Micros {
        self.since - self.used
    }

    /// The remaining time of both sides when the current turn began.
    pub fn left_at_turn_start(&self) -> [Option<Remaining>; 2] {
        self.left
    }

    /// Whether the clock is stopped.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// The limits for the player of a side, with both clocks.
    pub fn limits(&self, side: Side, running: Option<Side>, now: Micros) -> Limits {
        let none = Limits::default();
        let remaining = self.remaining(running, now);
        let Some(left) = remaining[side.index()] else {
            return match self.controls[side.index()] {
                TimeControl::Nodes(nodes) => Limits { nodes: Some(nodes), ..none },
                TimeControl::Depth(depth) => Limits { depth: Some(depth), ..none },
                _ => none,
            };
        };
        let elapsed = if running == Some(side) { self.elapsed(now) } else { Micros::ZERO };
        let all = self.limit(side).map(|limit| Duration::from(limit - elapsed));
        if self.controls[side.index()].is_correspondence() {
            // An engine with days for a move would use them.
            return Limits { deadline: all, ..none };
        }
        let for_move = |time: Micros| Limits { time: Some(time.into()), deadline: all, ..none };
        let control = self.controls[side.index()];
        let mut own = on_clock(control, left);
        own.0 = all.map_or(own.0, |all| own.0.min(all));
        // If the other side has no clock, only the player's own time is useful to it.
        let other = remaining[side.other().index()]
            .map_or(own, |left| on_clock(self.controls[side.other().index()], left));
        let [first, second] = if side == Side::First { [own, other] } else { [other, own] };
        let clocks = Some(Clocks { left: [first.0, second.0], increment: [first.1, second.1] });
        match control {
            TimeControl::Clock { .. } | TimeControl::Delay { .. } | TimeControl::Bronstein { .. } => {
                Limits { time: all, deadline: all, clocks, ..none }
            }
            // More time would cost a period.
            TimeControl::ByoYomi { .. } if left.time > Micros::ZERO => {
                Limits { time: Some(own.0), deadline: all, clocks, ..none }
            }
            TimeControl::ByoYomi { period, .. } => {
                let over = elapsed - self.left[side.index()].unwrap_or_default().time;
                let period = Micros::from(period);
                for_move(period - Micros(over.0 % period.0.max(1)))
            }
            _ => for_move(left.time),
        }
    }
}

/// A clock as time and increment: the closest description that the protocols can express.
fn on_clock(control: TimeControl, left: Remaining) -> (Duration, Duration) {
    let time = Duration::from(left.time);
    match control {
        TimeControl::Clock { increment, .. } => (time, increment),
        TimeControl::Delay { delay, .. } => (time + delay, delay),
        TimeControl::Bronstein { delay, .. } => (time, delay),
        TimeControl::ByoYomi { period, .. } => (time + period, Duration::ZERO),
        _ => (time, Duration::ZERO),
    }
}

/// What a side has at the start.
fn start(control: TimeControl) -> Option<Remaining> {
    let whole = |time: Duration| Some(Remaining { time: time.into(), periods: 0 });
    match control {
        TimeControl::Clock { base, increment: first } | TimeControl::Bronstein { base, delay: first } => {
            whole(if base.is_zero() { first } else { base })
        }
        TimeControl::Delay { base, .. } => whole(base),
        TimeControl::ByoYomi { base, periods, .. } => Some(Remaining { time: base.into(), periods }),
        TimeControl::Move(time) => whole(time),
        TimeControl::Unlimited | TimeControl::Nodes(_) | TimeControl::Depth(_) => None,
    }
}

/// The remaining time after `elapsed` of a turn.
fn charged(control: TimeControl, left: Remaining, elapsed: Micros) -> Remaining {
    match control {
        TimeControl::Delay { delay, .. } => Remaining { time: left.time - (elapsed - delay.into()), ..left },
        TimeControl::ByoYomi { period, .. } => {
            let over = elapsed - left.time;
            // A period that is used to its last microsecond is not lost.
            let lost = over.0.saturating_sub(1) / Micros::from(period).0.max(1);
            let periods = left.periods.saturating_sub(u32::try_from(lost).unwrap_or(u32::MAX));
            Remaining { time: left.time - elapsed, periods }
        }
        _ => Remaining { time: left.time - elapsed, ..left },
    }
}

/// What a completed move that took `elapsed` gives back.
fn refilled(control: TimeControl, left: Remaining, elapsed: Micros) -> Remaining {
    let time = match control {
        TimeControl::Clock { increment, .. } => left.time + increment.into(),
        TimeControl::Bronstein { delay, .. } => left.time + elapsed.min(delay.into()),
        TimeControl::Move(time) => time.into(),
        _ => left.time,
    };
    // The last period is not lost by an answer within the grace.
    let least = u32::from(matches!(control, TimeControl::ByoYomi { .. }));
    Remaining { time, periods: left.periods.max(least) }
}
