//! Values of the calls that only a shared database offers: the job queue, workers and notifications.

use crate::TournamentGameRow;
use std::time::Duration;

/// Channel that announces new jobs.
pub const JOBS_CHANNEL: &str = "parlor_jobs";
/// Channel that announces finished games: the payload is the tournament's name, or empty if that is too long.
pub const DONE_CHANNEL: &str = "parlor_done";
/// Channel that announces answered questions by their id.
pub const ANSWERS_CHANNEL: &str = "parlor_answers";
/// Attempts after which a game counts as failed.
pub const MAX_ATTEMPTS: i64 = 5;

/// A game of a tournament for the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedGame {
    /// From 0, within the tournament.
    pub number: i64,
    /// First side first.
    pub players: [String; 2],
    /// Further data for the worker.
    pub text: String,
}

/// A game that failed too often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedGame {
    /// From 0, within the tournament.
    pub number: i64,
    pub attempts: i64,
    /// The last failure, if a worker reported one.
    pub why: Option<String>,
}

/// The games that have left the queue since the last call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectedGames {
    pub games: Vec<TournamentGameRow>,
    /// Games that failed too often.
    pub failed: Vec<FailedGame>,
}

/// The state of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionState {
    /// No worker has taken it.
    Waiting,
    /// A worker has leased it.
    Leased,
    Answered(String),
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerId {
    /// Unique.
    pub name: String,
    /// Only jobs for this version are leased to it.
    pub version: String,
    /// How long a lease is valid without a heartbeat.
    pub lease: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeasedJob {
    pub id: i64,
    /// The tournament of a game; a question has none.
    pub tournament: String,
    /// Number of the game in its tournament.
    pub number: i64,
    /// Requirements of the tournament.
    pub requirements: String,
    /// Description of the job.
    pub text: String,
    /// Number of attempts, including this one.
    pub attempts: i64,
}

/// What a worker's heartbeat reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heartbeat {
    pub finished_games: u64,
    /// Number of games that it plays at the same time.
    pub concurrency: u64,
    /// Whether it answers analysis questions.
    pub answers_questions: bool,
}

/// A worker with its last heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerRow {
    pub name: String,
    pub version: String,
    /// Time since the last heartbeat.
    pub since_heartbeat: Duration,
    pub heartbeat: Heartbeat,
    pub leased_jobs: u64,
}

/// Games that no worker has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingGames {
    pub tournament: String,
    /// Version that may play them.
    pub version: String,
    pub games: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub channel: String,
    pub payload: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenerEvent {
    Notification(Notification),
    /// The connection was lost and restored. Notifications may have been missed, so the caller has to look up the state.
    Reconnected,
}
