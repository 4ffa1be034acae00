//! The journal: an acknowledged append is durable, under load and after a kill.

use crate::rows::game;
use parlor_store::{Append, EventRow, GameStatus, Journal, Store, StoreError};
use parlor_testkit::{Database, SplitMix64, on_both_databases};
use std::{
    collections::BTreeMap,
    env,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

on_both_databases! {
    async hundreds_of_appends_share_a_few_commits_and_none_is_lost,
    async a_refused_append_fails_for_its_own_caller_only,
    async queued_appends_are_written_after_their_callers_are_gone,
    async an_append_fails_after_the_journal_task_has_ended,
    a_kill_loses_no_acknowledged_event,
}

fn move_of(id: &str, seq: i64) -> Append {
    let event = EventRow {
        seq,
        kind: "move".into(),
        text: format!("{id}/{seq}"),
        at: seq,
        left: None,
        periods: None,
    };
    Append {
        game: id.into(),
        events: vec![event],
        status: GameStatus { plies: seq + 1, ..GameStatus::default() },
    }
}

/// Asserts that a game's log has no gaps, and returns its length.
async fn whole(store: &Store, id: &str) -> i64 {
    let (row, events) = store.live_game(id).await.expect("read").expect("a game");
    for (seq, event) in (0..).zip(&events) {
        assert_eq!((event.seq, event.text.clone()), (seq, format!("{id}/{seq}")), "no gap, none twice");
    }
    let length = i64::try_from(events.len()).expect("a length");
    assert_eq!((row.plies, row.touched), (length, (length - 1).max(0)), "the row says what the log says");
    length
}

async fn hundreds_of_appends_share_a_few_commits_and_none_is_lost(db: Database) {
    const GAMES: i64 = 300;
    const MOVES: i64 = 4;
    let store = Store::connect(&db.url).await.expect("a store");
    for number in 0..GAMES {
        store.create_game(&game(&number.to_string()), &[]).await.expect("made");
    }
    let (journal, task) = Journal::start(store);
    let rooms: Vec<_> = (0..GAMES)
        .map(|number| {
            let journal = journal.clone();
            tokio::spawn(async move {
                let id = number.to_string();
                for seq in 0..MOVES {
                    journal.append(move_of(&id, seq)).await.expect("written");
                }
            })
        })
        .collect();
    for room in rooms {
        room.await.expect("no panic");
    }
    let commits = journal.commits();
    assert!((MOVES as u64..=300).contains(&commits), "{commits} for {} appends", GAMES * MOVES);
    drop(journal);
    task.await.expect("the task ends with the last handle");
    let again = Store::connect(&db.url).await.expect("the same store");
    for number in 0..GAMES {
        assert_eq!(whole(&again, &number.to_string()).await, MOVES);
    }
}

async fn a_refused_append_fails_for_its_own_caller_only(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    store.create_game(&game("a"), &[]).await.expect("made");
    let (journal, _task) = Journal::start(store.clone());
    let (one, other, none) = tokio::join!(
        journal.append(move_of("a", 0)),
        journal.append(move_of("a", 0)),
        journal.append(move_of("b", 0))
    );
    assert_eq!(one, Ok(()));
    assert_eq!(other, Err(StoreError::Conflict("a".into(), 0)));
    assert_eq!(none, Err(StoreError::NotFound("game 'b'".into())));
    assert_eq!(whole(&store, "a").await, 1);
}

async fn queued_appends_are_written_after_their_callers_are_gone(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    store.create_game(&game("a"), &[]).await.expect("made");
    let (journal, task) = Journal::start(store.clone());
    for seq in 0..9 {
        // The caller is dropped after the append has been queued.
        tokio::select! {
            biased;
            answer = journal.append(move_of("a", seq)) => panic!("nothing is on the disk at once: {answer:?}"),
            () = std::future::ready(()) => {}
        }
    }
    drop(journal);
    task.await.expect("the task");
    assert_eq!(whole(&store, "a").await, 9);
}

async fn an_append_fails_after_the_journal_task_has_ended(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    let (journal, task) = Journal::start(store);
    task.abort();
    let _ = task.await;
    let sentence = journal.append(move_of("a", 0)).await.expect_err("the task is gone").to_string();
    assert_eq!(sentence, "the database failed: the journal has stopped");
}

/// The environment variable with the database that the child of the next test writes to.
const CHILD: &str = "PARLOR_STORE_CHILD";
const GAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Appends to all games concurrently until the process is killed. Prints a line for each event after it has been
/// written.
async fn append_until_killed(url: &str) {
    let store = Store::connect(url).await.expect("a store");
    let (journal, task) = Journal::start(store.clone());
    for id in GAMES {
        let (journal, length) = (journal.clone(), whole(&store, id).await);
        tokio::spawn(async move {
            for seq in length.. {
                journal.append(move_of(id, seq)).await.expect("written");
                let line = format!("written {id} {seq}\n");
                std::io::stdout().write_all(line.as_bytes()).expect("the parent reads");
            }
        });
    }
    task.await.expect("it never ends");
}

/// Runs the child and kills it after this number of written events. Returns the last event of each game that the child
/// reported as written.
fn kill_one(url: &str, events: u64) -> BTreeMap<String, i64> {
    let mut child = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "journal::child_that_appends", "--nocapture"])
        .env(CHILD, url)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let mut last = BTreeMap::new();
    let mut hear = |line: String| {
        let mut words = line.split(' ').skip_while(|word| *word != "written").skip(1);
        if let (Some(id), Some(seq)) = (words.next(), words.next()) {
            last.insert(id.to_string(), seq.parse().expect("a number"));
        }
    };
    for line in lines.by_ref().map_while(Result::ok).take(1 + events as usize) {
        hear(line);
    }
    child.kill().expect("killed");
    lines.map_while(Result::ok).for_each(&mut hear);
    assert!(!child.wait().expect("gone").success());
    last
}

/// The child of [`a_kill_loses_no_acknowledged_event`]; without its variable it does nothing.
#[test]
fn child_that_appends() {
    if let Ok(url) = env::var(CHILD) {
        tokio::runtime::Runtime::new().expect("a runtime").block_on(append_until_killed(&url));
    }
}

fn a_kill_loses_no_acknowledged_event(db: &Database) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = Store::connect(&db.url).await.expect("a store");
        for id in GAMES {
            store.create_game(&game(id), &[]).await.expect("made");
        }
        store.close().await;
    });
    let mut random = SplitMix64::new(1);
    for _ in 0..8 {
        let last = kill_one(&db.url, random.below(400));
        runtime.block_on(all_there(&db.url, &last));
    }
}

/// Asserts that the store contains every event that was reported as written.
async fn all_there(url: &str, last: &BTreeMap<String, i64>) {
    let store = Store::connect(url).await.expect("a store");
    for id in GAMES {
        let length = whole(&store, id).await;
        let said = last.get(id).map_or(0, |seq| seq + 1);
        assert!(length >= said, "{id}: {said} were said to be written, {length} are");
    }
    store.close().await;
}
