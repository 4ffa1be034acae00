//! Oware against the laws, and the slow reference. `oware_rules.rs` tests each rule.

use crate::common::{Random, game};
use crate::reference::oware::SlowOware;
use parlor_core::{
    Game, Margin, Notation, Side,
    laws::{self, Reference},
    perft,
};
use parlor_games::oware::{Oware, Position, RuleSet};
use parlor_testkit::seed;
use std::collections::{BTreeMap, HashMap};

const SPECS: [&str; 2] = ["oware", "oware:rules=awari"];

#[test]
fn the_laws_hold() {
    crate::common::check_laws::<Oware>(&SPECS, 60);
}

#[test]
fn fast_rules_equal_the_slow_reference() {
    crate::common::check_against::<SlowOware, Oware>(&SPECS, 300);
}

/// A position with few seeds, in which grand slams, feeding and ends are common; it may be over.
fn sparse(random: &mut Random) -> ([u8; 12], [u8; 2], Side) {
    let mut pits = [0; 12];
    let seeds = random.below(24) as u8;
    // Put some of them into one pit, so that laps are long enough to feed and capture at once.
    let pile = random.below(usize::from(seeds) + 1) as u8;
    pits[random.below(12)] += pile;
    for _ in pile..seeds {
        pits[random.below(12)] += 1;
    }
    let first = random.below(usize::from(48 - seeds) + 1) as u8;
    (pits, [first, 48 - seeds - first], Side::BOTH[random.below(2)])
}

#[test]
fn from_thin_positions_too_fast_rules_equal_the_slow_reference_and_the_laws_hold() {
    let mut random = Random(seed(12));
    for round in 0..4000 {
        let awari = round % 2 == 1;
        let game: Oware = game(SPECS[round % 2]);
        let (pits, scores, turn) = sparse(&mut random);
        let start = game.position(pits, scores, turn).expect("48 seeds");
        let mut fast = start;
        let mut slow = SlowOware::from_text(awari, &game.write_position(&start));
        for _ in 0..60 {
            let mut moves = Vec::new();
            game.moves(&fast, &mut moves);
            let texts: Vec<String> = moves.iter().map(|&mv| game.write_move(mv)).collect();
            assert_eq!(texts, slow.moves(), "{fast:?}");
            assert_eq!(game.result(&fast).map(|m| m.0), slow.result(), "{fast:?}");
            if moves.is_empty() {
                break;
            }
            let chosen = random.below(moves.len());
            slow = slow.after(&texts[chosen]);
            game.play(&mut fast, moves[chosen]);
            assert_eq!(game.write_position(&fast), slow.text());
        }
        laws::check_from(&game, start, 60, &mut |n| random.below(n)).unwrap_or_else(|e| panic!("{e}"));
    }
}

fn slow_perft(slow: &SlowOware, depth: u32) -> u64 {
    let moves = slow.moves();
    match depth {
        1 => moves.len() as u64,
        _ => moves.iter().map(|mv| slow_perft(&slow.after(mv), depth - 1)).sum(),
    }
}

#[test]
fn perft_by_the_slow_reference_is_the_same_from_the_start_and_from_the_middle() {
    let middle = "0-2-0-1-1-3-1-0-2-0-1-2-18-17-S";
    for (spec, awari) in SPECS.into_iter().zip([false, true]) {
        let game: Oware = game(spec);
        let slow = SlowOware::start(&game.values());
        assert_eq!(slow_perft(&slow, 6), perft(&game, &game.start(), 6), "{spec}");
        let pos = game.parse_position(middle).expect("a position");
        let slow = SlowOware::from_text(awari, middle);
        assert_eq!(slow_perft(&slow, 7), perft(&game, &pos, 7), "{spec}");
    }
}

/// All ways to put `seeds` into the pits from `pit` on.
fn fillings(pits: [u8; 12], pit: usize, seeds: u8, visit: &mut dyn FnMut([u8; 12])) {
    if pit == 11 {
        let mut full = pits;
        full[11] = seeds;
        return visit(full);
    }
    for here in 0..=seeds {
        let mut next = pits;
        next[pit] = here;
        fillings(next, pit + 1, seeds - here, visit);
    }
}

/// Values of positions by their pits, the mover's first: future seeds of the mover minus those of the opponent.
type Values = HashMap<[u8; 12], i16>;

/// The value of each move, as far as it is known; in a finished game the rest is 0.
fn move_values(game: &Oware, pos: &Position, values: &Values) -> Vec<Option<i16>> {
    let Margin(banked) = game.banked(pos);
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let value = |mv| {
        let mut next = *pos;
        game.play(&mut next, mv);
        let mut pits = next.pits();
        if next.turn() == Side::Second {
            pits.rotate_left(6);
        }
        let rest = if game.result(&next).is_some() { Some(0) } else { values.get(&pits).copied() };
        rest.map(|rest| -(rest + game.banked(&next).0) - banked)
    };
    moves.into_iter().map(value).collect()
}

/// Adds the values of all positions with `seeds` seeds to those of fewer. Values are determined from the largest inward, and
/// only those that are reached: the remaining positions are endless play, with the value 0.
fn add_layer(game: &Oware, seeds: u8, values: &mut Values) {
    let mut open = Vec::new();
    fillings([0; 12], 0, seeds, &mut |pits| {
        let pos = game.position(pits, [24, 24 - seeds], Side::First).expect("48 seeds");
        let before = i16::from(seeds);
        match game.result(&pos) {
            Some(Margin(margin)) => drop(values.insert(pits, margin - before)),
            None => open.push((pits, pos)),
        }
    });
    for wanted in (1..=i16::from(seeds)).rev() {
        let mut settled = 1;
        while settled > 0 {
            settled = open.len();
            open.retain(|(pits, pos)| {
                let move_values = move_values(game, pos, values);
                if move_values.iter().any(|worth| worth.is_some_and(|worth| worth >= wanted)) {
                    values.insert(*pits, wanted);
                } else if move_values.iter().all(|worth| worth.is_some_and(|worth| worth <= -wanted)) {
                    values.insert(*pits, -wanted);
                }
                !values.contains_key(pits)
            });
            settled -= open.len();
        }
    }
    values.extend(open.into_iter().map(|(pits, _)| (pits, 0)));
}

#[test]
fn values_of_all_small_awari_positions_are_those_published() {
    // Lincke 2002, appendix B: how many positions of 0, 1, 2 ... seeds have each value.
    let published: [&[(i16, usize)]; 7] = [
        &[(0, 1)],
        &[(-1, 7), (1, 5)],
        &[(-2, 40), (0, 13), (2, 25)],
        &[(-3, 177), (-1, 1), (0, 63), (1, 7), (3, 116)],
        &[(-4, 532), (-2, 110), (0, 143), (2, 165), (4, 415)],
        &[(-5, 1892), (-3, 2), (-2, 85), (-1, 224), (1, 121), (2, 184), (3, 22), (5, 1838)],
        &[(-6, 4242), (-4, 116), (-2, 772), (0, 1548), (2, 550), (3, 62), (4, 302), (6, 4784)],
    ];
    let game = Oware::by(RuleSet::Awari);
    let mut values = Values::new();
    for (seeds, counts) in (0..).zip(published) {
        add_layer(&game, seeds, &mut values);
        let mut histogram = BTreeMap::new();
        for (_, value) in values.iter().filter(|(pits, _)| pits.iter().sum::<u8>() == seeds) {
            *histogram.entry(*value).or_insert(0) += 1;
        }
        assert_eq!(histogram.into_iter().collect::<Vec<_>>(), counts, "{seeds} seeds");
    }
}
