//! The time of a move in a record's comment: `0.010s`, or `0.010s cpu 0.009s` where the processor time was measured. It is the
//! end of the comment, after the value that the player reported for its move: `+8 exact 0.010s cpu 0.009s`.

use std::{fmt, time::Duration};

/// How long a player took for a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveTime {
    /// Wall-clock time.
    pub wall: Duration,
    /// Processor time, if it was measured.
    pub cpu: Option<Duration>,
}

impl fmt::Display for MoveTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_seconds(f, self.wall)?;
        let Some(cpu) = self.cpu else { return Ok(()) };
        f.write_str(" cpu ")?;
        write_seconds(f, cpu)
    }
}

/// Rounds to milliseconds. A record has a time for every move, and formatting a float takes longer.
fn write_seconds(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let millis = (time.as_nanos() + 500_000) / 1_000_000;
    write!(f, "{}.{:03}s", millis / 1000, millis % 1000)
}

impl MoveTime {
    /// The time at the end of a comment; `None` if the comment ends with something else.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::MoveTime;
    /// use std::time::Duration;
    /// let time = MoveTime::in_comment("+8 exact 0.010s cpu 0.009s").unwrap();
    /// assert_eq!(time.wall, Duration::from_millis(10));
    /// assert_eq!(time.cpu, Some(Duration::from_millis(9)));
    /// assert_eq!(MoveTime::in_comment("+8 0.01s").unwrap().cpu, None);
    /// ```
    pub fn in_comment(comment: &str) -> Option<MoveTime> {
        let mut words = comment.split_whitespace().rev();
        let last = seconds(words.next()?)?;
        Some(match words.next() {
            Some("cpu") => MoveTime { wall: seconds(words.next()?)?, cpu: Some(last) },
            _ => MoveTime { wall: last, cpu: None },
        })
    }
}

/// Parses text such as `0.010s`.
fn seconds(word: &str) -> Option<Duration> {
    let number = word.strip_suffix('s')?;
    let plain = number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds = number.parse().ok().filter(|_| plain)?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_back_as_written() {
        let millis = Duration::from_millis;
        for (time, text) in [
            (MoveTime { wall: millis(10), cpu: Some(millis(9)) }, "0.010s cpu 0.009s"),
            (MoveTime { wall: millis(61_500), cpu: None }, "61.500s"),
        ] {
            assert_eq!(time.to_string(), text);
            assert_eq!(MoveTime::in_comment(&format!("+8 exact {text}")), Some(time));
            assert_eq!(MoveTime::in_comment(text), Some(time));
        }
    }

    #[test]
    fn other_comments_have_no_time() {
        for comment in ["", "a good move", "cpu 0.009s", "1s2", "0.01", "-1s", "infs", "1e400s", "0.1s cpu x"]
        {
            assert_eq!(MoveTime::in_comment(comment), None, "{comment}");
        }
    }
}
