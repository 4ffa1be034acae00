//! Shared parts of the views of the two sowing games: the layout and drawing of a board with two rows, and counts in words. It
//! has no rules.

use parlor_core::{Cell, CellId, Margin, Picture, PictureLine, Shape, Step, Stress, Target, Tone};

/// `1 bean`, `3 beans`.
pub(crate) fn counted(count: u16, unit: &str) -> String {
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// `3 beans ahead`, `1 bean behind`, `draw`.
pub(crate) fn described(margin: Margin, unit: &str) -> String {
    let amount = counted(margin.0.unsigned_abs(), unit);
    match margin.0 {
        0 => "draw".to_string(),
        1.. => format!("{amount} ahead"),
        _ => format!("{amount} behind"),
    }
}

/// Larger sowings are listed as whole rounds first, so that the list of steps stays short.
const ONE_BY_ONE: u16 = 256;

/// The steps of sowing all counters of a cell. `round` has the cells in the order of sowing, from the first one on, and is
/// repeated as needed.
pub(crate) fn sow_steps(from: CellId, count: u16, round: &[CellId]) -> Vec<Step> {
    let laps = if count > ONE_BY_ONE { count / round.len() as u16 } else { 0 };
    let whole = round.iter().filter(|_| laps > 0).map(|&to| Step::between(from, to, laps));
    let rest = usize::from(count) - usize::from(laps) * round.len();
    let single = round.iter().cycle().take(rest).map(|&to| Step::between(from, to, 1));
    whole.chain(single).collect()
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

/// One player's side of the board from left to right as drawn. Cells that were just touched are highlighted.
pub(crate) struct Row<'a> {
    pub name: &'a str,
    /// Names of the pits.
    pub labels: Vec<String>,
    /// Counters in each pit, and whether it was touched.
    pub pits: Vec<(u16, bool)>,
    /// The same for the store.
    pub store: (u16, bool),
}

impl Row<'_> {
    /// The number of digits for the pits and for the store; small boards are drawn for two digits.
    fn digits(&self) -> [usize; 2] {
        let digits = |count: u16| count.to_string().len().max(2);
        [self.pits.iter().map(|&(count, _)| digits(count)).max().unwrap_or(2), digits(self.store.0)]
    }
}

/// The widths of the numbers of a board: every cell has space for the largest.
#[derive(Clone, Copy)]
struct Widths {
    pit: usize,
    store: usize,
}

/// Draws the board with the first side's row below, in `width` characters if possible.
pub(crate) fn draw(bottom: &Row<'_>, top: &Row<'_>, width: usize) -> Picture {
    let [[a, b], [c, d]] = [bottom.digits(), top.digits()];
    let widths = Widths { pit: a.max(c), store: b.max(d) };
    // After a sweep nothing is highlighted: zeros everywhere do not show the move.
    let swept = [bottom, top].iter().all(|row| row.pits.iter().all(|&(count, _)| count == 0));
    let needed = bottom.pits.len() * (widths.pit + 3) + 2 * widths.store + 6;
    let drawing = Drawing { bottom, top, widths, swept };
    if needed <= width { drawing.wide() } else { drawing.narrow(width) }
}

struct Drawing<'a> {
    bottom: &'a Row<'a>,
    top: &'a Row<'a>,
    widths: Widths,
    swept: bool,
}

impl Drawing<'_> {
    /// ```text
    ///                     North
    ///         1    2    3    4    5    6
    ///       ( 4) ( 4) ( 4) ( 4) ( 4) ( 4)
    ///  [ 0]                               [ 0]
    ///       ( 4) ( 4) ( 4) ( 4) ( 4) ( 4)
    ///         1    2    3    4    5    6
    ///                     South
    /// ```
    fn wide(&self) -> Picture {
        let Widths { pit, store } = self.widths;
        let room = self.bottom.pits.len() * (pit + 3) + 1;
        let middle = room + 2 * store + 6;
        let labels = |row: &Row<'_>| {
            let padded: String = row.labels.iter().map(|label| format!("{label:>0$}", pit + 3)).collect();
            format!("{}{padded}", " ".repeat(store + 2))
        };
        let mut picture = Picture::new();
        centred(picture.line(), self.top.name, middle, Tone::Second);
        picture.line().push(Tone::Faint, labels(self.top));
        self.pits(picture.line(), Tone::Second, self.top);
        let line = picture.line();
        line.push(Tone::Faint, " [");
        number(line, Tone::Second, self.top.store, store);
        line.push(Tone::Faint, format!("]{}[", " ".repeat(room)));
        number(line, Tone::First, self.bottom.store, store);
        line.push(Tone::Faint, "]");
        self.pits(picture.line(), Tone::First, self.bottom);
        picture.line().push(Tone::Faint, labels(self.bottom));
        centred(picture.line(), self.bottom.name, middle, Tone::First);
        picture
    }

    /// Draws one row of pits, `( 4) ( 0) …`: brackets faint, counts in the side's tone, touched pits highlighted.
    fn pits(&self, line: &mut PictureLine, tone: Tone, row: &Row<'_>) {
        line.push(Tone::Faint, " ".repeat(self.widths.store + 4));
        for (i, &(count, touched)) in row.pits.iter().enumerate() {
            line.push(Tone::Faint, if i == 0 { "(" } else { " (" });
            self.pit(line, tone, (count, touched), self.widths.pit);
            line.push(Tone::Faint, ")");
        }
    }

    fn pit(&self, line: &mut PictureLine, tone: Tone, (count, touched): (u16, bool), width: usize) {
        let tone = if count == 0 { Tone::Faint } else { tone };
        number(line, tone, (count, touched && !self.swept), width);
    }

    /// Draws a board that is too wide for the screen: as many characters per pit as its numbers need, and the stores beside the
    /// names. Rows that are still too wide continue below:
    ///
    /// ```text
    ///   North  [4080]
    ///     1  2  3  4
    ///     0  7  4  4
    ///     1  2  4  4
    ///
    ///     5  6
    ///     4  4
    ///     4  4
    ///   South  [12]
    /// ```
    fn narrow(&self, width: usize) -> Picture {
        let room = self.widths.pit + 1;
        let pits = self.bottom.pits.len();
        let at_once = (width / room).clamp(1, pits.max(1));
        let labels = |row: &Row<'_>, from: usize| {
            let shown = row.labels.iter().skip(from).take(at_once);
            shown.map(|label| format!("{label:>room$}")).collect::<String>()
        };
        let named = |line: &mut PictureLine, tone: Tone, row: &Row<'_>| {
            line.push(tone, row.name).push(Tone::Faint, "  [");
            number(line, tone, row.store, 0);
            line.push(Tone::Faint, "]");
        };
        let counts = |line: &mut PictureLine, tone: Tone, row: &Row<'_>, from: usize| {
            row.pits.iter().skip(from).take(at_once).for_each(|&pit| self.pit(line, tone, pit, room));
        };
        let mut picture = Picture::new();
        named(picture.line(), Tone::Second, self.top);
        for from in (0..pits).step_by(at_once) {
            if from > 0 {
                picture.line();
            }
            picture.line().push(Tone::Faint, labels(self.top, from));
            counts(picture.line(), Tone::Second, self.top, from);
            counts(picture.line(), Tone::First, self.bottom, from);
            // Two rows of labels if they differ or if there is only one block.
            if at_once == pits || self.top.labels != self.bottom.labels {
                picture.line().push(Tone::Faint, labels(self.bottom, from));
            }
        }
        named(picture.line(), Tone::First, self.bottom);
        picture
    }
}

