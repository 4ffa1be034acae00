//! The rules on top of the board: legal moves, captures, the end. The rules never end a game by repetition; they only define
//! the payoff of a cycle.

use super::board::{PITS, PitSet, Position, SEEDS, Sown};
use parlor_core::{BadParams, Bounds, Game, Margin, Parameter, Side, mix};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSet {
    Abapa,
    /// The rules of the solved-game literature.
    Awari,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Oware {
    rules: RuleSet,
    /// Whether 25 seeds end the game at once.
    stops_when_won: bool,
}

/// A move: a pit, 0..6 for a..f and 6..12 for A..F.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Pit(pub u8);

impl Pit {
    /// The pit with this index (0 to 5) of a side.
    #[inline]
    pub(super) fn of(side: Side, index: usize) -> Pit {
        Pit((side.index() * PITS + index) as u8)
    }

    /// Index among its owner's pits, from 0 to 5.
    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0) % PITS
    }

    pub(super) fn owner(self) -> Side {
        if usize::from(self.0) < PITS { Side::First } else { Side::Second }
    }
}

impl Oware {
    /// The game by one of the rule sets.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::Game;
    /// use parlor_games::oware::{Oware, RuleSet};
    ///
    /// let game = Oware::by(RuleSet::Abapa);
    /// assert_eq!(game.count(&game.start()), 6);
    /// ```
    pub fn by(rules: RuleSet) -> Oware {
        Oware { rules, stops_when_won: rules == RuleSet::Abapa }
    }

    /// The same rules, played to the last seed even if one player has already won. The winner is the same, and the rest of the
    /// game no longer depends on the scores: solvers and tables evaluate this variant.
    pub fn to_the_last_seed(&self) -> Oware {
        Oware { stops_when_won: false, ..self.clone() }
    }

    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The position with these seeds (a..f, A..F) and scores; `None` unless all sum to 48. If the game is over because no move
    /// is legal, both rows are collected.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_core::{Game, Margin, Side};
    /// use parlor_games::oware::{Oware, RuleSet};
    ///
    /// let game = Oware::by(RuleSet::Abapa);
    /// let pits = [0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0];
    /// let pos = game.position(pits, [22, 22], Side::First).expect("48 seeds in all");
    /// assert_eq!((pos.scores(), pos.seeds(Side::Second)), ([22, 22], 3));
    /// assert_eq!(game.bounds(&pos).hi, Margin(4), "four seeds are left");
    /// assert_eq!(game.position(pits, [0, 0], Side::First), None);
    /// ```
    pub fn position(&self, pits: [u8; 12], scores: [u8; 2], turn: Side) -> Option<Position> {
        let total: u16 = pits.iter().chain(&scores).map(|&seeds| u16::from(seeds)).sum();
        (total == u16::from(SEEDS)).then(|| self.collected_if_stuck(Position::new(pits, scores, turn)))
    }

    /// The position with both rows collected, if the game ends there because no move is legal.
    #[inline]
    pub(super) fn collected_if_stuck(&self, pos: Position) -> Position {
        if self.is_stuck(&pos) { pos.swept() } else { pos }
    }

    /// Whether the game ends because no move is legal, for a position whose rows may not be collected yet. A game that 25 seeds
    /// have ended is already over. The ban on grand slams never removes the last move, so it is irrelevant here.
    #[inline]
    pub(super) fn is_stuck(&self, pos: &Position) -> bool {
        pos.movable().is_empty() && !self.is_won(pos)
    }

    /// Whether 25 seeds have ended the game.
    #[inline]
    pub(super) fn is_won(&self, pos: &Position) -> bool {
        self.stops_when_won && pos.has_majority()
    }

    #[inline]
    pub(super) fn is_over(&self, pos: &Position) -> bool {
        pos.movable().is_empty() || self.is_won(pos)
    }

    /// The own pits that may be sown; none in a finished game.
    #[inline]
    pub(super) fn legal(&self, pos: &Position) -> PitSet {
        if self.is_won(pos) {
            return PitSet::EMPTY;
        }
        let movable = pos.movable();
        match self.rules {
            RuleSet::Abapa => movable,
            RuleSet::Awari => without_grand_slams(pos, movable),
        }
    }

    /// Whether the rules forbid the capture of this sowing.
    #[inline]
    pub(super) fn forbids_capture(&self, sown: &Sown) -> bool {
        self.rules == RuleSet::Abapa && sown.is_grand_slam()
    }

    /// The position after a sowing and its capture, before rows are collected.
    #[inline]
    pub(super) fn after(&self, sown: &Sown) -> Position {
        if self.forbids_capture(sown) { sown.pos.passed() } else { sown.captured().passed() }
    }
}

/// Awari: moves that would capture everything are legal only if there is no other.
fn without_grand_slams(pos: &Position, movable: PitSet) -> PitSet {
    let slams = movable.iter().filter(|&pit| pos.sow(pit).is_grand_slam());
    let others = slams.fold(movable, PitSet::without);
    if others.is_empty() { movable } else { others }
}

