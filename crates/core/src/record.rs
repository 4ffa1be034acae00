//! The stored form of a game, as text. Everything else is derived by replaying it into a [`Match`], which refuses a record
//! whose claims its moves do not confirm.

use crate::{BadRecord, Match, Notation, Outcome, Side, shortened};
use std::{collections::BTreeMap, fmt};

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// By the rules.
    Normal,
    /// Endless repetition was stopped.
    Cycle,
    /// A side resigned.
    Resigned,
    /// Both sides agreed to end the game.
    Agreed,
    /// A side exceeded its time.
    Timeout,
    /// A side played an illegal move.
    Illegal,
    /// A side's program exited.
    Crash,
    /// The result was proved before the end.
    Adjudicated,
    /// The game was not continued.
    Abandoned,
}

impl Cause {
    /// All causes, in order of declaration.
    pub const ALL: [Cause; 9] = [
        Cause::Normal,
        Cause::Cycle,
        Cause::Resigned,
        Cause::Agreed,
        Cause::Timeout,
        Cause::Illegal,
        Cause::Crash,
        Cause::Adjudicated,
        Cause::Abandoned,
    ];

    /// Parses the output of `Display`.
    pub fn parse(text: &str) -> Option<Cause> {
        Cause::ALL.into_iter().find(|cause| cause.to_string() == text)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Normal => "normal",
            Cause::Cycle => "cycle",
            Cause::Resigned => "resigned",
            Cause::Agreed => "agreed",
            Cause::Timeout => "timeout",
            Cause::Illegal => "illegal",
            Cause::Crash => "crash",
            Cause::Adjudicated => "adjudicated",
            Cause::Abandoned => "abandoned",
        })
    }
}

/// The end of a game: its cause and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Why the game ended.
    pub cause: Cause,
    /// The result; `None` if the game was abandoned.
    pub outcome: Option<Outcome>,
}

impl Ending {
    /// The ending by which `side` loses because of `cause`.
    pub fn lost_by(side: Side, cause: Cause) -> Ending {
        Ending { cause, outcome: Some(Outcome::win(side.other())) }
    }
}

/// The version of the rules that ended a game, written as the tag `Version`.
///
/// Version 1 collected both rows of Oware once a player had 25 seeds, so a margin could differ from today's. The winner and the
/// last move are the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RecordVersion {
    /// A record without the tag, or with `[Version "1"]`.
    V1,
    /// The version that this build writes.
    #[default]
    V2,
}

impl RecordVersion {
    /// Parses the value of the version tag.
    pub fn parse(text: &str) -> Option<RecordVersion> {
        match text {
            "1" => Some(RecordVersion::V1),
            "2" => Some(RecordVersion::V2),
            _ => None,
        }
    }
}

/// A game as text.
///
/// # Examples
///
/// ```
/// use parlor_core::Record;
///
/// let moves = vec!["3".into(), "6".into()];
/// let mut record = Record { game: "kalah:6,4".into(), moves, ..Record::default() };
/// record.set_tag("First", "Anna");
/// record.comments.insert(1, "an extra turn".into());
/// let text = record.to_string();
/// assert!(text.contains("[First \"Anna\"] [Result \"*\"]"));
/// assert!(text.contains("3 {an extra turn} 6"));
/// assert_eq!(Record::parse(&text)?, record);
/// # Ok::<(), parlor_core::BadRecord>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The canonical game spec.
    pub game: String,
    /// The version of the rules by which to read the ending.
    pub version: RecordVersion,
    /// The start position, if it is not the standard one.
    pub start: Option<String>,
    /// The moves in the game's notation, all legal.
    pub moves: Vec<String>,
    /// The ending; `None` while the game is in progress.
    pub ending: Option<Ending>,
    /// Other properties (players, date, seed) as name and value, in the order given.
    pub tags: Vec<(String, String)>,
    /// Comments by the number of the move they follow: 0 is before the first move.
    pub comments: BTreeMap<usize, String>,
}

