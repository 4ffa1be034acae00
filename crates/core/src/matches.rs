//! A typed game in progress: positions by replay, undo, and the number of occurrences of a position. It is the only
//! implementation of [`Board`]. It never decides that a repetition ends the game: a session reads [`Match::occurrences`] and
//! closes the match.

use crate::{
    Audience, Board, BoardEvent, Cause, CellId, DescribedEvent, Ending, Game, GameInfo, IllegalMove, Margin,
    Mark, Notation, Outcome, Picture, PictureOptions, Record, RecordVersion, Side, Step, Target, Turn, View,
    occurrences::Occurrences,
};
use std::{any::Any, collections::BTreeMap};

/// A game in progress. `positions` has one more entry than `moves`.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Match};
/// use parlor_games::connect::Connect;
///
/// let mut game = Match::new(Connect::new(&[7, 6, 4])?);
/// for column in ["4", "1", "5", "2", "6", "3", "7"] {
///     game.play(column)?;
/// }
/// let ending = game.ending().expect("four in a row");
/// assert_eq!(ending.outcome.map(|outcome| outcome.to_string()).as_deref(), Some("first by 18"));
/// assert_eq!(game.positions().len(), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Match<G: Game> {
    game: G,
    pub(crate) version: RecordVersion,
    positions: Vec<G::Position>,
    /// `None` in a game whose positions never repeat.
    occurrences: Option<Occurrences>,
    moves: Vec<G::Move>,
    pub(crate) ending: Option<Ending>,
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) comments: BTreeMap<usize, String>,
}

impl<G: Game> Match<G> {
    /// A match from the standard start position.
    pub fn new(game: G) -> Self {
        let start = game.start();
        Match::from_position(game, start)
    }

    /// A match from any position.
    pub fn from_position(game: G, start: G::Position) -> Self {
        let occurrences = game.repetition_payoff(&start).map(|_| Occurrences::default());
        let mut this = Match {
            game,
            version: RecordVersion::default(),
            positions: vec![start],
            occurrences,
            moves: vec![],
            ending: None,
            tags: vec![],
            comments: BTreeMap::new(),
        };
        this.count_occurrence();
        this.notice_end();
        this
    }

    /// The match of a board, if the board is of this type of game. The parameters may still differ.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Board, Match};
    /// use parlor_games::{kalah::Kalah, oware::Oware};
    ///
    /// let board: Box<dyn Board> = Box::new(Match::new(Kalah::sized(6, 4)?));
    /// let typed = Match::<Kalah>::of(board.as_ref()).expect("a match of Kalah");
    /// assert_eq!(typed.position().board().total_beans(), 48);
    /// assert!(Match::<Oware>::of(board.as_ref()).is_none());
    /// # Ok::<(), parlor_core::BadParams>(())
    /// ```
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

    /// The rules, with their parameters.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The current position.
    pub fn position(&self) -> &G::Position {
        &self.positions[self.positions.len() - 1]
    }

    /// All positions, the start position first.
    pub fn positions(&self) -> &[G::Position] {
        &self.positions
    }

    /// The moves made, in order.
    pub fn moves(&self) -> &[G::Move] {
        &self.moves
    }

    /// How the game ended; `None` while it is in progress.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Makes a legal move. Does nothing if the match is closed.
    pub fn make(&mut self, mv: G::Move) {
        if self.ending.is_some() {
            return;
        }
        let mut next = self.position().clone();
        self.game.play(&mut next, mv);
        self.positions.push(next);
        self.count_occurrence();
        self.moves.push(mv);
        self.version = RecordVersion::default();
        self.notice_end();
    }

