//! The first byte selects the game, the rest is a list of moves as users type it. An illegal move must change
//! nothing; a legal move has one canonical text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::{exercise, select_game};

fuzz_target!(|data: &[u8]| {
    let Some((game, rest)) = select_game(data) else { return };
    let Ok(words) = std::str::from_utf8(rest) else { return };
    let mut board = game.board();
    for word in game.split(words) {
        let (before, legal) = (board.position(), board.moves());
        let checked = board.check(&word);
        match board.play(&word).and(checked) {
            Ok(text) => {
                assert!(legal.contains(&text), "{word} was played as {text}");
                exercise(&*board);
            }
            Err(_) => assert_eq!(board.position(), before, "the illegal {word} changed the board"),
        }
    }
    game.replay(&board.record()).expect("the record replays");
});
