//! Tournaments are kept, found again, and never mixed up.

use parlor_store::{Begun, Blocking, FoulRow, GameRow, StoreError};
use std::{fs, path::PathBuf};

fn scratch(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.db"));
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", file.display()));
    }
    file
}

fn game(number: i64) -> GameRow {
    GameRow {
        number,
        game: "kalah:6,4".into(),
        round: number / 2,
        players: ["Ann's \"bot\"".into(), "Bob; DROP TABLE tournament".into()],
        record: "[Game \"kalah:6,4\"]\n\n3 6 2\n".into(),
        nanos: [1, i64::MAX],
        foul: (number == 1).then(|| FoulRow {
            side: "second".into(),
            kind: "crash".into(),
            why: "crashed: \u{1b}[31m".into(),
        }),
        asides: [String::new(), "Traceback…".into()],
    }
}

#[test]
fn what_is_kept_is_found_again_by_another_process() {
    let file = scratch("kept");
    let store = Blocking::open(&file).expect("a store");
    assert_eq!(store.begin("spring", "the plan", 7).expect("begun"), Begun::New);
    store.keep("spring", &[game(1), game(0)]).expect("kept");
    store.keep("spring", &[game(5)]).expect("kept");
    // As after a kill: the first one is not closed.
    std::mem::forget(store);
    let again = Blocking::open(&file).expect("the same store");
    assert_eq!(again.begin("spring", "the plan", 9).expect("begun"), Begun::Again);
    assert_eq!(again.games("spring").expect("games"), [game(0), game(1), game(5)]);
    assert_eq!(again.games("autumn").expect("games"), []);
}

#[test]
fn no_game_is_kept_twice_and_a_batch_is_kept_whole_or_not_at_all() {
    let store = Blocking::open(&scratch("twice")).expect("a store");
    store.begin("spring", "plan", 7).expect("begun");
    store.keep("spring", &[game(0)]).expect("kept");
    let again = store.keep("spring", &[game(1), game(0)]);
    assert!(matches!(again, Err(StoreError::Twice(_, 0))), "{again:?}");
    assert_eq!(store.games("spring").expect("games"), [game(0)]);
    assert!(store.keep("autumn", &[game(0)]).is_err(), "a tournament is begun first");
}

#[test]
fn another_plan_under_the_same_name_is_refused_and_changes_nothing() {
    let store = Blocking::open(&scratch("plans")).expect("a store");
    store.begin("spring", "one plan", 7).expect("begun");
    let other = store.begin("spring", "another plan", 8);
    assert!(matches!(other, Err(StoreError::OtherPlan(_, before)) if before == "one plan"));
    assert_eq!(store.begin("autumn", "another plan", 8).expect("begun"), Begun::New);
}

#[test]
fn forgotten_games_can_be_played_again() {
    let store = Blocking::open(&scratch("forgotten")).expect("a store");
    store.begin("spring", "plan", 7).expect("begun");
    store.keep("spring", &[game(0), game(1), game(2)]).expect("kept");
    store.forget("spring", &[1, 77]).expect("forgotten");
    assert_eq!(store.games("spring").expect("games"), [game(0), game(2)]);
    store.keep("spring", &[game(1)]).expect("kept again");
    store.drop_tournament("spring").expect("dropped");
    assert_eq!(store.games("spring").expect("games"), []);
    assert_eq!(store.begin("spring", "another plan", 8).expect("begun"), Begun::New);
}

#[test]
fn a_file_that_is_no_database_is_refused_with_its_name() {
    let file = scratch("nonsense");
    fs::write(&file, "this is no database at all, only some text that is long enough to look like one")
        .expect("a file");
    let sentence = Blocking::open(&file).expect_err("no database").to_string();
    assert!(sentence.contains("nonsense.db cannot be opened"), "{sentence}");
    let sentence = Blocking::open(&file.join("below")).expect_err("no folder").to_string();
    assert!(sentence.contains("cannot be opened"), "{sentence}");
}
