//! Typed move choosers and their adapter to [`Player`]: the `engine` player, which is the deep search at a chosen strength,
//! and the players that do not search.
//!
//! A level fixes the nodes and the memory of the search, and how much the value of the played move may be below the best. It
//! does not use the clock, so its answer depends only on record, level and seed and is the same on every machine. Weak levels
//! search fewer nodes and sometimes play the second best move; they never move at random.

use crate::{Random, Searcher, memory_for_nodes};
use parlor_core::{
    Answer, Board, Failure, Game, Limits, Match, Notation, Offer, Player, Record, Report, Value, is_finished,
    program_agrees,
};
use std::{sync::atomic::AtomicBool, time::Duration};

/// The limits of a move choice, its stop flag and its report callback.
pub struct SearchContext<'a> {
    /// The referee's limits for this move.
    pub limits: &'a Limits,
    /// Set to make the player answer at once.
    pub stop: &'a AtomicBool,
    pub report: &'a mut dyn FnMut(&Report),
}

/// Chooses a move in a match; `None` exactly when there is no legal move.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Match, Notation};
/// use parlor_engine::{MoveChooser, SearchContext};
///
/// /// Takes the move that banks most.
/// struct Greedy;
///
/// impl<G: Notation> MoveChooser<G> for Greedy {
///     fn choose(&mut self, played: &Match<G>, _: &mut SearchContext<'_>) -> Option<G::Move> {
///         let (game, pos) = (played.game(), played.position());
///         let mut moves = Vec::new();
///         game.moves(pos, &mut moves);
///         let banked = |&mv: &G::Move| {
///             let mut next = pos.clone();
///             game.play(&mut next, mv);
///             if game.turn(&next) == game.turn(pos) { game.banked(&next) } else { -game.banked(&next) }
///         };
///         moves.into_iter().max_by_key(banked)
///     }
/// }
/// ```
pub trait MoveChooser<G: Notation>: Send {
    fn choose(&mut self, played: &Match<G>, context: &mut SearchContext<'_>) -> Option<G::Move>;
    /// Whether the player agrees to an offer of the other side.
    fn accepts(&self, board: &dyn Board, offer: Offer) -> bool {
        program_agrees(board, offer)
    }
}

/// Adapts a move chooser to [`Player`]. It uses the match of the board directly; it replays the record only if the board is not
/// an open match of its game.
pub struct PlayerAdapter<G: Notation, C> {
    game: G,
    chooser: C,
}

impl<G: Notation, C: MoveChooser<G>> PlayerAdapter<G, C> {
    pub fn new(game: G, chooser: C) -> Self {
        PlayerAdapter { game, chooser }
    }

    /// The match of a board if it can be used directly: a match of this game with these parameters, not closed by anything but
    /// the rules.
    fn own_match<'a>(&self, board: &'a dyn Board) -> Option<&'a Match<G>> {
        let played = Match::<G>::of(board)?;
        let is_open = played.ending().is_none() || played.result().is_some();
        (is_open && *played.game() == self.game).then_some(played)
    }

    fn replay(&self, board: &dyn Board) -> Result<Match<G>, Failure> {
        let record = Record { ending: None, ..board.record() };
        Match::replay(self.game.clone(), &record).map_err(|bad| Failure::Garbage(bad.0))
    }
}

impl<G: Notation, C: MoveChooser<G>> Player for PlayerAdapter<G, C> {
    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        let replayed;
        let played = match self.own_match(board) {
            Some(played) => played,
            None => {
                replayed = self.replay(board)?;
                &replayed
            }
        };
        if played.result().is_some() {
            return Ok(Answer::NoMove);
        }
        let limits = &limits.shared(played.game().turn(played.position()));
        let chosen = self.chooser.choose(played, &mut SearchContext { limits, stop, report });
        Ok(chosen.map_or(Answer::NoMove, |mv| Answer::Move(played.game().write_move(mv))))
    }

    fn accepts(&mut self, board: &dyn Board, offer: Offer) -> bool {
        self.chooser.accepts(board, offer)
    }
}

