//! The rules of a game for people, and the boards of their examples. The terminal, the server's pages and the documentation show
//! the same text, each in its own form.

use crate::Entry;
use parlor_core::{
    Audience, BadRulesText, Board,
    rules_text::{Block, Example, parse},
};

/// The boards of an example and what happens on them.
pub struct Illustration {
    /// The position before the shown move, or the only one.
    pub before: Box<dyn Board>,
    /// The shown move in canonical notation, and the board after it.
    pub after: Option<(String, Box<dyn Board>)>,
    /// What happens in the move, in sentences; at the end of a game also the result.
    pub events: Vec<String>,
    /// The forbidden move, and the reason in a sentence.
    pub refusal: Option<(String, String)>,
}

/// The width for which descriptions of events are made, in characters. They contain no boards.
const WIDTH: usize = 80;

impl Entry {
    /// The rules of the game for people.
    pub fn rules(&self) -> Result<Vec<Block>, BadRulesText> {
        parse(self.rules_text)
    }

    /// Plays an example of the rules.
    pub fn illustrate(&self, example: &Example) -> Result<Illustration, BadRulesText> {
        let wrong = |key: &str, why: String| BadRulesText(format!("line {}: {key}: {why}", example.line));
        let game = self.game(&example.game).map_err(|e| wrong("game", e.0))?;
        let at = |position: &str| game.board_at(position).map_err(|e| wrong("position", e.0));
        let mut board = example.position.as_deref().map_or_else(|| Ok(game.board()), at)?;
        let moves = game.split(example.moves.as_deref().unwrap_or_default());
        let mut before = board.position();
        for text in &moves {
            before = board.position();
            board.play(text).map_err(|e| wrong("moves", format!("'{text}': {}", e.0)))?;
        }
        let refusal = match &example.illegal {
            Some(text) => match board.check(text) {
                Ok(_) => return Err(wrong("illegal", format!("'{text}' is a legal move"))),
                Err(illegal) => Some((text.clone(), illegal.0)),
            },
            None => None,
        };
        if refusal.is_some() {
            return Ok(Illustration { before: board, after: None, events: Vec::new(), refusal });
        }
        let names = board.info().seats;
        let Some(turn) = board.last_turn(Audience { names, width: WIDTH }) else {
            return Ok(Illustration { before: board, after: None, events: Vec::new(), refusal });
        };
        let mut events: Vec<String> = turn.events.into_iter().map(|described| described.event.text).collect();
        events.extend(board.verdict(names));
        // Read anew, so that no earlier move is pointed out on it.
        Ok(Illustration { before: at(&before)?, after: Some((turn.text, board)), events, refusal })
    }
}
