//! Compares Kalah's tables, in memory and on disk, with plain negamax and the solver.

use parlor_catalog::Monotonic;
use parlor_core::{Bounds, Game, Indexed, Limits, Margin, Match, Oracle, Solve};
use parlor_engine::NullWindowSolver;
use parlor_games::kalah::{Kalah, Pots};
use parlor_tables::{BadTable, BuildPlan, EndgameTable, Forward, Sample, Work, build, folder, verify};
use parlor_testkit::temp_folder;
use std::{
    collections::HashMap,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
};

fn kalah(holes: u32, beans: u32, capture: u32) -> Kalah {
    Kalah::new(&[holes, beans, capture]).expect("a game")
}

fn table(game: &Kalah, up_to: u32) -> EndgameTable<Kalah> {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    EndgameTable::in_memory(game, up_to, &Forward, &Work { threads: 2, stop: &stop, done: &done })
        .expect("not stopped")
}

/// Reference values: plain negamax with a map of positions.
fn truth<G: Game>(game: &G, pos: &G::Position, memory: &mut HashMap<G::Position, Margin>) -> Margin {
    if let Some(&margin) = memory.get(pos) {
        return margin;
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let values = moves.into_iter().map(|mv| {
        let mut next = pos.clone();
        game.play(&mut next, mv);
        let margin = truth(game, &next, memory);
        if game.turn(&next) == game.turn(pos) { margin } else { -margin }
    });
    let best = values.max().or_else(|| game.result(pos)).expect("a move or a result");
    memory.insert(pos.clone(), best);
    best
}

#[test]
fn every_entry_up_to_eight_beans_equals_plain_negamax() {
    for (holes, capture, up_to) in [(3, 0, 8), (3, 1, 8), (1, 0, 20), (2, 0, 10)] {
        let game = kalah(holes, 2, capture);
        let (table, mut memory) = (table(&game, up_to), HashMap::new());
        for (layer, entries) in (0..).zip(table.layers()) {
            assert_eq!(entries.len() as u64, game.len(layer));
            for (index, &entry) in (0..).zip(entries) {
                let Some(pos) = game.position(layer, index) else { continue };
                let value = truth(&game, &pos, &mut memory);
                assert_eq!(i16::from(entry), value.0, "{} layer {layer}: {pos:?}", game.spec());
                assert_eq!(table.probe(&game, &pos), Some(Bounds::exactly(value)), "{pos:?}");
            }
        }
    }
}

#[test]
fn the_table_and_the_solver_agree_along_whole_games_of_every_size() {
    for (holes, beans) in [(3, 2), (4, 1), (2, 4), (6, 1)] {
        let game = kalah(holes, beans, 0);
        let table = table(&game, 2 * holes * beans);
        let mut solver = NullWindowSolver::new(Pots, 1 << 20, Arc::new(Monotonic::start()));
        let mut played = Match::new(game.clone());
        let mut moves = Vec::new();
        while played.result().is_none() {
            let solved = solver.solve(&played, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
            assert_eq!(table.probe(&game, played.position()), Some(solved), "{}", game.spec());
            moves.clear();
            game.moves(played.position(), &mut moves);
            played.make(moves[moves.len() / 2]);
        }
    }
}

#[test]
fn families_differ_in_holes_and_captures_but_not_in_beans() {
    let spec = |holes, beans, capture| kalah(holes, beans, capture).family().spec();
    assert_eq!(spec(6, 4, 0), spec(6, 9, 0));
    assert_ne!(spec(6, 4, 0), spec(5, 4, 0));
    assert_ne!(spec(6, 4, 0), spec(6, 4, 1));
}

#[test]
fn damage_in_any_block_is_reported_and_stops_a_build() {
    let (game, dir) = (kalah(6, 4, 0), temp_folder());
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 2, stop: &stop, done: &done };
    let plan = BuildPlan { dir: &dir, up_to: 8, memory: 1 << 30 };
    build(&game, &plan, &Forward, &work, &mut |_| ()).expect("built");
    let opened = EndgameTable::open(&game, &dir).expect("a table");
    let verified = verify(&opened, Some(Sample { count: 20_000, seed: 1 }), &work).expect("right");
    // 75,582 entries in layer 8 are two blocks.
    assert_eq!((verified.blocks, verified.entries), (10, 20_000));
    let file = folder(&game, &dir).join("08.layer");
    let whole = fs::read(&file).expect("bytes");
    for (at, block) in [(4096, 0), (4096 + 65_535, 0), (4096 + 65_536, 1), (whole.len() - 1, 1)] {
        let mut bytes = whole.clone();
        bytes[at] ^= 16;
        fs::write(&file, bytes).expect("written");
        let opened = EndgameTable::open(&game, &dir).expect("its beginning is whole");
        let found = verify(&opened, Some(Sample { count: 0, seed: 0 }), &work).expect_err("damaged");
        let what = format!("the checksum of block {block} does not match");
        assert_eq!(found, BadTable::Damaged(file.clone(), what));
        let higher = BuildPlan { up_to: 9, ..plan };
        assert_eq!(build(&game, &higher, &Forward, &work, &mut |_| ()), Err(found));
        assert!(!folder(&game, &dir).join("09.layer").exists());
    }
}

#[test]
fn margins_that_do_not_fit_a_byte_are_refused() {
    let (game, dir) = (kalah(1, 4, 0), temp_folder());
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 1, stop: &stop, done: &done };
    let plan = BuildPlan { dir: &dir, up_to: 127, memory: 1 << 30 };
    assert!(build(&game, &plan, &Forward, &work, &mut |_| ()).expect("built").whole);
    let higher = BuildPlan { up_to: 128, ..plan };
    assert!(build(&game, &higher, &Forward, &work, &mut |_| ()).is_err());
    verify(&EndgameTable::open(&game, &dir).expect("a table"), None, &work).expect("right");
}

#[test]
fn type_erased_tables_build_open_and_probe() {
    let dir = temp_folder();
    let game = parlor_catalog::game("kalah:3,1").expect("a game");
    let tables = game.tables().expect("tables");
    assert!(parlor_catalog::game("amazons").expect("a game").tables().is_none());
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 1, stop: &stop, done: &done };
    tables.build(&BuildPlan { dir: &dir, up_to: 6, memory: 1 << 30 }, &work, &mut |_| ()).expect("built");
    let opened = tables.open(&dir).expect("a table");
    assert_eq!(opened.info().len(), 7);
    assert_eq!(opened.histogram(1), [([-1, -1], 3), ([1, 1], 3)]);
    let probed = opened.probe(&game.board().record()).expect("a record");
    assert_eq!((probed.layer, probed.moves.len()), (6, 3));
    let best = probed.moves.iter().filter_map(|(_, worth)| *worth).max_by_key(|worth| worth.lo);
    assert_eq!(probed.value, best);
}
