//! A game in progress with its types forgotten: what front ends, sessions and players hold. There is one implementation, for
//! [`Match`]; only `check` and `play` (by text or by path) find an illegal move.

use crate::{
    Audience, BoardEvent, Cause, Cell, CellId, Colour, Ending, IllegalMove, Keywords, Margin, Mark, Match,
    Notation, Outcome, Picture, Record, Scene, Side, Step, Target, View,
};
use std::any::Any;

/// What stays the same through a game: everything a front end asks once.
#[derive(Clone, Debug)]
pub struct GameInfo {
    /// The canonical game spec.
    pub spec: String,
    /// The name people know the game by.
    pub title: &'static str,
    /// What the sides are called.
    pub seats: [&'static str; 2],
    /// The sides' colours.
    pub colours: [Colour; 2],
    /// What people type in the console instead of a move.
    pub keywords: Keywords,
    /// The cells.
    pub cells: Vec<Cell>,
    /// The names of what one can touch.
    pub targets: Vec<String>,
    /// Whether a list of moves may be run together.
    pub run_together: bool,
}

/// An event described for an audience, with the picture to show before it where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedEvent {
    /// The board just before.
    pub before: Option<Picture>,
    /// What happened.
    pub event: BoardEvent,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who made it.
    pub side: Side,
    /// Its canonical text.
    pub text: String,
    /// What happened.
    pub events: Vec<DescribedEvent>,
}

/// A game in progress.
///
/// It is [`Any`], so that a typed player gets its match: see [`Match::of`].
pub trait Board: Any + Send {
    /// A copy of it.
    fn clone_box(&self) -> Box<dyn Board>;
    /// The canonical game spec.
    fn spec(&self) -> String;
    /// The text of the position that the game started from, where that is not the usual start.
    fn start(&self) -> Option<String>;
    /// The texts of the moves made, with spaces between them.
    fn move_list(&self) -> String;
    /// What stays the same.
    fn info(&self) -> GameInfo;
    /// Whose turn it is.
    fn turn(&self) -> Side;
    /// How many moves have been made.
    fn ply(&self) -> usize;
    /// Who made each of them.
    fn movers(&self) -> Vec<Side>;
    /// Which side made the move of this number, counted from 0; none where there is no such move.
    fn mover(&self, ply: usize) -> Option<Side>;
    /// The last move with its events described for an audience; none before the first.
    fn last_turn(&self, audience: Audience<'_>) -> Option<Turn>;
    /// The steps of the last move, in the order in which they happened; none before the first.
    fn last_steps(&self) -> Vec<Step>;
    /// The end, if it has come.
    fn ending(&self) -> Option<Ending>;
    /// The legal moves as text, in listing order; none after the end.
    fn moves(&self) -> Vec<String>;
    /// The legal moves as paths of targets, in the same order.
    fn paths(&self) -> Vec<Vec<Target>>;
    /// What stands on the cells.
    fn marks(&self) -> Vec<Mark>;
    /// The cells to point out, and whether they are a winning line: otherwise they are those of the last move.
    fn pointed_out(&self) -> (Vec<CellId>, bool);
    /// What both sides have collected, in games that collect. After any end these are the scores as they stand: after a
    /// surrender, a time forfeit or an illegal move too, where [`Board::final_scores`] has none.
    fn scores(&self) -> Option<[u16; 2]>;
    /// What both sides have in the end, cycles paid; none while the game goes on, in games that collect nothing, and where
    /// the end says nothing about what was collected. Their difference is the margin of the ending, also of one that an
    /// older version of the rules gave (see [`Board::keep_result`]).
    fn final_scores(&self) -> Option<[u16; 2]>;
    /// The position as text.
    fn position(&self) -> String;
    /// The text picture, with the last move or the winning line pointed out.
    fn draw(&self, audience: Audience<'_>) -> Picture;
    /// The canonical text of a legal move, or why the move is not legal.
    fn check(&self, text: &str) -> Result<String, IllegalMove>;
    /// The canonical text of the legal move with this path of targets, or why there is none. Lists the legal moves once.
    fn check_path(&self, path: &[Target]) -> Result<String, IllegalMove>;
    /// Makes a move and returns its canonical text. An illegal move changes nothing. [`Board::last_turn`] describes it.
    fn play(&mut self, text: &str) -> Result<String, IllegalMove>;
    /// Makes the move with this path of targets, as [`Board::play`] makes the move of a text.
    fn play_path(&mut self, path: &[Target]) -> Result<String, IllegalMove>;
    /// Takes the last move back and tells it.
    fn undo(&mut self) -> Option<String>;
    /// How often the position on the board has stood.
    fn occurrences(&self) -> usize;
    /// Whether the side to move may claim a cycle.
    fn may_claim_repetition(&self) -> bool;
    /// Why the side to move may not, where it may not.
    fn why_no_claim(&self) -> String;
    /// What happens on the board when a cycle is stopped here, as sentences.
    fn settlement(&self, names: [&str; 2]) -> Vec<String>;
    /// What a cycle pays if it is stopped here.
    fn repetition_payoff(&self) -> Option<Outcome>;
    /// Ends the game. Refused (false) when it has ended already.
    fn close(&mut self, ending: Ending) -> bool;
    /// Gives a game that the rules have ended the result that an older version of the rules gave it, for games that are
    /// stored as moves and a result: false, and nothing changes, where that cannot be (see [`Match::keep_result`]). A game
    /// whose result is the one of today is left as it is, and the answer is true.
    fn keep_result(&mut self, written: Outcome) -> bool;
    /// The end as a sentence, for an end by the rules or by a cycle; none for the others, which every game tells alike.
    fn verdict(&self, names: [&str; 2]) -> Option<String>;
    /// What a person whose turn it is gets asked.
    fn prompt(&self) -> String;
    /// What a move of the side to move looks like, for a person who asks.
    fn move_help(&self) -> String;
    /// Sets a tag of the record.
    fn tag(&mut self, name: &str, value: &str);
    /// The game as text.
    fn record(&self) -> Record;
}

impl Clone for Box<dyn Board> {
    fn clone(&self) -> Box<dyn Board> {
        self.clone_box()
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
        let scene = Scene { audience, last: &touched, won: false };
        let events = self.game().events(before, mv, audience.names).into_iter().map(|staged| {
            let before = staged.before.map(|pos| self.game().draw(&pos, &scene));
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
        found.ok_or_else(|| IllegalMove::new("that path of cells is not a legal move"))
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
        self.game().draw(self.position(), &Scene { audience, last: &last, won })
    }

    fn check(&self, text: &str) -> Result<String, IllegalMove> {
        Match::check(self, text).map(|mv| self.game().write_move(mv))
    }

    fn check_path(&self, path: &[Target]) -> Result<String, IllegalMove> {
        self.find_path(path).map(|mv| self.game().write_move(mv))
    }

    fn play(&mut self, text: &str) -> Result<String, IllegalMove> {
        Match::play(self, text).map(|mv| self.game().write_move(mv))
    }

    fn play_path(&mut self, path: &[Target]) -> Result<String, IllegalMove> {
        let mv = self.find_path(path)?;
        self.make(mv);
        Ok(self.game().write_move(mv))
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
