//! Figures and names of tables in words: the same in a terminal and on a page.

use parlor_core::{is_unseen, shortened};
use std::time::Duration;

/// A name without invisible characters, of at most `most` characters.
pub fn plain(text: &str, most: usize) -> String {
    shortened(&text.replace(is_unseen, ""), most)
}

/// Half points as people write them.
pub fn points(halves: u64) -> String {
    format!("{}.{}", halves / 2, if halves.is_multiple_of(2) { 0 } else { 5 })
}

/// A figure that is shown as nothing has no sign.
pub fn unsigned(figure: f64) -> f64 {
    if figure.abs() < 0.05 { 0.0 } else { figure }
}

/// A time that a column can hold.
pub fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 100.0 => format!("{short:.1}s"),
        long if long < 6000.0 => format!("{:.0}m", long / 60.0),
        long => format!("{:.1}h", long / 3600.0),
    }
}
