//! `bot:`, one line a turn, fields between tabs. The answer is a bare move; beside it `resign` and `claim` (a cycle) are
//! answers, and `try MOVE` is one that may still be bettered. Whether a move is one is left to the referee.

use super::Said;
use crate::LONGEST_LINE;
use parlor_core::{Answer, Board, Ending, Side};
use std::time::Duration;

/// The time limit that a bot gets in a game without one.
pub const UNTIMED: Duration = Duration::from_secs(60);

/// The line before a game.
pub fn new(game: &str, side: Side) -> String {
    format!("new\t{game}\t{side}")
}

/// The question. Where the line would be too long for a message, the moves so far are left out.
pub fn turn(board: &dyn Board, time: Option<Duration>) -> String {
    let (legal, moves) = (board.moves().join(" "), board.move_list());
    turn_line(&board.spec(), &board.position(), &legal, &moves, time)
}

/// The question of a game that is known as text: its spec, the position, the legal moves and the moves made.
pub fn turn_line(game: &str, position: &str, legal: &str, moves: &str, time: Option<Duration>) -> String {
    let millis = time.unwrap_or(UNTIMED).as_millis();
    let line = |moves: &str| format!("turn\t{game}\t{position}\t{legal}\t{moves}\t{millis}");
    let whole = line(moves);
    if whole.len() <= LONGEST_LINE { whole } else { line("") }
}

/// The line after a game.
pub fn end(ending: &Ending, side: Side) -> String {
    let result = match ending.outcome.and_then(|outcome| outcome.winner) {
        Some(winner) if winner == side => "win",
        Some(_) => "loss",
        None => "draw",
    };
    format!("end\t{result}\t{}", ending.cause)
}

/// Parses a line from a bot.
///
/// # Examples
///
/// ```
/// use parlor_core::Answer;
/// use parlor_protocol::{Said, dialects::simple};
///
/// assert_eq!(simple::read("try 4"), Said::Try("4".into()));
/// assert_eq!(simple::read("resign"), Said::Answer(Answer::Resign));
/// ```
pub fn read(line: &str) -> Said {
    let line = line.trim();
    match line.split_once(char::is_whitespace) {
        Some(("try", tried)) => Said::Try(tried.trim().to_string()),
        _ => Said::Answer(match line {
            "resign" => Answer::Resign,
            "claim" => Answer::Claim,
            text => Answer::Move(text.to_string()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Cause, Game, Match, Outcome};
    use parlor_games::{connect::LargeConnect, kalah::LargeKalah};

    #[test]
    fn games_begin_and_end_in_a_line_each() {
        assert_eq!(new("kalah:6,4", Side::Second), "new\tkalah:6,4\tsecond");
        let won = Ending { cause: Cause::Normal, outcome: Some(Outcome::win(Side::First)) };
        assert_eq!(end(&won, Side::First), "end\twin\tnormal");
        assert_eq!(end(&won, Side::Second), "end\tloss\tnormal");
        let left = Ending { cause: Cause::Abandoned, outcome: None };
        assert_eq!(end(&left, Side::First), "end\tdraw\tabandoned");
    }

    #[test]
    fn moves_that_do_not_fit_a_line_are_left_out() {
        let line = |moves: &str| turn_line("kalah:6,4", "position", "1 2", moves, None);
        let room = LONGEST_LINE - line("").len();
        assert_eq!(line(&"1".repeat(room)).len(), LONGEST_LINE);
        assert_eq!(line(&"1".repeat(room + 1)), line(""));
    }

    #[test]
    fn a_position_on_the_largest_boards_fits_a_line_many_times() {
        for board in [
            Box::new(Match::new(LargeKalah::sized(64, 255).expect("a size"))) as Box<dyn Board>,
            Box::new(Match::new(LargeConnect::new(&[64, 127, 1000]).expect("a size"))),
        ] {
            assert!(8 * turn(board.as_ref(), None).len() < LONGEST_LINE);
        }
    }

    #[test]
    fn a_bare_line_is_a_move_and_a_try_is_not_yet_one() {
        let answers = |text: &str| Said::Answer(Answer::Move(text.into()));
        assert_eq!(read(" 3 "), answers("3"));
        assert_eq!(read("try 4"), Said::Try("4".into()));
        assert_eq!(read("try\td1-d7/g7"), Said::Try("d1-d7/g7".into()));
        assert_eq!(read("try"), answers("try"), "an illegal move, as the referee will find");
        assert_eq!(
            (read("resign"), read("claim")),
            (Said::Answer(Answer::Resign), Said::Answer(Answer::Claim))
        );
    }
}