impl Record {
    /// The value of a tag; `None` if the record does not have it.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, replacing an earlier value in place.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        match self.tags.iter_mut().find(|(key, _)| key == name) {
            Some(tag) => tag.1 = value,
            None => self.tags.push((name.to_string(), value)),
        }
    }
}

impl<G: Notation> Match<G> {
    /// Replays a record of this game and checks each move and the ending. A game of version 1 keeps its result as written (see
    /// [`Match::keep_result`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Match, Record};
    /// use parlor_games::kalah::Kalah;
    ///
    /// let moves = vec!["3".into(), "6".into()];
    /// let mut record = Record { game: "kalah:6,4".into(), moves, ..Record::default() };
    /// let game = Match::replay(Kalah::sized(6, 4)?, &record)?;
    /// assert_eq!(game.record(), record);
    ///
    /// record.moves.push("7".into());
    /// let error = Match::replay(Kalah::sized(6, 4)?, &record).expect_err("there is no hole 7");
    /// assert!(error.0.starts_with("move 3 '7': there is no hole 7"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replay(game: G, record: &Record) -> Result<Self, BadRecord> {
        let spec = game.spec();
        if record.game != spec {
            return Err(BadRecord(format!("the record is a game of '{}', not of '{spec}'", record.game)));
        }
        let start = match &record.start {
            None => game.start(),
            Some(text) => game
                .parse_position(text)
                .map_err(|e| BadRecord(format!("the record's start position: {e}")))?,
        };
        let mut this = Match::from_position(game, start);
        this.catch_up(record)?;
        this.tags = record.tags.clone();
        this.comments = record.comments.clone();
        if let Some(ending) = record.ending {
            this.confirm(ending, record.version)?;
        }
        this.version = record.version;
        Ok(this)
    }

    /// Plays the moves of a record that this match does not have yet; they must continue this match.
    pub fn catch_up(&mut self, record: &Record) -> Result<(), BadRecord> {
        for (i, text) in record.moves.iter().enumerate().skip(self.moves().len()) {
            self.play(text)
                .map_err(|e| BadRecord(format!("move {} '{}': {e}", i + 1, shortened(text, 24))))?;
        }
        Ok(())
    }

    /// Whether the record continues this match.
    pub fn begins(&self, record: &Record) -> bool {
        let own = self.record();
        own.game == record.game && own.start == record.start && record.moves.starts_with(&own.moves)
    }

    fn confirm(&mut self, ending: Ending, version: RecordVersion) -> Result<(), BadRecord> {
        let claim = |outcome: Option<Outcome>| outcome.map_or("*".to_string(), |o| o.to_string());
        if let Some(own) = self.ending {
            let is_old = version == RecordVersion::V1 && ending.cause == Cause::Normal;
            let kept = is_old && ending.outcome.is_some_and(|written| self.keep_result(written));
            return if own == ending || kept {
                Ok(())
            } else {
                Err(BadRecord(format!(
                    "the record says '{}' ({}), but its moves give '{}' ({})",
                    claim(ending.outcome),
                    ending.cause,
                    claim(own.outcome),
                    own.cause
                )))
            };
        }
        let possible = match ending.cause {
            Cause::Normal => None,
            Cause::Cycle => self.repetition_payoff().map(Some),
            Cause::Abandoned | Cause::Agreed | Cause::Adjudicated => Some(ending.outcome),
            _ if ending.outcome.is_some_and(|o| o.winner.is_some() && o.by.is_none()) => Some(ending.outcome),
            cause => {
                return Err(BadRecord(format!(
                    "the record ends with '{cause}', so its result must be 'first' or 'second' without a margin, not '{}'",
                    claim(ending.outcome)
                )));
            }
        };
        match possible {
            Some(outcome) if outcome == ending.outcome => {
                self.ending = Some(ending);
                Ok(())
            }
            Some(outcome) => Err(BadRecord(format!(
                "the record ends with '{}', which gives '{}' here, not '{}'",
                ending.cause,
                claim(outcome),
                claim(ending.outcome)
            ))),
            None => Err(BadRecord(format!(
                "the record says '{}', but the game is not over after its moves",
                ending.cause
            ))),
        }
    }
}
