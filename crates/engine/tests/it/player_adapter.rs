//! A typed player gets the match of the board itself; it replays the record only if necessary.

use parlor_core::{Answer, Board, Cause, Ending, Failure, Game, Limits, Match, Notation, Player, Side};
use parlor_engine::{MoveChooser, PlayerAdapter, SearchContext};
use parlor_games::{kalah::Kalah, oware::Oware};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// Plays the first legal move, and records the memory address and the length of each match.
#[derive(Clone, Default)]
struct Noting {
    addresses: Arc<Mutex<Vec<usize>>>,
    plies: Arc<AtomicUsize>,
}

impl<G: Notation> MoveChooser<G> for Noting {
    fn choose(&mut self, played: &Match<G>, _: &mut SearchContext<'_>) -> Option<G::Move> {
        self.addresses.lock().expect("a list").push(std::ptr::from_ref(played) as usize);
        self.plies.store(played.moves().len(), Ordering::Relaxed);
        let mut moves = Vec::new();
        played.game().moves(played.position(), &mut moves);
        moves.first().copied()
    }
}

fn kalah() -> Kalah {
    Kalah::sized(6, 4).expect("a game")
}

fn ask(player: &mut dyn Player, board: &dyn Board) -> Result<Answer, Failure> {
    player.choose(board, &Limits::default(), &AtomicBool::new(false), &mut |_| ())
}

#[test]
fn a_player_of_the_same_game_reads_the_match_of_the_board_without_a_replay() {
    let noting = Noting::default();
    let mut player = PlayerAdapter::new(kalah(), noting.clone());
    let mut played = Match::new(kalah());
    let address = std::ptr::from_ref(&played) as usize;
    while played.ending().is_none() {
        let Ok(Answer::Move(text)) = ask(&mut player, &played) else { panic!("no move") };
        Board::play(&mut played, &text).expect("legal");
    }
    let addresses = noting.addresses.lock().expect("a list");
    assert!(addresses.len() > 10 && addresses.iter().all(|&other| other == address));
    drop(addresses);
    assert_eq!(ask(&mut player, &played), Ok(Answer::NoMove), "after the end");
}

#[test]
fn a_closed_game_is_replayed_and_answered_all_the_same() {
    let noting = Noting::default();
    let mut player = PlayerAdapter::new(kalah(), noting.clone());
    let mut played = Match::new(kalah());
    played.play("3").expect("legal");
    played.close(Ending::lost_by(Side::First, Cause::Resigned));
    assert_eq!(ask(&mut player, &played), Ok(Answer::Move("1".to_string())));
    assert_eq!(noting.plies.load(Ordering::Relaxed), 1);
}

#[test]
fn a_board_of_another_game_is_refused_with_the_reason() {
    let mut player = PlayerAdapter::new(kalah(), Noting::default());
    let small = Match::new(Kalah::sized(3, 2).expect("a game"));
    let refused =
        |spec: &str| Err(Failure::Garbage(format!("the record is a game of '{spec}', not of 'kalah:6,4'")));
    assert_eq!(ask(&mut player, &small), refused("kalah:3,2"));
    assert_eq!(ask(&mut player, &Match::new(Oware::new(&[0]).expect("a game"))), refused("oware"));
}

#[test]
fn a_match_follows_another_by_the_moves_that_differ() {
    let mut played = Match::new(kalah());
    for text in ["3", "6", "2"] {
        played.play(text).expect("legal");
    }
    let mut follower = played.replayed_as(kalah());
    assert_eq!(follower.positions(), played.positions());
    played.undo();
    for text in ["1", "2"] {
        played.play(text).expect("legal");
    }
    assert!(follower.follow(&played));
    assert_eq!((follower.positions(), follower.moves()), (played.positions(), played.moves()));
    let elsewhere = Match::from_position(kalah(), played.position().clone());
    assert!(!follower.follow(&elsewhere), "another start");
    assert_eq!(follower.moves(), played.moves());
}
