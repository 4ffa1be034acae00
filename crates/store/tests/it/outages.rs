//! Outages of PostgreSQL: no caller gets a wrong answer. Also the notifications between servers that share a database.

use crate::{
    proxy::{Mode, Proxy},
    rows::game,
};
use parlor_store::{Append, EventRow, GameStatus, Journal, ListenerEvent, Notification, Store, StoreError};
use parlor_testkit::{Database, on_postgres, within};
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

on_postgres! {
    async a_lost_commit_is_repeated,
    async a_commit_whose_answer_is_lost_is_not_repeated,
    async direct_calls_report_the_outage_and_its_end,
    async repeated_outages_neither_lose_nor_duplicate_events,
    async a_connection_that_the_server_terminates_is_replaced,
    async listeners_receive_notifications_and_report_a_reconnection,
    async a_wrong_address_is_refused_without_showing_its_password,
}

fn move_of(id: &str, seq: i64, text: &str) -> Append {
    let event = EventRow { seq, kind: "move".into(), text: text.into(), at: seq, left: None, periods: None };
    let status = GameStatus { plies: seq + 1, ..GameStatus::default() };
    Append { game: id.into(), events: vec![event], status }
}

async fn texts(store: &Store, id: &str) -> Vec<String> {
    let (_, events) = store.live_game(id).await.expect("read").expect("a game");
    events.into_iter().map(|event| event.text).collect()
}

/// A proxy to the database and a store with two games that uses it.
async fn through_proxy(db: &Database) -> (Proxy, Store) {
    let proxy = Proxy::to(&db.host()).await;
    let store = Store::connect(&db.through(&proxy.host)).await.expect("a store");
    for id in ["a", "b"] {
        store.create_game(&game(id), &[]).await.expect("made");
    }
    (proxy, store)
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    within("the store answers", future).await
}

async fn a_lost_commit_is_repeated(db: Database) {
    commit_is_done_once(&db, Mode::CutBeforeCommit).await;
}

async fn a_commit_whose_answer_is_lost_is_not_repeated(db: Database) {
    commit_is_done_once(&db, Mode::CutAfterCommit).await;
}

async fn commit_is_done_once(db: &Database, mode: Mode) {
    let (proxy, store) = through_proxy(db).await;
    let (journal, _task) = Journal::start(store.clone());
    assert_eq!(journal.append(move_of("a", 0, "first")).await, Ok(()));
    proxy.set(mode);
    let outage = async {
        proxy.is_cut().await;
        proxy.refuses(2).await;
        proxy.set(Mode::Open);
    };
    // One batch: two appends with the same sequence number, one with an old number, and one to another game.
    let answers = soon(async {
        tokio::join!(
            journal.append(move_of("a", 1, "second")),
            journal.append(move_of("a", 1, "second")),
            journal.append(move_of("a", 0, "another first")),
            journal.append(move_of("b", 0, "first")),
            outage
        )
    });
    let (one, other, before, another, ()) = answers.await;
    assert_eq!(one, Ok(()));
    assert_eq!(other, Err(StoreError::Conflict("a".into(), 1)));
    assert_eq!(before, Err(StoreError::Conflict("a".into(), 0)));
    assert_eq!(another, Ok(()));
    assert_eq!(texts(&store, "a").await, ["first", "second"]);
    assert_eq!(texts(&store, "b").await, ["first"]);
}

async fn direct_calls_report_the_outage_and_its_end(db: Database) {
    let (proxy, store) = through_proxy(&db).await;
    proxy.set(Mode::Cut);
    let away = |error: &StoreError| matches!(error, StoreError::Unavailable(_));
    assert!(soon(store.live_game("a")).await.is_err_and(|error| away(&error)));
    assert!(soon(store.tournaments()).await.is_err_and(|error| away(&error)));
    assert!(soon(store.create_game(&game("c"), &[])).await.is_err_and(|error| away(&error)));
    assert!(soon(store.notify("moves", "a")).await.is_err_and(|error| away(&error)));
    let answers = soon(store.append(&[move_of("a", 0, "first")])).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(away)), "{answers:?}");
    assert!(
        timeout(Duration::from_millis(300), store.wait_until_available()).await.is_err(),
        "it is not back"
    );
    proxy.set(Mode::Open);
    soon(store.wait_until_available()).await;
    assert_eq!(store.append(&[move_of("a", 0, "first")]).await, [Ok(())]);
    assert_eq!(texts(&store, "a").await, ["first"]);
}

