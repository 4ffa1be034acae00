//! Fail-soft null-window search (alpha-beta) of Kalah over endgame tables and a transposition table of proved bounds: is the
//! value of the rest of a game at least `beta` for the side to move? The pots are left out: values count only the beans in the
//! holes.
//!
//! The contract: `search(node, beta)` returns a value v and has proved of the true value t, seen by the side to move, that
//! - v >= beta means t >= v;
//! - v < beta means t <= v.
//!
//! All values of a position have the parity of its beans, so windows are two wide. If it was stopped, the value is undefined
//! and not stored.
//!
//! Few positions of Kalah are reached twice (one in fifteen, in the search of Kalah(6,4)). So positions near the endgame
//! tables, which are the majority, are searched again instead of stored: a probe of a large table takes longer.
//!
//! Positions are two words of byte lanes, the mover's first, with the number of beans that they hold.
//!
//! Of the moves of a position, those that lead to endgame tables are looked up at once; the others are ordered. A move that
//! captures much leaves little to search, and so does one after which the same side moves again. Moves that are likely to be
//! cheap come first, even if another move is more promising.
//!
//! Close to the tables the search waits for memory. If no move of a position is expected to reach `beta`, all of them will be
//! searched: then the moves after each of them are played, and their endgame entries prefetched, before the first is searched.

mod near;

use crate::shared::{Key, OpenQuestion, ProvedBounds, SearchThread, Slot, best_child};
use parlor_engine::prefetch;
use parlor_games::{
    kalah::SowingTable,
    rows::{Rows, beans},
};

/// A proof is stored if the position has at least this many beans more than the endgame tables.
pub(super) const NEAR: i32 = 4;
/// From this many beans above the endgame tables on, threads cooperate.
const SHARED: i32 = 6;

/// A position, seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub own: u64,
    pub other: u64,
    /// Beans in play.
    pub beans: i32,
}

/// The result of a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    pub node: Node,
    /// Beans added to the mover's pot.
    pub gain: i32,
    /// Whether the same side moves again; `node` is then still seen by it.
    pub again: bool,
}

/// The rules of one variant with H holes per side. The size is part of the type, so that loops over the holes are unrolled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<const H: usize> {
    pub rows: &'static Rows,
    pub sowing_table: &'static SowingTable,
    pub captures_into_empty: bool,
}

impl<const H: usize> Rules<H> {
    /// Number of bits per hole in a key.
    const BITS: usize = if 63 / (2 * H) < 8 { 63 / (2 * H) } else { 8 };

    /// Sows the lane, which must have beans.
    #[inline(always)]
    pub fn play(&self, node: &Node, lane: usize) -> After {
        let sowing = self.sowing_table.sowing(lane, (node.own >> (8 * lane)) as u8);
        let mut own = node.own.wrapping_add(sowing.own);
        let mut other = node.other.wrapping_add(sowing.other);
        let (mut gain, last) = (i32::from(sowing.pot), usize::from(sowing.last));
        if last < H && own >> (8 * last) & 0xFF == 1 {
            let opposite = 8 * (H - 1 - last);
            let taken = (other >> opposite & 0xFF) as i32;
            if taken > 0 || self.captures_into_empty {
                gain += 1 + taken;
                own &= !(0xFF << (8 * last));
                other &= !(0xFF << opposite);
            }
        }
        let (again, beans) = (last == H, node.beans - gain);
        let node = if again { Node { own, other, beans } } else { Node { own: other, other: own, beans } };
        After { node, gain, again }
    }

    /// An exact key of the position; `None` if a hole has more beans than fit its bits.
    ///
    /// ```text
    ///   six holes:   62..60  59        …         30 29        …         0
    ///                unused  [ other row, 6 x 5   ] [ own row, 6 x 5    ]
    /// ```
    #[inline(always)]
    pub fn key(&self, node: &Node) -> Option<Beans> {
        let too_many = 0x0101_0101_0101_0101 * (0xFF_u64 << Self::BITS & 0xFF);
        if (node.own | node.other) & too_many != 0 {
            return None;
        }
        let mut key = 0;
        for lane in 0..H {
            key |= (node.own >> (8 * lane) & 0xFF) << (Self::BITS * lane);
            key |= (node.other >> (8 * lane) & 0xFF) << (Self::BITS * (H + lane));
        }
        Some(Beans(key))
    }
}

impl Node {
    /// The value if the game is over: beans belong to the side on which they lie.
    #[inline(always)]
    pub fn over(&self) -> Option<i32> {
        (self.own == 0 || self.other == 0).then(|| if self.own == 0 { -self.beans } else { self.beans })
    }

    pub fn new(own: u64, other: u64) -> Node {
        Node { own, other, beans: (beans(own) + beans(other)) as i32 }
    }
}

/// All holes of a position in 63 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beans(u64);

impl Key for Beans {
    const VALUES: u32 = 18;
    const EXACT: bool = true;
    const BITS: u32 = 63;

