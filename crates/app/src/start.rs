//! `GAME`, `--position` and `--moves`: from text to a board.

use crate::{args::StartOptions, fault::Fault};
use parlor_catalog::Hosted;
use parlor_play::{Audience, Board};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

const NOBODY: Audience<'_> = Audience { names: ["", ""], width: 80 };

/// A game, and a board of it.
pub type Started = (Arc<dyn Hosted>, Box<dyn Board>);

/// The game of a spec and the board that the options ask for.
pub fn board(spec: &str, options: &StartOptions) -> Result<Started, Fault> {
    let game = parlor_catalog::game(spec)?;
    let mut board = match &options.position {
        None => game.board(),
        Some(text) => game.board_at(text).map_err(|e| Fault::Input(format!("--position: {e}")))?,
    };
    for (number, text) in (1..).zip(game.split(options.moves.as_deref().unwrap_or_default())) {
        board
            .play(&text, NOBODY)
            .map_err(|e| Fault::Input(format!("--moves: move {number} '{text}' cannot be made: {e}")))?;
    }
    Ok((game, board))
}

/// A seed for whoever gave none: the time, which is different enough for a game.
pub fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64)
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