/// The strength of the engine, from 1 (a beginner) to 10 (full strength).
///
/// # Examples
///
/// ```
/// use parlor_engine::Level;
///
/// assert_eq!(Level::new(5), Level::USUAL);
/// assert_eq!(Level::new(99), Level::FULL);
/// assert!(Level::new(1).is_beginner());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(u8);

/// The minimum memory of a level in bytes: enough for every move of a position.
const LEAST_MEMORY: usize = 1 << 20;

/// Thinking time of level 10 if there is no other limit.
const USUAL_TIME: Duration = Duration::from_secs(1);

impl Level {
    pub const FULL: Level = Level(10);
    /// The default level.
    pub const USUAL: Level = Level(5);

    /// The level with this number, clamped to the valid range.
    pub fn new(number: u8) -> Level {
        Level(number.clamp(1, 10))
    }

    /// Whether a player of this level uses the simplest evaluation.
    pub fn is_beginner(self) -> bool {
        self.0 <= 3
    }

    /// Node limit; full strength has none.
    fn nodes(self) -> Option<u64> {
        let nodes = [40, 120, 400, 1_200, 4_000, 12_000, 40_000, 150_000, 600_000];
        nodes.get(usize::from(self.0) - 1).copied()
    }

    /// The memory of the search's tree or transposition table in bytes: as much as its nodes can fill. The size of a table
    /// influences the answer, so it belongs to the level. `None` at full strength.
    pub fn memory(self) -> Option<usize> {
        self.nodes().map(|nodes| memory_for_nodes(nodes).max(LEAST_MEMORY))
    }

    /// How much worse than the best a played move may be, in hundredths of the difference between the best and the worst.
    fn slack(self) -> i64 {
        [70, 50, 35, 25, 15, 6, 3, 0, 0, 0][usize::from(self.0) - 1]
    }
}

/// The deep search as a player.
pub struct Engine<G: Game> {
    pub search: Box<dyn Searcher<G>>,
    pub level: Level,
    /// Limits of this player, in addition to those of the level and the referee.
    pub limits: Limits,
    /// Seed of all its random numbers.
    pub seed: u64,
}

impl<G: Notation> MoveChooser<G> for Engine<G> {
    fn choose(&mut self, played: &Match<G>, context: &mut SearchContext<'_>) -> Option<G::Move> {
        let limits = self.limits_here(played, context.limits);
        // Without a time limit the answer must depend on the position alone, not on earlier searches.
        if self.level != Level::FULL || limits.time.is_none() {
            self.search.forget();
        }
        let slack = self.slack_here(played, context.stop);
        // One more than the slack: at the edge of the width a value may be a bound, and the move much worse.
        let width = slack.map_or(0, |slack| slack.saturating_add(1));
        self.search.widen(width);
        let found = self.search.run(played, &limits, context.stop, context.report);
        let best = found.moves.first()?;
        let slack = slack.filter(|_| !is_finished(best.value)).unwrap_or(0);
        let mut random = Random::new(self.seed ^ (played.moves().len() as u64).wrapping_mul(0x9E37_79B9));
        // Moves with higher values are likelier; at low levels the difference matters less.
        let weight = |value: Value| {
            let above = i64::from(slack - (best.value - value)) * 64 / i64::from(slack + 1);
            above as usize + 64 / usize::from(self.level.0)
        };
        let good: Vec<(G::Move, usize)> = found
            .moves
            .iter()
            .filter(|judged| best.value.saturating_sub(judged.value) <= slack && width > 0)
            .map(|judged| (judged.mv, weight(judged.value)))
            .collect();
        let mut ticket = random.below(good.iter().map(|(_, weight)| weight).sum());
        for (mv, weight) in good {
            match ticket.checked_sub(weight) {
                Some(rest) => ticket = rest,
                None => return Some(mv),
            }
        }
        Some(best.mv)
    }
}

