//! Values of the calls that only a database shared by several processes offers: its queue, its workers and its notes.

use crate::GameRow;
use std::time::Duration;

/// Channel that announces new jobs.
pub const JOBS: &str = "parlor_jobs";
/// Where it is told that games were finished: the tournament's name, if it is not too long for a note.
pub const DONE: &str = "parlor_done";
/// Channel that announces answered questions by their id.
pub const ANSWERS: &str = "parlor_answers";
/// Attempts after which a game counts as failed.
pub const ATTEMPTS: i64 = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// From 0, within the tournament.
    pub number: i64,
    /// First side first.
    pub players: [String; 2],
    /// Further data for the worker.
    pub text: String,
}

/// A game that failed too often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// From 0, within the tournament.
    pub number: i64,
    pub attempts: i64,
    /// The last failure, if a worker reported one.
    pub why: Option<String>,
}

/// The games that have left the queue since the last call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub games: Vec<GameRow>,
    /// Games that failed too often.
    pub stuck: Vec<Stuck>,
}

/// The state of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// No worker has taken it.
    Waiting,
    /// A worker has leased it.
    Taken,
    Answered(String),
    /// It does not exist.
    Gone,
}

/// Identity of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taker {
    /// Unique.
    pub name: String,
    /// Its version: it takes work for the same one only.
    pub version: String,
    /// How long it may be silent before what it took goes to another.
    pub lease: Duration,
}

/// A leased job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    pub id: i64,
    /// The tournament of a game; a question has none.
    pub tournament: String,
    /// Number of the game in its tournament.
    pub number: i64,
    /// Requirements of the tournament.
    pub terms: String,
    /// Description of the job.
    pub text: String,
    /// Number of attempts, including this one.
    pub attempts: i64,
}

/// What a worker's heartbeat reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pulse {
    /// Number of finished games.
    pub games: u64,
    /// Games played at the same time.
    pub seats: u64,
    /// Whether it answers analysis questions.
    pub analyses: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    pub name: String,
    pub version: String,
    /// Time since the last heartbeat.
    pub silent: Duration,
    /// How it was when it was last heard of.
    pub pulse: Pulse,
    /// Number of leased jobs.
    pub holds: u64,
}

/// Games that no worker has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    pub tournament: String,
    /// Version that may play them.
    pub version: String,
    /// Number of games.
    pub games: u64,
}

/// A notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub channel: String,
    pub payload: String,
}

/// What a listener receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Note(Note),
    /// The connection was lost and is there again. Notes may have been missed: whatever they would have said is to be looked up.
    Again,
}
