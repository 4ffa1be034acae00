//! `GAME`, `--position` and `--moves`: from text to a board.

use crate::{args::StartOptions, fault::Fault};
use parlor_catalog::Hosted;
use parlor_core::{Board, shortened};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

pub type Started = (Arc<dyn Hosted>, Box<dyn Board>);

/// The game of a spec and the board that the options ask for.
pub fn board(spec: &str, options: &StartOptions) -> Result<Started, Fault> {
    let game = parlor_catalog::game(spec)?;
    let mut board = match &options.position {
        None => game.board(),
        Some(text) => game.board_at(text).map_err(|e| Fault::Input(format!("--position: {e}")))?,
    };
    for (number, text) in (1..).zip(game.split(options.moves.as_deref().unwrap_or_default())) {
        // No move is this long, and a sentence about it need not be.
        let text = shortened(&text, 40);
        board
            .play(&text)
            .map_err(|e| Fault::Input(format!("--moves: move {number} '{text}' is illegal: {e}")))?;
    }
    Ok((game, board))
}

/// A seed for whoever gave none: the time, which is different enough for a game.
pub fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64)
}

/// The date in UTC, such as 2026-01-31.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(seconds / 86_400)
}

/// The date of a day counted from the first of January 1970. Years are counted from March, so that the leap day ends one,
/// and in eras of 400 of them, which all have the same number of days.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (of_month, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{of_month:02}")
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
pub fn interruptible() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Where no handler can be set, Ctrl-C ends the program as it always does.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stop
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_become_dates() {
        for (day, text) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_454, "2026-01-01"),
            (20_453, "2025-12-31"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(day), text);
        }
    }
}
