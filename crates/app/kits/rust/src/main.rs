//! A starter bot for Parlor: it reads lines from the referee and answers each `turn` with a move.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    io::{self, BufRead, Write},
};

/// YOUR STRATEGY GOES HERE: return one of `moves`. (Remove the underscore from a name when you use it.)
///
/// - `game`: such as "kalah:6,4"
/// - `position`: the board as text; see `parlor games` for its notation
/// - `moves`: the legal moves, such as ["1", "2", "3"]; never empty
/// - `so_far`: the moves played so far
/// - `milliseconds`: time for this move; taking longer loses the game
fn choose(
    _game: &str,
    _position: &str,
    moves: &[&str],
    _so_far: &[&str],
    _milliseconds: u64,
) -> String {
    // Any legal move works. Better: evaluate the position after each move, and return the best move.
    moves[random(moves.len())].to_string()
}

/// A random number below `n`, from the random keys of the standard hash tables.
fn random(n: usize) -> usize {
    (RandomState::new().hash_one(0) % n as u64) as usize
}

/// Returns the answer to a line from the referee; `None` if no answer is expected.
fn answer(line: &str) -> Option<String> {
    let fields: Vec<&str> = line.trim_end_matches(['\r', '\n']).split('\t').collect();
    // "new" and "end" announce games; a bot may ignore them.
    let ["turn", game, position, moves, so_far, milliseconds, ..] = fields[..] else {
        return None;
    };
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let so_far: Vec<&str> = so_far.split_whitespace().collect();
    Some(choose(
        game,
        position,
        &moves,
        &so_far,
        milliseconds.parse().unwrap_or(0),
    ))
}

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim() == "quit" {
            break;
        }
        if let Some(mv) = answer(&line) {
            println!("{mv}");
            io::stdout().flush()?; // Without a flush the answer stays in the buffer.
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: &str = "turn\tkalah:6,4\t4,4,4,4,4,4/0,5,5,5,5,4 0/0 n\t1 2 3 4 5 6\t1\t5000";

    #[test]
    fn a_turn_is_answered_with_a_legal_move() {
        for _ in 0..100 {
            let mv = answer(TURN).expect("a move");
            assert!(
                ["1", "2", "3", "4", "5", "6"].contains(&mv.as_str()),
                "{mv}"
            );
        }
    }

    #[test]
    fn the_only_move_is_played() {
        assert_eq!(answer("turn\toware\tx\tf\t\t100").as_deref(), Some("f"));
    }

    #[test]
    fn news_of_games_wants_no_answer() {
        assert_eq!(answer("new\tkalah:6,4\tfirst"), None);
        assert_eq!(answer("end\twin\tnormal"), None);
    }
}
