//! Plays one game between two players and trusts neither: every move is checked, every move is timed, and a game that
//! repeats itself ends. Whoever fails loses; the referee never does.

use parlor_catalog::Clock;
use parlor_play::{Answer, Audience, Board, Cause, Ending, Failure, Limits, Offer, Player, Record, Side};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

const NOBODY: Audience<'_> = Audience { names: ["", ""], width: 80 };

/// The conditions of play.
#[derive(Clone, Debug)]
pub struct Referee {
    /// What each player is told for each move.
    pub limits: Limits,
    /// How much later than its time an answer may come.
    pub grace: Duration,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The game, with its ending.
    pub record: Record,
    /// What each side thought in all.
    pub thought: [Duration; 2],
    /// Who failed, and how.
    pub failure: Option<(Side, String)>,
}

impl Referee {
    /// A referee who allows 20 ms of lateness.
    pub fn new(limits: Limits, clock: Arc<dyn Clock>) -> Referee {
        Referee { limits, grace: Duration::from_millis(20), clock }
    }

    /// Plays to the end. When told to stop, the game is abandoned.
    pub fn play(
        &self,
        mut board: Box<dyn Board>,
        mut players: [&mut dyn Player; 2],
        stop: &AtomicBool,
    ) -> Played {
        let mut played = Played { record: Record::default(), thought: [Duration::ZERO; 2], failure: None };
        let spec = board.face().spec;
        for side in Side::BOTH {
            let player = &mut players[side.index()];
            let ready = catch_unwind(AssertUnwindSafe(|| player.ready(&spec)));
            if let Ok(Err(failure)) = ready {
                // There is no game to score: whoever runs the match hears of it at once.
                played.failure = Some((side, failure.to_string()));
                board.close(Ending { cause: Cause::Abandoned, outcome: None });
                break;
            }
        }
        for side in Side::BOTH.into_iter().filter(|_| board.ending().is_none()) {
            let player = &mut players[side.index()];
            // A player that dies when it is greeted dies again when it is asked.
            let _ = catch_unwind(AssertUnwindSafe(|| player.begin(&spec, side)));
        }
        while board.ending().is_none() {
            let side = board.turn();
            let ending = match self.turn(board.as_mut(), &mut players, stop, &mut played) {
                Ok(()) => cycle(board.as_ref()),
                Err((cause, why)) => {
                    played.failure = why.map(|why| (side, why));
                    Some(ended(board.as_ref(), side, cause))
                }
            };
            if stop.load(Ordering::Relaxed) {
                board.close(Ending { cause: Cause::Abandoned, outcome: None });
            } else if let Some(ending) = ending {
                board.close(ending);
            }
        }
        if let Some(ending) = board.ending() {
            for player in &mut players {
                let _ = catch_unwind(AssertUnwindSafe(|| player.end(&ending)));
            }
        }
        played.record = board.record();
        played
    }

    /// One move, or by what the side loses (or the game ends), with the reason where it is a failure.
    fn turn(
        &self,
        board: &mut dyn Board,
        players: &mut [&mut dyn Player; 2],
        stop: &AtomicBool,
        played: &mut Played,
    ) -> Result<(), (Cause, Option<String>)> {
        let side = board.turn();
        let record = board.record();
        let begun = self.clock.now();
        let player = &mut players[side.index()];
        let asked = || player.choose(&record, &self.limits, stop, &mut |_| ());
        let answer = catch_unwind(AssertUnwindSafe(asked))
            .unwrap_or_else(|_| Err(Failure::Crash("the player panicked".to_string())));
        let passed = self.clock.now().saturating_sub(begun);
        // What a program took is told apart from what we took to ask it.
        let taken = player.thought().unwrap_or(passed);
        played.thought[side.index()] += taken;
        let late = self.limits.time.is_some_and(|time| taken > time + self.grace);
        let answer = answer.map_err(|failure| (cause_of(&failure), Some(failure.to_string())))?;
        if late {
            return Err((Cause::Timeout, Some(Failure::Timeout(taken).to_string())));
        }
        match answer {
            Answer::Move(text) => match board.play(&text, NOBODY) {
                Ok(_) => Ok(()),
                Err(why) => Err((Cause::Illegal, Some(format!("answered '{}': {why}", shown(&text))))),
            },
            Answer::Resign => Err((Cause::Resigned, None)),
            Answer::Claim if board.claimable() => {
                let other = &mut players[side.other().index()];
                match other.accepts(&record, Offer::Cycle) {
                    true => Err((Cause::Cycle, None)),
                    false => Err((Cause::Illegal, Some("claimed a cycle, which was refused".to_string()))),
                }
            }
            Answer::Claim => Err((Cause::Illegal, Some("claimed a cycle where there is none".to_string()))),
            Answer::NoMove => Err((Cause::Illegal, Some("has no move where there are some".to_string()))),
        }
    }
}

fn cause_of(failure: &Failure) -> Cause {
    match failure {
        Failure::Timeout(_) => Cause::Timeout,
        Failure::Start(_) | Failure::Crash(_) => Cause::Crash,
        Failure::Garbage(_) => Cause::Illegal,
    }
}

fn ended(board: &dyn Board, side: Side, cause: Cause) -> Ending {
    match cause {
        Cause::Cycle => Ending { cause, outcome: board.settled() },
        _ => Ending::lost_by(side, cause),
    }
}

/// A game between programs ends when a position stands for the second time, in games that know what that pays.
fn cycle(board: &dyn Board) -> Option<Ending> {
    let again = board.ending().is_none() && board.occurrences() > 1;
    let outcome = board.settled().filter(|_| again)?;
    Some(Ending { cause: Cause::Cycle, outcome: Some(outcome) })
}

/// Hostile text, short and on one line.
fn shown(text: &str) -> String {
    text.chars().take(24).map(|c| if c.is_control() { ' ' } else { c }).collect()
}
