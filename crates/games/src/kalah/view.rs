//! Kalah on a screen: two rows of numbered holes between the pots, North above.

use super::{Hole, KalahOf, PositionOf, board::BoardOf, lanes::Landing};
use crate::sowing;
use parlor_core::{
    Cell, CellId, Event, Game, Margin, Mark, Picture, Scene, Side, Staged, Target, Token, View,
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
    const BLURB: &'static str = "sow beans round the board, move again, capture; more beans win";
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

    fn events(&self, before: &PositionOf<WORDS>, mv: Hole) -> Vec<Staged<PositionOf<WORDS>>> {
        let side = before.turn;
        let mut sown = before.board.clone();
        let _ = sown.sow(side, i32::from(mv.0));
        let mut board = before.board.clone();
        let (landing, taken) = self.sow_and_capture(&mut board, side, mv);
        let mut events = Vec::new();
        if let (Landing::OwnEmptyHole { lane, .. }, 1..) = (landing, taken) {
            let hole = board.hole_of(side, lane);
            let cells = vec![self.cell(side, hole), self.cell(side.other(), hole)];
            let shown = PositionOf { board: sown, turn: side };
            events.push(Staged { before: Some(shown), event: Event::Captured { side, count: taken, cells } });
        }
        if Side::BOTH.into_iter().any(|side| board.beans_in_play(side) == 0) {
            events.extend(sweeps(&PositionOf { board, turn: side }));
        } else if landing == Landing::OwnPot {
            events.push(Staged { before: None, event: Event::AnotherTurn { side } });
        }
        events
    }

    fn draw(&self, pos: &PositionOf<WORDS>, scene: &Scene<'_>) -> Picture {
        let [south, north] = Side::BOTH.map(|side| self.row(&pos.board, side, scene));
        sowing::draw(&south, &north, scene.audience.width)
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

    fn tell(&self, event: &Event, names: [&str; 2]) -> String {
        match event {
            Event::AnotherTurn { side } => format!("{} gets another turn.", names[side.index()]),
            Event::Captured { side, count, .. } => {
                format!("{} captures {}.", names[side.index()], sowing::counted(*count, "bean"))
            }
            Event::Swept { side, count } => {
                format!("Sweeping {} into {}'s pot.", sowing::counted(*count, "bean"), names[side.index()])
            }
            _ => String::new(),
        }
    }

    fn describe(&self, margin: Margin) -> String {
        sowing::described(margin, "bean")
    }
}

/// The sweep at the end, told for the side that has beans left; nothing where nobody has.
fn sweeps<const WORDS: usize>(over: &PositionOf<WORDS>) -> Vec<Staged<PositionOf<WORDS>>> {
    let left = |side: Side| over.board.beans_in_play(side);
    let sides = Side::BOTH.into_iter().filter(|&side| left(side) > 0);
    sides
        .map(|side| Staged { before: Some(over.clone()), event: Event::Swept { side, count: left(side) } })
        .collect()
}

impl<const WORDS: usize> KalahOf<WORDS> {
    fn row<'a>(&self, board: &BoardOf<WORDS>, side: Side, scene: &Scene<'a>) -> sowing::Row<'a> {
        let shown =
            |hole| (board.beans(side, hole).unwrap_or(0), scene.last.contains(&self.cell(side, hole)));
        let holes = 1..=self.columns() as i32;
        sowing::Row {
            name: scene.audience.names[side.index()],
            labels: holes.clone().map(|hole| hole.to_string()).collect(),
            pits: holes.map(shown).collect(),
            store: shown(0),
        }
    }
}
