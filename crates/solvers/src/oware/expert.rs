//! Oware's alpha-beta search as a [`Searcher`], with Lazy SMP and bound-preserving moves at the root. The public match is
//! converted once, at the root.

use super::{
    board::{Node, pits},
    bound_preserving::bound_preserving_moves,
    endings::{AMPLE, Endings, ample_table, small_table},
    reductions::Scout,
    search::{Place, Terms, Worker},
};
use parlor_core::{Game, Limits, Match, Report, Side, Value};
use parlor_engine::{
    Clock, DEEPEST, Deadline, HELPER_STACK, RootSearch, Scored, SearchResult, Searcher, TranspositionTable,
    Window, helper_search, lazy_smp, main_search, useful_memory,
};
use parlor_games::{
    network::NeuralNetwork,
    oware::{Oware, Pit, Position, RuleSet, network},
};
use parlor_tables::EndgameTable as Kept;
use std::sync::{Arc, atomic::AtomicBool};

/// The largest number of positions of a path, regardless of the time.
const LONGEST_PATH: usize = 1 << 17;

/// Deep search of Oware by either rule set.
pub struct OwareSearcher {
    /// At least 1.
    pub threads: usize,
    /// In bytes.
    pub memory: usize,
    /// The endgame table; `None` for a search without one.
    pub endings: Option<Arc<Kept<Oware>>>,
    /// The learned evaluation; without it, the hand-made one is used.
    pub network: Option<Arc<NeuralNetwork>>,
    /// Whether late moves are reduced and entries of deeper searches are used. With a depth limit they never are.
    pub selective: bool,
    clock: Arc<dyn Clock>,
    width: Value,
    table: Option<TranspositionTable>,
}

impl OwareSearcher {
    /// A search with one thread and 64 MiB that uses the small table, or the stored one if that has more layers.
    pub fn new(rules: RuleSet, clock: Arc<dyn Clock>, kept: Option<Arc<Kept<Oware>>>) -> OwareSearcher {
        let small = small_table(rules);
        let reach = small.as_ref().map(|table| table.top());
        let endings = kept.filter(|kept| Some(kept.top()) > reach).or(small);
        OwareSearcher { endings, ..OwareSearcher::without_endings(clock) }
    }

    /// Whether time is the only limit of the search.
    pub(super) fn by_clock(limits: &Limits) -> bool {
        limits.time.is_some() && limits.nodes.is_none() && limits.depth.is_none()
    }

    /// A search limited by time alone uses the larger table as soon as it is computed.
    fn look_for_more(&mut self, rules: RuleSet, limits: &Limits) {
        if OwareSearcher::by_clock(limits) && self.endings.as_ref().is_some_and(|table| table.top() < AMPLE) {
            self.endings = ample_table(rules).or(self.endings.take());
        }
    }

    /// A search without an endgame table.
    pub fn without_endings(clock: Arc<dyn Clock>) -> OwareSearcher {
        OwareSearcher {
            threads: 1,
            memory: 64 << 20,
            endings: None,
            network: Some(network().clone()),
            selective: true,
            clock,
            width: 0,
            table: None,
        }
    }
}

