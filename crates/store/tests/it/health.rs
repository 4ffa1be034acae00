//! The health check, and the log when the database fails: each change of state is logged once, and never a password.

use crate::{
    proxy::{Mode, Proxy},
    rows::game,
};
use parlor_store::{Append, EventRow, GameStatus, Store, StoreError};
use parlor_testkit::{Database, Log, eventually_async, on_both_databases, within};
use std::time::Duration;

on_both_databases! {
    async a_database_that_can_be_written_to_is_healthy,
}

mod outages {
    parlor_testkit::on_postgres! {
        async an_outage_is_logged_once_at_its_start_and_once_at_its_end,
        async a_taken_over_game_is_logged_once,
    }
    use super::{
        a_taken_over_game_is_logged_once, an_outage_is_logged_once_at_its_start_and_once_at_its_end,
    };
}

async fn a_database_that_can_be_written_to_is_healthy(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    assert_eq!(store.check_health(7).await, Ok(()));
    assert_eq!(store.check_health(8).await, Ok(()), "without a second write");
    assert_eq!(store.failed_writes(), 0);
}

fn first_move(id: &str) -> Append {
    let event = EventRow { seq: 0, kind: "move".into(), text: "1".into(), at: 0, left: None, periods: None };
    Append { game: id.into(), events: vec![event], status: GameStatus::default() }
}

/// Advances the clock of the runtime. The clock is paused only meanwhile, because a call to the database takes real
/// time.
async fn advance(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

#[tokio::test]
async fn health_fails_from_the_first_failed_write_until_one_succeeds() {
    let db = Database::sqlite();
    let store = Store::connect(&db.url).await.expect("a store");
    store.create_game(&game("a"), &[]).await.expect("made");
    assert_eq!(store.check_health(1).await, Ok(()));
    let log = Log::capture();
    db.execute(
        "CREATE TRIGGER broken BEFORE INSERT ON live_event BEGIN SELECT RAISE(ABORT, 'cosmic rays'); END",
    );
    let answers = store.append(&[first_move("a")]).await;
    assert!(
        matches!(&answers[..], [Err(StoreError::Failed(why))] if why.contains("cosmic rays")),
        "{answers:?}"
    );
    let line = log.only("write failed");
    assert!(line.starts_with("ERROR") && line.contains("ids=a") && line.contains("cosmic rays"), "{line}");
    let failed = store.check_health(2).await;
    assert!(matches!(&failed, Err(StoreError::Failed(why)) if why.contains("cosmic rays")), "{failed:?}");
    assert_eq!(store.failed_writes(), 1);
    // The write of the check itself succeeds, at the earliest one second after the last check.
    advance(Duration::from_millis(900)).await;
    assert!(store.check_health(3).await.is_err(), "it has written less than a second ago");
    advance(Duration::from_millis(200)).await;
    assert_eq!(store.check_health(4).await, Ok(()));
    log.only("writes succeed again");
}

#[tokio::test]
async fn a_failing_check_is_logged_once_and_any_write_makes_it_healthy() {
    let db = Database::sqlite();
    let store = Store::connect(&db.url).await.expect("a store");
    let log = Log::capture();
    db.execute("CREATE TRIGGER broken BEFORE INSERT ON health BEGIN SELECT RAISE(ABORT, 'no'); END");
    for now in 0..3 {
        assert!(store.check_health(now).await.is_err());
        advance(Duration::from_secs(2)).await;
    }
    assert_eq!(log.with("write failed").len(), 1, "{:?}", log.lines());
    store.begin_tournament("spring", "plan", 7).await.expect("a write of another table");
    log.only("writes succeed again");
}

#[tokio::test]
async fn the_error_for_a_corrupt_row_names_its_table_and_game() {
    let db = Database::sqlite();
    let store = Store::connect(&db.url).await.expect("a store");
    store.create_game(&game("a"), &first_move("a").events).await.expect("made");
    db.execute("UPDATE live_event SET at = 'noon'");
    let error = store.live_game("a").await.expect_err("no number");
    assert!(
        matches!(&error, StoreError::Corrupt("live_event", key, _) if key == "game a, event 0"),
        "{error:?}"
    );
    db.execute("UPDATE live_game SET plies = 'two'");
    let error = store.live_games(0, 10).await.expect_err("no number").to_string();
    assert!(error.starts_with("corrupt row of live_game (game a): "), "{error}");
}

async fn an_outage_is_logged_once_at_its_start_and_once_at_its_end(db: Database) {
    let proxy = Proxy::to(&db.host()).await;
    let url = db.through(&proxy.host).replace("://parlor@", "://parlor:open-sesame@");
    let store = Store::connect(&url).await.expect("a store");
    let log = Log::capture();
    assert_eq!(store.check_health(1).await, Ok(()));
    proxy.set(Mode::Cut);
    let fails = async || store.check_health(2).await.is_err().then_some(());
    eventually_async("the check fails", fails).await;
    assert!(store.live_game("a").await.is_err() && store.create_game(&game("b"), &[]).await.is_err());
    let line = log.only("database unavailable");
    assert!(line.starts_with("WARN") && line.contains("reason="), "{line}");
    proxy.set(Mode::Open);
    within("the database answers", store.wait_until_available()).await;
    log.only("database available again");
    eventually_async("the check passes", async || store.check_health(3).await.ok()).await;
    log.only("writes succeed again");
    assert!(!log.lines().iter().any(|line| line.contains("open-sesame")), "{:?}", log.lines());
}

async fn a_taken_over_game_is_logged_once(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    store.create_game(&game("a"), &[]).await.expect("made");
    let log = Log::capture();
    store.server_heartbeat("one").await.expect("alive");
    assert_eq!(store.take_ownership("a", "one").await.as_deref(), Ok("one"));
    assert_eq!(store.take_ownership("a", "two").await.as_deref(), Ok("one"), "it is alive");
    assert!(log.with("taken over").is_empty(), "{:?}", log.lines());
    store.deregister_server("one").await.expect("gone");
    assert_eq!(store.take_ownership("a", "two").await.as_deref(), Ok("two"));
    assert_eq!(log.only("taken over"), "INFO game taken over game=a old_owner=one new_owner=two");
}
