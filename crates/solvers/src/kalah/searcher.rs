//! Kalah's alpha-beta search as a [`Searcher`], with Lazy SMP. The public match is converted once, at the root. Boards that do
//! not fit two words of byte lanes, and very small ones, go to the general search.

use super::{
    lane_turns::LaneTurns,
    play::{PLY, PlaySearch, PlayTerms, Scouting, Selectivity, Standing},
    search::{Node, Rules},
};
use parlor_core::{Evaluated, Game, Indexed, Limits, Margin, Match, Report, Side, Value};
use parlor_engine::{
    AlphaBeta, Clock, DEEPEST, Deadline, HELPER_STACK, RootSearch, Scored, SearchResult, Searcher,
    TranspositionTable, Window, helper_search, lazy_smp, main_search, useful_memory,
};
use parlor_games::{
    kalah::{Hole, Kalah, NETWORK_HOLES, SowingTable, Turns, network},
    network::NeuralNetwork,
    rows::{MOST_BEANS, Rows},
};
use parlor_tables::EndgameTable;
use std::sync::{Arc, atomic::AtomicBool};

/// Boards with fewer holes a side go to the general search, which sees the end of most of their games.
const FEWEST_HOLES: usize = 4;

/// Deep search of Kalah. With a depth limit it is a full-width search, whose value is that of exactly this depth; without one
/// it reduces and prunes.
///
/// # Examples
///
/// ```
/// use parlor_core::{Game, Limits, Match, Notation};
/// use parlor_engine::{Monotonic, Searcher};
/// use parlor_games::kalah::{Hole, Kalah};
/// use parlor_solvers::kalah::KalahSearcher;
/// use std::sync::{Arc, atomic::AtomicBool};
///
/// let game = Kalah::sized(3, 2)?;
/// let pos = game.parse_position("0,0,1/0,1,1 5/4 s")?;
/// let mut search = KalahSearcher::new(Arc::new(Monotonic::start()), None);
/// let found = search.run(&Match::from_position(game, pos), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert_eq!((found.moves[0].mv, found.exact), (Hole(3), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KalahSearcher {
    /// At least 1.
    pub threads: usize,
    /// In bytes.
    pub memory: usize,
    /// The learned evaluation, which is used on boards with six holes a side; without it, the evaluation is [`Turns`].
    pub network: Option<Arc<NeuralNetwork>>,
    /// Whether the search is selective. With a depth limit it never is.
    pub selective: bool,
    endings: Option<Arc<EndgameTable<Kalah>>>,
    clock: Arc<dyn Clock>,
    width: Value,
    table: Option<(Vec<u32>, TranspositionTable)>,
    /// For boards that do not fit.
    general: AlphaBeta<Kalah, Turns>,
}

impl KalahSearcher {
    /// A search with one thread and 64 MiB that uses the endgame table stored for the game, if there is one.
    pub fn new(clock: Arc<dyn Clock>, endings: Option<Arc<EndgameTable<Kalah>>>) -> KalahSearcher {
        let mut general = AlphaBeta::new(Kalah::STRONG, clock.clone());
        general.oracle = endings.clone().map(|table| table as _);
        KalahSearcher {
            threads: 1,
            memory: 64 << 20,
            network: Some(network().clone()),
            selective: true,
            endings,
            clock,
            width: 0,
            table: None,
            general,
        }
    }

    fn run_sized<const H: usize>(
        &mut self,
        question: &Question<'_>,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<Hole> {
        let Question { played, limits, stop, at, rows } = *question;
        let (game, family) = (played.game(), played.game().family().values());
        // The number of beans at the start does not matter to table entries.
        if self.table.as_ref().is_some_and(|(known, _)| *known != family) {
            self.table = None;
        }
        let memory = self.memory.min(useful_memory(limits));
        let empty = || (family.clone(), TranspositionTable::new(memory, PlaySearch::<H>::CHECKS));
        let (_, table) = &*self.table.get_or_insert_with(empty);
        let stored = self.endings.as_ref().filter(|table| table.family().values() == family);
        let endings = stored.map(|table| table.layers()).unwrap_or_default();
        let captures_into_empty = game.captures_into_empty();
        let terms = PlayTerms {
            rules: Rules::<H> { rows, sowing_table: SowingTable::of(H), captures_into_empty },
            evaluation: LaneTurns::new(Kalah::STRONG, captures_into_empty),
            network: self.network.as_deref().filter(|_| H == NETWORK_HOLES),
            all: at.node.beans
                + Side::BOTH.map(|side| i32::from(played.position().board().pot(side))).iter().sum::<i32>(),
            endings: &endings,
            table,
            // With a depth limit the result must be the value of exactly that depth.
            selectivity: (self.selective && limits.depth.is_none()).then_some(Selectivity::USUAL),
        };
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let mut root = PlayRoot::new(played, terms, at, deadline);
        root.search.most_nodes = limits.nodes.unwrap_or(u64::MAX);
        let (deepest, width) = (limits.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST), self.width);
        let main = || main_search(&mut root, game, deepest, width, report);
        lazy_smp(self.threads, HELPER_STACK, &self.clock, main, |deadline, number| {
            helper_search(&mut PlayRoot::new(played, terms, at, deadline), deepest, number);
        })
    }
}

