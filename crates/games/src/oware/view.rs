//! The view of Oware: two rows of lettered pits between the scores, Player 2 above.

use super::{
    Oware, Pit, Position, RuleSet,
    board::{PITS, Sown},
    text::letters_of,
};
use crate::sowing;
use parlor_core::{
    BoardEvent, Cell, CellId, Keywords, Margin, Mark, MenuEntry, Picture, PictureOptions, Side, Staged, Step,
    Target, Token, View,
};

/// Cells and targets are numbered as they are drawn, both rows from the left, then the two scores:
///
/// ```text
///    pits   F  E  D  C  B  A      cells       6  7  8  9 10 11
///           a  b  c  d  e  f              13  0  1  2  3  4  5  12
/// ```
fn cell(pit: Pit) -> CellId {
    let first_of_top = PITS as CellId;
    match pit.owner() {
        Side::First => pit.0.into(),
        Side::Second => first_of_top + (PITS - 1 - pit.index()) as CellId,
    }
}

fn score_cell(side: Side) -> CellId {
    (2 * PITS + side.index()) as CellId
}

/// A side's pits from the left as drawn.
fn drawn(side: Side) -> [Pit; PITS] {
    let mut pits = std::array::from_fn(|index| Pit::of(side, index));
    if side == Side::Second {
        pits.reverse();
    }
    pits
}

fn names(side: Side) -> Vec<String> {
    drawn(side).into_iter().map(|pit| pit.letter().to_string()).collect()
}

impl Oware {
    /// The seeds on the board that each side gets when a cycle is stopped. Abapa: the own row. Awari: half of the rest; of an
    /// odd number the last seed goes to neither, and the margin, which counts only captured seeds, is the same.
    fn shares(&self, pos: &Position) -> [u16; 2] {
        let seeds = Side::BOTH.map(|side| u16::from(pos.seeds(side)));
        let half = (seeds[0] + seeds[1]) / 2;
        if self.rules() == RuleSet::Abapa { seeds } else { [half, half] }
    }
}

