//! A shared database goes away and comes back, and nobody gets a wrong answer; and servers that share one hear each other.

mod bridge;
mod places;
mod rows;

use bridge::{Bridge, Way};
use parlor_store::{Append, EventRow, Heard, Journal, Note, Standing, Store, StoreError};
use places::{Place, scratch, server, shared};
use rows::game;
use std::time::Duration;
use tokio::time::{sleep, timeout};

fn move_of(id: &str, seq: i64, text: &str) -> Append {
    let event = EventRow { seq, kind: "move".into(), text: text.into(), at: seq, left: None };
    let standing = Standing { plies: seq + 1, ..Standing::default() };
    Append { game: id.into(), events: vec![event], standing }
}

async fn texts(store: &Store, id: &str) -> Vec<String> {
    let (_, events) = store.game(id).await.expect("read").expect("a game");
    events.into_iter().map(|event| event.text).collect()
}

/// A database, the way to it, and a store at the near end; none where there is no server.
async fn far_away(name: &str) -> Option<(Place, Bridge, Store)> {
    let place = shared(name)?;
    let server = server()?;
    let host =
        server.split(['/', '@', '?']).find(|part| part.contains("127.0.0.1") || part.contains("localhost"));
    let bridge = Bridge::to(host.expect("a server on this machine")).await;
    let store = Store::connect(&place.by_way_of(&bridge.host)).await.expect("a store");
    for id in ["a", "b"] {
        store.create_game(&game(id), &[]).await.expect("made");
    }
    Some((place, bridge, store))
}

/// Whatever happens, within a minute.
async fn soon<T>(doing: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), doing).await.expect("an end")
}

#[tokio::test]
async fn a_commit_is_done_once_whether_it_was_lost_or_its_answer() {
    for way in [Way::CutBeforeCommit, Way::CutAfterCommit] {
        let Some((_place, bridge, store)) = far_away("lost-answer").await else { return };
        let (journal, _task) = Journal::start(store.clone());
        assert_eq!(journal.append(move_of("a", 0, "first")).await, Ok(()));
        bridge.set(way);
        let mend = async {
            bridge.is_cut().await;
            sleep(Duration::from_millis(300)).await;
            bridge.set(Way::Open);
        };
        // All in one batch: two that want the same number, one that has it from before, and one of another game.
        let answers = soon(async {
            tokio::join!(
                journal.append(move_of("a", 1, "second")),
                journal.append(move_of("a", 1, "second")),
                journal.append(move_of("a", 0, "another first")),
                journal.append(move_of("b", 0, "first")),
                mend
            )
        });
        let (one, other, before, another, ()) = answers.await;
        assert_eq!(one, Ok(()), "{way:?}");
        assert_eq!(other, Err(StoreError::Stale("a".into(), 1)), "{way:?}");
        assert_eq!(before, Err(StoreError::Stale("a".into(), 0)), "{way:?}");
        assert_eq!(another, Ok(()), "{way:?}");
        assert_eq!(texts(&store, "a").await, ["first", "second"]);
        assert_eq!(texts(&store, "b").await, ["first"]);
    }
}

