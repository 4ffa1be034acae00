//! The first byte names the game, the rest is a list of moves as people type it. An illegal one changes nothing; a legal
//! one has one canonical text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::{chosen, look_at};

fuzz_target!(|data: &[u8]| {
    let Some((game, rest)) = chosen(data) else { return };
    let Ok(words) = std::str::from_utf8(rest) else { return };
    let mut board = game.board();
    for word in game.split(words) {
        let (before, legal) = (board.position(), board.moves());
        match board.play(&word) {
            Ok(text) => {
                assert!(legal.contains(&text), "{word} was played as {text}");
                look_at(&*board);
            }
            Err(_) => assert_eq!(board.position(), before, "the illegal {word} changed the board"),
        }
    }
    game.replay(&board.record()).expect("the record replays");
});