impl View for Oware {
    const TITLE: &'static str = "Oware";
    const BLURB: &'static str = "sow seeds, capture twos and threes; 25 of 48 seeds win";
    const RULES_TEXT: &'static str = include_str!("data/rules.md");
    const SEATS: [&'static str; 2] = ["Player 1", "Player 2"];
    /// All keywords are case-sensitive, like the pits: lower case for Player 1, upper case for Player 2.
    const KEYWORDS: Keywords = Keywords {
        give_up: ["surrender", "surrender"],
        resign: [&["q"], &["Q"]],
        claim: [&["p"], &["P"]],
        yes: [&["y"], &["Y"]],
        no: [&["n"], &["N"]],
        linger: true,
        menu: &[
            MenuEntry { label: "Player vs. Player", players: ["human", "human"] },
            MenuEntry { label: "Player vs. AI", players: ["human", "payoff"] },
        ],
    };

    fn cells(&self) -> Vec<Cell> {
        sowing::two_rows(&names(Side::First), &names(Side::Second), ["Player 1's score", "Player 2's score"])
    }

    fn targets(&self) -> Vec<String> {
        Side::BOTH.into_iter().flat_map(names).collect()
    }

    fn marks(&self, pos: &Position) -> Vec<Mark> {
        let mark = |cell, count: u8| Mark { cell, token: Token::Count(count.into()) };
        let pits = (0..).zip(pos.pits()).map(|(pit, seeds)| mark(cell(Pit(pit)), seeds));
        let scores = Side::BOTH.into_iter().map(|side| mark(score_cell(side), pos.scores()[side.index()]));
        pits.chain(scores).collect()
    }

    fn path(&self, _pos: &Position, mv: Pit) -> Vec<Target> {
        vec![cell(mv)]
    }

    fn touched(&self, before: &Position, mv: Pit) -> Vec<CellId> {
        let sown = before.sow(mv.index());
        let (old, new) = (before.pits(), sown.pos.pits());
        let changed = (0..old.len()).filter(|&pit| old[pit] != new[pit]).map(|pit| cell(Pit(pit as u8)));
        let captured = sown.due() > 0 && !self.forbids_capture(&sown);
        changed.chain(captured.then(|| score_cell(before.turn()))).collect()
    }

    fn steps(&self, before: &Position, mv: Pit) -> Vec<Step> {
        let side = before.turn();
        let round: Vec<CellId> =
            (1..2 * PITS as u8).map(|ahead| cell(Pit((mv.0 + ahead) % (2 * PITS as u8)))).collect();
        let seeds = before.pits()[usize::from(mv.0)];
        let mut steps = sowing::sow_steps(cell(mv), seeds.into(), &round);
        let sown = before.sow(mv.index());
        if !self.forbids_capture(&sown) {
            let mut chain: Vec<Pit> = sown.chain().map(|index| Pit::of(side.other(), index)).collect();
            chain.reverse();
            steps.extend(collected(&sown.pos, chain, side));
        }
        let next = self.after(&sown);
        if self.is_stuck(&next) {
            steps.extend(Side::BOTH.into_iter().flat_map(|side| collected(&next, drawn(side), side)));
        }
        steps
    }

    fn events(&self, before: &Position, mv: Pit, names: [&str; 2]) -> Vec<Staged<Position>> {
        let side = before.turn();
        let name = names[side.index()];
        let sown = before.sow(mv.index());
        let mut events = Vec::new();
        if self.forbids_capture(&sown) {
            let text = format!("{name} would capture all seeds (grand slam), so nothing is captured.");
            let event = BoardEvent::new("no-capture", text, chain_cells(&sown, side));
            events.push(Staged { before: None, event });
        } else if sown.due() > 0 {
            let text = format!("{name} captures {}.", sowing::counted(sown.due().into(), "seed"));
            let event = BoardEvent::new(BoardEvent::CAPTURE, text, chain_cells(&sown, side));
            events.push(Staged { before: Some(sown.pos), event });
        }
        let next = self.after(&sown);
        if self.is_stuck(&next) {
            events.extend(sweeps(next, names));
        }
        events
    }

    fn draw(&self, pos: &Position, options: &PictureOptions<'_>) -> Picture {
        let [first, second] = Side::BOTH.map(|side| {
            let touched = |cell| options.last.contains(&cell);
            sowing::Row {
                name: options.audience.names[side.index()],
                labels: names(side),
                pits: drawn(side)
                    .map(|pit| (pos.pits()[usize::from(pit.0)].into(), touched(cell(pit))))
                    .to_vec(),
                store: (pos.scores()[side.index()].into(), touched(score_cell(side))),
            }
        });
        sowing::draw(&first, &second, options.audience.width)
    }

    fn scores(&self, pos: &Position) -> Option<[u16; 2]> {
        Some(pos.scores().map(u16::from))
    }

    fn settled_scores(&self, pos: &Position) -> Option<[u16; 2]> {
        let shares = self.shares(pos);
        Some(Side::BOTH.map(|side| u16::from(pos.scores()[side.index()]) + shares[side.index()]))
    }

    fn settlement(&self, pos: &Position, names: [&str; 2]) -> Vec<BoardEvent> {
        let shares = Side::BOTH.into_iter().zip(self.shares(pos));
        let taken = shares.filter(|(_, count)| *count > 0);
        taken.map(|(side, count)| sweep(pos, side, count, names)).collect()
    }

    fn why_no_claim(&self, pos: &Position) -> String {
        let empty = Side::BOTH.into_iter().find(|&side| pos.seeds(side) == 0);
        match empty.filter(|_| !self.is_over(pos)) {
            Some(side) => format!(
                "repetition can be claimed only while both rows have seeds, and {}'s row is empty",
                Self::SEATS[side.index()]
            ),
            None => "the game is over".to_string(),
        }
    }

    fn prompt(&self, side: Side) -> String {
        let word = |words: [&[&'static str]; 2]| words[side.index()][0];
        let keywords = Self::KEYWORDS;
        let (claim, resign) = (word(keywords.claim), word(keywords.resign));
        format!("pit ({}), {claim} to claim repetition, {resign} to surrender", letters_of(side))
    }

    fn move_help(&self, side: Side) -> String {
        format!("the letter of a pit with seeds, {}", letters_of(side))
    }

    fn describe(&self, margin: Margin) -> String {
        sowing::described(margin, "seed")
    }
}

/// The steps by which a side takes the seeds of these pits, in this order.
fn collected(pos: &Position, pits: impl IntoIterator<Item = Pit>, by: Side) -> Vec<Step> {
    let held = pits.into_iter().map(|pit| (pit, pos.pits()[usize::from(pit.0)]));
    let filled = held.filter(|&(_, seeds)| seeds > 0);
    filled.map(|(pit, seeds)| Step::between(cell(pit), score_cell(by), seeds.into())).collect()
}

/// The cells of the pits that a capture empties, or would empty.
fn chain_cells(sown: &Sown, side: Side) -> Vec<CellId> {
    sown.chain().map(|index| cell(Pit::of(side.other(), index))).collect()
}

/// A side collects seeds; the cells are its pits that have some.
fn sweep(pos: &Position, side: Side, count: u16, names: [&str; 2]) -> BoardEvent {
    let text = format!("{} collects the remaining {}.", names[side.index()], sowing::counted(count, "seed"));
    let filled = drawn(side).into_iter().filter(|pit| pos.pits()[usize::from(pit.0)] > 0);
    BoardEvent::new(BoardEvent::SWEEP, text, filled.map(cell).collect())
}

/// The rows collected at the end, for each side that has seeds left, first side first; each with the board at that time.
fn sweeps(over: Position, names: [&str; 2]) -> Vec<Staged<Position>> {
    let mut shown = over;
    let mut events = Vec::new();
    for side in Side::BOTH {
        let count = u16::from(shown.seeds(side));
        if count > 0 {
            events.push(Staged { before: Some(shown), event: sweep(&shown, side, count, names) });
            shown = shown.swept_by(side);
        }
    }
    events
}