#[tokio::test]
async fn whoever_asks_directly_is_told_that_it_is_away_and_when_it_is_back() {
    let Some((_place, bridge, store)) = far_away("away").await else { return };
    bridge.set(Way::Cut);
    let away = |error: &StoreError| matches!(error, StoreError::Away(_));
    assert!(soon(store.game("a")).await.is_err_and(|error| away(&error)));
    assert!(soon(store.tournaments()).await.is_err_and(|error| away(&error)));
    assert!(soon(store.create_game(&game("c"), &[])).await.is_err_and(|error| away(&error)));
    assert!(soon(store.notify("moves", "a")).await.is_err_and(|error| away(&error)));
    let answers = soon(store.append(&[move_of("a", 0, "first")])).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(away)), "{answers:?}");
    assert!(timeout(Duration::from_millis(300), store.back()).await.is_err(), "it is not back");
    bridge.set(Way::Open);
    soon(store.back()).await;
    assert_eq!(store.append(&[move_of("a", 0, "first")]).await, [Ok(())]);
    assert_eq!(texts(&store, "a").await, ["first"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_way_that_is_cut_again_and_again_loses_nothing_and_doubles_nothing() {
    const MOVES: i64 = 60;
    let Some((_place, bridge, store)) = far_away("again").await else { return };
    let (journal, _task) = Journal::start(store.clone());
    let rooms = ["a", "b"].map(|id| {
        let journal = journal.clone();
        tokio::spawn(async move {
            for seq in 0..MOVES {
                assert_eq!(journal.append(move_of(id, seq, &seq.to_string())).await, Ok(()), "{id} {seq}");
                sleep(Duration::from_millis(5)).await;
            }
        })
    });
    for turn in 0..12_u64 {
        bridge.set([Way::Cut, Way::CutAfterCommit, Way::CutBeforeCommit][turn as usize % 3]);
        let _ = timeout(Duration::from_millis(300), bridge.is_cut()).await;
        sleep(Duration::from_millis(5 * turn)).await;
        bridge.set(Way::Open);
        sleep(Duration::from_millis(17 * turn % 40)).await;
    }
    for room in rooms {
        soon(room).await.expect("no panic");
    }
    soon(store.back()).await;
    let all: Vec<String> = (0..MOVES).map(|seq| seq.to_string()).collect();
    for id in ["a", "b"] {
        assert_eq!(texts(&store, id).await, all);
    }
}

#[tokio::test]
async fn a_connection_that_the_server_ends_is_not_the_end() {
    let Some((place, _bridge, store)) = far_away("ended").await else { return };
    let mut listener = store.listener(&["moves"]).await.expect("a listener");
    let (journal, _task) = Journal::start(store.clone());
    journal.append(move_of("a", 0, "first")).await.expect("written");
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                  WHERE datname = current_database() AND pid <> pg_backend_pid()";
    places::on_server(&place.at, others.to_string());
    assert_eq!(soon(journal.append(move_of("a", 1, "second"))).await, Ok(()));
    assert_eq!(texts(&store, "a").await, ["first", "second"]);
    assert_eq!(soon(listener.next()).await, Ok(Heard::Again));
}

fn note(channel: &str, payload: &str) -> Result<Heard, StoreError> {
    Ok(Heard::Note(Note { channel: channel.into(), payload: payload.into() }))
}

#[tokio::test]
async fn servers_hear_each_other_and_learn_that_they_may_have_missed_something() {
    let Some((place, bridge, store)) = far_away("notes").await else { return };
    let other = Store::connect(&place.at).await.expect("another server");
    let mut listener = store.listener(&["moves", "with \"quotes\""]).await.expect("a listener");
    other.notify("moves", "game a").await.expect("said");
    other.notify("elsewhere", "nothing").await.expect("said");
    store.notify("with \"quotes\"", "").await.expect("said");
    assert_eq!(soon(listener.next()).await, note("moves", "game a"));
    assert_eq!(soon(listener.next()).await, note("with \"quotes\"", ""));
    let dropped = timeout(Duration::from_millis(50), listener.next()).await;
    assert!(dropped.is_err(), "nothing to hear: {dropped:?}");
    bridge.set(Way::Cut);
    let missing = async {
        sleep(Duration::from_millis(100)).await;
        other.notify("moves", "missed").await.expect("said");
        bridge.set(Way::Open);
    };
    let (heard, ()) = soon(async { tokio::join!(listener.next(), missing) }).await;
    assert_eq!(heard, Ok(Heard::Again));
    other.notify("moves", "heard again").await.expect("said");
    assert_eq!(soon(listener.next()).await, note("moves", "heard again"));
    let long = other.notify("moves", &"x".repeat(8000)).await;
    assert!(matches!(long, Err(StoreError::Failed(_))), "{long:?}");
}

#[tokio::test]
async fn a_file_has_nobody_to_tell() {
    let store = Store::open(&scratch("alone")).await.expect("a store");
    assert!(!store.is_shared());
    assert_eq!(store.notify("moves", "game a").await, Err(StoreError::NotShared));
    assert_eq!(store.listener(&["moves"]).await.map(drop), Err(StoreError::NotShared));
    soon(store.back()).await;
}

#[tokio::test]
async fn an_address_where_no_database_is_is_refused_without_its_password() {
    let Some(place) = shared("nowhere") else { return };
    let store = Store::connect(&place.at).await.expect("a store");
    assert!(store.is_shared());
    assert!(!format!("{store:?}").contains("trust"), "{store:?}");
    let server = server().expect("a server");
    let host =
        server.split(['/', '@', '?']).find(|part| part.contains(':') && part.contains('.')).expect("a host");
    for address in [
        format!("postgres://ann:secret@{host}/no_such_database"),
        "postgres://ann:secret@127.0.0.1:1/parlor".to_string(),
        format!("postgres://ann:secret@{host}/postgres?sslmode=require"),
    ] {
        let error = Store::connect(&address).await.expect_err("no database");
        assert!(matches!(error, StoreError::Open(..)), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}