impl<G: Notation> Engine<G> {
    /// The narrowest of all limits. A level has nodes for every root move at least, and only full strength has a default
    /// time limit.
    fn limits_here(&self, played: &Match<G>, asked: &Limits) -> Limits {
        let own = &self.limits;
        let depth = [own.depth, asked.depth].into_iter().flatten().min();
        let few = 2 * played.game().count(played.position());
        let by_level = self.level.nodes().map(|nodes| nodes.max(few));
        let nodes = [own.nodes, asked.nodes, by_level].into_iter().flatten().min();
        let unlimited = own.time.is_none() && depth.is_none() && nodes.is_none() && asked.time.is_none();
        let time = [own.time, asked.time, unlimited.then_some(USUAL_TIME)].into_iter().flatten().min();
        Limits { time, depth, nodes, ..Limits::default() }
    }

    /// How much worse than the best a move may be in this position; `None` at levels that always play the best.
    fn slack_here(&mut self, played: &Match<G>, stop: &AtomicBool) -> Option<Value> {
        let hundredths = Some(self.level.slack()).filter(|&slack| slack > 0)?;
        self.search.widen(Value::MAX);
        let shallow = Limits { depth: Some(2), nodes: self.level.nodes(), ..Limits::default() };
        let found = self.search.run(played, &shallow, stop, &mut |_| ());
        let values = || found.moves.iter().map(|judged| judged.value).filter(|&value| !is_finished(value));
        let spread = i64::from(values().max().unwrap_or(0)) - i64::from(values().min().unwrap_or(0));
        // If evaluations are small integers, the next lower one is within a beginner's slack.
        let up = if self.level.is_beginner() { 99 } else { 0 };
        Some(((spread * hundredths + up) / 100) as Value)
    }
}

fn legal<G: Notation>(played: &Match<G>) -> Vec<G::Move> {
    let mut moves = Vec::new();
    played.game().moves(played.position(), &mut moves);
    moves
}

/// The first legal move in listing order.
#[derive(Clone, Copy, Debug)]
pub struct Bad;

impl<G: Notation> MoveChooser<G> for Bad {
    fn choose(&mut self, played: &Match<G>, _: &mut SearchContext<'_>) -> Option<G::Move> {
        legal(played).first().copied()
    }
}

/// Any legal move, all equally likely.
///
/// # Examples
///
/// ```
/// use parlor_core::{Answer, Limits, Match, Player};
/// use parlor_engine::{PlayerAdapter, Random, Uniform};
/// use parlor_games::kalah::Kalah;
/// use std::sync::atomic::AtomicBool;
///
/// let game = Kalah::sized(6, 4)?;
/// let play = |seed| {
///     let mut player = PlayerAdapter::new(game.clone(), Uniform(Random::new(seed)));
///     player.choose(&Match::new(game.clone()), &Limits::default(), &AtomicBool::new(false), &mut |_| ())
/// };
/// assert!(matches!(play(7), Ok(Answer::Move(_))));
/// assert_eq!(play(7), play(7), "the same seed gives the same move");
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
#[derive(Clone, Debug)]
pub struct Uniform(pub Random);

impl<G: Notation> MoveChooser<G> for Uniform {
    fn choose(&mut self, played: &Match<G>, _: &mut SearchContext<'_>) -> Option<G::Move> {
        let moves = legal(played);
        moves.get(self.0.below(moves.len())).copied()
    }
}

/// A player given by a function of a game, which gets a source of uniform random numbers from 0 up to and including its
/// argument.
#[derive(Clone, Debug)]
pub struct Drawing<F> {
    pub choose: F,
    pub random: Random,
}

impl<G, F> MoveChooser<G> for Drawing<F>
where
    G: Notation,
    F: FnMut(&G, &G::Position, &mut dyn FnMut(u32) -> u32) -> Option<G::Move> + Send,
{
    fn choose(&mut self, played: &Match<G>, _: &mut SearchContext<'_>) -> Option<G::Move> {
        let random = &mut self.random;
        (self.choose)(played.game(), played.position(), &mut |most| random.below(most as usize + 1) as u32)
    }

    /// The classic bot accepts every offer.
    fn accepts(&self, _: &dyn Board, _: Offer) -> bool {
        true
    }
}
