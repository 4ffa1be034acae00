//! Compares the solver of every game with plain negamax on random positions of small boards.

use parlor_catalog::{DynGame, DynSolver, Resources};
use parlor_core::{Board, Bounds, Limits};
use parlor_engine::Random;
use parlor_fifth_game::games;
use parlor_testkit::seed;
use std::sync::atomic::AtomicBool;

/// In positions; larger trees are skipped.
const LARGEST_TREE: u32 = 500;
/// Positions compared per game.
const COMPARED: u32 = 15;
/// Node limit of a solver. It may then have bounds only, where moves repeat positions.
const SOLVER_NODES: u64 = 20_000;

/// Negamax without pruning.
struct Plain<'a> {
    game: &'a dyn DynGame,
    /// Values finished games, because the seeds that a decided game leaves on the board count too.
    solver: Box<dyn DynSolver>,
    /// Positions that it may still visit.
    left: u32,
}

impl Plain<'_> {
    /// The value for the side to move. None where the tree is too large, and where the rules do not give the value: a position
    /// returns, or a decided game stops before the end that solvers value.
    fn value(&mut self, board: &mut Box<dyn Board>) -> Option<i32> {
        let turn = board.turn();
        if board.ending().is_some() {
            let is_valued = self.game.ends_in_scoring_variant(&board.record());
            return is_valued.then(|| solve(self.solver.as_mut(), board.as_ref()).lo.0.into());
        }
        self.left = self.left.checked_sub(1)?;
        if board.occurrences() > 1 {
            return None;
        }
        let mut best = i32::MIN;
        for text in board.moves() {
            board.play(&text).expect("a listed move is legal");
            let same = board.turn() == turn;
            let value = self.value(board);
            board.undo().expect("a move was made");
            best = best.max(if same { value? } else { -value? });
        }
        Some(best)
    }
}

fn solver(game: &dyn DynGame) -> Box<dyn DynSolver> {
    game.solver(&Resources { memory: Some(1 << 20), ..Resources::seeded(1) }).expect("no tables")
}

fn solve(solver: &mut dyn DynSolver, board: &dyn Board) -> Bounds {
    let limits = Limits { nodes: Some(SOLVER_NODES), ..Limits::default() };
    solver.solve(board, &limits, &AtomicBool::new(false), &mut |_| ()).expect("its own board")
}

/// The board after random moves to near the end of a game; none where the game does not end within 300 moves.
fn late(game: &dyn DynGame, random: &mut Random) -> Option<Box<dyn Board>> {
    let mut board = game.board();
    for _ in 0..300 {
        let moves = board.moves();
        if board.ending().is_some() || moves.is_empty() {
            break;
        }
        board.play(&moves[random.below(moves.len())]).expect("legal");
    }
    board.ending()?;
    for _ in 0..=random.below(5) {
        board.undo();
    }
    Some(board)
}

#[test]
fn the_solver_agrees_with_plain_negamax_in_every_game() {
    for entry in games() {
        let game = entry.game(entry.small()).expect("a game");
        let mut random = Random::new(seed(5));
        let mut plain = Plain { game: game.as_ref(), solver: solver(game.as_ref()), left: 0 };
        let mut compared = 0;
        for _ in 0..200 {
            if compared == COMPARED {
                break;
            }
            let Some(mut board) = late(game.as_ref(), &mut random) else { continue };
            let before = board.position();
            plain.left = LARGEST_TREE;
            let Some(value) = plain.value(&mut board) else { continue };
            assert_eq!(board.position(), before);
            let bounds = solve(solver(game.as_ref()).as_mut(), board.as_ref());
            assert!(
                (i32::from(bounds.lo.0)..=bounds.hi.0.into()).contains(&value),
                "{} '{before}': {value}, the solver has {bounds:?}",
                board.spec()
            );
            compared += u32::from(bounds.are_exact());
        }
        assert_eq!(compared, COMPARED, "positions of {}", entry.name);
    }
}
