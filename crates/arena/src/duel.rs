//! A match of two players: pairs of games, counted from the first player's side. Each game has players of its own, made from
//! seed and number alone, so that any game can be played again without the others.

use crate::{Pairing, Pairs, Played, Referee, Tally, opening};
use parlor_catalog::{BadPlayer, Hosted, PlayerSpec, Setting};
use parlor_play::{Player, Record, Side};
use std::{ops::ControlFlow, path::PathBuf, sync::atomic::AtomicBool};

/// A match to be played.
pub struct Duel<'a> {
    /// The game.
    pub game: &'a dyn Hosted,
    /// The two players.
    pub players: [PlayerSpec; 2],
    /// Who sees to the rules.
    pub referee: Referee,
    /// Pairs of games.
    pub rounds: u64,
    /// Random moves before the players take over.
    pub opening: usize,
    /// All randomness.
    pub seed: u64,
    /// The folder of all endgame tables, where there is one.
    pub tables: Option<PathBuf>,
}

/// One game of the match.
#[derive(Clone, Debug)]
pub struct Game {
    /// Its place in the match.
    pub pairing: Pairing,
    /// How it went.
    pub played: Played,
    /// What it gave the first player, in half points; none if it was abandoned.
    pub halves: Option<u8>,
}

impl Duel<'_> {
    /// Plays on until all games are played, `each` has had enough, or it is told to stop; gives the results of whole pairs.
    pub fn run(
        &self,
        stop: &AtomicBool,
        each: &mut dyn FnMut(&Game, &Tally) -> ControlFlow<()>,
    ) -> Result<Tally, BadPlayer> {
        let mut tally = Tally::default();
        let mut first_half = None;
        for pairing in Pairs::new(self.rounds) {
            let game = self.one(pairing, stop)?;
            let Some(halves) = game.halves else { break };
            match first_half.take() {
                None => first_half = Some(halves),
                Some(before) => tally = tally.and(Tally::of_pair([before, halves])),
            }
            if each(&game, &tally).is_break() {
                break;
            }
        }
        Ok(tally)
    }

    fn one(&self, pairing: Pairing, stop: &AtomicBool) -> Result<Game, BadPlayer> {
        let mut board = opening(self.game, self.opening, self.seed, pairing.round);
        let seat = |side: Side| (pairing.first + side.index()) % 2;
        for (tag, side) in [("First", Side::First), ("Second", Side::Second)] {
            let spec = &self.players[seat(side)];
            board.tag(tag, &spec.name.clone().unwrap_or_else(|| spec.to_string()));
        }
        board.tag("Round", &(pairing.round + 1).to_string());
        let mut first = self.player(seat(Side::First), pairing)?;
        let mut second = self.player(seat(Side::Second), pairing)?;
        let played = self.referee.play(board, [first.as_mut(), second.as_mut()], stop);
        let halves = halves(&played.record, Side::BOTH[pairing.first]);
        Ok(Game { pairing, played, halves })
    }

    fn player(&self, number: usize, pairing: Pairing) -> Result<Box<dyn Player>, BadPlayer> {
        let game = pairing.round * 4 + pairing.first as u64 * 2 + number as u64;
        let seed = self.seed.wrapping_add(game.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        let setting = Setting { seed, clock: self.referee.clock.clone(), tables: self.tables.clone() };
        self.game.player(&self.players[number], &setting)
    }
}

/// What a side got, in half points; none without an outcome.
fn halves(record: &Record, side: Side) -> Option<u8> {
    let outcome = record.ending?.outcome?;
    Some(match outcome.winner {
        None => 1,
        Some(winner) if winner == side => 2,
        Some(_) => 0,
    })
}
