//! The board that the arguments `GAME`, `--position` and `--moves` describe.

use crate::{args::StartOptions, error::CommandError};
use parlor_catalog::DynGame;
use parlor_core::{Board, shortened};
use std::sync::Arc;

pub type Started = (Arc<dyn DynGame>, Box<dyn Board>);

/// The game of a spec and the board that the options ask for.
pub fn board(spec: &str, options: &StartOptions) -> Result<Started, CommandError> {
    let game = parlor_catalog::game(spec)?;
    let mut board = match &options.position {
        None => game.board(),
        Some(text) => game.board_at(text).map_err(|e| CommandError::Input(format!("--position: {e}")))?,
    };
    for (number, text) in (1..).zip(game.split(options.moves.as_deref().unwrap_or_default())) {
        // Longer than every move; an invalid one is quoted in the error.
        let text = shortened(&text, 40);
        board
            .play(&text)
            .map_err(|e| CommandError::Input(format!("--moves: move {number} '{text}' is illegal: {e}")))?;
    }
    Ok((game, board))
}
