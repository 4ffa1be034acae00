//! What the two sowing games share: how a board of two rows lies on the screen, how it is drawn, and how counts are put into
//! words. It knows no rules, not even whose seeds are whose.

use parlor_play::{Cell, Line, Margin, Picture, Shape, Target, Tone};

/// `1 bean`, `3 beans`.
pub(crate) fn counted(count: u16, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// `3 beans ahead`, `1 bean behind`, `a draw`.
pub(crate) fn described(margin: Margin, unit: &str) -> String {
    let amount = counted(margin.0.unsigned_abs(), unit);
    match margin.0 {
        0 => "a draw".to_string(),
        1.. => format!("{amount} ahead"),
        _ => format!("{amount} behind"),
    }
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

/// One player's side of the board, everything as it is drawn from left to right. What was just touched is pointed out.
pub(crate) struct Row<'a> {
    /// The player.
    pub name: &'a str,
    /// What the pits are called.
    pub labels: Vec<String>,
    /// Counters in each pit, and whether it was touched.
    pub pits: Vec<(u16, bool)>,
    /// The same for the store.
    pub store: (u16, bool),
}

/// The board with the first side's row below, in `width` characters if it can be done.
pub(crate) fn draw(bottom: &Row<'_>, top: &Row<'_>, width: usize) -> Picture {
    if 5 * bottom.pits.len() + 10 <= width { draw_wide(bottom, top) } else { draw_narrow(bottom, top) }
}

/// ```text
///                     North
///         1    2    3    4    5    6
///       ( 4) ( 4) ( 4) ( 4) ( 4) ( 4)
///  [ 0]                               [ 0]
///       ( 4) ( 4) ( 4) ( 4) ( 4) ( 4)
///         1    2    3    4    5    6
///                     South
/// ```
fn draw_wide(bottom: &Row<'_>, top: &Row<'_>) -> Picture {
    let columns = bottom.pits.len();
    let labels = |row: &Row<'_>| {
        let padded: String = row.labels.iter().map(|label| format!("{label:>5}")).collect();
        format!("    {padded}")
    };
    let store = |line: &mut Line, (count, touched), own| {
        line.push(if touched { Tone::Last } else { own }, format!("{count:2}"));
    };
    let mut picture = Picture::new();
    centred(picture.line(), top.name, 5 * columns + 11, Tone::Second);
    picture.line().push(Tone::Faint, labels(top));
    pits(picture.line(), Tone::Second, &top.pits);
    let line = picture.line();
    line.push(Tone::Faint, " [");
    store(line, top.store, Tone::Second);
    line.push(Tone::Faint, format!("]{}[", " ".repeat(5 * columns + 1)));
    store(line, bottom.store, Tone::First);
    line.push(Tone::Faint, "]");
    pits(picture.line(), Tone::First, &bottom.pits);
    picture.line().push(Tone::Faint, labels(bottom));
    centred(picture.line(), bottom.name, 5 * columns + 11, Tone::First);
    picture
}

/// Three characters a pit and the stores beside the names, for boards too wide for the screen.
fn draw_narrow(bottom: &Row<'_>, top: &Row<'_>) -> Picture {
    let named = |row: &Row<'_>| format!("{}  [{}]", row.name, row.store.0);
    let labels = |row: &Row<'_>| row.labels.iter().map(|label| format!("{label:>3}")).collect::<String>();
    let counts = |row: &Row<'_>| row.pits.iter().map(|(count, _)| format!("{count:3}")).collect::<String>();
    let mut picture = Picture::new();
    picture.line().push(Tone::Second, named(top));
    picture.line().push(Tone::Faint, labels(top));
    picture.line().push(Tone::Second, counts(top));
    picture.line().push(Tone::First, counts(bottom));
    picture.line().push(Tone::Faint, labels(bottom));
    picture.line().push(Tone::First, named(bottom));
    picture
}

/// One row of pits, `( 4) ( 0) …`: brackets faint, counts in the side's tone, those just touched pointed out.
fn pits(line: &mut Line, tone: Tone, counts: &[(u16, bool)]) {
    line.push(Tone::Faint, "      ");
    for (i, &(count, touched)) in counts.iter().enumerate() {
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

fn centred(line: &mut Line, text: &str, width: usize, tone: Tone) {
    let room = width.saturating_sub(text.chars().count());
    line.push(Tone::Plain, " ".repeat(room / 2)).push(tone, text);
}
