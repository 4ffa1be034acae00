//! The first byte selects the game, the next eight choose moves, the rest is the text of a position. A valid
//! position is written canonically, parses to the same position, and can be played, drawn and taken back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::{exercise, select_game};

fuzz_target!(|data: &[u8]| {
    let Some((game, rest)) = select_game(data) else { return };
    let Some((choices, text)) = rest.split_at_checked(8) else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(mut board) = game.board_at(text) else { return };
    let written = board.position();
    let again = game.board_at(&written).expect("what is written is read");
    assert_eq!(again.position(), written);
    assert_eq!(again.moves(), board.moves());
    exercise(&*board);
    for &choice in choices {
        let moves = board.moves();
        let Some(mv) = moves.get(usize::from(choice) % moves.len().max(1)) else { break };
        board.play(mv).expect("a listed move is legal");
        exercise(&*board);
    }
    let record = board.record();
    let replayed = game.replay(&record).expect("the record replays");
    assert_eq!(replayed.position(), board.position());
    while board.undo().is_some() {}
    assert_eq!(board.position(), written);
});
