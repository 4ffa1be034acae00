//! What the two sowing games share: how a row of pits lies on the screen and how counts are put into words.

use parlor_play::{Cell, Line, Shape, Target, Tone};

/// `1 bean`, `3 beans`.
pub(crate) fn counted(count: u16, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// The cells of a board of two rows: the bottom row from the left, the top row from the left, the bottom side's store (at
/// the right), the top side's store (at the left). Targets are numbered as the pits are.
///
/// ```text
///   +---+---+---+---+---+
///   | N | m |m+1|m+2|   |        N, S: stores
///   |   +---+---+---+ S |        0, 1, 2 ...: pits by number
///   |   | 0 | 1 | 2 |   |
///   +---+---+---+---+---+
/// ```
pub(crate) fn two_rows(bottom: &[String], top: &[String], stores: [&str; 2]) -> Vec<Cell> {
    let columns = bottom.len() as u16;
    let pit = |(i, name): (usize, &String), y: u16, first: u16| Cell {
        name: name.clone(),
        x: 1 + i as u16,
        y,
        w: 1,
        h: 1,
        shape: Shape::Pit,
        target: Some(first + i as Target),
    };
    let store = |name: &str, x| Cell {
        name: name.to_string(),
        x,
        y: 0,
        w: 1,
        h: 2,
        shape: Shape::Store,
        target: None,
    };
    let mut cells: Vec<Cell> = bottom.iter().enumerate().map(|item| pit(item, 1, 0)).collect();
    cells.extend(top.iter().enumerate().map(|item| pit(item, 0, columns)));
    cells.push(store(stores[0], columns + 1));
    cells.push(store(stores[1], 0));
    cells
}

/// One row of pits, `( 4) ( 0) …`: brackets faint, counts in the side's tone, those just touched pointed out.
pub(crate) fn pits(line: &mut Line, tone: Tone, counts: impl IntoIterator<Item = (u16, bool)>) {
    for (i, (count, touched)) in counts.into_iter().enumerate() {
        line.push(Tone::Faint, if i == 0 { "(" } else { " (" });
        let tone = if touched {
            Tone::Last
        } else if count == 0 {
            Tone::Faint
        } else {
            tone
        };
        line.push(tone, format!("{count:2}"));
        line.push(Tone::Faint, ")");
    }
}