    #[inline(always)]
    fn scatter(self, line_bits: u32) -> (usize, u64) {
        let mixed = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) & (u64::MAX >> 1);
        // The upper bits depend on the whole key, the lower ones on a part of it; together they determine it.
        ((mixed >> (63 - line_bits)) as usize, mixed & (u64::MAX >> (line_bits + 1)))
    }
}

/// State of one search thread.
pub(super) struct KalahSearch<'a, const H: usize> {
    pub rules: Rules<H>,
    /// Endgame values, indexed by the number of beans in play.
    pub endings: &'a [&'a [i8]],
    pub thread: SearchThread<'a, Beans>,
    /// Positions whose moves are known.
    pub expanded: Vec<Expanded<H>>,
}

impl<'a, const H: usize> AsMut<SearchThread<'a, Beans>> for KalahSearch<'a, H> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut SearchThread<'a, Beans> {
        &mut self.thread
    }
}

impl After {
    /// The value of the move, from that of the position it leads to.
    #[inline(always)]
    pub fn value(&self, next: i32) -> i32 {
        self.gain + if self.again { next } else { -next }
    }

    /// The `beta` of the position it leads to, by which the search decides whether the move reaches `beta`.
    #[inline(always)]
    pub fn beta(&self, beta: i32) -> i32 {
        if self.again { beta - self.gain } else { self.gain - beta + 2 }
    }
}

impl<const H: usize> KalahSearch<'_, H> {
    /// See the contract above.
    pub fn search(&mut self, node: &Node, beta: i32) -> i32 {
        if let Some(value) = node.over() {
            return value;
        }
        if let Some(layer) = self.endings.get(node.beans as usize) {
            return i32::from(layer[self.rules.rows.index(node.own, node.other) as usize]);
        }
        let slot = self.slot(node);
        self.descend(node, slot, beta, true)
    }

    /// Whether a position is so close to the endgame tables that nothing is stored for it.
    #[inline(always)]
    fn is_near(&self, node: &Node) -> bool {
        node.beans < self.endings.len() as i32 + NEAR
    }

    #[inline(always)]
    fn slot(&self, node: &Node) -> Option<Slot<Beans>> {
        if self.is_near(node) { None } else { self.rules.key(node).map(|key| self.thread.table.slot(key)) }
    }

    /// Searches a node that is neither finished nor in the endgame tables. `cut` tells whether a move is expected to reach `beta`;
    /// then it is most often the first.
    fn descend(&mut self, node: &Node, slot: Option<Slot<Beans>>, beta: i32, cut: bool) -> i32 {
        if self.is_near(node) {
            return self.near(node, beta, cut);
        }
        if !self.thread.count_node() {
            return 0;
        }
        let mut known = ProvedBounds { lo: -node.beans, hi: node.beans };
        if let Some(found) = slot.and_then(|slot| self.thread.table.probe(slot)) {
            known = known.and(found);
        }
        if let Some(value) = known.answer(beta) {
            return value;
        }
        let before = self.thread.nodes;
        self.expand(0, node, beta);
        let mut best = self.expanded[0].endings(self.endings);
        if best < beta {
            let children = self.expanded[0].children;
            best = best.max(self.search_children(slot, &children, beta, cut));
        }
        if self.thread.stopped {
            return 0;
        }
        known = known.after(best, beta);
        if let Some(slot) = slot {
            self.thread.table.store(slot, known, self.thread.nodes - before);
        }
        if best >= beta { known.lo } else { known.hi }
    }

    /// The best of the moves that must be searched, after enhanced transposition cutoff.
    fn search_children(
        &mut self,
        slot: Option<Slot<Beans>>,
        children: &Children<H>,
        beta: i32,
        cut: bool,
    ) -> i32 {
        let mut slots = [None; H];
        for (slot, after) in slots.iter_mut().zip(children.all()) {
            *slot = self.slot(&after.node);
            slot.inspect(|&slot| self.thread.table.prefetch(slot));
        }
        // A table entry of one child may suffice.
        for (slot, after) in slots.iter().zip(children.all()) {
            if let Some(found) = slot.and_then(|slot| self.thread.table.probe(slot)) {
                let least = after.value(if after.again { found.lo } else { found.hi });
                if least >= beta {
                    return least;
                }
            }
        }
        let (after, shared) = (children.all(), self.endings.len() as i32 + SHARED);
        let is_large =
            |_: &Slot<Beans>| self.thread.has_others() && after.iter().any(|at| at.node.beans >= shared);
        let question = slot.filter(is_large).map(|slot| OpenQuestion { slot, beta });
        let value = |search: &mut Self, i: usize| {
            let cut = (cut && i == 0) == after[i].again;
            after[i].value(search.descend(&after[i].node, slots[i], after[i].beta(beta), cut))
        };
        best_child(self, question, after.len(), beta, |_, i| slots[i], value)
    }
}

/// Moves in the order in which they are searched.
#[derive(Clone, Copy)]
struct Children<const H: usize> {
    list: [After; H],
    count: usize,
}

