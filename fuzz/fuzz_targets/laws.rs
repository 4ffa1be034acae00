//! The first byte names the game, the others choose the moves: the laws of play hold along the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::chosen;

fuzz_target!(|data: &[u8]| {
    let Some((game, rest)) = chosen(data) else { return };
    // Two bytes a choice, because a position of Amazons can have thousands of moves.
    let mut choices =
        rest.chunks(2).map(|pair| usize::from(pair[0]) << 8 | usize::from(pair[pair.len() - 1]));
    // Every move of every position is written and read: where there are thousands, a few positions take as long.
    let plies = (8000 / game.board().moves().len().max(1)).clamp(3, 60).min(rest.len() / 2);
    let held = game.check_laws(plies, &mut |_| choices.next().unwrap_or(0));
    assert_eq!(held, Ok(()));
});
