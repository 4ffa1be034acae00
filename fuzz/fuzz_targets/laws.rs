//! The first byte selects the game, the others choose moves. The laws must hold in every position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::select_game;

fuzz_target!(|data: &[u8]| {
    let Some((game, rest)) = select_game(data) else { return };
    // Two bytes per move, because a position of Amazons can have thousands of moves.
    let mut choices =
        rest.chunks(2).map(|pair| usize::from(pair[0]) << 8 | usize::from(pair[pair.len() - 1]));
    // Every move of every position is written and parsed, so games with thousands of moves get fewer plies.
    let plies = (8000 / game.board().moves().len().max(1)).clamp(3, 60).min(rest.len() / 2);
    let held = game.check_laws(plies, &mut |_| choices.next().unwrap_or(0));
    assert_eq!(held, Ok(()));
});
