//! Where everything lies: cells in grid units become rectangles in the units of a picture, 100 to a cell, inside a frame.
//!
//! ```text
//!   +---------------------------+   frame: names of pits, rows, columns
//!   |   1    2    3    4        |
//!   |  (4)  (4)  (4)  (4)       |   band: counts, on the outer side of each pit
//!   |   O    O    O    O        |
//! ```

use crate::Scene;
use parlor_core::{Cell, Shape, Target};

/// Side length of a cell.
const CELL: f64 = 100.0;
/// The room for a count above or below a pit.
pub(crate) const BAND: f64 = 36.0;
/// Space for the shadow around the frame.
const AIR: f64 = 10.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
}

impl Rect {
    pub fn centre(&self) -> (f64, f64) {
        (self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// The rectangle, smaller by `by` on every side.
    pub fn inset(&self, by: f64) -> Rect {
        Rect { x: self.x + by, y: self.y + by, w: self.w - 2.0 * by, h: self.h - 2.0 * by }
    }

    fn around(self, other: Rect) -> Rect {
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let right = (self.x + self.w).max(other.x + other.w);
        let bottom = (self.y + self.h).max(other.y + other.h);
        Rect { x, y, w: right - x, h: bottom - y }
    }
}

/// The geometry of one board.
pub(crate) struct BoardLayout<'a> {
    cells: &'a [Cell],
    columns: f64,
    rows: f64,
    row_height: f64,
    turned: bool,
    /// Larger boards have larger letters, as they are shown smaller.
    pub scale: f64,
}

impl<'a> BoardLayout<'a> {
    pub fn of(scene: &Scene<'a>) -> BoardLayout<'a> {
        let cells = scene.info.cells.as_slice();
        let columns = f64::from(cells.iter().map(|cell| cell.x + cell.w).max().unwrap_or(1));
        let rows = f64::from(cells.iter().map(|cell| cell.y + cell.h).max().unwrap_or(1));
        let any = |shapes: &[Shape]| cells.iter().any(|cell| shapes.contains(&cell.shape));
        let row_height = if any(&[Shape::Pit, Shape::Store]) { CELL + BAND } else { CELL };
        // What is dropped falls down, wherever one sits.
        let turned = scene.turned && !any(&[Shape::Slot]);
        BoardLayout { cells, columns, rows, row_height, turned, scale: (columns / 8.0).clamp(1.0, 1.5) }
    }

    pub fn frame(&self) -> f64 {
        (38.0 * self.scale).round()
    }

    /// Width and height of the picture.
    pub fn size(&self) -> (f64, f64) {
        let inner = self.inner();
        let around = 2.0 * (self.frame() + AIR);
        (inner.w + around, inner.h + around)
    }

    /// The board with its frame.
    pub fn panel(&self) -> Rect {
        self.inner().inset(-self.frame())
    }

    /// The board without its frame.
    pub fn inner(&self) -> Rect {
        let edge = self.frame() + AIR;
        Rect { x: edge, y: edge, w: self.columns * CELL, h: self.rows * self.row_height }
    }

    /// The room of a cell, as it is turned.
    pub fn room(&self, cell: &Cell) -> Rect {
        let [x, y, w, h] = [cell.x, cell.y, cell.w, cell.h].map(f64::from);
        let (x, y) = if self.turned { (self.columns - x - w, self.rows - y - h) } else { (x, y) };
        let inner = self.inner();
        Rect { x: inner.x + x * CELL, y: inner.y + y * self.row_height, w: w * CELL, h: h * self.row_height }
    }

    /// What a cell itself fills of its room: a pit leaves its band free, a large one both.
    pub fn body(&self, cell: &Cell) -> Rect {
        let room = self.room(cell);
        match cell.shape {
            Shape::Pit if self.counts_above(cell) => Rect { y: room.y + BAND, h: room.h - BAND, ..room },
            Shape::Pit => Rect { h: room.h - BAND, ..room },
            Shape::Store => Rect { y: room.y + BAND, h: room.h - 2.0 * BAND, ..room },
            _ => room,
        }
        .inset(if cell.shape == Shape::Square || cell.shape == Shape::DarkSquare {
            0.0
        } else {
            5.0
        })
    }

    /// Counts stand on the outer side of a pit; of two that lie half way, the left one has it above.
    pub fn counts_above(&self, cell: &Cell) -> bool {
        let ((x, y), (middle, half)) = (self.room(cell).centre(), self.inner().centre());
        y < half - 1.0 || (y < half + 1.0 && x < middle)
    }

    /// The middle of the band beside a pit.
    pub fn count_place(&self, cell: &Cell) -> (f64, f64) {
        let room = self.room(cell);
        let y = if self.counts_above(cell) { room.y + BAND / 2.0 } else { room.y + room.h - BAND / 2.0 };
        (room.centre().0, y)
    }

    /// The cells of a target.
    pub fn cells_of(&self, target: Target) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(move |cell| cell.target == Some(target))
    }

    /// What a target fills; none where it has no cell.
    pub fn extent(&self, target: Target) -> Option<Rect> {
        self.cells_of(target).map(|cell| self.body(cell)).reduce(Rect::around)
    }

    /// What most of the board is made of, as the stylesheet calls it.
    pub fn material(&self) -> &'static str {
        let count = |of: fn(Shape) -> bool| self.cells.iter().filter(|cell| of(cell.shape)).count();
        let pits = count(|shape| matches!(shape, Shape::Pit | Shape::Store));
        let slots = count(|shape| shape == Shape::Slot);
        match (2 * pits > self.cells.len(), 2 * slots > self.cells.len()) {
            (true, _) => "pits",
            (_, true) => "slots",
            _ => "squares",
        }
    }

    /// Whether a board is so wide or so tall that it does not fit into a usual window.
    pub fn form(&self) -> &'static str {
        match (self.columns, self.rows) {
            (columns, rows) if columns > 24.0 && rows < columns => " wide huge",
            (columns, rows) if columns > 11.0 && rows < columns => " wide",
            (columns, rows) if rows > 2.0 * columns && rows > 8.0 => " tall",
            _ => "",
        }
    }
}

/// A number as a picture writes it: one digit behind the point, none where it is 0.
pub(crate) fn short(number: f64) -> String {
    let rounded = (number * 10.0).round() / 10.0;
    // There is one zero.
    if rounded == 0.0 { "0".to_string() } else { rounded.to_string() }
}