impl<const H: usize> Default for Children<H> {
    #[inline(always)]
    fn default() -> Self {
        Children { list: [After::NONE; H], count: 0 }
    }
}

impl<const H: usize> Children<H> {
    #[inline(always)]
    fn all(&self) -> &[After] {
        &self.list[..self.count.min(H)]
    }

    /// Stable: equal entries keep their order.
    #[inline(always)]
    fn insert(&mut self, after: After) {
        let mut at = self.count.min(H - 1);
        while at > 0 && self.list[at - 1].promise() < after.promise() {
            self.list[at] = self.list[at - 1];
            at -= 1;
        }
        self.list[at] = after;
        self.count += 1;
    }
}

impl After {
    const NONE: After = After { node: Node { own: 0, other: 0, beans: 0 }, gain: 0, again: false };

    #[inline(always)]
    fn promise(&self) -> i32 {
        2 * self.gain + if self.again { 64 } else { 0 }
    }
}

/// An endgame entry that is being prefetched.
#[derive(Clone, Copy, Default)]
struct Ending {
    beans: u32,
    gain: i32,
    again: bool,
    at: usize,
}

/// The moves of a position.
pub(super) struct Expanded<const H: usize> {
    /// The best value of the moves that are decided without a look-up.
    best: i32,
    children: Children<H>,
    endings: [Ending; H],
    count: usize,
}

impl<const H: usize> Default for Expanded<H> {
    #[inline(always)]
    fn default() -> Self {
        Expanded { best: i32::MIN, children: Children::default(), endings: [Ending::default(); H], count: 0 }
    }
}

/// A move whose position is expanded, unless its value is settled.
#[derive(Clone, Copy)]
struct Begun {
    after: After,
    settled: Option<i32>,
    place: usize,
}

impl Begun {
    const NONE: Begun = Begun { after: After::NONE, settled: None, place: 0 };
}

impl<const H: usize> Expanded<H> {
    /// The best value of the moves that end the game or lead to endgame tables.
    #[inline(always)]
    fn endings(&self, layers: &[&[i8]]) -> i32 {
        let mut best = self.best;
        for ending in &self.endings[..self.count.min(H)] {
            let value = i32::from(layers[ending.beans as usize][ending.at]);
            best = best.max(ending.gain + if ending.again { value } else { -value });
        }
        best
    }
}

impl After {
    /// The value of the position after the move, if the number of beans settles it: the margin cannot exceed it.
    #[inline(always)]
    fn near_value(&self, beta: i32) -> Option<i32> {
        let (beans, beta) = (self.node.beans, self.beta(beta));
        if beans < beta {
            Some(beans)
        } else if -beans >= beta {
            Some(-beans)
        } else {
            None
        }
    }
}

impl<const H: usize> KalahSearch<'_, H> {
    /// Plays all moves of a position and prefetches the endgame entries that they lead to.
    fn expand(&mut self, place: usize, node: &Node, beta: i32) {
        if self.expanded.len() <= place {
            self.expanded.resize_with(place + 1, Expanded::default);
        }
        let (rules, layers) = (self.rules, self.endings);
        let expanded = &mut self.expanded[place];
        let mut numbered = None;
        let (mut best, mut count) = (i32::MIN, 0);
        expanded.children.count = 0;
        // From the pot outwards.
        for lane in (0..H).rev() {
            if node.own >> (8 * lane) & 0xFF == 0 {
                continue;
            }
            let after = rules.play(node, lane);
            if let Some(value) = after.node.over() {
                best = best.max(after.value(value));
            } else if let Some(layer) = layers.get(after.node.beans as usize) {
                // No side can win more than all beans: whatever the table says, the move fails or decides.
                let most = after.gain + after.node.beans;
                if most < beta {
                    best = best.max(most);
                    continue;
                }
                if after.gain - after.node.beans >= beta {
                    best = after.gain - after.node.beans;
                    count = 0;
                    break;
                }
                let at = rules.number(&after, node, &mut numbered);
                prefetch(layer, at);
                expanded.endings[count] =
                    Ending { beans: after.node.beans as u32, gain: after.gain, again: after.again, at };
                count += 1;
            } else {
                expanded.children.insert(after);
            }
        }
        expanded.best = best;
        expanded.count = count;
    }
}

impl<const H: usize> Rules<H> {
    /// The number of the position after a move. Most moves leave the other side's row unchanged, so its number is computed
    /// once.
    #[inline(always)]
    fn number(&self, after: &After, before: &Node, numbered: &mut Option<(usize, u32)>) -> usize {
        let number = |row: u64| (beans(row), self.rows.rank(row));
        let Node { own, other, .. } = after.node;
        let rows = if after.again { [own, other] } else { [other, own] };
        let mine = number(rows[0]);
        let theirs = if rows[1] == before.other {
            *numbered.get_or_insert_with(|| number(rows[1]))
        } else {
            number(rows[1])
        };
        self.rows.index_of(if after.again { [mine, theirs] } else { [theirs, mine] }) as usize
    }
}
