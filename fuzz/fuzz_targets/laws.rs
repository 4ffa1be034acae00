//! The first byte names the game, the others choose the moves: the laws of play hold along the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parlor_fuzz::chosen;

fuzz_target!(|data: &[u8]| {
    let Some((game, rest)) = chosen(data) else { return };
    // Two bytes a choice, because a position of Amazons can have thousands of moves.
    let mut choices =
        rest.chunks(2).map(|pair| usize::from(pair[0]) << 8 | usize::from(pair[pair.len() - 1]));
    let plies = (rest.len() / 2).min(24);
    let held = game.check_laws(plies, &mut |_| choices.next().unwrap_or(0));
    assert_eq!(held, Ok(()));
});
