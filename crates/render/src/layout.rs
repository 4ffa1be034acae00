//! The geometry of a picture: converts cells in grid units to rectangles in SVG units, 100 per cell, inside a frame.
//!
//! ```text
//!   +---------------------------+   frame: names of pits, rows, columns
//!   |   1    2    3    4        |
//!   |  (4)  (4)  (4)  (4)       |   band: counts, on the outer side of each pit
//!   |   O    O    O    O        |
//! ```

use crate::Scene;
use parlor_core::{Cell, Shape, Target};

/// Side length of a cell in SVG units.
const CELL: f64 = 100.0;
/// Height of the band above or below a pit, which shows its count.
pub(crate) const BAND: f64 = 36.0;
/// Space for the shadow around the frame.
const SHADOW: f64 = 10.0;

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

    /// The rectangle reduced by `by` on every side.
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
    /// Scale of the letters: larger on larger boards, because those are displayed smaller.
    pub scale: f64,
}

impl<'a> BoardLayout<'a> {
    pub fn of(scene: &Scene<'a>) -> BoardLayout<'a> {
        let cells = scene.info.cells.as_slice();
        let columns = f64::from(cells.iter().map(|cell| cell.x + cell.w).max().unwrap_or(1));
        let rows = f64::from(cells.iter().map(|cell| cell.y + cell.h).max().unwrap_or(1));
        let any = |shapes: &[Shape]| cells.iter().any(|cell| shapes.contains(&cell.shape));
        let row_height = if any(&[Shape::Pit, Shape::Store]) { CELL + BAND } else { CELL };
        // Pieces that are dropped fall downwards for both players.
        let turned = scene.turned && !any(&[Shape::Slot]);
        BoardLayout { cells, columns, rows, row_height, turned, scale: (columns / 8.0).clamp(1.0, 1.5) }
    }

    pub fn frame(&self) -> f64 {
        (38.0 * self.scale).round()
    }

    /// Width and height of the picture.
    pub fn size(&self) -> (f64, f64) {
        let inner = self.inner();
        let around = 2.0 * (self.frame() + SHADOW);
        (inner.w + around, inner.h + around)
    }

    /// The rectangle of the board with its frame.
    pub fn panel(&self) -> Rect {
        self.inner().inset(-self.frame())
    }

    /// The rectangle of the board without its frame.
    pub fn inner(&self) -> Rect {
        let edge = self.frame() + SHADOW;
        Rect { x: edge, y: edge, w: self.columns * CELL, h: self.rows * self.row_height }
    }

    /// The grid rectangle of a cell, on a turned board its opposite one.
    pub fn room(&self, cell: &Cell) -> Rect {
        let [x, y, w, h] = [cell.x, cell.y, cell.w, cell.h].map(f64::from);
        let (x, y) = if self.turned { (self.columns - x - w, self.rows - y - h) } else { (x, y) };
        let inner = self.inner();
        Rect { x: inner.x + x * CELL, y: inner.y + y * self.row_height, w: w * CELL, h: h * self.row_height }
    }

    /// The part of [`BoardLayout::room`] in which the cell is drawn: a pit leaves out its band, a store both bands.
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

    /// Whether the count of a pit is above it. Counts are on the outer side; in the middle row, left pits have them
    /// above.
    pub fn counts_above(&self, cell: &Cell) -> bool {
        let ((x, y), (middle, half)) = (self.room(cell).centre(), self.inner().centre());
        y < half - 1.0 || (y < half + 1.0 && x < middle)
    }

    /// The centre of the band beside a pit.
    pub fn count_position(&self, cell: &Cell) -> (f64, f64) {
        let room = self.room(cell);
        let y = if self.counts_above(cell) { room.y + BAND / 2.0 } else { room.y + room.h - BAND / 2.0 };
        (room.centre().0, y)
    }

    pub fn cells_of(&self, target: Target) -> impl Iterator<Item = &'a Cell> {
        self.cells.iter().filter(move |cell| cell.target == Some(target))
    }

    /// The smallest rectangle around the cells of a target; `None` for a target without cells.
    pub fn bounds(&self, target: Target) -> Option<Rect> {
        self.cells_of(target).map(|cell| self.body(cell)).reduce(Rect::around)
    }

    /// The CSS class for the most frequent shape of the cells.
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

    /// The CSS classes of a board that is too wide or too tall for an ordinary window.
    pub fn proportions(&self) -> &'static str {
        match (self.columns, self.rows) {
            (columns, rows) if columns > 24.0 && rows < columns => " wide huge",
            (columns, rows) if columns > 11.0 && rows < columns => " wide",
            (columns, rows) if rows > 2.0 * columns && rows > 8.0 => " tall",
            _ => "",
        }
    }
}

/// Formats a number with at most one decimal place.
pub(crate) fn short(number: f64) -> String {
    let rounded = (number * 10.0).round() / 10.0;
    // Avoids `-0`.
    if rounded == 0.0 { "0".to_string() } else { rounded.to_string() }
}
