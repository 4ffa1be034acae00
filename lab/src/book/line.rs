//! Lines of best play from a position of known value. The book contains the positions of the line, so that a
//! program that shows best play finds one move after another without a search, until the rest is easy.

use super::layers::children;
use parlor_core::{Game, Margin};
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::{Book, ConnectSolver};
use std::sync::atomic::AtomicBool;

/// The ply from which the solver found best play within a few hundredths of a second in all lines tried. With lines
/// up to ply 14, the one after a first move in column 2 took over a second.
pub const LAST_PLY: u32 = Book::LAST_PLY;

/// A step of best play.
pub struct BookLineStep {
    /// The position after the move.
    pub pos: Position,
    /// The value of that position for its side to move.
    pub value: i16,
    /// Whether the value had to be computed.
    pub new: bool,
}

/// The first move, from the middle outwards, that keeps the value; moves to known positions come first. `None` at
/// the end of the line, or if the search was stopped.
pub fn step(
    game: &Connect,
    known: &dyn Fn(&Position) -> Option<i16>,
    solver: &mut ConnectSolver,
    pos: &Position,
    stop: &AtomicBool,
) -> Option<BookLineStep> {
    if pos.plies() >= LAST_PLY {
        return None;
    }
    let value = -known(pos)?;
    let next: Vec<(Position, Option<i16>)> =
        children(game, pos).map(|(_, next)| (next.clone(), known(&next))).collect();
    if let Some((pos, _)) = next.iter().find(|(_, found)| *found == Some(value)) {
        // A finished game has no further step.
        return game.result(pos).is_none().then(|| BookLineStep { pos: pos.clone(), value, new: false });
    }
    for (pos, _) in next.into_iter().filter(|(_, found)| found.is_none()) {
        // No move exceeds the value, so a move keeps it unless the other side can reach more.
        if !solver.reaches(Margin(value + 1), &pos, stop)? {
            return Some(BookLineStep { pos, value, new: true });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{
        super::layers::{KnownValues, value_of},
        *,
    };
    use parlor_core::Match;

    fn after(game: &Connect, moves: &[&str]) -> Position {
        let mut played = Match::new(game.clone());
        moves.iter().for_each(|mv| {
            played.play(mv).expect("legal");
        });
        played.position().clone()
    }

    #[test]
    fn a_searched_step_keeps_the_value_and_a_known_one_is_preferred() {
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        // The first player has two in the middle of an open row, and wins with the fourth checker.
        let pos = after(&game, &["3", "3", "4", "4"]);
        let (stop, mut solver) = (AtomicBool::new(false), ConnectSolver::new(&game, 16, 1));
        let mut known = KnownValues::from([(game.key(&pos), 18)]);
        let found =
            step(&game, &|pos| value_of(&game, &known, pos), &mut solver, &pos, &stop).expect("a step");
        assert!(found.new && found.value == -18);
        assert_eq!(found.pos, after(&game, &["3", "3", "4", "4", "5"]));
        let other = after(&game, &["3", "3", "4", "4", "2"]);
        known.insert(game.key(&other), -18);
        let found =
            step(&game, &|pos| value_of(&game, &known, pos), &mut solver, &pos, &stop).expect("a step");
        assert!(!found.new && found.pos == other);
    }

    #[test]
    fn a_line_ends_where_the_game_does() {
        let game = Connect::new(&[7, 6, 4]).expect("a size");
        let pos = after(&game, &["1", "7", "1", "7", "1", "7"]);
        let known = KnownValues::from([(game.key(&pos), 18)]);
        let mut solver = ConnectSolver::new(&game, 1, 1);
        assert!(
            step(&game, &|pos| value_of(&game, &known, pos), &mut solver, &pos, &AtomicBool::new(false))
                .is_none()
        );
    }
}
