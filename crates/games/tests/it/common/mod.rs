//! What the tests of all games share: one function for each kind of data file in a game's own folder, random play, and the
//! comparison with the slow reference rules.
#![allow(dead_code, reason = "each test binary uses its own part")]

use parlor_core::{BoardEvent, Game, Mark, Match, Notation, Record, View, laws, perft};

/// A game from its spec.
pub fn game<G: Game>(spec: &str) -> G {
    let (name, rest) = parlor_core::split_spec(spec).expect("a spec");
    assert_eq!(name, G::NAME, "{spec}");
    let values =
        parlor_core::parse_values(name, G::PARAMETERS, rest).unwrap_or_else(|e| panic!("{spec}: {e}"));
    G::new(&values).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// `SPEC: count count …` a line: perft from the start, depth 1 first. Counts above `most` are left to the benchmarks.
pub fn check_perft<G: Game>(data: &str, most: u64) {
    for line in lines(data) {
        let (spec, counts) = line.rsplit_once(": ").expect("SPEC: counts");
        let game: G = game(spec);
        for (depth, count) in (1..).zip(counts.split_whitespace()) {
            let count: u64 = count.parse().expect("a count");
            if count <= most {
                assert_eq!(perft(&game, &game.start(), depth), count, "{spec} depth {depth}");
            }
        }
    }
}

/// `SPEC | position | part of the error` a line.
pub fn check_bad_positions<G: Notation>(data: &str) {
    for line in lines(data) {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [spec, position, part] = parts[..] else { panic!("three parts: {line}") };
        let error = game::<G>(spec).parse_position(position).expect_err(line).0;
        assert!(error.contains(part), "{line}\n  got: {error}");
    }
}

/// `SPEC | position, or nothing for the start | move | part of the error` a line.
pub fn check_illegal_moves<G: Notation>(data: &str) {
    for line in lines(data) {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [spec, position, mv, part] = parts[..] else { panic!("four parts: {line}") };
        let game: G = game(spec);
        let start = if position.is_empty() {
            game.start()
        } else {
            game.parse_position(position).unwrap_or_else(|e| panic!("{line}: {e}"))
        };
        let mut played = Match::from_position(game, start.clone());
        let error = played.play(mv).expect_err(line).0;
        assert!(error.contains(part), "{line}\n  got: {error}");
        assert_eq!(*played.position(), start, "an illegal move changes nothing: {line}");
    }
}

/// A recorded game: it replays to the ending it claims and is written as it was read.
pub fn check_record<G: Notation>(text: &str) {
    let record = Record::parse(text).expect("a record");
    let played = Match::replay(game::<G>(&record.game), &record).expect("it replays");
    assert!(played.ending().is_some(), "it is a whole game");
    assert_eq!(played.record(), record);
    assert_eq!(record.to_string(), text, "written as it was read");
    let mut back = played;
    while back.undo().is_some() {}
    assert_eq!(*back.position(), back.positions()[0]);
}

/// The laws over random games of these sizes.
pub fn check_laws<G: Notation + View>(specs: &[&str], games: u64) {
    for spec in specs {
        for seed in 0..games {
            let mut random = Random(seed);
            laws::check(&game::<G>(spec), 500, &mut |n| random.below(n))
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        }
    }
}

/// Plays a whole game by chance; its record reads back as written and replays to the same position.
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

/// Two representations of one game: the same random games give the same texts, moves, results, bounds and pictures in both.
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

/// What can be seen of a position.
fn shown<G: Notation + View>(game: &G, pos: &G::Position) -> (String, Option<i16>, [i16; 2], Vec<Mark>) {
    let bounds = game.bounds(pos);
    let margins = [bounds.lo.0, bounds.hi.0];
    (game.write_position(pos), game.result(pos).map(|margin| margin.0), margins, game.marks(pos))
}

/// What can be seen of a move.
fn described<G: Notation + View>(
    game: &G,
    pos: &G::Position,
    mv: G::Move,
) -> (Vec<u16>, Vec<u16>, Vec<BoardEvent>) {
    let events = game.events(pos, mv, G::SEATS).into_iter().map(|staged| staged.event).collect();
    (game.path(pos, mv), game.touched(pos, mv), events)
}

/// A slow transcription of a game's rules, kept apart from the fast ones and sharing no code with them.
pub trait Reference: Sized {
    /// The game from its parameter values.
    fn start(values: &[u32]) -> Self;
    /// The legal moves as text, in listing order.
    fn moves(&self) -> Vec<String>;
    /// The position after a move.
    fn after(&self, mv: &str) -> Self;
    /// The margin seen by the side to move, once the game is over.
    fn result(&self) -> Option<i16>;
    /// The position as text.
    fn text(&self) -> String;
}

/// Plays random games by both sets of rules and compares everything at every ply.
pub fn check_against<R: Reference, G: Notation>(specs: &[&str], games: u64) {
    for spec in specs {
        let game: G = game(spec);
        for seed in 0..games {
            let mut random = Random(seed ^ 0x5EED);
            let mut slow = R::start(&game.values());
            let mut fast = game.start();
            for ply in 0..400 {
                let place = format!("{spec} seed {seed} ply {ply}: {}", game.write_position(&fast));
                assert_eq!(slow.text(), game.write_position(&fast), "{place}");
                let mut moves = Vec::new();
                game.moves(&fast, &mut moves);
                let texts: Vec<String> = moves.iter().map(|&mv| game.write_move(mv)).collect();
                assert_eq!(slow.moves(), texts, "{place}");
                assert_eq!(slow.result(), game.result(&fast).map(|m| m.0), "{place}");
                if moves.is_empty() {
                    break;
                }
                let chosen = random.below(moves.len());
                slow = slow.after(&texts[chosen]);
                game.play(&mut fast, moves[chosen]);
            }
        }
    }
}

/// A small generator for tests: the same games on every machine.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as usize % n
    }
}

fn lines(data: &str) -> impl Iterator<Item = &str> {
    data.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}
