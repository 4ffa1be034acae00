//! The view of Kalah: two rows of numbered holes between the pots, North above.

use super::{Hole, KalahOf, PositionOf, board::BoardOf, lanes::Landing};
use crate::sowing;
use parlor_core::{
    BoardEvent, Cell, CellId, Game, Margin, Mark, Picture, PictureOptions, Side, Staged, Step, Target, Token,
    View,
};

impl<const WORDS: usize> KalahOf<WORDS> {
    fn columns(&self) -> usize {
        self.start().board.holes()
    }

    /// Cells are numbered South's holes, North's holes (both from the left), South's pot, North's pot.
    fn cell(&self, side: Side, hole: i32) -> CellId {
        let m = self.columns();
        (match (side, hole) {
            (Side::First, 0) => 2 * m,
            (Side::Second, 0) => 2 * m + 1,
            (Side::First, hole) => hole as usize - 1,
            (Side::Second, hole) => m + hole as usize - 1,
        }) as CellId
    }
}

impl<const WORDS: usize> View for KalahOf<WORDS> {
    const TITLE: &'static str = "Kalah";
    const BLURB: &'static str = "sow beans, move again, capture; most beans win";
    const RULES_TEXT: &'static str = include_str!("data/rules.md");
    const SEATS: [&'static str; 2] = ["South", "North"];

    fn cells(&self) -> Vec<Cell> {
        let names: Vec<String> = (1..=self.columns()).map(|hole| hole.to_string()).collect();
        sowing::two_rows(&names, &names, ["South's pot", "North's pot"])
    }

    fn targets(&self) -> Vec<String> {
        (0..2 * self.columns()).map(|i| (i % self.columns() + 1).to_string()).collect()
    }

    fn marks(&self, pos: &PositionOf<WORDS>) -> Vec<Mark> {
        let mut marks = Vec::new();
        for side in Side::BOTH {
            for hole in 0..=self.columns() as i32 {
                let count = pos.board.beans(side, hole).unwrap_or(0);
                marks.push(Mark { cell: self.cell(side, hole), token: Token::Count(count) });
            }
        }
        marks
    }

    fn path(&self, pos: &PositionOf<WORDS>, mv: Hole) -> Vec<Target> {
        vec![self.cell(pos.turn, i32::from(mv.0))]
    }

    fn touched(&self, before: &PositionOf<WORDS>, mv: Hole) -> Vec<CellId> {
        let mut after = before.board.clone();
        let own = self.cell(before.turn, i32::from(mv.0));
        let _ = after.sow(before.turn, i32::from(mv.0));
        let mut cells = vec![own];
        for side in Side::BOTH {
            let grew = |hole: &i32| after.beans(side, *hole) > before.board.beans(side, *hole);
            cells.extend((0..=self.columns() as i32).filter(grew).map(|hole| self.cell(side, hole)));
        }
        cells.dedup();
        cells
    }

    fn steps(&self, before: &PositionOf<WORDS>, mv: Hole) -> Vec<Step> {
        let side = before.turn;
        let pot = self.cell(side, 0);
        let mut steps = self.sowing(before, mv);
        let mut board = before.board.clone();
        let (landing, taken) = self.sow_and_capture(&mut board, side, mv);
        if let (Landing::OwnEmptyHole { lane, .. }, 1..) = (landing, taken) {
            let last = board.hole_of(side, lane);
            let opposite = Step::between(self.cell(side.other(), last), pot, taken - 1);
            steps.push(Step::between(self.cell(side, last), pot, 1));
            steps.extend((taken > 1).then_some(opposite));
        }
        if Side::BOTH.into_iter().any(|side| board.beans_in_play(side) == 0) {
            steps.extend(Side::BOTH.into_iter().flat_map(|side| self.sweeping(&board, side)));
        }
        steps
    }

    fn events(
        &self,
        before: &PositionOf<WORDS>,
        mv: Hole,
        names: [&str; 2],
    ) -> Vec<Staged<PositionOf<WORDS>>> {
        let side = before.turn;
        let name = names[side.index()];
        let mut sown = before.board.clone();
        let _ = sown.sow(side, i32::from(mv.0));
        let mut board = before.board.clone();
        let (landing, taken) = self.sow_and_capture(&mut board, side, mv);
        let mut events = Vec::new();
        if let (Landing::OwnEmptyHole { lane, .. }, 1..) = (landing, taken) {
            let hole = board.hole_of(side, lane);
            let cells = vec![self.cell(side, hole), self.cell(side.other(), hole)];
            let shown = PositionOf { board: sown, turn: side };
            let text = format!("{name} captures {}.", sowing::counted(taken, "bean"));
            let event = BoardEvent::new(BoardEvent::CAPTURE, text, cells);
            events.push(Staged { before: Some(shown), event });
        }
        if Side::BOTH.into_iter().any(|side| board.beans_in_play(side) == 0) {
            events.extend(self.sweeps(&PositionOf { board, turn: side }, names));
        } else if landing == Landing::OwnPot {
            let text = format!("{name} gets another turn.");
            let event = BoardEvent::new(BoardEvent::ANOTHER_TURN, text, vec![self.cell(side, 0)]);
            events.push(Staged { before: None, event });
        }
        events
    }

    fn draw(&self, pos: &PositionOf<WORDS>, options: &PictureOptions<'_>) -> Picture {
        let [south, north] = Side::BOTH.map(|side| self.row(&pos.board, side, options));
        sowing::draw(&south, &north, options.audience.width)
    }

    fn scores(&self, pos: &PositionOf<WORDS>) -> Option<[u16; 2]> {
        Some(Side::BOTH.map(|side| pos.board.pot(side)))
    }

    fn prompt(&self, _side: Side) -> String {
        format!("hole (1-{})", self.columns())
    }

    fn move_help(&self, _side: Side) -> String {
        format!("the number of a hole with beans, 1-{}", self.columns())
    }

    fn describe(&self, margin: Margin) -> String {
        sowing::described(margin, "bean")
    }
}

impl<const WORDS: usize> KalahOf<WORDS> {
    /// The sweep at the end, for the side that has beans left; no event if neither has.
    fn sweeps(&self, over: &PositionOf<WORDS>, names: [&str; 2]) -> Vec<Staged<PositionOf<WORDS>>> {
        let left = |side: Side| over.board.beans_in_play(side);
        let sides = Side::BOTH.into_iter().filter(|&side| left(side) > 0);
        let sweep = |side: Side| {
            let beans = sowing::counted(left(side), "bean");
            let text = format!("Sweeping {beans} into {}'s pot.", names[side.index()]);
            let event = BoardEvent::new(BoardEvent::SWEEP, text, self.filled(&over.board, side));
            Staged { before: Some(over.clone()), event }
        };
        sides.map(sweep).collect()
    }