impl Game for Oware {
    const NAME: &'static str = "oware";
    const PARAMETERS: &'static [Parameter] = &[Parameter::choice("rules", &["abapa", "awari"])];
    /// Played to the last seed, all margins are even, because the total is 48. But a game that stops at 25 leaves seeds on the
    /// board, and an Awari cycle with an odd number of seeds left splits one of them: those margins can be odd.
    const STEP: i16 = 1;

    type Position = Position;
    type Move = Pit;

    fn new(values: &[u32]) -> Result<Self, BadParams> {
        match values {
            [0] => Ok(Oware::by(RuleSet::Abapa)),
            [1] => Ok(Oware::by(RuleSet::Awari)),
            _ => Err(BadParams::new("oware: expected rules=abapa or rules=awari")),
        }
    }

    fn values(&self) -> Vec<u32> {
        vec![u32::from(self.rules == RuleSet::Awari)]
    }

    fn start(&self) -> Position {
        Position::new([SEEDS / 12; 12], [0, 0], Side::First)
    }

    #[inline]
    fn turn(&self, pos: &Position) -> Side {
        pos.turn()
    }

    #[inline]
    fn moves(&self, pos: &Position, out: &mut Vec<Pit>) {
        // All six pits are written, each over the previous one unless that is legal: no branch to mispredict.
        let legal = self.legal(pos);
        let mut listed = [Pit(0); PITS];
        let mut len = 0;
        for index in 0..PITS {
            listed[len] = Pit::of(pos.turn(), index);
            len += usize::from(legal.contains(index));
        }
        let before = out.len();
        out.extend_from_slice(&listed);
        out.truncate(before + len);
    }

    #[inline]
    fn count(&self, pos: &Position) -> u64 {
        self.legal(pos).len()
    }

    #[inline]
    fn play(&self, pos: &mut Position, mv: Pit) {
        let next = self.after(&pos.sow(mv.index()));
        *pos = self.collected_if_stuck(next);
    }

    #[inline]
    fn result(&self, pos: &Position) -> Option<Margin> {
        self.is_over(pos).then(|| self.banked(pos))
    }

    fn largest_margin(&self) -> Margin {
        Margin(SEEDS.into())
    }

    #[inline]
    fn banked(&self, pos: &Position) -> Margin {
        let [own, other] = pos.own_scores().map(i16::from);
        Margin(own - other)
    }

    /// All pits, the mover's first, five bits each: exact up to 31 seeds in a pit. With more seeds in a pit it is a hash, with
    /// the top bit set.
    ///
    /// ```text
    ///   63  62..60  59      …       30 29      …        0
    ///   [h] unused  [ other row, 6x5 ] [ own row, 6x5   ]
    /// ```
    fn key(&self, pos: &Position) -> u64 {
        let rows = pos.rows();
        if fits(rows) { packed(rows[1]) << 30 | packed(rows[0]) } else { mix(rows) | 1 << 63 }
    }

    /// While 25 seeds stop the game, the rest of the game depends on the scores, which are not part of the key.
    fn exact_key(&self, pos: &Position) -> bool {
        !self.stops_when_won && fits(pos.rows())
    }

    fn bounds(&self, pos: &Position) -> Bounds {
        let Margin(banked) = self.banked(pos);
        if self.is_won(pos) {
            return Bounds::exactly(Margin(banked));
        }
        let left: i16 = pos.own_seeds().into_iter().map(i16::from).sum();
        Bounds { lo: Margin(banked - left), hi: Margin(banked + left) }
    }

    /// Abapa: each player takes the own row. Awari: the rest is split evenly, so only banked seeds count.
    fn repetition_payoff(&self, pos: &Position) -> Option<Margin> {
        let Margin(banked) = self.banked(pos);
        let [own, other] = pos.own_seeds().map(i16::from);
        Some(match self.rules {
            RuleSet::Abapa => Margin(banked + own - other),
            RuleSet::Awari => Margin(banked),
        })
    }

    /// In a cycle every pit gets a seed from behind (seeds only travel forwards, and as many cross each border), so every one
    /// of the twelve pits has to be sown at least once.
    fn shortest_cycle(&self) -> u32 {
        12
    }

    fn scoring_variant(&self) -> Oware {
        self.to_the_last_seed()
    }

    /// Allowed while both rows have seeds and the game is not over.
    fn may_claim_repetition(&self, pos: &Position) -> bool {
        !self.is_won(pos) && pos.own_seeds().into_iter().all(|seeds| seeds > 0)
    }
}

/// Whether every pit is below 32.
#[inline]
fn fits(rows: [u64; 2]) -> bool {
    (rows[0] | rows[1]) & 0x0000_E0E0_E0E0_E0E0 == 0
}

/// Packs six bytes below 32 into six times five bits.
#[inline]
fn packed(row: u64) -> u64 {
    (0..PITS).fold(0, |bits, pit| bits | (row >> (8 * pit) & 0x1F) << (5 * pit))
}
