//! Durations as text: `500ms`, `5s`, `1.5s`, `2m`, `1h`, `3d`.

use std::time::Duration;

/// The units, the longest first, with their lengths in milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
/// A year in milliseconds.
const LONGEST: f64 = 366.0 * 86_400_000.0;

/// Reads `500ms`, `5s`, `1.5s`, `2m`, `1h`, `3d`. At most a year.
///
/// # Examples
///
/// ```
/// use parlor_core::duration;
/// use std::time::Duration;
///
/// assert_eq!(duration("1.5s"), Some(Duration::from_millis(1500)));
/// assert_eq!(duration("5"), None);
/// ```
pub fn duration(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let &(_, millis) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let plain = number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let total = number.parse::<f64>().ok().filter(|_| plain)? * millis as f64;
    (total <= LONGEST).then(|| Duration::from_secs_f64(total / 1000.0))
}

/// Writes a duration in the longest unit that needs no fraction; parts of a second with one: `3d`, `5m`, `90s`, `1.5s`, `500ms`.
///
/// # Examples
///
/// ```
/// use parlor_core::write_duration;
/// use std::time::Duration;
///
/// assert_eq!(write_duration(Duration::from_secs(300)), "5m");
/// assert_eq!(write_duration(Duration::from_millis(1500)), "1.5s");
/// ```
pub fn write_duration(time: Duration) -> String {
    let millis = time.as_millis();
    if millis < 1000 {
        return format!("{millis}ms");
    }
    let whole = UNITS[..3].iter().find(|(_, length)| millis.is_multiple_of(u128::from(*length)));
    match whole {
        Some((unit, length)) => format!("{}{unit}", millis / u128::from(*length)),
        None => format!("{}s", time.as_secs_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, millis) in [
            ("500ms", 500),
            ("5s", 5000),
            ("2m", 120_000),
            ("1.5s", 1500),
            ("0s", 0),
            ("1h", 3_600_000),
            ("3d", 3 * 86_400_000),
        ] {
            assert_eq!(duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for text in
            ["", "5", "s", "-1s", "+1s", "1e3s", "5 s", ".s", "NaNs", "infs", "9999999999h", "5sec", "367d"]
        {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    #[test]
    fn durations_read_back_as_written() {
        for text in ["0ms", "20ms", "1.5s", "90s", "5m", "90m", "3h", "25h", "3d"] {
            assert_eq!(duration(text).map(write_duration).as_deref(), Some(text));
        }
    }
}