impl Searcher<Kalah> for KalahSearcher {
    fn run(
        &mut self,
        played: &Match<Kalah>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<Hole> {
        let rows = played.game().rows().filter(|rows| rows.holes() >= FEWEST_HOLES);
        let (Some(at), Some(rows)) = (standing(played), rows) else {
            let general = &mut self.general;
            (general.threads, general.memory, general.width) = (self.threads, self.memory, self.width);
            return general.run(played, limits, stop, report);
        };
        let question = &Question { played, limits, stop, at, rows };
        match rows.holes() {
            4 => self.run_sized::<4>(question, report),
            5 => self.run_sized::<5>(question, report),
            6 => self.run_sized::<6>(question, report),
            7 => self.run_sized::<7>(question, report),
            _ => self.run_sized::<8>(question, report),
        }
    }

    fn forget(&mut self) {
        self.table = None;
        self.general.forget();
    }

    fn widen(&mut self, width: Value) {
        self.width = width;
    }
}

/// What a search is asked.
#[derive(Clone, Copy)]
struct Question<'a> {
    played: &'a Match<Kalah>,
    limits: &'a Limits,
    stop: &'a AtomicBool,
    at: Standing,
    rows: &'static Rows,
}

/// Converts the position; `None` if it is over or does not fit.
fn standing(played: &Match<Kalah>) -> Option<Standing> {
    let (game, pos) = (played.game(), played.position());
    let (own, other) = pos.lanes().filter(|_| game.result(pos).is_none())?;
    let (node, Margin(banked)) = (Node::new(own, other), game.banked(pos));
    (node.beans as usize <= MOST_BEANS).then_some(Standing { node, banked: banked.into(), side: 0 })
}

/// The root as one thread searches it.
struct PlayRoot<'a, const H: usize> {
    search: PlaySearch<'a, H>,
    at: Standing,
    side: Side,
    line: Vec<Hole>,
}

impl<'a, const H: usize> PlayRoot<'a, H> {
    fn new(played: &Match<Kalah>, terms: PlayTerms<'a, H>, at: Standing, deadline: Deadline<'a>) -> Self {
        let side = played.position().turn();
        PlayRoot { search: PlaySearch::new(terms, deadline), at, side, line: Vec::new() }
    }

    /// A lane in the game's notation.
    fn hole(&self, lane: u8, is_mover: bool) -> Hole {
        let first = is_mover == (self.side == Side::First);
        Hole(if first { lane + 1 } else { H as u8 - lane })
    }
}

impl<const H: usize> RootSearch<Hole> for PlayRoot<'_, H> {
    fn moves(&mut self) -> Vec<Hole> {
        let lanes = self.search.root_moves(&self.at);
        lanes.into_iter().map(|lane| self.hole(lane, true)).collect()
    }

    fn search_move(&mut self, mv: Hole, window: Window) -> Option<Scored> {
        let Window { depth, alpha, beta, scout } = window;
        let lane = if self.side == Side::First { mv.0 - 1 } else { H as u8 - mv.0 };
        let after = self.search.terms.rules.play(&self.at.node, lane.into());
        self.search.lines[1].clear();
        let cost = self.search.costs(&after, 0, 0).0;
        let window = Scouting { alpha, beta, scout, reduction: 0 };
        let found = self.search.move_value(&self.at, &after, PLY * depth as i32 - cost, 0, window)?;
        let line = self.search.lines[1].iter().map(|&mv| self.hole(mv & 0x7F, mv >> 7 == 0)).collect();
        self.line = line;
        Some(found)
    }

    fn line(&self) -> &[Hole] {
        &self.line
    }

    fn stopped(&mut self) -> bool {
        self.search.deadline.passed() || self.search.nodes >= self.search.most_nodes
    }

    fn nodes(&self) -> u64 {
        self.search.nodes
    }
}
