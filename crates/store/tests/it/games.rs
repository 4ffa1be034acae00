//! Live games: rows and logs of events are stored once and read back unchanged.

use parlor_store::{Append, EventRow, GameStatus, LiveGameRow, SeatRow, Store, StoreError};
use parlor_testkit::{Database, on_both_databases};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use std::time::Duration;

on_both_databases! {
    async a_live_game_is_read_back_with_all_its_events,
    async a_duplicate_game_id_is_refused,
    async a_conflicting_append_is_refused_and_others_of_its_batch_are_stored,
    async live_and_recent_games_are_listed_latest_first,
    async a_correspondence_game_is_overdue_until_it_moves_or_ends,
    async a_cancelled_call_releases_the_write_connection,
    async both_databases_store_and_order_unusual_text_in_the_same_way,
}

fn seat(name: &str) -> SeatRow {
    SeatRow { kind: "person".into(), name: name.into(), spec: "0a1b2c".into() }
}

fn game(id: &str) -> LiveGameRow {
    LiveGameRow {
        id: id.into(),
        game: "kalah:6,4".into(),
        start: None,
        clock: Some("5m+3s".into()),
        seats: [seat("Ann's \"bot\""), seat("Bob; DROP TABLE live_game")],
        listed: true,
        created: 1000,
        touched: 1000,
        plies: 0,
        ended: None,
        result: None,
        cause: None,
        rules: 2,
        deadline: None,
    }
}

fn event(seq: i64) -> EventRow {
    let left = (seq % 2 == 0).then_some([300_000 - seq, i64::MAX]);
    let periods = (seq % 4 == 0).then_some([3, seq]);
    EventRow { seq, kind: "move".into(), text: format!("{seq} \u{1b}[31m…"), at: 1000 + seq, left, periods }
}

fn append(id: &str, seqs: &[i64]) -> Append {
    let events: Vec<EventRow> = seqs.iter().copied().map(event).collect();
    let plies = seqs.last().map_or(0, |seq| seq + 1);
    Append { game: id.into(), events, status: GameStatus { plies, ..GameStatus::default() } }
}

async fn open(db: &Database) -> Store {
    Store::connect(&db.url).await.expect("a store")
}

async fn read(store: &Store, id: &str) -> (LiveGameRow, Vec<i64>) {
    let (row, events) = store.live_game(id).await.expect("read").expect("a game");
    let seqs = events.iter().map(|event| event.seq).collect();
    (row, seqs)
}

async fn a_live_game_is_read_back_with_all_its_events(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    let private =
        LiveGameRow { start: Some("a position".into()), clock: None, listed: false, ..game("deadbeef") };
    store.create_game(&private, &[event(0)]).await.expect("made");
    assert_eq!(store.append(&[append("deadbeef", &[2, 1])]).await, [Ok(())]);
    let mut last = append("deadbeef", &[3]);
    last.status.seats = Some([seat("Cid"), seat("Dora")]);
    last.status.ended = Some((1003, "first by 8".into(), "resigned".into()));
    assert_eq!(store.append(&[last]).await, [Ok(())]);
    // The first store is not closed, as after a kill.
    std::mem::forget(store);
    let again = Store::connect(&db.url).await.expect("the same store");
    let row = LiveGameRow {
        seats: [seat("Cid"), seat("Dora")],
        touched: 1003,
        plies: 4,
        ended: Some(1003),
        result: Some("first by 8".into()),
        cause: Some("resigned".into()),
        ..private
    };
    let events = (0..4).map(event).collect();
    assert_eq!(again.live_game("deadbeef").await, Ok(Some((row, events))));
    assert_eq!(again.live_game("another").await, Ok(None));
}

async fn a_duplicate_game_id_is_refused(db: Database) {
    let store = open(&db).await;
    store.create_game(&game("a"), &[event(0)]).await.expect("made");
    let again = store.create_game(&LiveGameRow { plies: 7, ..game("a") }, &[event(1)]).await;
    assert_eq!(again, Err(StoreError::IdTaken("a".into())));
    assert_eq!(read(&store, "a").await, (game("a"), vec![0]));
    // A game whose first events have the same sequence number is not created either.
    let torn = store.create_game(&game("b"), &[event(0), event(0)]).await;
    assert_eq!(torn, Err(StoreError::Conflict("b".into(), 0)));
    assert_eq!(store.live_game("b").await, Ok(None));
}

async fn a_conflicting_append_is_refused_and_others_of_its_batch_are_stored(db: Database) {
    let store = open(&db).await;
    for id in ["a", "b", "c"] {
        store.create_game(&game(id), &[event(0)]).await.expect("made");
    }
    let mut stale = append("b", &[1, 2, 0]);
    stale.status = GameStatus {
        plies: 99,
        seats: None,
        ended: Some((5, "draw".into(), "agreed".into())),
        deadline: None,
    };
    let batch =
        [append("a", &[1]), stale, append("c", &[1, 2]), append("nowhere", &[0]), append("a", &[2, 3])];
    let nowhere = Err(StoreError::NotFound("game 'nowhere'".into()));
    let answers = [Ok(()), Err(StoreError::Conflict("b".into(), 0)), Ok(()), nowhere.clone(), Ok(())];
    assert_eq!(store.append(&batch).await, answers);
    assert_eq!(
        read(&store, "a").await,
        (LiveGameRow { touched: 1003, plies: 4, ..game("a") }, vec![0, 1, 2, 3])
    );
    assert_eq!(read(&store, "b").await, (game("b"), vec![0]));
    assert_eq!(
        read(&store, "c").await,
        (LiveGameRow { touched: 1002, plies: 3, ..game("c") }, vec![0, 1, 2])
    );
    // Within one batch, the first of two appends with the same number is stored.
    let twice = store.append(&[append("b", &[1]), append("b", &[1])]).await;
    assert_eq!(twice, [Ok(()), Err(StoreError::Conflict("b".into(), 1))]);
    // An append without events changes only the row, which must exist.
    let bare = store.append(&[append("b", &[]), append("nowhere", &[])]).await;
    assert_eq!(bare, [Ok(()), nowhere]);
    assert_eq!(read(&store, "b").await, (LiveGameRow { touched: 1001, ..game("b") }, vec![0, 1]));
    assert_eq!(store.append(&[]).await, []);
}

