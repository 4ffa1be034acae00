//! The scripts that every driver plays: what each side answers, turn by turn. After its last answer a side plays the first
//! legal move each time, so every script ends.

use Act::{
    Abort, Claim, Crash, EndOfInput, Exhausted, First, Garbage, Interrupt, Move, NoMove, NoStart, Resign,
    Stall, Takeback, Timeout as TimedOut,
};
use std::sync::OnceLock;

/// One answer of a side to one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Legal or not.
    Move(&'static str),
    /// The first legal move.
    First,
    /// The player answers that it has no move.
    NoMove,
    Resign,
    Claim,
    /// A person asks to take back the last move.
    Takeback,
    Crash,
    /// The program writes something that is not text.
    Garbage,
    /// The program's supervisor reports a time-out.
    Timeout,
    /// No answer comes before the clock runs out.
    Stall,
    /// The program cannot be started. Only as the first act of a side.
    NoStart,
    Interrupt,
    EndOfInput,
    Abort,
    /// The end of a bounded list: the driver would ask without end, so the player resigns.
    Exhausted,
}

impl Act {
    /// Whether a program can do this in every driver.
    pub fn expressible_for_a_program(self) -> Result<(), String> {
        match self {
            Takeback | Abort => Err("a program has no word for it".into()),
            Interrupt | EndOfInput => Err("only a person at a terminal does this".into()),
            _ => Ok(()),
        }
    }
}

#[derive(Debug)]
pub struct Script {
    pub name: &'static str,
    pub game: &'static str,
    /// The position to start from, if it is not the usual one.
    pub start: Option<&'static str>,
    pub time: Option<&'static str>,
    /// How many milliseconds each answer takes, in drivers with a hand-driven clock.
    pub takes: u64,
    /// Whether the script means nothing without a hand-driven clock, which only the binary does not have.
    pub exact: bool,
    /// The answers of each side, in order.
    pub acts: [Vec<Act>; 2],
    /// Whether each side agrees to the other's offers.
    pub agrees: [bool; 2],
    /// Whether offers are answered only after every clock has run out.
    pub slow: bool,
}

impl Script {
    fn new(name: &'static str, game: &'static str, first: &[Act], second: &[Act]) -> Script {
        Script {
            name,
            game,
            start: None,
            time: None,
            takes: 0,
            exact: false,
            acts: [first.to_vec(), second.to_vec()],
            agrees: [true, true],
            slow: false,
        }
    }

    fn from(self, start: &'static str) -> Script {
        Script { start: Some(start), ..self }
    }

    fn timed(self, time: &'static str, takes: u64) -> Script {
        Script { time: Some(time), takes, ..self }
    }

    /// Restricts the script to drivers with a manual clock.
    fn exact(self) -> Script {
        Script { exact: true, ..self }
    }

    /// Lets offers be answered too late.
    fn slow(self) -> Script {
        Script { slow: true, ..self }
    }

    fn declined(self) -> Script {
        Script { agrees: [false, false], ..self }
    }

    /// Whether programs can play both sides.
    pub fn expressible_for_programs(&self) -> Result<(), String> {
        self.acts.iter().flatten().try_for_each(|act| act.expressible_for_a_program())
    }
}

/// In milliseconds.
const DAY: u64 = 86_400_000;
const CONNECT: &str = "connect:4,4,3";
const KALAH: &str = "kalah:3,2";
/// One seed on each side: the only moves carry both around the board, and the position returns after 12 moves.
const CIRCLING: &str = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";
/// One row is empty, so repetition cannot be claimed.
const ONE_ROW: &str = "0-0-0-0-0-2-0-0-0-0-0-0-23-23-S";

/// All scripts, in the order of the trace files.
pub fn all() -> &'static [Script] {
    static SCRIPTS: OnceLock<Vec<Script>> = OnceLock::new();
    let parts = || [endings(), failures(), repetition(), takebacks(), clocks()];
    SCRIPTS.get_or_init(|| parts().into_iter().flatten().collect())
}

fn endings() -> Vec<Script> {
    vec![
        Script::new("normal end, kalah", KALAH, &[], &[]),
        Script::new("normal end, connect", CONNECT, &[], &[]),
        Script::new("normal end, oware", "oware", &[], &[]),
        Script::new("normal end, amazons", "amazons:4", &[], &[]),
        Script::new("first resigns at once", CONNECT, &[Resign], &[]),
        Script::new("second resigns", CONNECT, &[], &[Move("4"), Resign]),
        Script::new("first interrupts", CONNECT, &[Move("1"), Interrupt], &[]),
        Script::new("input ends", CONNECT, &[Move("1"), EndOfInput], &[]),
        Script::new("first aborts at once", CONNECT, &[Abort], &[]),
        Script::new("second aborts before the second move", CONNECT, &[], &[Abort]),
        Script::new("abort after the second move", CONNECT, &[First, Abort, Resign], &[]),
    ]
}

fn failures() -> Vec<Script> {
    vec![
        Script::new("illegal move", CONNECT, &[], &[Move("9")]),
        Script::new("illegal first move", CONNECT, &[Move("9")], &[]),
        Script::new("move that is not a word of the game", CONNECT, &[], &[Move("zz top")]),
        Script::new("no move", CONNECT, &[], &[NoMove]),
        Script::new("crash", CONNECT, &[], &[Crash]),
        Script::new("crash on a clock", CONNECT, &[], &[Crash]).timed("2s", 0),
        Script::new("garbage", CONNECT, &[], &[Garbage]),
        Script::new("time-out reported by the player", CONNECT, &[], &[TimedOut]).timed("1m", 0),
        Script::new("second does not start", CONNECT, &[], &[NoStart]),
    ]
}

