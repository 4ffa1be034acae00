//! Shared test helpers: random play, and the comparison with the slow reference rules. The `data/` files are checked by the
//! tests of the catalogue.
#![allow(dead_code, reason = "each test binary uses its own part")]

use parlor_core::{
    BoardEvent, Game, Mark, Match, Notation, Record, View,
    laws::{self, Reference},
};

pub fn game<G: Game>(spec: &str) -> G {
    let (name, rest) = parlor_core::split_spec(spec).expect("a spec");
    assert_eq!(name, G::NAME, "{spec}");
    let values =
        parlor_core::parse_values(name, G::PARAMETERS, rest).unwrap_or_else(|e| panic!("{spec}: {e}"));
    G::new(&values).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// Checks the laws in random games of these sizes.
pub fn check_laws<G: Notation + View>(specs: &[&str], games: u64) {
    for spec in specs {
        for seed in 0..games {
            let mut random = Random(seed);
            laws::check(&game::<G>(spec), 500, &mut |n| random.below(n))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}

/// Plays a whole random game; its record round-trips and replays to the same position.
pub fn check_whole_game<G: Notation>(spec: &str, seed: u64) -> Match<G> {
    let (mut played, mut random, mut moves) = (Match::new(game::<G>(spec)), Random(seed), Vec::new());
    for _ in 0..200_000 {
        moves.clear();
        played.game().moves(played.position(), &mut moves);
        if moves.is_empty() {
            break;
        }
        played.make(moves[random.below(moves.len())]);
    }
    assert!(played.result().is_some(), "{spec} ends");
    let record = played.record();
    let back = Record::parse(&record.to_string()).expect("a record");
    assert_eq!(back, record);
    let again = Match::replay(game::<G>(spec), &back).expect("it replays");
    assert_eq!(again.position(), played.position());
    played
}

/// Compares two representations of one game: the same random games give the same texts, moves, results, bounds and pictures in
/// both.
pub fn check_same<A: Notation + View, B: Notation + View>(specs: &[&str], games: u64) {
    for spec in specs {
        let (a, b): (A, B) = (game(spec), game(spec));
        for seed in 0..games {
            let (mut random, mut left, mut right) = (Random(seed ^ 0xB07), a.start(), b.start());
            for ply in 0..400 {
                let seen = shown(&a, &left);
                assert_eq!(seen, shown(&b, &right), "{spec} seed {seed} ply {ply}");
                let (moves, others) = (moves_of(&a, &left), moves_of(&b, &right));
                let texts: Vec<String> = moves.iter().map(|&mv| a.write_move(mv)).collect();
                let same: Vec<String> = others.iter().map(|&mv| b.write_move(mv)).collect();
                assert_eq!(texts, same, "{spec} {seen:?}");
                if moves.is_empty() {
                    break;
                }
                let chosen = random.below(moves.len());
                assert_eq!(
                    described(&a, &left, moves[chosen]),
                    described(&b, &right, others[chosen]),
                    "{spec} {seen:?}"
                );
                a.play(&mut left, moves[chosen]);
                b.play(&mut right, others[chosen]);
            }
        }
    }
}

fn moves_of<G: Game>(game: &G, pos: &G::Position) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    moves
}

/// The visible properties of a position.
fn shown<G: Notation + View>(game: &G, pos: &G::Position) -> (String, Option<i16>, [i16; 2], Vec<Mark>) {
    let bounds = game.bounds(pos);
    let margins = [bounds.lo.0, bounds.hi.0];
    (game.write_position(pos), game.result(pos).map(|margin| margin.0), margins, game.marks(pos))
}

/// The visible properties of a move.
fn described<G: Notation + View>(
    game: &G,
    pos: &G::Position,
    mv: G::Move,
) -> (Vec<u16>, Vec<u16>, Vec<BoardEvent>) {
    let events = game.events(pos, mv, G::SEATS).into_iter().map(|staged| staged.event).collect();
    (game.path(pos, mv), game.touched(pos, mv), events)
}

/// Compares random games with the slow reference rules.
pub fn check_against<R: Reference, G: Notation>(specs: &[&str], games: u64) {
    for spec in specs {
        for seed in 0..games {
            let mut random = Random(seed ^ 0x5EED);
            laws::check_reference::<R, G>(&game(spec), 400, &mut |n| random.below(n))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}

/// A small random number generator: the same games on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as usize % n
    }
}
