//! The end of a game as a sentence, the same for live games and for those of tournaments.

use parlor_core::{Board, Cause, Ending};

/// How a game ended, and who won.
pub fn sentence(board: &dyn Board, names: [&str; 2], ending: Ending) -> String {
    if let Some(told) = board.verdict(names) {
        return told;
    }
    let Some(winner) = ending.outcome.and_then(|outcome| outcome.winner) else {
        return match ending.cause {
            Cause::Abandoned => "Nobody went on; the game was abandoned.".to_string(),
            _ => "The game is a draw.".to_string(),
        };
    };
    let (winner, loser) = (names[winner.index()], names[winner.other().index()]);
    match ending.cause {
        Cause::Resigned => format!("{loser} {}s: {winner} wins.", board.info().keywords.give_up[0]),
        Cause::Timeout => format!("{loser}'s time is up: {winner} wins."),
        Cause::Illegal => format!("{loser} made an illegal move: {winner} wins."),
        Cause::Crash => format!("{loser} broke down: {winner} wins."),
        Cause::Adjudicated => format!("It is proved that {winner} wins."),
        _ => format!("{winner} wins."),
    }
}
