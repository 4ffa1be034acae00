//! Players for the tests of the referee.

use parlor_catalog::{DynGame, Manual, Resources};
use parlor_core::{Answer, Board, Failure, Limits, Offer, Player, Report};
use parlor_tournament::{MakePlayer, TournamentPlan};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

pub fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A clock that only the players advance.
pub fn manual_clock() -> Arc<Manual> {
    Arc::new(Manual::stepping(Duration::ZERO))
}

/// A player from the catalogue.
pub fn player(game: &dyn DynGame, spec: &str) -> Box<dyn Player> {
    game.player(&spec.parse().expect("a spec"), &Resources::seeded(1)).expect("a player")
}

pub fn first_move(board: &dyn Board) -> Answer {
    Answer::Move(board.moves()[0].clone())
}

/// The action of a player in a turn.
#[derive(Clone, Copy)]
pub enum Turn {
    /// Plays the first legal move after this many milliseconds.
    Move(u64),
    /// Claims repetition after this many milliseconds.
    Claim(u64),
}

/// Follows a script, then plays the first legal move at once. It records the time limit of each turn.
pub struct Timed {
    clock: Arc<Manual>,
    turns: VecDeque<Turn>,
    agrees: bool,
    limits: Arc<Mutex<Vec<Limits>>>,
}

impl Timed {
    pub fn new(clock: &Arc<Manual>, turns: &[Turn]) -> Timed {
        let turns = turns.iter().copied().collect();
        Timed { clock: clock.clone(), turns, agrees: true, limits: Arc::default() }
    }

    /// Makes the player decline every offer.
    pub fn declining(self) -> Timed {
        Timed { agrees: false, ..self }
    }

    /// The time limits of all turns so far, in milliseconds.
    pub fn times(&self) -> Vec<u128> {
        let limits = self.limits.lock().expect("a list");
        limits.iter().map(|limits| limits.time.expect("a time").as_millis()).collect()
    }
}

impl Player for Timed {
    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        self.limits.lock().expect("a list").push(*limits);
        let (takes, answer) = match self.turns.pop_front().unwrap_or(Turn::Move(0)) {
            Turn::Move(takes) => (takes, first_move(board)),
            Turn::Claim(takes) => (takes, Answer::Claim),
        };
        self.clock.advance(millis(takes));
        Ok(answer)
    }

    fn accepts(&mut self, _: &dyn Board, _: Offer) -> bool {
        self.agrees
    }
}

/// Makes the players of a plan, which are all from the catalogue.
pub fn own_players(plan: &TournamentPlan) -> MakePlayer<'_> {
    Box::new(|game, player, seed| game.player(&plan.players[player].spec.parse()?, &Resources::seeded(seed)))
}