    /// The steps of sowing a hole: own holes, the own pot, the other side's holes, and round again.
    fn sowing(&self, before: &PositionOf<WORDS>, mv: Hole) -> Vec<Step> {
        let (side, hole) = (before.turn, i32::from(mv.0));
        let lanes = |side: Side| {
            (0..self.columns()).map(move |lane| self.cell(side, before.board.hole_of(side, lane)))
        };
        let mut round: Vec<CellId> =
            lanes(side).chain([self.cell(side, 0)]).chain(lanes(side.other())).collect();
        let from = self.cell(side, hole);
        let next = round.iter().position(|&cell| cell == from).map_or(0, |place| place + 1);
        round.rotate_left(next);
        sowing::sow_steps(from, before.board.beans(side, hole).unwrap_or(0), &round)
    }

    /// The steps by which a side collects the beans in its holes.
    fn sweeping(&self, board: &BoardOf<WORDS>, side: Side) -> Vec<Step> {
        let pot = self.cell(side, 0);
        let holes = (1..).zip(board.holes_of(side)).filter(|&(_, beans)| beans > 0);
        holes.map(|(hole, beans)| Step::between(self.cell(side, hole), pot, beans)).collect()
    }

    /// The cells of a side's holes that have beans.
    fn filled(&self, board: &BoardOf<WORDS>, side: Side) -> Vec<CellId> {
        let holes = 1..=self.columns() as i32;
        let filled = holes.filter(|&hole| board.beans(side, hole).unwrap_or(0) > 0);
        filled.map(|hole| self.cell(side, hole)).collect()
    }

    fn row<'a>(&self, board: &BoardOf<WORDS>, side: Side, options: &PictureOptions<'a>) -> sowing::Row<'a> {
        let shown =
            |hole| (board.beans(side, hole).unwrap_or(0), options.last.contains(&self.cell(side, hole)));
        let holes = 1..=self.columns() as i32;
        sowing::Row {
            name: options.audience.names[side.index()],
            labels: holes.clone().map(|hole| hole.to_string()).collect(),
            pits: holes.map(shown).collect(),
            store: shown(0),
        }
    }
}
