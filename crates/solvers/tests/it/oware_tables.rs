//! Oware's tables: published counts, the certificate of every entry, and bounds against the whole truth where that can be
//! had: plain negamax with real repetition.

use parlor_core::{Bounds, Game, Indexed, Margin, Oracle};
use parlor_games::oware::{Oware, Position, RuleSet};
use parlor_solvers::oware::OwareFiller;
use parlor_tables::{EndgameTable, Filler, Work, verify};
use std::{
    collections::HashMap,
    env, fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64},
};

fn table(rules: RuleSet, top: u32, threads: usize) -> EndgameTable<Oware> {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads, stop: &stop, done: &done };
    EndgameTable::in_memory(&Oware::by(rules), top, &OwareFiller, &work).expect("not stopped")
}

/// Counts of our own for small layers, as published: layer, value, count.
const COUNTS: [(u32, i8, u64); 12] = [
    (0, 0, 1),
    (1, -1, 7),
    (1, 1, 5),
    (2, -2, 40),
    (2, 0, 13),
    (2, 2, 25),
    (3, -3, 177),
    (3, -1, 1),
    (3, 0, 63),
    (3, 1, 7),
    (3, 3, 116),
    (4, -4, 532),
];

#[test]
fn awari_has_the_published_counts() {
    let table = table(RuleSet::Awari, 9, 2);
    for (layer, value, count) in COUNTS {
        assert!(table.histogram(layer).contains(&([value; 2], count)), "{layer} {value}");
    }
    let Some(folder) = env::var_os("PARLOR_REFERENCE") else {
        // The counts above stand on their own.
        return;
    };
    let text = fs::read_to_string(Path::new(&folder).join("awari-lincke.tsv")).expect("the reference");
    let mut rows = 0;
    for line in text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
        let numbers: Vec<i64> = line.split('\t').map(|word| word.parse().expect("a number")).collect();
        let [layer, value, count] = numbers[..] else { panic!("{line}") };
        if layer as u32 <= table.top() {
            let found = table.histogram(layer as u32);
            assert!(found.contains(&([value as i8; 2], count as u64)), "{line}: {found:?}");
            rows += 1;
        }
    }
    assert!(rows > 60, "{rows} rows");
}

#[test]
fn one_thread_and_two_give_the_same_bytes() {
    for rules in [RuleSet::Awari, RuleSet::Abapa] {
        assert_eq!(table(rules, 7, 1).layers(), table(rules, 7, 2).layers(), "{rules:?}");
    }
}

#[test]
fn every_entry_is_certified() {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 2, stop: &stop, done: &done };
    for (rules, top) in [(RuleSet::Awari, 7), (RuleSet::Abapa, 9)] {
        let table = table(rules, top, 2);
        let found = verify(&table, None, &work).unwrap_or_else(|bad| panic!("{rules:?}: {bad}"));
        assert!(found.whole);
    }
}

/// Corrupts an entry.
type Change = fn(i8) -> i8;

/// Fills as it should, and then changes one plane of a layer.
struct Spoilt {
    layer: u32,
    plane: usize,
    change: Change,
}

impl Filler<Oware> for Spoilt {
    fn fill(&self, game: &Oware, layer: u32, below: &[&[i8]], out: &mut [i8], work: &Work<'_>) -> bool {
        let filled = OwareFiller.fill(game, layer, below, out, work);
        if layer == self.layer {
            let len = out.len() / game.planes();
            let plane = &mut out[self.plane * len..(self.plane + 1) * len];
            plane.iter_mut().for_each(|entry| *entry = (self.change)(*entry));
        }
        filled
    }
}

#[test]
fn promises_without_progress_are_refused() {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 1, stop: &stop, done: &done };
    let game = Oware::by(RuleSet::Abapa);
    // All as near as can be, none near, all equally far, one side ahead of the other, and bounds that are too good.
    let spoilt: [(usize, Change); 6] =
        [(3, |_| 0), (4, |_| -1), (3, |_| 9), (3, |at| at / 2), (0, |lo| lo + 2), (1, |hi| hi - 2)];
    for (plane, change) in spoilt {
        let filler = Spoilt { layer: 4, plane, change };
        let table = EndgameTable::in_memory(&game, 4, &filler, &work).expect("a table");
        assert!(verify(&table, None, &work).is_err(), "plane {plane}");
    }
}

/// The true values of positions that were just entered by a capture: negamax that ends at the first repetition. It gives up
/// where there are too many positions to visit.
struct Truth {
    game: Oware,
    entered: HashMap<u64, Option<i16>>,
    left: u64,
}

impl Truth {
    fn of(&mut self, pos: &Position) -> Option<i16> {
        let key = u64::from(self.game.layer(pos)) << 48 | self.game.index(pos);
        if let Some(&known) = self.entered.get(&key) {
            return known;
        }
        self.left = 20_000;
        let value = self.walk(pos, &mut vec![*pos], [-48, 48]);
        self.entered.insert(key, value);
        value
    }

    /// What is still to be won, if it is between these; else which of them it is beyond.
    fn walk(&mut self, pos: &Position, line: &mut Vec<Position>, [mut alpha, beta]: [i16; 2]) -> Option<i16> {
        self.left = self.left.checked_sub(1)?;
        let Margin(banked) = self.game.banked(pos);
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut best: Option<i16> = None;
        for mv in moves {
            let mut next = *pos;
            self.game.play(&mut next, mv);
            let value = if let Some(Margin(end)) = self.game.result(&next) {
                end
            } else if self.game.layer(&next) < self.game.layer(pos) {
                let (left, Margin(now)) = (self.left, self.game.banked(&next));
                let rest = self.of(&next)?;
                self.left = left;
                now + rest
            } else if line.contains(&next) {
                self.game.repetition_payoff(&next)?.0
            } else {
                line.push(next);
                let rest = self.walk(&next, line, [-beta, -alpha]);
                line.pop();
                self.game.banked(&next).0 + rest?
            };
            best = best.max(Some(-value - banked));
            alpha = alpha.max(-value - banked);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

#[test]
fn bounds_contain_what_real_repetition_gives() {
    let table = table(RuleSet::Abapa, 4, 2);
    let game = Oware::by(RuleSet::Abapa).family();
    let mut truth = Truth { game: game.clone(), entered: HashMap::new(), left: 0 };
    let (mut finished, mut all) = (0, 0);
    for layer in 0..=4 {
        for index in 0..game.len(layer) {
            let pos = Indexed::position(&game, layer, index).expect("a position");
            if game.result(&pos).is_some() {
                continue;
            }
            all += 1;
            let Some(value) = truth.of(&pos) else { continue };
            let Bounds { lo, hi } = table.probe(&game, &pos).expect("in the table");
            assert!((lo.0..=hi.0).contains(&value), "{pos:?}: {value} not in {lo:?} {hi:?}");
            finished += 1;
        }
    }
    assert!(finished > 500, "{finished} of {all}");
}