impl Searcher<Oware> for OwareSearcher {
    fn run(
        &mut self,
        played: &Match<Oware>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> SearchResult<Pit> {
        self.look_for_more(played.game().rules(), limits);
        let memory = self.memory.min(useful_memory(limits));
        let table = &*self.table.get_or_insert_with(|| TranspositionTable::new(memory, false));
        let game = played.game();
        let endings = Endings::of(self.endings.as_deref());
        let stops = *game != game.to_the_last_seed();
        let terms = Terms {
            rules: game.rules(),
            stops,
            // It was trained with games that end at 25 seeds.
            network: self.network.as_deref().filter(|_| stops),
            endings: &endings,
            table,
            // With a depth limit the result must be the value of exactly that depth.
            selective: self.selective && limits.depth.is_none(),
        };
        let deadline = Deadline::after(limits.time, self.clock.clone(), stop);
        let kept = bound_preserving_moves(&way(played), terms.rules, terms.endings, longest_path(limits));
        let mut root = Root::new(played, terms, kept, deadline);
        root.worker.most_nodes = limits.nodes.unwrap_or(u64::MAX);
        let (deepest, width) = (limits.depth.unwrap_or(DEEPEST).clamp(1, DEEPEST), self.width);
        let main = || main_search(&mut root, game, deepest, width, report);
        lazy_smp(self.threads, HELPER_STACK, &self.clock, main, |deadline, number| {
            helper_search(&mut Root::new(played, terms, kept, deadline), deepest, number);
        })
    }

    fn forget(&mut self) {
        self.table = None;
    }

    fn widen(&mut self, width: Value) {
        self.width = width;
    }
}

/// The largest number of positions of a path that can be found within these limits, at about two per microsecond.
fn longest_path(limits: &Limits) -> usize {
    limits.time.map_or(LONGEST_PATH, |time| (time.as_micros() as usize / 2).min(LONGEST_PATH))
}

/// The root as one thread searches it.
struct Root<'a> {
    worker: Worker<'a>,
    place: Place,
    /// The moves that preserve the proved value.
    kept: u64,
    side: Side,
    line: Vec<Pit>,
    over: bool,
}

pub(super) fn node(pos: &Position) -> Node {
    let [own, other] = pos.rows();
    Node { own, other }
}

/// The positions since the last capture; the last one is the position of the match.
pub(super) fn way(played: &Match<Oware>) -> Vec<Node> {
    let positions = played.positions();
    let scores = played.position().scores();
    let entered = positions.iter().rposition(|pos| pos.scores() != scores).map_or(0, |at| at + 1);
    positions[entered..].iter().map(node).collect()
}

impl<'a> Root<'a> {
    fn new(played: &Match<Oware>, terms: Terms<'a>, kept: u64, deadline: Deadline<'a>) -> Root<'a> {
        let (pos, way) = (played.position(), way(played));
        let place = Place::root(node(pos), played.game().banked(pos).0, 0);
        let over = played.game().result(pos).is_some();
        let worker = Worker::new(terms, &way, deadline);
        Root { worker, place, kept, side: pos.turn(), line: Vec::new(), over }
    }

    /// A pit in the game's notation.
    fn pit(&self, pit: u8, ply: usize) -> Pit {
        let second = (self.side == Side::Second) ^ (ply & 1 == 1);
        Pit(pit + 6 * u8::from(second))
    }
}

impl RootSearch<Pit> for Root<'_> {
    fn moves(&mut self) -> Vec<Pit> {
        if self.over {
            return Vec::new();
        }
        let mut listed: Vec<usize> = pits(self.kept).collect();
        let taken = |pit: usize| self.place.node.play(pit, self.worker.terms.rules).taken;
        listed.sort_by_key(|&pit| (taken(pit), pit));
        listed.into_iter().rev().map(|pit| self.pit(pit as u8, 0)).collect()
    }

    fn search_move(&mut self, mv: Pit, window: Window) -> Option<Scored> {
        let Window { depth, alpha, beta, scout } = window;
        let (place, pit) = (self.place, mv.0 % 6);
        let after = place.node.play(usize::from(pit), self.worker.terms.rules);
        self.worker.lines[1].clear();
        self.worker.nodes += 1;
        let scout = if scout { Scout::Full } else { Scout::No };
        let found = self.worker.move_value(&place, pit, &after, depth - 1, 0, alpha, beta, scout)?;
        let line = self.worker.lines[1].iter().enumerate().map(|(i, &pit)| self.pit(pit, i + 1)).collect();
        self.line = line;
        Some(found)
    }

    fn line(&self) -> &[Pit] {
        &self.line
    }

    fn stopped(&mut self) -> bool {
        self.worker.deadline.passed() || self.worker.nodes >= self.worker.most_nodes
    }

    fn nodes(&self) -> u64 {
        self.worker.nodes
    }

    fn has_all(&self) -> bool {
        self.kept == self.place.node.legal(self.worker.terms.rules)
    }
}