fn repetition() -> Vec<Script> {
    // A driver that asks again after a wrong claim would ask without end: five claims are enough to see it.
    let wrong = [Claim, Claim, Claim, Claim, Claim, Exhausted];
    vec![
        Script::new("claim in a game without repetition", CONNECT, &[], &wrong),
        Script::new("claim without right", "oware", &wrong, &[]).from(ONE_ROW),
        Script::new("claim with right at the start, accepted", "oware", &[Claim, Resign], &[]),
        Script::new("claim with right at the start, declined", "oware", &[Claim, Resign], &[]).declined(),
        Script::new("repetition until the driver ends it", "oware", &fourth_time(), &[]).from(CIRCLING),
        Script::new("claim at the second occurrence, accepted", "oware", &second_time(), &[]).from(CIRCLING),
        Script::new("claim at the second occurrence, declined", "oware", &second_time(), &[])
            .from(CIRCLING)
            .declined(),
        Script::new("claim at the third occurrence, accepted", "oware", &third_time(), &[]).from(CIRCLING),
        Script::new("claim repeated after a refusal", "oware", &wrong, &[]).declined(),
    ]
}

/// Eighteen moves until the fourth occurrence, then a resignation: with a person no driver ends the game.
fn fourth_time() -> Vec<Act> {
    [&[First; 18][..], &[Resign]].concat()
}

/// Twelve moves until the third occurrence, then a claim.
fn third_time() -> Vec<Act> {
    [&[First; 12][..], &[Claim, Resign]].concat()
}

/// Six moves until the position returns, then a claim.
fn second_time() -> Vec<Act> {
    [&[First; 6][..], &[Claim, Resign]].concat()
}

fn takebacks() -> Vec<Script> {
    vec![
        Script::new("takeback accepted", CONNECT, &[Move("1"), Takeback, Move("2")], &[]),
        Script::new("takeback declined", CONNECT, &[Move("1"), Takeback, Move("2")], &[]).declined(),
        Script::new("takeback before the first move", CONNECT, &[Takeback], &[]),
        Script::new("takeback on a clock", CONNECT, &[Move("1"), Takeback, Move("2")], &[])
            .timed("10s+60s", 5000),
        Script::new("takeback with time per move", CONNECT, &[Move("1"), Takeback, Move("2")], &[])
            .timed("move=1m", 5000),
        Script::new("takeback in byo-yomi", CONNECT, &[First, First, Takeback, Move("2")], &[])
            .timed("4s,byoyomi=3x6s", 5000)
            .exact(),
        Script::new("takeback offer not answered in time", CONNECT, &[Move("1"), Takeback], &[])
            .timed("2s", 0)
            .declined()
            .slow(),
    ]
}

fn clocks() -> Vec<Script> {
    vec![
        Script::new("clock 10s+60s", CONNECT, &[], &[]).timed("10s+60s", 5000),
        Script::new("clock 1m", CONNECT, &[], &[]).timed("1m", 5000),
        Script::new("clock 0s+5s", CONNECT, &[], &[]).timed("0s+5s", 1000),
        Script::new("time per move", CONNECT, &[], &[]).timed("move=1m", 1000),
        Script::new("stall at the first move", CONNECT, &[Stall], &[]).timed("1s", 0),
        Script::new("stall at the second move", CONNECT, &[], &[Stall]).timed("1s", 0),
        Script::new("each answer 10 ms late", CONNECT, &[], &[]).timed("1s", 1010).exact(),
        Script::new("each answer 10 ms late, time per move", CONNECT, &[], &[])
            .timed("move=1s", 1010)
            .exact(),
        Script::new("claim takes time", "oware", &[Claim, Resign], &[]).timed("10s+60s", 5000).declined(),
        Script::new("time runs out with an increment", CONNECT, &[], &[]).timed("10s+2s", 8000).exact(),
        Script::new("time runs out without an increment", CONNECT, &[], &[]).timed("10s", 4000).exact(),
        Script::new("time control without a limit", CONNECT, &[], &[]).timed("free", 5000).exact(),
        Script::new("simple delay", CONNECT, &[], &[]).timed("10s,delay=3s", 5000).exact(),
        Script::new("simple delay, time runs out", CONNECT, &[], &[]).timed("5s,delay=3s", 6000).exact(),
        Script::new("Bronstein delay", CONNECT, &[], &[]).timed("10s,bronstein=3s", 5000).exact(),
        Script::new("Bronstein delay, time runs out", CONNECT, &[], &[])
            .timed("5s,bronstein=3s", 4500)
            .exact(),
        Script::new("byo-yomi", CONNECT, &[], &[]).timed("12s,byoyomi=3x6s", 5000).exact(),
        Script::new("byo-yomi, a period a move", CONNECT, &[], &[]).timed("1s,byoyomi=3x4s", 5000).exact(),
        Script::new("byo-yomi, time runs out", CONNECT, &[], &[]).timed("1s,byoyomi=2x2s", 4000).exact(),
        Script::new("days per move", CONNECT, &[], &[]).timed("move=3d", 2 * DAY).exact(),
        Script::new("days per move, time runs out", CONNECT, &[], &[]).timed("move=1d", DAY + 1000).exact(),
        Script::new("stall at the third move", CONNECT, &[First, Stall], &[]).timed("10s,byoyomi=2x5s", 0),
        Script::new("wrong claim takes time", CONNECT, &[], &[Claim, Claim, Claim, Resign])
            .timed("12s", 5000)
            .exact(),
    ]
}