async fn live_and_recent_games_are_listed_latest_first(db: Database) {
    let store = open(&db).await;
    for number in 0..6 {
        let ended = (number % 2 == 1).then_some(2000 + number);
        let row =
            LiveGameRow { touched: 1000 + number, ended, listed: number < 4, ..game(&number.to_string()) };
        store.create_game(&row, &[]).await.expect("made");
    }
    let names = |rows: Result<Vec<LiveGameRow>, StoreError>| -> String {
        rows.expect("a list").iter().map(|row| row.id.as_str()).collect()
    };
    assert_eq!(names(store.live_games(0, 9).await), "420", "private ones too");
    assert_eq!(names(store.live_games(1002, 9).await), "42");
    assert_eq!(names(store.live_games(0, 1).await), "4");
    assert_eq!(names(store.recent_games(i64::MAX, 9).await), "31", "5 is private");
    assert_eq!(names(store.recent_games(i64::MAX, 1).await), "3");
    assert_eq!(names(store.recent_games(2003, 9).await), "1", "the next page");
    assert_eq!(names(store.recent_games(i64::MAX, -1).await), "");
}

async fn a_correspondence_game_is_overdue_until_it_moves_or_ends(db: Database) {
    let store = open(&db).await;
    for (id, deadline) in [("a", Some(3000)), ("b", Some(2000)), ("c", None)] {
        store.create_game(&LiveGameRow { deadline, ..game(id) }, &[event(0)]).await.expect("made");
    }
    let overdue = async |now| -> String {
        store.overdue_games(now, 9).await.expect("a list").iter().map(|row| row.id.as_str()).collect()
    };
    assert_eq!((overdue(2000).await.as_str(), overdue(9999).await.as_str()), ("", "ba"));
    let mut moved = append("b", &[1]);
    moved.status.deadline = Some(20_000);
    let mut ended = append("a", &[1]);
    ended.status.ended = Some((1001, "first".into(), "timeout".into()));
    assert_eq!(store.append(&[moved, ended]).await, [Ok(()), Ok(())]);
    assert_eq!((overdue(9999).await.as_str(), overdue(20_001).await.as_str()), ("", "b"));
}

#[tokio::test]
async fn a_write_waits_for_another_process() {
    let db = Database::sqlite();
    let store = open(&db).await;
    store.create_game(&game("a"), &[event(0)]).await.expect("made");
    let options = SqliteConnectOptions::new().filename(&db.url);
    let mut other = SqliteConnection::connect_with(&options).await.expect("another one");
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.expect("begun");
    sqlx::query("UPDATE live_game SET plies = 5").execute(&mut other).await.expect("written");
    let one = store.clone();
    let waiting = tokio::spawn(async move { one.append(&[append("a", &[1])]).await });
    assert_eq!(read(&store, "a").await, (game("a"), vec![0]), "readers do not wait for the writer");
    assert!(!waiting.is_finished(), "the writer waits for the other process");
    sqlx::query("COMMIT").execute(&mut other).await.expect("done");
    assert_eq!(waiting.await.expect("no panic"), [Ok(())]);
    assert_eq!(read(&store, "a").await.1, [0, 1]);
}

async fn a_cancelled_call_releases_the_write_connection(db: Database) {
    let store = open(&db).await;
    store.create_game(&game("a"), &[]).await.expect("made");
    for seq in 0..200 {
        // Some of the calls are dropped in the middle of their transaction.
        let pause = Duration::from_micros(seq as u64 * 10);
        let _ = tokio::time::timeout(pause, store.append(&[append("a", &[2 * seq, 2 * seq + 1])])).await;
    }
    assert_eq!(store.append(&[append("a", &[1000])]).await, [Ok(())]);
    let (_, seqs) = read(&store, "a").await;
    for seq in 0..200 {
        assert_eq!(seqs.contains(&(2 * seq)), seqs.contains(&(2 * seq + 1)), "never half");
    }
}

async fn both_databases_store_and_order_unusual_text_in_the_same_way(db: Database) {
    let store = open(&db).await;
    for id in ["b", "B", "_", "é", "a-", "aa", "a\0"] {
        store.create_game(&game(id), &[]).await.expect("made");
    }
    let ids: Vec<String> =
        store.live_games(0, 99).await.expect("games").into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["B", "_", "a-", "aa", "a\u{fffd}", "b", "é"], "by their bytes");
    let mut odd = append("a\0", &[0]);
    odd.events[0].text = "zero\0, \u{1f600}, '\"; --".into();
    assert_eq!(store.append(&[odd, append("b", &[0])]).await, [Ok(()), Ok(())]);
    let (_, events) = store.live_game("a\0").await.expect("read").expect("a game");
    assert_eq!(events[0].text, "zero\u{fffd}, \u{1f600}, '\"; --");
}
