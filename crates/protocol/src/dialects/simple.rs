//! `bot:`, the protocol for simple bots: one line per turn, fields separated by tabs. The answer is a bare move, `resign` or
//! `claim` (a repetition). `try MOVE` is a provisional answer that a later line may replace. The referee checks the moves.

use super::BotMessage;
use crate::LONGEST_LINE;
use parlor_core::{Answer, Board, Ending, Side};
use std::time::Duration;

/// The time limit that a bot gets in a game without one.
pub const UNTIMED: Duration = Duration::from_secs(60);

/// The line before a game.
pub fn new(game: &str, side: Side) -> String {
    format!("new\t{game}\t{side}")
}

/// The line that asks for a move. It omits the move history if it would exceed the longest line.
pub fn turn(board: &dyn Board, time: Option<Duration>) -> String {
    let (legal, moves) = (board.moves().join(" "), board.move_list());
    turn_line(&board.spec(), &board.position(), &legal, &moves, time)
}

/// [`turn`] from text: game spec, position, legal moves, move history.
pub fn turn_line(game: &str, position: &str, legal: &str, moves: &str, time: Option<Duration>) -> String {
    let millis = time.unwrap_or(UNTIMED).as_millis();
    let line = |moves: &str| format!("turn\t{game}\t{position}\t{legal}\t{moves}\t{millis}");
    let complete = line(moves);
    if complete.len() <= LONGEST_LINE { complete } else { line("") }
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
/// use parlor_protocol::{BotMessage, dialects::simple};
///
/// assert_eq!(simple::read("try 4"), BotMessage::Try("4".into()));
/// assert_eq!(simple::read("resign"), BotMessage::Answer(Answer::Resign));
/// ```
pub fn read(line: &str) -> BotMessage {
    let line = line.trim();
    match line.split_once(char::is_whitespace) {
        Some(("try", tried)) => BotMessage::Try(tried.trim().to_string()),
        _ => BotMessage::Answer(match line {
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
    fn writes_one_line_at_the_start_and_one_at_the_end_of_a_game() {
        assert_eq!(new("kalah:6,4", Side::Second), "new\tkalah:6,4\tsecond");
        let won = Ending { cause: Cause::Normal, outcome: Some(Outcome::win(Side::First)) };
        assert_eq!(end(&won, Side::First), "end\twin\tnormal");
        assert_eq!(end(&won, Side::Second), "end\tloss\tnormal");
        let left = Ending { cause: Cause::Abandoned, outcome: None };
        assert_eq!(end(&left, Side::First), "end\tdraw\tabandoned");
    }

    #[test]
    fn omits_the_move_history_if_the_line_would_be_too_long() {
        let line = |moves: &str| turn_line("kalah:6,4", "position", "1 2", moves, None);
        let room = LONGEST_LINE - line("").len();
        assert_eq!(line(&"1".repeat(room)).len(), LONGEST_LINE);
        assert_eq!(line(&"1".repeat(room + 1)), line(""));
    }

    #[test]
    fn a_turn_on_the_largest_boards_needs_less_than_an_eighth_of_a_line() {
        for board in [
            Box::new(Match::new(LargeKalah::sized(64, 255).expect("a size"))) as Box<dyn Board>,
            Box::new(Match::new(LargeConnect::new(&[64, 127, 1000]).expect("a size"))),
        ] {
            assert!(8 * turn(board.as_ref(), None).len() < LONGEST_LINE);
        }
    }

    #[test]
    fn a_bare_line_is_a_move_and_a_try_is_provisional() {
        let answers = |text: &str| BotMessage::Answer(Answer::Move(text.into()));
        assert_eq!(read(" 3 "), answers("3"));
        assert_eq!(read("try 4"), BotMessage::Try("4".into()));
        assert_eq!(read("try\td1-d7/g7"), BotMessage::Try("d1-d7/g7".into()));
        assert_eq!(read("try"), answers("try"), "an illegal move, which the referee refuses");
        assert_eq!(
            (read("resign"), read("claim")),
            (BotMessage::Answer(Answer::Resign), BotMessage::Answer(Answer::Claim))
        );
    }
}