    /// Takes back the last move and removes the ending.
    pub fn undo(&mut self) -> Option<G::Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        if let Some(occurrences) = &mut self.occurrences {
            occurrences.pop();
        }
        self.comments.retain(|&ply, _| ply <= self.moves.len());
        self.ending = None;
        Some(mv)
    }

    /// Ends the game. Returns false if it has already ended.
    pub fn close(&mut self, ending: Ending) -> bool {
        if self.ending.is_some() {
            return false;
        }
        self.ending = Some(ending);
        self.version = RecordVersion::default();
        true
    }

    /// Replaces the result of a game that ended by the rules with the result by an older version of the rules, and marks its
    /// record as one of that version. The winner must be the same, and the margin may differ only by seeds that are left on the
    /// board. Returns false and changes nothing for any other result, and if the game did not end by the rules.
    pub fn keep_result(&mut self, written: Outcome) -> bool {
        let Some(Ending { cause: Cause::Normal, outcome: Some(now) }) = self.ending else { return false };
        if written == now {
            return true;
        }
        // Version 1 collected what a stopped cycle would pay. If that is today's margin, version 1 gave the same result.
        let changed = self.repetition_payoff().is_some_and(|collected| collected != now);
        let same_winner = written.winner.is_some() && written.winner == now.winner;
        if !changed || !same_winner || written.by.is_none() {
            return false;
        }
        self.ending = Some(Ending { cause: Cause::Normal, outcome: Some(written) });
        self.version = RecordVersion::V1;
        true
    }

    /// The number of times that the current position has occurred, including now. Captures change what is banked, so
    /// occurrences before the last capture never count.
    pub fn occurrences(&self) -> usize {
        self.occurrences.as_ref().map_or(1, Occurrences::last)
    }

    /// The payoff if a cycle is stopped here.
    pub fn repetition_payoff(&self) -> Option<Outcome> {
        let pos = self.position();
        self.game.repetition_payoff(pos).map(|margin| Outcome::of(self.game.turn(pos), margin))
    }

    /// Adds a comment on the last move made (or on the start).
    pub fn comment(&mut self, text: impl Into<String>) {
        self.comments.insert(self.moves.len(), text.into());
    }

    /// Sets a tag of the record, replacing an earlier value.
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

    fn count_occurrence(&mut self) {
        if let Some(occurrences) = &mut self.occurrences {
            occurrences.push(&self.positions);
        }
    }

    fn notice_end(&mut self) {
        if let Some(outcome) = self.result() {
            self.ending = Some(Ending { cause: Cause::Normal, outcome: Some(outcome) });
        }
    }
}

impl<G: Notation> Match<G> {
    /// Parses a move and makes it; the error says why it is not legal.
    pub fn play(&mut self, text: &str) -> Result<G::Move, IllegalMove> {
        let mv = self.check(text)?;
        self.make(mv);
        Ok(mv)
    }

    /// Parses a move and checks that it is legal now.
    pub fn check(&self, text: &str) -> Result<G::Move, IllegalMove> {
        if self.ending.is_some() {
            return Err(IllegalMove::new("the game is over"));
        }
        self.game.parse_move(self.position(), text)
    }

    /// The record of the match so far.
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
}

/// The outcome of a game in which these scores decide.
fn won_by_scores([first, second]: [u16; 2]) -> Outcome {
    let by = i32::from(first) - i32::from(second);
    Outcome::of(Side::First, Margin(by.clamp(i16::MIN.into(), i16::MAX.into()) as i16))
}

impl<G: Notation + View> Match<G> {
    /// A move with its events described for an audience.
    fn describe(&self, before: &G::Position, mv: G::Move, audience: Audience<'_>) -> Turn {
        let touched = self.game().touched(before, mv);
        let options = PictureOptions { audience, last: &touched, won: false };
        let events = self.game().events(before, mv, audience.names).into_iter().map(|staged| {
            let before = staged.before.map(|pos| self.game().draw(&pos, &options));
            DescribedEvent { before, event: staged.event }
        });
        Turn { side: self.game().turn(before), text: self.game().write_move(mv), events: events.collect() }
    }

    /// The last move, and the position before it.
    fn last_move(&self) -> Option<(&G::Position, G::Move)> {
        let (&mv, before) = (self.moves().last()?, self.positions().iter().rev().nth(1)?);
        Some((before, mv))
    }

    fn find_path(&self, path: &[Target]) -> Result<G::Move, IllegalMove> {
        if Match::ending(self).is_some() {
            return Err(IllegalMove::new("the game is over"));
        }
        let found = self.legal().into_iter().find(|&mv| self.game().path(self.position(), mv) == path);
        found.ok_or_else(|| IllegalMove::new("these cells are not a legal move"))
    }

    fn legal(&self) -> Vec<G::Move> {
        let mut moves = Vec::new();
        if self.ending().is_none() {
            self.game().moves(self.position(), &mut moves);
        }
        moves
    }
}

impl<G: Notation + View> Board for Match<G> {
    fn clone_box(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }

    fn spec(&self) -> String {
        self.game().spec()
    }

    fn start(&self) -> Option<String> {
        let start = &self.positions()[0];
        (*start != self.game().start()).then(|| self.game().write_position(start))
    }

    fn move_list(&self) -> String {
        let mut list = String::new();
        for &mv in Match::moves(self) {
            if !list.is_empty() {
                list.push(' ');
            }
            list.push_str(&self.game().write_move(mv));
        }
        list
    }

    fn info(&self) -> GameInfo {
        GameInfo {
            spec: self.game().spec(),
            title: G::TITLE,
            seats: G::SEATS,
            colours: G::COLOURS,
            keywords: G::KEYWORDS,
            cells: self.game().cells(),
            targets: self.game().targets(),
            run_together: self.game().run_together(),
        }
    }

    fn turn(&self) -> Side {
        self.game().turn(self.position())
    }

    fn ply(&self) -> usize {
        self.moves().len()
    }

    fn movers(&self) -> Vec<Side> {
        self.positions()[..self.moves().len()].iter().map(|pos| self.game().turn(pos)).collect()
    }

