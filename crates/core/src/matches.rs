//! A game in progress with its types: positions by replay, undo, and the number of occurrences of a position. It never
//! decides that a repetition ends the game: a session asks [`Match::occurrences`] and closes the match.

use crate::{
    BadRecord, Board, Cause, Ending, Game, IllegalMove, Notation, Outcome, Record, RecordVersion,
    occurrences::Occurrences, shortened,
};
use std::{any::Any, collections::BTreeMap};

/// A game in progress. `positions` has one more entry than `moves`.
#[derive(Clone, Debug)]
pub struct Match<G: Game> {
    game: G,
    version: RecordVersion,
    positions: Vec<G::Position>,
    occurrences: Occurrences,
    moves: Vec<G::Move>,
    ending: Option<Ending>,
    tags: Vec<(String, String)>,
    comments: BTreeMap<usize, String>,
}

impl<G: Game> Match<G> {
    /// A game from its usual start.
    pub fn new(game: G) -> Self {
        let start = game.start();
        Match::from_position(game, start)
    }

    /// A game from any position.
    pub fn from_position(game: G, start: G::Position) -> Self {
        let mut this = Match {
            game,
            version: RecordVersion::default(),
            positions: vec![start],
            occurrences: Occurrences::default(),
            moves: vec![],
            ending: None,
            tags: vec![],
            comments: BTreeMap::new(),
        };
        this.occurrences.push(&this.positions);
        this.notice_end();
        this
    }

    /// The match of a board, if the board is of this type of game. The parameters may still differ.
    pub fn of(board: &dyn Board) -> Option<&Match<G>> {
        (board as &dyn Any).downcast_ref()
    }

    /// The same moves from the same start in another variant of the game, without the ending, the tags and the comments. Moves
    /// after the end of the variant are left out.
    pub fn replayed_as(&self, game: G) -> Match<G> {
        let mut variant = Match::from_position(game, self.positions[0].clone());
        variant.follow(self);
        variant
    }

    /// Takes moves back and makes moves until this match has the moves of another one with the same start. Returns false, and
    /// changes nothing, if the starts differ.
    pub fn follow(&mut self, other: &Match<G>) -> bool {
        if self.positions[0] != other.positions[0] {
            return false;
        }
        let common = self.moves.iter().zip(&other.moves).take_while(|(own, others)| own == others).count();
        while self.moves.len() > common {
            self.undo();
        }
        other.moves[common..].iter().for_each(|&mv| self.make(mv));
        true
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Where the game stands.
    pub fn position(&self) -> &G::Position {
        &self.positions[self.positions.len() - 1]
    }

    /// All positions, the start first.
    pub fn positions(&self) -> &[G::Position] {
        &self.positions
    }

    /// The moves made.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// The end, if it has come.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Makes a legal move. A closed match takes none and stays as it is.
    pub fn make(&mut self, mv: G::Move) {
        if self.ending.is_some() {
            return;
        }
        let mut next = self.position().clone();
        self.game.play(&mut next, mv);
        self.positions.push(next);
        self.occurrences.push(&self.positions);
        self.moves.push(mv);
        self.version = RecordVersion::default();
        self.notice_end();
    }

    /// Takes the last move back, and the end with it.
    pub fn undo(&mut self) -> Option<G::Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        self.occurrences.pop();
        self.comments.retain(|&ply, _| ply <= self.moves.len());
        self.ending = None;
        Some(mv)
    }

    /// Ends the game. Refused (false) when it has ended already.
    pub fn close(&mut self, ending: Ending) -> bool {
        if self.ending.is_some() {
            return false;
        }
        self.ending = Some(ending);
        self.version = RecordVersion::default();
        true
    }

