//! The classic Oware bot: it rates every move by the seeds it wins now and the seeds the opponent can win next. It searches no
//! further, and the caller passes in the random numbers.

use super::{Oware, Pit, Position, board::ENOUGH};
use parlor_core::{Game, Side};

/// The largest random addition to a move's rating.
const CHANCE: u32 = 200;

/// The class of a move, which takes precedence over its rating; the worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MoveKind {
    /// The opponent wins by the ending or the next turn.
    Loses,
    Quiet,
    /// The mover has 25 or more.
    Wins,
}

/// The bot's move; `None` when the game is over. `draw(n)` must return a uniform number from 0 to n, both included; it is
/// called once for every legal move, from the lowest pit up.
///
/// # Examples
///
/// ```
/// use parlor_core::Game;
/// use parlor_games::oware::{Oware, RuleSet, payoff};
///
/// let game = Oware::by(RuleSet::Abapa);
/// assert!(payoff(&game, &game.start(), &mut |_| 0).is_some());
/// ```
pub fn payoff(game: &Oware, pos: &Position, draw: &mut dyn FnMut(u32) -> u32) -> Option<Pit> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut best: Option<((MoveKind, i32), Pit)> = None;
    for mv in moves {
        let (kind, number) = rated(game, pos, mv);
        let rank = (kind, number + draw(CHANCE) as i32);
        // Only a higher rating replaces an earlier one, so a tie goes to the lowest pit.
        if best.is_none_or(|(before, _)| rank > before) {
            best = Some((rank, mv));
        }
    }
    best.map(|(_, mv)| mv)
}

/// The rating of a move without the random part. The scores of a finished position are the final ones.
fn rated(game: &Oware, pos: &Position, mv: Pit) -> (MoveKind, i32) {
    let me = pos.turn();
    let score = |pos: &Position, side: Side| i32::from(pos.scores()[side.index()]);
    let mut next = *pos;
    game.play(&mut next, mv);
    let (old, new) = (score(pos, me), score(&next, me));
    let (other_old, other_new) = (score(pos, me.other()), i32::from(best_reply(game, &next, me.other())));
    let number = (new * (new - old) - other_new * (other_new - other_old) + 625) * 100;
    let kind = if new >= i32::from(ENOUGH) {
        MoveKind::Wins
    } else if other_new >= i32::from(ENOUGH) {
        MoveKind::Loses
    } else {
        MoveKind::Quiet
    };
    (kind, number)
}