async fn repeated_outages_neither_lose_nor_duplicate_events(db: Database) {
    const MOVES: i64 = 60;
    let (proxy, store) = through_proxy(&db).await;
    let (journal, _task) = Journal::start(store.clone());
    let (progress, mut written) = watch::channel(0);
    let progress = Arc::new(progress);
    let rooms = ["a", "b"].map(|id| {
        let (journal, progress) = (journal.clone(), Arc::clone(&progress));
        tokio::spawn(async move {
            for seq in 0..MOVES {
                assert_eq!(journal.append(move_of(id, seq, &seq.to_string())).await, Ok(()), "{id} {seq}");
                progress.send_modify(|count| *count += 1);
            }
        })
    });
    for outage in 0..12 {
        // Several moves per outage, so that outages occur in all phases of a batch.
        soon(written.wait_for(|count| *count >= 8 * outage)).await.expect("the games");
        proxy.set([Mode::Cut, Mode::CutAfterCommit, Mode::CutBeforeCommit][outage as usize % 3]);
        soon(proxy.is_cut()).await;
        soon(proxy.refuses(1)).await;
        proxy.set(Mode::Open);
    }
    for room in rooms {
        soon(room).await.expect("no panic");
    }
    soon(store.wait_until_available()).await;
    let all: Vec<String> = (0..MOVES).map(|seq| seq.to_string()).collect();
    for id in ["a", "b"] {
        assert_eq!(texts(&store, id).await, all);
    }
}

async fn a_connection_that_the_server_terminates_is_replaced(db: Database) {
    let (_proxy, store) = through_proxy(&db).await;
    let mut listener = store.listener(&["moves"]).await.expect("a listener");
    let (journal, _task) = Journal::start(store.clone());
    journal.append(move_of("a", 0, "first")).await.expect("written");
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                  WHERE datname = current_database() AND pid <> pg_backend_pid()";
    db.execute(others);
    assert_eq!(soon(journal.append(move_of("a", 1, "second"))).await, Ok(()));
    assert_eq!(texts(&store, "a").await, ["first", "second"]);
    assert_eq!(soon(listener.next()).await, Ok(ListenerEvent::Reconnected));
}

fn notification(channel: &str, payload: &str) -> Result<ListenerEvent, StoreError> {
    Ok(ListenerEvent::Notification(Notification { channel: channel.into(), payload: payload.into() }))
}

async fn listeners_receive_notifications_and_report_a_reconnection(db: Database) {
    let (proxy, store) = through_proxy(&db).await;
    let other = Store::connect(&db.url).await.expect("another server");
    let mut listener = store.listener(&["moves", "with \"quotes\""]).await.expect("a listener");
    other.notify("moves", "game a").await.expect("said");
    other.notify("elsewhere", "nothing").await.expect("said");
    store.notify("with \"quotes\"", "").await.expect("said");
    assert_eq!(soon(listener.next()).await, notification("moves", "game a"));
    assert_eq!(soon(listener.next()).await, notification("with \"quotes\"", ""));
    let dropped = timeout(Duration::from_millis(50), listener.next()).await;
    assert!(dropped.is_err(), "nothing to hear: {dropped:?}");
    proxy.set(Mode::Cut);
    let missing = async {
        proxy.refuses(1).await;
        other.notify("moves", "missed").await.expect("said");
        proxy.set(Mode::Open);
    };
    let (heard, ()) = soon(async { tokio::join!(listener.next(), missing) }).await;
    assert_eq!(heard, Ok(ListenerEvent::Reconnected));
    other.notify("moves", "heard again").await.expect("said");
    assert_eq!(soon(listener.next()).await, notification("moves", "heard again"));
    let long = other.notify("moves", &"x".repeat(8000)).await;
    assert!(matches!(long, Err(StoreError::Failed(_))), "{long:?}");
}

#[tokio::test]
async fn a_file_has_no_notifications() {
    let file = Database::sqlite();
    let store = Store::connect(&file.url).await.expect("a store");
    assert!(!store.is_shared());
    assert_eq!(store.notify("moves", "game a").await, Err(StoreError::NotShared));
    assert_eq!(store.listener(&["moves"]).await.map(drop), Err(StoreError::NotShared));
    soon(store.wait_until_available()).await;
}

async fn a_wrong_address_is_refused_without_showing_its_password(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    assert!(store.is_shared());
    assert!(!format!("{store:?}").contains("trust"), "{store:?}");
    let host = db.host();
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