    fn mover(&self, ply: usize) -> Option<Side> {
        (ply < self.moves().len()).then(|| self.game().turn(&self.positions()[ply]))
    }

    fn last_turn(&self, audience: Audience<'_>) -> Option<Turn> {
        let (before, mv) = self.last_move()?;
        Some(self.describe(before, mv, audience))
    }

    fn last_steps(&self) -> Vec<Step> {
        self.last_move().map_or(Vec::new(), |(before, mv)| self.game().steps(before, mv))
    }

    fn ending(&self) -> Option<Ending> {
        Match::ending(self).copied()
    }

    fn moves(&self) -> Vec<String> {
        self.legal().into_iter().map(|mv| self.game().write_move(mv)).collect()
    }

    fn paths(&self) -> Vec<Vec<Target>> {
        self.legal().into_iter().map(|mv| self.game().path(self.position(), mv)).collect()
    }

    fn marks(&self) -> Vec<Mark> {
        self.game().marks(self.position())
    }

    fn pointed_out(&self) -> (Vec<CellId>, bool) {
        let Some((before, mv)) = self.last_move() else { return (Vec::new(), false) };
        if self.result().is_none() {
            // Only the last move of a game completes a line.
            return (self.game().touched(before, mv), false);
        }
        let events = self.game().events(before, mv, G::SEATS).into_iter().map(|staged| staged.event);
        let lines = events.filter(|event| event.kind == BoardEvent::LINE);
        let won: Vec<CellId> = lines.flat_map(|event| event.cells).collect();
        if won.is_empty() { (self.game().touched(before, mv), false) } else { (won, true) }
    }

    fn scores(&self) -> Option<[u16; 2]> {
        self.game().scores(self.position())
    }

    fn final_scores(&self) -> Option<[u16; 2]> {
        let Ending { cause, outcome } = *Match::ending(self)?;
        let (game, pos) = (self.game(), self.position());
        match cause {
            Cause::Normal => {
                let collected = || game.settled_scores(pos);
                let agrees = |scores: &[u16; 2]| Some(won_by_scores(*scores)) == outcome;
                game.scores(pos).filter(agrees).or_else(|| collected().filter(agrees))
            }
            Cause::Cycle => game.settled_scores(pos),
            _ => None,
        }
    }

    fn position(&self) -> String {
        self.game().write_position(self.position())
    }

    fn draw(&self, audience: Audience<'_>) -> Picture {
        let (last, won) = self.pointed_out();
        self.game().draw(self.position(), &PictureOptions { audience, last: &last, won })
    }

    fn check(&self, text: &str) -> Result<String, IllegalMove> {
        Match::check(self, text).map(|mv| self.game().write_move(mv))
    }

    fn check_path(&self, path: &[Target]) -> Result<String, IllegalMove> {
        self.find_path(path).map(|mv| self.game().write_move(mv))
    }

    fn play(&mut self, text: &str) -> Result<(), IllegalMove> {
        Match::play(self, text).map(|_| ())
    }

    fn play_path(&mut self, path: &[Target]) -> Result<(), IllegalMove> {
        let mv = self.find_path(path)?;
        self.make(mv);
        Ok(())
    }

    fn undo(&mut self) -> Option<String> {
        Match::undo(self).map(|mv| self.game().write_move(mv))
    }

    fn occurrences(&self) -> usize {
        Match::occurrences(self)
    }

    fn may_claim_repetition(&self) -> bool {
        Match::ending(self).is_none() && self.game().may_claim_repetition(self.position())
    }

    fn why_no_claim(&self) -> String {
        self.game().why_no_claim(self.position())
    }

    fn settlement(&self, names: [&str; 2]) -> Vec<String> {
        self.game().settlement(self.position(), names).into_iter().map(|event| event.text).collect()
    }

    fn repetition_payoff(&self) -> Option<Outcome> {
        Match::repetition_payoff(self)
    }

    fn close(&mut self, ending: Ending) -> bool {
        Match::close(self, ending)
    }

    fn keep_result(&mut self, written: Outcome) -> bool {
        Match::keep_result(self, written)
    }

    fn verdict(&self, names: [&str; 2]) -> Option<String> {
        let ending = Match::ending(self)?;
        let by_the_rules = matches!(ending.cause, Cause::Normal | Cause::Cycle);
        by_the_rules.then_some(self.game().verdict(self.final_scores(), ending.outcome?, names))
    }

    fn prompt(&self) -> String {
        self.game().prompt(self.game().turn(self.position()))
    }

    fn move_help(&self) -> String {
        self.game().move_help(self.game().turn(self.position()))
    }

    fn tag(&mut self, name: &str, value: &str) {
        Match::tag(self, name, value);
    }

    fn record(&self) -> Record {
        Match::record(self)
    }
}
