//! Counting move sequences: the quickest way to see that rules are right, and how fast they are.

use crate::Game;

/// How many sequences of exactly `depth` moves lead on from the position. Finished games add nothing deeper; repetition is
/// ignored. The last ply is counted, not played.
pub fn perft<G: Game>(game: &G, pos: &G::Position, depth: u32) -> u64 {
    perft_until(game, pos, depth, &|| false).unwrap_or(0)
}

/// The same, given up (none) as soon as `stop` says so; it is asked at every position that is not counted in bulk.
pub fn perft_until<G: Game>(game: &G, pos: &G::Position, depth: u32, stop: &dyn Fn() -> bool) -> Option<u64> {
    match depth {
        0 => return Some(1),
        1 => return Some(game.count(pos)),
        _ if stop() => return None,
        _ => {}
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut sum = 0;
    for mv in moves {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        sum += perft_until(game, &next, depth - 1, stop)?;
    }
    Some(sum)
}
