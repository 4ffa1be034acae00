//! Game time of a console session, and the text of a chess clock in a person's prompt.

use parlor_catalog::Clock;
use parlor_core::Side;
use parlor_session::{Micros, Session, TimeControl};
use std::{sync::Arc, time::Duration};

/// Game time: the sum of the times that both players are charged. It runs while a person is asked and advances by the thinking
/// time of programs. Nothing else is charged.
#[derive(Debug)]
pub(crate) struct ChargedTime {
    clock: Arc<dyn Clock>,
    /// The time charged until `since`.
    passed: Micros,
    /// The clock's time when the game time started to run; `None` while it is stopped.
    since: Option<Duration>,
}

impl ChargedTime {
    pub fn new(clock: Arc<dyn Clock>) -> ChargedTime {
        ChargedTime { clock, passed: Micros::ZERO, since: None }
    }

    pub fn now(&self) -> Micros {
        let running = self.since.map(|since| self.clock.now().saturating_sub(since));
        self.passed + running.unwrap_or_default().into()
    }

    pub fn start(&mut self) {
        self.since = Some(self.clock.now());
    }

    pub fn stop(&mut self) {
        (self.passed, self.since) = (self.now(), None);
    }

    pub fn add(&mut self, thought: Duration) {
        self.passed = self.passed + thought.into();
    }

    /// How long to wait for a person's answer; `None` without a limit.
    pub fn left(&self, session: &Session) -> Option<Duration> {
        session.deadline().map(|(_, deadline)| (deadline - self.now()).into())
    }
}

/// The clock of a side, for a prompt: `4:59`; `5:00 delay 3.0s` while the delay runs; `9:58 +3x0:30` before the periods of
/// byo-yomi and `0:30 x3` within them. `None` without a time control.
pub(crate) fn clock_text(session: &Session, side: Side, now: Micros) -> Option<String> {
    let left = session.remaining(now)[side.index()]?;
    let is_running = session.running() == Some(side);
    let elapsed = if is_running { session.clock().elapsed(now) } else { Micros::ZERO };
    let time = time_text(left.time.into());
    Some(match session.clock().control(side) {
        TimeControl::Delay { delay, .. } if Micros::from(delay) > elapsed => {
            format!("{time} delay {}", time_text((Micros::from(delay) - elapsed).into()))
        }
        TimeControl::ByoYomi { period, .. } if left.time == Micros::ZERO => {
            let total = session.clock().limit(side).unwrap_or_default() - elapsed;
            let later = Micros::from(period * left.periods.saturating_sub(1));
            format!("{} x{}", time_text((total - later).into()), left.periods)
        }
        TimeControl::ByoYomi { period, .. } => format!("{time} +{}x{}", left.periods, time_text(period)),
        _ => time,
    })
}

/// A remaining time: `9.5s` in the last ten seconds, `4:59`, `1:04:59`, `2d 23h`.
fn time_text(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match seconds {
        0..10 => format!("{:.1}s", time.as_secs_f64()),
        10..3600 => format!("{minutes}:{:02}", seconds % 60),
        3600..86_400 => format!("{hours}:{:02}:{:02}", minutes % 60, seconds % 60),
        _ => format!("{}d {}h", hours / 24, hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_catalog::Manual;
    use parlor_session::{Command, Policy};

    /// The clock of the first side in a game of programs after these seconds of its first turn.
    fn shown(control: &str, seconds: u64) -> String {
        let control: TimeControl = control.parse().expect("a time control");
        let board = parlor_catalog::game("kalah:6,4").expect("a game").board();
        let session = Session::new(board, [control; 2], Policy::engines(), Micros::ZERO);
        clock_text(&session, Side::First, Duration::from_secs(seconds).into()).unwrap_or_default()
    }

    #[test]
    fn a_clock_shows_days_hours_minutes_and_the_last_ten_seconds_with_tenths() {
        for (control, text) in [
            ("move=3d", "3d 0h"),
            ("move=71h", "2d 23h"),
            ("65m+3s", "1:05:00"),
            ("5m+3s", "5:00"),
            ("9500ms", "9.5s"),
        ] {
            assert_eq!(shown(control, 0), text, "{control}");
        }
        assert_eq!(shown("free", 0), "");
    }

    #[test]
    fn a_delay_is_shown_while_it_runs() {
        assert_eq!(shown("5m,delay=3s", 0), "5:00 delay 3.0s");
        assert_eq!(shown("5m,delay=3s", 2), "5:00 delay 1.0s");
        assert_eq!(shown("5m,delay=3s", 4), "4:59");
        assert_eq!(shown("5m,bronstein=3s", 4), "4:56");
    }

    #[test]
    fn byo_yomi_shows_the_periods_that_are_left() {
        let shown = |seconds| shown("1m,byoyomi=3x30s", seconds);
        assert_eq!(shown(0), "1:00 +3x0:30");
        assert_eq!(shown(60), "0:30 x3");
        assert_eq!(shown(65), "0:25 x3");
        assert_eq!(shown(90), "0.0s x3", "a period used to its end is not lost");
        assert_eq!(shown(95), "0:25 x2");
        assert_eq!(shown(149), "1.0s x1");
    }

    #[test]
    fn a_clock_that_does_not_run_shows_its_initial_time() {
        let board = parlor_catalog::game("kalah:6,4").expect("a game").board();
        let control: TimeControl = "10s,delay=3s".parse().expect("a time control");
        let mut session = Session::new(board, [control; 2], Policy::people([false; 2]), Micros::ZERO);
        let now = Duration::from_secs(60).into();
        assert_eq!(clock_text(&session, Side::First, now).as_deref(), Some("0:10 delay 3.0s"));
        session.handle(Side::First, Command::text("1"), now).expect("a move");
        assert_eq!(clock_text(&session, Side::First, now).as_deref(), Some("0:10 delay 3.0s"));
    }

    #[test]
    fn charged_time_runs_while_a_person_is_asked_and_advances_by_the_thinking_time_of_programs() {
        let clock = Arc::new(Manual::stepping(Duration::ZERO));
        let second = Duration::from_secs(1);
        let mut time = ChargedTime::new(clock.clone());
        clock.advance(second);
        assert_eq!(time.now(), Micros::ZERO);
        time.start();
        clock.advance(second);
        assert_eq!(time.now(), second.into());
        time.stop();
        clock.advance(second);
        time.add(2 * second);
        assert_eq!(time.now(), (3 * second).into());
    }
}