    /// Gives a game that the rules have ended the result that an older version of the rules gave it, and marks its record as
    /// one of that version. The winner must be the same, and the margin may differ only where seeds that are left on the
    /// board explain it. False, and nothing changes, for any other result and where the game did not end by the rules.
    pub fn keep_result(&mut self, written: Outcome) -> bool {
        let Some(Ending { cause: Cause::Normal, outcome: Some(now) }) = self.ending else { return false };
        if written == now {
            return true;
        }
        // Version 1 collected what a stopped cycle would pay. Where that is the margin of today, it gave no other.
        let changed = self.repetition_payoff().is_some_and(|collected| collected != now);
        let same_winner = written.winner.is_some() && written.winner == now.winner;
        if !changed || !same_winner || written.by.is_none() {
            return false;
        }
        self.ending = Some(Ending { cause: Cause::Normal, outcome: Some(written) });
        self.version = RecordVersion::V1;
        true
    }

    /// How often the position on the board has stood, now included. Captures change what is banked, so occurrences before
    /// the last capture never count.
    pub fn occurrences(&self) -> usize {
        self.occurrences.last()
    }

    /// What a cycle pays if it is stopped here.
    pub fn repetition_payoff(&self) -> Option<Outcome> {
        let pos = self.position();
        self.game.repetition_payoff(pos).map(|margin| Outcome::of(self.game.turn(pos), margin))
    }

    /// Remarks on the last move made (or on the start).
    pub fn comment(&mut self, text: impl Into<String>) {
        self.comments.insert(self.moves.len(), text.into());
    }

    /// Sets a tag of the record.
    pub fn tag(&mut self, name: &str, value: impl Into<String>) {
        let mut record = Record { tags: std::mem::take(&mut self.tags), ..Record::default() };
        record.set_tag(name, value);
        self.tags = record.tags;
    }

    /// The result by the rules alone.
    pub fn result(&self) -> Option<Outcome> {
        let pos = self.position();
        self.game.result(pos).map(|margin| Outcome::of(self.game.turn(pos), margin))
    }

    fn notice_end(&mut self) {
        if let Some(outcome) = self.result() {
            self.ending = Some(Ending { cause: Cause::Normal, outcome: Some(outcome) });
        }
    }
}

impl<G: Notation> Match<G> {
    /// Reads a move and makes it, or says why it cannot be made.
    pub fn play(&mut self, text: &str) -> Result<G::Move, IllegalMove> {
        let mv = self.check(text)?;
        self.make(mv);
        Ok(mv)
    }

    /// Reads a move that could be made now.
    pub fn check(&self, text: &str) -> Result<G::Move, IllegalMove> {
        if self.ending.is_some() {
            return Err(IllegalMove::new("the game is over"));
        }
        self.game.parse_move(self.position(), text)
    }

    /// The match as text.
    pub fn record(&self) -> Record {
        let start = &self.positions[0];
        Record {
            game: self.game.spec(),
            version: self.version,
            start: (*start != self.game.start()).then(|| self.game.write_position(start)),
            moves: self.moves.iter().map(|&mv| self.game.write_move(mv)).collect(),
            ending: self.ending,
            tags: self.tags.clone(),
            comments: self.comments.clone(),
        }
    }

    /// Replays a record of this game, checking everything it claims: each move, and that its ending is a possible one. A game
    /// of version 1 keeps its result as written (see [`Match::keep_result`]).
    pub fn replay(game: G, record: &Record) -> Result<Self, BadRecord> {
        let spec = game.spec();
        if record.game != spec {
            return Err(BadRecord(format!("the record is of '{}', not of '{spec}'", record.game)));
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

    /// Plays the moves of a record that are not played yet; they must continue this match.
    pub fn catch_up(&mut self, record: &Record) -> Result<(), BadRecord> {
        for (i, text) in record.moves.iter().enumerate().skip(self.moves.len()) {
            self.play(text)
                .map_err(|e| BadRecord(format!("move {} '{}': {e}", i + 1, shortened(text, 24))))?;
        }
        Ok(())
    }

    /// Whether this match is the beginning of the record.
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
                "the record says '{}', but after its moves the game goes on",
                ending.cause
            ))),
        }
    }
}