/// The highest score of `side` after one reply, or its current score if there is no reply.
fn best_reply(game: &Oware, pos: &Position, side: Side) -> u8 {
    let mut replies = Vec::new();
    game.moves(pos, &mut replies);
    let scores = replies.into_iter().map(|reply| {
        let mut next = *pos;
        game.play(&mut next, reply);
        next.scores()[side.index()]
    });
    scores.max().unwrap_or(pos.scores()[side.index()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oware::RuleSet;
    use parlor_core::Notation;

    fn position(text: &str) -> (Oware, Position) {
        let game = Oware::by(RuleSet::Abapa);
        let pos = game.parse_position(text).expect("a position");
        (game, pos)
    }

    /// The bot's move with a random part of 0.
    fn choice(text: &str) -> Option<char> {
        let (game, pos) = position(text);
        payoff(&game, &pos, &mut |_| 0).map(Pit::letter)
    }

    fn rating(text: &str, mv: &str) -> (MoveKind, i32) {
        let (game, pos) = position(text);
        rated(&game, &pos, game.parse_move(&pos, mv).expect("legal"))
    }

    #[test]
    fn the_highest_number_is_played_and_the_lowest_pit_on_a_tie() {
        let (game, start) = position("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S");
        let drawn = |chances: [u32; 6]| {
            let mut left = chances.into_iter();
            let chosen = payoff(&game, &start, &mut |most| {
                assert_eq!(most, 200);
                left.next().expect("once for each move")
            });
            assert_eq!(left.next(), None, "once for each move");
            chosen.map(Pit::letter)
        };
        assert_eq!(drawn([0; 6]), Some('a'));
        assert_eq!(drawn([7, 7, 200, 0, 200, 0]), Some('c'));
        assert_eq!(choice("0-0-0-0-0-0-0-0-0-0-0-0-24-24-S"), None, "the game is over");
    }

    #[test]
    fn a_number_weighs_what_is_won_against_the_best_reply() {
        assert_eq!(rating("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "a"), (MoveKind::Quiet, 62_500));
        // Taking 3 makes 22; then F takes the 2 in pit a, which makes 24: 22*3 - 24*2 + 625.
        assert_eq!(rating("1-0-0-2-0-1-2-0-0-0-0-1-19-22-S", "f"), (MoveKind::Quiet, 64_300));
        // Moving that seed on leaves nothing to take.
        assert_eq!(rating("1-0-0-2-0-1-2-0-0-0-0-1-19-22-S", "a"), (MoveKind::Quiet, 62_500));
        assert_eq!(choice("1-0-0-2-0-1-2-0-0-0-0-1-19-22-S"), Some('f'));
    }

    #[test]
    fn chance_cannot_turn_a_difference_of_more_than_two() {
        let (game, pos) = position("1-0-0-2-0-1-2-0-0-0-0-1-19-22-S");
        // 625 for a against 643 for f: not even 200 is enough.
        let mut chances = [200, 0, 0].into_iter();
        assert_eq!(payoff(&game, &pos, &mut |_| chances.next().unwrap_or(0)).map(Pit::letter), Some('f'));
    }

    #[test]
    fn a_win_by_25_seeds_counts_with_the_scores_as_they_stand() {
        let text = "1-0-0-0-0-1-1-0-0-0-0-21-24-0-S";
        // Taking 2 makes 26; the 21 seeds in F count for neither player: 26*2 - 0*0 + 625.
        assert_eq!(rating(text, "f"), (MoveKind::Wins, 67_700));
        assert_eq!(rating(text, "a"), (MoveKind::Quiet, 62_500));
        assert_eq!(choice(text), Some('f'));
    }

    #[test]
    fn an_immediate_win_is_played_whatever_its_number() {
        // Awari goes on after 25 seeds. Taking 2 makes 25; then F takes the twos in a and b, which makes 22:
        // 25*2 - 22*4 + 625, below the quiet move that breaks up the two.
        let game = Oware::by(RuleSet::Awari);
        let pos = game.parse_position("1-1-0-1-0-1-1-0-0-0-0-2-23-18-S").expect("a position");
        assert_eq!(rated(&game, &pos, Pit(5)), (MoveKind::Wins, 58_700));
        assert_eq!(rated(&game, &pos, Pit(1)), (MoveKind::Quiet, 62_500));
        assert_eq!(payoff(&game, &pos, &mut |_| 0), Some(Pit(5)));
    }

    #[test]
    fn a_move_that_lets_the_opponent_win_is_avoided_if_another_exists() {
        let text = "1-0-0-2-0-1-2-0-0-0-0-1-17-24-S";
        // The same capture as above, but the reply wins: 20*3 - 26*2 + 625.
        assert_eq!(rating(text, "f"), (MoveKind::Loses, 63_300));
        assert_eq!(rating(text, "a"), (MoveKind::Quiet, 62_500));
        // After d the same reply makes 26 and ends the game; the seeds left in a row are not collected: 625 - 26*2.
        assert_eq!(rating(text, "d"), (MoveKind::Loses, 57_300));
        assert_eq!(choice(text), Some('a'));
    }

    #[test]
    fn where_every_move_loses_the_highest_number_is_played() {
        // F takes a where it stays, and E takes b even if the seed of a has come there.
        let text = "1-1-0-2-0-1-2-0-0-0-3-1-13-24-S";
        let (game, pos) = position(text);
        let mut moves = Vec::new();
        game.moves(&pos, &mut moves);
        let all: Vec<_> = moves.iter().map(|&mv| (rated(&game, &pos, mv), mv)).collect();
        let losing: Vec<_> = all.iter().filter(|((kind, _), _)| *kind == MoveKind::Loses).collect();
        assert_eq!(losing.len(), all.len(), "{all:?}");
        let best = losing.iter().map(|((_, number), _)| *number).max().expect("a move");
        let chosen = payoff(&game, &pos, &mut |_| 0).expect("a move");
        assert_eq!(rated(&game, &pos, chosen).1, best);
    }

    #[test]
    fn an_ending_without_a_reply_counts_with_the_final_scores() {
        // The last own seed goes over; the opponent cannot give one back and takes both: 625 - 24*2.
        assert_eq!(rating("0-0-0-0-0-1-0-1-0-0-0-0-24-22-S", "f"), (MoveKind::Quiet, 57_700));
        assert_eq!(rating("0-0-0-0-0-1-0-1-0-0-0-0-23-23-S", "f").0, MoveKind::Loses);
        // A forced grand slam of Awari takes all and leaves nothing to answer with: 25*2 + 625.
        let game = Oware::by(RuleSet::Awari);
        let pos = game.parse_position("0-0-0-0-0-1-1-0-0-0-0-0-23-23-S").expect("a position");
        assert_eq!(rated(&game, &pos, Pit(5)), (MoveKind::Wins, 67_500));
    }
}
