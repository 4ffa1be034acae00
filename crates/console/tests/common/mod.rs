//! A table for tests: a scripted person, a hand-driven clock, and the record of what was played.
#![allow(dead_code, reason = "each test binary uses its own part")]

use parlor_catalog::{Hosted, Manual};
use parlor_console::{Lobby, Scripted};
use parlor_play::{Board, Record, Side};
use std::{cell::RefCell, sync::Arc, time::Duration};

/// A game about to be played.
pub struct Prepared {
    pub lobby: Lobby,
    pub term: Scripted,
    game: Arc<dyn Hosted>,
    board: Box<dyn Board>,
    players: [&'static str; 2],
}

/// A lobby whose clock moves by a millisecond at each look.
pub fn lobby() -> Lobby {
    Lobby { clock: Arc::new(Manual::stepping(Duration::from_millis(1))), ..Lobby::new(1) }
}

/// A game from a position (or from the start, if that is empty).
pub fn game_at(spec: &str, position: &str, players: [&'static str; 2]) -> Prepared {
    let game = parlor_catalog::game(spec).expect("a game");
    let board = if position.is_empty() { game.board() } else { game.board_at(position).expect("a position") };
    Prepared { lobby: lobby(), term: Scripted::typing(&[]), game, board, players }
}

/// Plays it with these lines typed; gives what was said and the record as it was kept last.
pub fn played(prepared: Prepared, lines: &[&str]) -> (String, Record) {
    let Prepared { lobby, term, game, board, players } = prepared;
    let (width, colours) = (term.width, term.colours);
    let mut term = Scripted::typing(lines);
    (term.width, term.colours) = (width, colours);
    let seat = |side: Side| {
        let spec = players[side.index()].parse().expect("a player spec");
        lobby.seat(game.as_ref(), &spec, side).expect("a player")
    };
    let kept = RefCell::new(Record::default());
    let save = Box::new(|record: &Record| {
        *kept.borrow_mut() = record.clone();
        Ok(())
    });
    let seats = [seat(Side::First), seat(Side::Second)];
    let ending = lobby.sit(board, seats, save).play(&mut term).expect("nothing fails");
    assert_eq!(ending, kept.borrow().ending, "what was kept last is how it ended");
    game.replay(&kept.borrow()).expect("what was kept replays");
    (term.said, kept.take())
}

/// What is said while it is played.
pub fn transcript(prepared: Prepared, lines: &[&str]) -> String {
    played(prepared, lines).0
}
