//! The answer of a solver: the report of what is proved, and the principal variation.

use parlor_core::{Bounds, Game, Margin, Notation, Report, Value};

/// The report of a proof that took this many nodes.
pub(crate) fn proof_report(proved: Bounds, nodes: u64, line: Vec<String>, by_hash: bool) -> Report {
    let value = Value::from(if proved.are_exact() { proved.lo.0 } else { 0 });
    Report { depth: 0, nodes, value, line, proved: Some(proved), by_hash }
}

/// All legal moves, each with the position after it.
pub(crate) fn successors<G: Game>(game: &G, pos: &G::Position) -> Vec<(G::Move, G::Position)> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let after = |mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        (mv, next)
    };
    moves.into_iter().map(after).collect()
}

/// The principal variation of a position with this value: to the end of the game, or until `keep` finds no move. `keep` gets a
/// position and its value, seen by the side to move, and returns a move that keeps the value, with the position after it.
pub(crate) fn principal_variation<G: Notation>(
    game: &G,
    pos: &G::Position,
    value: Margin,
    mut keep: impl FnMut(&G::Position, Margin) -> Option<(G::Move, G::Position)>,
) -> Vec<String> {
    let (mut pos, mut value, mut line) = (pos.clone(), value, Vec::new());
    while game.result(&pos).is_none() {
        let Some((mv, next)) = keep(&pos, value) else { break };
        line.push(game.write_move(mv));
        value = if game.turn(&next) == game.turn(&pos) { value } else { -value };
        pos = next;
    }
    line
}
