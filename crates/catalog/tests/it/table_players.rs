//! Tests of players that probe endgame tables: they play the proved value, share the table, and refuse a damaged one.

use parlor_catalog::{BadPlayer, BadTable, BuildPlan, DynGame, Manual, Random, Resources, Work, game};
use parlor_core::{
    Answer, Board, Bounds, Game, LARGE, Limits, Margin, Match, Notation, Oracle, finished, margin_of,
};
use parlor_engine::AlphaBeta;
use parlor_games::kalah::{Kalah, Pots};
use parlor_testkit::{Folder, temp_folder};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64},
    },
    time::Duration,
};

/// A folder with the table of a game up to a layer.
fn tables(game: &dyn DynGame, up_to: u32) -> Folder {
    let dir = temp_folder();
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let work = Work { threads: 1, stop: &stop, done: &done };
    let plan = BuildPlan { dir: &dir, up_to, memory: 1 << 30 };
    game.tables().expect("tables").build(&plan, &work, &mut |_| ()).expect("built");
    dir
}

fn resources(dir: &Path) -> Resources {
    Resources {
        tables: Some(dir.to_path_buf()),
        ..Resources::with_clock(1, Arc::new(Manual::stepping(Duration::ZERO)))
    }
}

fn answer(game: &dyn DynGame, player: &str, board: &dyn Board, resources: &Resources) -> String {
    let mut player = game.player(&player.parse().expect("a spec"), resources).expect("a player");
    match player.choose(board, &Limits::default(), &AtomicBool::new(false), &mut |_| ()) {
        Ok(Answer::Move(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// Plays random moves until few enough beans are left; `None` if the game ends before.
fn ending(
    game: &dyn DynGame,
    beans: u32,
    opened: &dyn parlor_catalog::DynTable,
    seed: u64,
) -> Option<Box<dyn Board>> {
    let (mut board, mut random) = (game.board(), Random::new(seed));
    while opened.probe(&board.record()).expect("a record").layer > beans {
        let moves = board.moves();
        board.play(moves.get(random.below(moves.len()))?).expect("legal");
    }
    board.ending().is_none().then_some(board)
}

#[test]
fn an_engine_with_a_table_plays_every_ending_perfectly_at_any_depth() {
    let mut endings = 0;
    for (spec, up_to) in [("kalah:4,3", 14), ("kalah:3,4,capture=empty", 16)] {
        let game = game(spec).expect("a game");
        let dir = tables(game.as_ref(), up_to);
        let opened = game.tables().expect("tables").open(&dir).expect("a table");
        let resources = resources(&dir);
        for seed in 0..130 {
            let Some(mut board) = ending(game.as_ref(), up_to, opened.as_ref(), seed) else { continue };
            endings += 1;
            while board.ending().is_none() {
                let probed = opened.probe(&board.record()).expect("a record");
                let player = ["engine:nodes=8", "engine:depth=1,eval=classic", "perfect"][endings % 3];
                let text = answer(game.as_ref(), player, board.as_ref(), &resources);
                let worth = probed.moves.iter().find(|(mv, _)| *mv == text).expect("a legal move").1;
                assert_eq!(worth, probed.value, "{player} {} {text}", board.position());
                board.play(&text).expect("legal");
            }
        }
    }
    assert!(endings > 200, "only {endings} endings");
}

#[test]
fn an_engine_above_a_table_finds_the_value_of_the_game() {
    let game = Kalah::sized(3, 3).expect("a game");
    let host = parlor_catalog::game("kalah:3,3").expect("a game");
    let dir = tables(host.as_ref(), 12);
    let table = parlor_tables::EndgameTable::open(&game, &dir).expect("a table");
    let (with, without) = (Some(Arc::new(table) as Arc<dyn Oracle<Kalah>>), None);
    let found = |oracle: &Option<Arc<dyn Oracle<Kalah>>>, seed: u64| {
        let mut played = Match::new(game.clone());
        let mut random = Random::new(seed);
        for _ in 0..random.below(5) {
            let mut moves = Vec::new();
            game.moves(played.position(), &mut moves);
            played.make(moves[random.below(moves.len())]);
        }
        let mut search = AlphaBeta::new(Pots, Arc::new(Manual::stepping(Duration::ZERO)));
        (search.oracle, search.memory) = (oracle.clone(), 1 << 20);
        search.run(&played, &Limits::default(), &AtomicBool::new(false), &mut |_| ())
    };
    for seed in 0..40 {
        let (short, long) = (found(&with, seed), found(&without, seed));
        assert!(short.exact && long.exact, "both come to the end of every line");
        assert_eq!(margin_of(short.value()), margin_of(long.value()), "seed {seed}");
        assert!(short.nodes < long.nodes, "{} positions, not fewer than {}", short.nodes, long.nodes);
        assert_eq!(short, found(&with, seed), "the same question has the same answer");
    }
}

/// An oracle that returns bounds around the exact margin of the table.
struct Vague {
    table: parlor_tables::EndgameTable<Kalah>,
    below: i16,
    above: i16,
}

impl Oracle<Kalah> for Vague {
    fn probe(&self, game: &Kalah, pos: &<Kalah as Game>::Position) -> Option<Bounds> {
        let margin = self.table.probe(game, pos)?.lo.0;
        Some(Bounds { lo: Margin(margin - self.below), hi: Margin(margin + self.above) })
    }
}

#[test]
fn bounds_cut_and_change_no_margin() {
    let game = Kalah::sized(3, 2).expect("a game");
    let host = parlor_catalog::game("kalah:3,2").expect("a game");
    let dir = tables(host.as_ref(), 12);
    let limits = Limits::default();
    for (below, above) in [(0, 2), (2, 0), (2, 4), (6, 6)] {
        let table = parlor_tables::EndgameTable::open(&game, &dir).expect("a table");
        let vague: Arc<dyn Oracle<Kalah>> = Arc::new(Vague { table, below, above });
        for seed in 0..60 {
            let mut played = Match::new(game.clone());
            let mut random = Random::new(seed);
            for _ in 0..random.below(6) {
                let mut moves = Vec::new();
                game.moves(played.position(), &mut moves);
                if let Some(&mv) = moves.get(random.below(moves.len())) {
                    played.make(mv);
                }
            }
            if played.result().is_some() {
                continue;
            }
            let found = |oracle: Option<Arc<dyn Oracle<Kalah>>>| {
                let mut search = AlphaBeta::new(Pots, Arc::new(Manual::stepping(Duration::ZERO)));
                (search.oracle, search.memory) = (oracle, 1 << 20);
                search.run(&played, &limits, &AtomicBool::new(false), &mut |_| ())
            };
            let (short, long) = (found(Some(vague.clone())), found(None));
            let place = game.write_position(played.position());
            assert_eq!(margin_of(short.value()), margin_of(long.value()), "{place} -{below} +{above}");
        }
    }
    assert!(finished(Margin(1), 4000) > LARGE, "a late win is a win");
}

#[test]
fn levels_play_without_tables_unless_the_option_is_set() {
    let game = game("kalah:4,3").expect("a game");
    let dir = tables(game.as_ref(), 14);
    let opened = game.tables().expect("tables").open(&dir).expect("a table");
    let (with, without) = (resources(&dir), Resources { tables: None, ..resources(&dir) });
    let mut told = 0;
    for seed in 0..60 {
        let Some(board) = ending(game.as_ref(), 14, opened.as_ref(), seed) else { continue };
        let said =
            |player: &str, resources: &Resources| answer(game.as_ref(), player, board.as_ref(), resources);
        for player in ["engine", "engine:level=2", "engine:nodes=20,tables=no"] {
            assert_eq!(said(player, &with), said(player, &without), "{player}");
        }
        assert_eq!(said("engine:nodes=20", &with), said("engine:nodes=20,tables=yes", &with));
        told += u32::from(said("engine:level=1", &with) != said("engine:level=1,tables=yes", &with));
    }
    assert!(told > 0, "a table changes something");
    let wrong = game.player(&"engine:tables=some".parse().expect("a spec"), &with).err().expect("refused");
    assert_eq!(wrong.to_string(), "player engine: tables 'some' is not one of yes, no");
}

#[test]
fn a_damaged_table_is_refused_and_a_missing_one_ignored() {
    let game = game("kalah:3,2").expect("a game");
    let dir = tables(game.as_ref(), 6);
    let nowhere = resources(&dir.join("nowhere"));
    let file = game.tables().expect("tables").folder(&dir).join("04.layer");
    let bytes = fs::read(&file).expect("bytes");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("written");
    for player in ["engine:time=1s", "engine:level=3,tables=yes", "perfect"] {
        let spec = player.parse().expect("a spec");
        let refused = game.player(&spec, &resources(&dir)).err();
        assert!(matches!(refused, Some(BadPlayer::Table(BadTable::Damaged(_, _)))), "{player}: {refused:?}");
        assert!(game.player(&spec, &nowhere).is_ok(), "{player}");
    }
    for player in ["engine", "engine:level=9", "engine:time=1s,tables=no", "minimax:depth=2", "random"] {
        assert!(game.player(&player.parse().expect("a spec"), &resources(&dir)).is_ok(), "{player}");
    }
}
