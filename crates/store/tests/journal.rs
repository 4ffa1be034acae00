//! What the journal says is written, is written: many at a time, and when the process is killed.

mod places;
mod rows;

use parlor_store::{Append, EventRow, Journal, Standing, Store, StoreError};
use places::places;
use rows::game;
use std::{
    collections::BTreeMap,
    env,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

fn move_of(id: &str, seq: i64) -> Append {
    let event = EventRow { seq, kind: "move".into(), text: format!("{id}/{seq}"), at: seq, left: None };
    Append {
        game: id.into(),
        events: vec![event],
        standing: Standing { plies: seq + 1, ..Standing::default() },
    }
}

/// Says that a game's log is what it must be, and how long it is.
async fn whole(store: &Store, id: &str) -> i64 {
    let (row, events) = store.game(id).await.expect("read").expect("a game");
    for (seq, event) in (0..).zip(&events) {
        assert_eq!((event.seq, event.text.clone()), (seq, format!("{id}/{seq}")), "no gap, none twice");
    }
    let length = i64::try_from(events.len()).expect("a length");
    assert_eq!((row.plies, row.touched), (length, (length - 1).max(0)), "the row says what the log says");
    length
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_share_a_few_commits_and_every_acknowledged_one_is_there() {
    for place in places("shared") {
        const GAMES: i64 = 300;
        const MOVES: i64 = 4;
        let store = Store::connect(&place.at).await.expect("a store");
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
        let again = Store::connect(&place.at).await.expect("the same store");
        for number in 0..GAMES {
            assert_eq!(whole(&again, &number.to_string()).await, MOVES);
        }
    }
}

#[tokio::test]
async fn a_refusal_reaches_the_one_who_asked() {
    for place in places("refused") {
        let store = Store::connect(&place.at).await.expect("a store");
        store.create_game(&game("a"), &[]).await.expect("made");
        let (journal, _task) = Journal::start(store.clone());
        let (one, other, none) = tokio::join!(
            journal.append(move_of("a", 0)),
            journal.append(move_of("a", 0)),
            journal.append(move_of("b", 0))
        );
        assert_eq!(one, Ok(()));
        assert_eq!(other, Err(StoreError::Stale("a".into(), 0)));
        assert_eq!(none, Err(StoreError::Missing("game 'b'".into())));
        assert_eq!(whole(&store, "a").await, 1);
    }
}

#[tokio::test]
async fn what_waits_is_written_though_nobody_waits_for_it() {
    for place in places("left") {
        let store = Store::connect(&place.at).await.expect("a store");
        store.create_game(&game("a"), &[]).await.expect("made");
        let (journal, task) = Journal::start(store.clone());
        for seq in 0..9 {
            // Once it stands in line, whoever brought it leaves.
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
}

#[tokio::test]
async fn without_its_task_an_append_fails() {
    for place in places("gone") {
        let store = Store::connect(&place.at).await.expect("a store");
        let (journal, task) = Journal::start(store);
        task.abort();
        let _ = task.await;
        let sentence = journal.append(move_of("a", 0)).await.expect_err("nobody is there").to_string();
        assert_eq!(sentence, "the database failed: nobody writes any more");
    }
}

/// Tells the child of the next test which database it writes to.
const CHILD: &str = "PARLOR_STORE_CHILD";
const GAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// Appends to all games at once for as long as it is let, and says of each event that it is written, after it is.
async fn append_for_ever(place: &str) {
    let store = Store::connect(place).await.expect("a store");
    let (journal, task) = Journal::start(store.clone());
    for id in GAMES {
        let (journal, length) = (journal.clone(), whole(&store, id).await);
        tokio::spawn(async move {
            for seq in length.. {
                journal.append(move_of(id, seq)).await.expect("written");
                let line = format!("written {id} {seq}\n");
                std::io::stdout().write_all(line.as_bytes()).expect("somebody listens");
            }
        });
    }
    task.await.expect("it never ends");
}

/// Runs the child for a while, kills it, and returns the last event of each game that it said was written.
fn kill_one(place: &str, after: Duration) -> BTreeMap<String, i64> {
    let mut child = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "a_kill_loses_nothing_that_was_acknowledged", "--nocapture"])
        .env(CHILD, place)
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
    // The clock runs from its first word on, so that every child gets to write.
    let first = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("written"));
    hear(first.expect("a child that writes"));
    let killer = thread::spawn(move || {
        thread::sleep(after);
        child.kill().expect("killed");
        child.wait().expect("gone")
    });
    lines.map_while(Result::ok).for_each(&mut hear);
    assert!(!killer.join().expect("no panic").success());
    last
}

#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if let Ok(place) = env::var(CHILD) {
        return runtime.block_on(append_for_ever(&place));
    }
    for place in places("killed") {
        runtime.block_on(async {
            let store = Store::connect(&place.at).await.expect("a store");
            for id in GAMES {
                store.create_game(&game(id), &[]).await.expect("made");
            }
            store.close().await;
        });
        for _ in 0..8 {
            let chance = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").subsec_nanos() % 150;
            let last = kill_one(&place.at, Duration::from_millis(u64::from(chance)));
            runtime.block_on(all_there(&place.at, &last));
        }
    }
}

/// Says that whatever was said to be written is.
async fn all_there(place: &str, last: &BTreeMap<String, i64>) {
    let store = Store::connect(place).await.expect("a store");
    for id in GAMES {
        let length = whole(&store, id).await;
        let said = last.get(id).map_or(0, |seq| seq + 1);
        assert!(length >= said, "{id}: {said} were said to be written, {length} are");
    }
    store.close().await;
}
