//! Values of the calls that only a database shared by several processes offers: its queue, its workers and its notes.

use crate::GameRow;
use std::time::Duration;

/// Where it is told that there is something to take.
pub const JOBS: &str = "parlor_jobs";
/// Where it is told that games were finished: the tournament's name, if it is not too long for a note.
pub const DONE: &str = "parlor_done";
/// Where it is told that a question was answered: its number.
pub const ANSWERS: &str = "parlor_answers";
/// How often a game is begun before nobody takes it any more.
pub const ATTEMPTS: i64 = 5;

/// A game to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number in the tournament.
    pub number: i64,
    /// The names of both sides' players.
    pub players: [String; 2],
    /// What else is to be known.
    pub text: String,
}

/// A game that nobody could finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Its number in the tournament.
    pub number: i64,
    /// How often it was begun.
    pub attempts: i64,
    /// What was said of it, if anything was.
    pub why: Option<String>,
}

/// What came of the games that were put in, since the last time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// The finished ones.
    pub games: Vec<GameRow>,
    /// Those that nobody can finish.
    pub stuck: Vec<Stuck>,
}

/// How a question stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nobody has taken it.
    Waiting,
    /// Somebody is at it.
    Taken,
    /// The answer.
    Answered(String),
    /// It is not there.
    Gone,
}

/// Whoever takes work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taker {
    /// What it is called: every name once.
    pub name: String,
    /// Its version: it takes work for the same one only.
    pub version: String,
    /// How long it may be silent before what it took goes to another.
    pub lease: Duration,
}

/// Work that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The number of the job.
    pub id: i64,
    /// The tournament of a game; a question has none.
    pub tournament: String,
    /// The number of a game in its tournament.
    pub number: i64,
    /// On which terms it is to be played.
    pub terms: String,
    /// What is to be done.
    pub text: String,
    /// How often it was begun, this time included.
    pub attempts: i64,
}

/// How a worker is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pulse {
    /// How many games it has finished.
    pub games: u64,
    /// How many it plays at a time.
    pub seats: u64,
    /// Whether it answers questions.
    pub analyses: bool,
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    /// What it is called.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How long it has been silent.
    pub silent: Duration,
    /// How it was when it was last heard of.
    pub pulse: Pulse,
    /// What it has taken and not finished.
    pub holds: u64,
}

/// Games that nobody has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The tournament.
    pub tournament: String,
    /// The version that is to play them.
    pub version: String,
    /// How many there are.
    pub games: u64,
}

/// A word on a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where it was said.
    pub channel: String,
    /// What was said.
    pub payload: String,
}

/// What a listener hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A note.
    Note(Note),
    /// The connection was lost and is there again. Notes may have been missed: whatever they would have said is to be looked up.
    Again,
}