/// Draws a number right-aligned; only the number is highlighted.
fn number(line: &mut PictureLine, tone: Tone, (count, touched): (u16, bool), width: usize) {
    let text = count.to_string();
    line.push(Tone::Plain, " ".repeat(width.saturating_sub(text.len())));
    line.point_out(tone, if touched { Stress::Touched } else { Stress::None }, text);
}

fn centred(line: &mut PictureLine, text: &str, width: usize, tone: Tone) {
    let room = width.saturating_sub(text.chars().count());
    line.push(Tone::Plain, " ".repeat(room / 2)).push(tone, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, pits: [u16; 3], store: u16) -> Row<'_> {
        let labels = (1..=3).map(|hole: u16| hole.to_string()).collect();
        Row { name, labels, pits: pits.map(|count| (count, true)).to_vec(), store: (store, true) }
    }

    #[test]
    fn large_numbers_keep_their_columns_in_both_forms() {
        let (bottom, top) = (row("South", [1, 255, 1000], 12), row("North", [0, 7, 90], 4080));
        let lines = [
            "               North",
            "            1      2      3",
            "        (   0) (   7) (  90)",
            " [4080]                      [  12]",
            "        (   1) ( 255) (1000)",
            "            1      2      3",
            "               South",
        ];
        assert_eq!(draw(&bottom, &top, 80).to_string(), lines.join("\n") + "\n");
        let lines = [
            "North  [4080]",
            "    1    2    3",
            "    0    7   90",
            "    1  255 1000",
            "    1    2    3",
            "South  [12]",
        ];
        assert_eq!(draw(&bottom, &top, 20).to_string(), lines.join("\n") + "\n");
    }

    #[test]
    fn counters_are_sown_one_by_one_and_large_heaps_by_rounds() {
        let to = |steps: Vec<Step>| steps.iter().map(|step| (step.to, step.count)).collect::<Vec<_>>();
        assert_eq!(to(sow_steps(9, 4, &[1, 2, 3])), [(Some(1), 1), (Some(2), 1), (Some(3), 1), (Some(1), 1)]);
        let heap = to(sow_steps(9, 301, &[1, 2, 3]));
        assert_eq!(heap, [(Some(1), 100), (Some(2), 100), (Some(3), 100), (Some(1), 1)]);
        assert_eq!(sow_steps(9, 256, &[1, 2, 3]).len(), 256);
    }

    #[test]
    fn a_board_wider_than_the_screen_continues_below() {
        let (bottom, top) = (row("South", [1, 255, 1000], 12), row("North", [0, 7, 90], 4080));
        let lines = [
            "North  [4080]",
            "    1    2",
            "    0    7",
            "    1  255",
            "",
            "    3",
            "   90",
            " 1000",
            "South  [12]",
        ];
        assert_eq!(draw(&bottom, &top, 12).to_string(), lines.join("\n") + "\n");
    }

    #[test]
    fn what_was_touched_keeps_its_owners_tone_and_a_swept_board_points_out_no_pit() {
        let stressed = |picture: Picture| -> Vec<(String, Tone)> {
            let spans = picture.0.into_iter().flat_map(|line| line.0);
            spans.filter(|span| span.stress != Stress::None).map(|span| (span.text, span.tone)).collect()
        };
        let own = |text: &str, tone| (text.to_string(), tone);
        let (bottom, top) = (row("South", [4, 0, 0], 3), row("North", [0; 3], 5));
        let seen = stressed(draw(&bottom, &top, 80));
        assert!(seen.contains(&own("4", Tone::First)) && seen.contains(&own("0", Tone::Faint)), "{seen:?}");
        let (bottom, top) = (row("South", [0; 3], 3), row("North", [0; 3], 5));
        assert_eq!(
            stressed(draw(&bottom, &top, 80)),
            [own("5", Tone::Second), own("3", Tone::First)],
            "only the stores"
        );
    }
}
