//! Several servers on one database: replicas show the moves of the owner, and another server takes over if the
//! owner is gone.

use crate::test_server::{CreatedGame, TestServer};
use parlor_store::Store;
use parlor_testkit::{Database, eventually_async, on_postgres};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout};

on_postgres! {
    async a_replica_shows_the_moves_of_the_owner,
    async problems_of_the_owner_are_forwarded_unchanged,
    async an_offer_made_on_one_server_is_answered_on_the_other,
    async a_server_that_shuts_down_releases_its_games_at_once,
    async another_server_takes_over_the_games_of_a_dead_one,
    async an_engine_continues_on_the_server_that_takes_over,
    async concurrent_owners_of_a_game_write_one_log,
}

/// A time after which the other servers have certainly noticed that a server is gone.
const MISSED: Duration = Duration::from_secs(12);

/// Two servers on one database, each of which receives the other's messages.
async fn cluster(db: Database) -> [TestServer; 2] {
    let db = Arc::new(db);
    let servers = [TestServer::start(db.clone()).await, TestServer::start(db.clone()).await];
    // Each server has its own connection for notifications.
    let listening = "SELECT COUNT(*)::TEXT FROM pg_stat_activity \
                     WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    db.wait_for(listening, "2");
    servers
}

fn two_people() -> Value {
    json!({"game": "kalah:6,4", "second": {"kind": "open"}})
}

async fn joined(server: &TestServer, made: &CreatedGame) -> String {
    let path = format!("/api/v1/games/{}/seat", made.id);
    let answer = server.post(&path, None, &json!({"invitation": made.invitation, "name": "guest"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["token"].as_str().expect("a token").to_string()
}

async fn moved(server: &TestServer, made: &CreatedGame, token: &str, ply: u64, mv: &str) -> Value {
    let answer = server.post(&made.moves(), Some(token), &json!({"ply": ply, "move": mv})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn until(server: &TestServer, made: &CreatedGame, fits: impl Fn(&Value) -> bool) -> Value {
    let ask = async || Some(server.get(&made.path()).await.json()).filter(&fits);
    eventually_async("the game is as wanted", ask).await
}

async fn a_replica_shows_the_moves_of_the_owner(db: Database) {
    let [a, b] = cluster(db).await;
    let made = a.game(two_people()).await;
    // The other person uses the other server, where everything works too.
    let guest = joined(&b, &made).await;
    let (_, mut frames) = b.service.rooms().watch(&made.id, None).await.expect("watched");
    let state = moved(&a, &made, &made.token, 0, "1").await;
    assert_eq!(state["ply"], 1);
    let frame = timeout(MISSED, frames.as_mut().expect("the game goes on").recv())
        .await
        .expect("in time")
        .expect("a frame");
    assert_eq!(frame.state.moves, ["1"], "told on the other server");
    assert_eq!(frame.state.seats[1].name, "guest");
    let state = moved(&b, &made, &guest, 1, "1").await;
    assert_eq!(state["moves"], json!(["1", "1"]), "the answer shows what was done elsewhere");
    until(&a, &made, |state| state["ply"] == 2).await;
}

async fn problems_of_the_owner_are_forwarded_unchanged(db: Database) {
    let [a, b] = cluster(db).await;
    let made = a.game(two_people()).await;
    let guest = joined(&a, &made).await;
    let wrong = |ply: u64, mv: &str| json!({"ply": ply, "move": mv});
    for (token, body, status) in [
        (&made.token, wrong(3, "1"), 409),
        (&made.token, wrong(0, "9"), 422),
        (&guest, wrong(0, "1"), 403),
        (&"0".repeat(32), wrong(0, "1"), 403),
    ] {
        let [here, there] = [
            a.post(&made.moves(), Some(token), &body).await,
            b.post(&made.moves(), Some(token), &body).await,
        ];
        assert_eq!((here.status, there.status), (status, status), "{} {}", here.text, there.text);
        assert_eq!(here.text, there.text);
    }
}

async fn an_offer_made_on_one_server_is_answered_on_the_other(db: Database) {
    let [a, b] = cluster(db).await;
    let made = a.game(two_people()).await;
    let guest = joined(&b, &made).await;
    moved(&b, &made, &made.token, 0, "1").await;
    let act = |action: &str| json!({"action": action});
    let offered = b.post(&made.actions(), Some(&made.token), &act("takeback")).await;
    assert_eq!(offered.status, 200, "{}", offered.text);
    until(&b, &made, |state| state["offer"]["kind"] == "takeback").await;
    let agreed = b.post(&made.actions(), Some(&guest), &act("accept")).await;
    assert_eq!((agreed.status, &agreed.json()["ply"]), (200, &json!(0)), "{}", agreed.text);
    until(&a, &made, |state| state["ply"] == 0).await;
}

async fn a_server_that_shuts_down_releases_its_games_at_once(db: Database) {
    let [a, b] = cluster(db).await;
    let made = a.game(two_people()).await;
    let guest = joined(&a, &made).await;
    moved(&a, &made, &made.token, 0, "1").await;
    until(&b, &made, |state| state["ply"] == 1).await;
    a.service.finish().await;
    let state = moved(&b, &made, &guest, 1, "1").await;
    assert_eq!(state["moves"], json!(["1", "1"]));
}

async fn another_server_takes_over_the_games_of_a_dead_one(db: Database) {
    let db = Arc::new(db);
    let b = TestServer::start(db.clone()).await;
    // A server in its own runtime, which ends without a message to the others.
    let other = db.clone();
    let (made, guest) = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let told = runtime.block_on(async {
            let a = TestServer::start(other.clone()).await;
            let made = a.game(two_people()).await;
            let guest = joined(&a, &made).await;
            moved(&a, &made, &made.token, 0, "1").await;
            (made, guest)
        });
        runtime.shutdown_background();
        told
    })
    .await
    .expect("played");
    // A spectator watches it here while the other server still owns it.
    until(&b, &made, |state| state["ply"] == 1).await;
    let begun = Instant::now();
    let state = moved(&b, &made, &guest, 1, "1").await;
    assert_eq!(state["moves"], json!(["1", "1"]));
    assert!(begun.elapsed() < MISSED);
}

async fn an_engine_continues_on_the_server_that_takes_over(db: Database) {
    let db = Arc::new(db);
    let b = TestServer::start(db.clone()).await;
    let store = Store::connect(&db.url).await.expect("a store");
    let made = b.game(json!({"game": "kalah:6,4", "second": {"kind": "player", "spec": "random"}})).await;
    // The game belongs to a server that has never sent a heartbeat, and the engine is to move.
    store.take_ownership(&made.id, "unknown").await.expect("asked");
    until(&b, &made, |state| state["ply"] == 0).await;
    moved(&b, &made, &made.token, 0, "1").await;
    until(&b, &made, |state| state["turn"] == "first").await;
}

async fn concurrent_owners_of_a_game_write_one_log(db: Database) {
    let [a, b] = cluster(db).await;
    let made = a.game(json!({"game": "kalah:6,4", "second": {"kind": "me"}})).await;
    // The ownership is moved to the other server without this server's knowledge, as if it had been suspended.
    a.db.execute(&format!("UPDATE live_game SET owner = NULL WHERE id = '{}'", made.id));
    until(&b, &made, |state| state["ply"] == 0).await;
    let mut ply = 0;
    for round in 0..6 {
        let server = if round % 2 == 0 { &b } else { &a };
        let state = until(server, &made, |state| state["ply"] == ply).await;
        assert_eq!(state["ply"], ply);
        let mv = ["1", "1", "2", "2", "3", "3"][round];
        let state = moved(server, &made, &made.token, ply, mv).await;
        ply = state["ply"].as_u64().expect("a ply");
        assert_eq!(ply, round as u64 + 1);
    }
    let kept = Store::connect(&a.db.url).await.expect("a store");
    let (_, events) = kept.live_game(&made.id).await.expect("read").expect("there");
    let moves = events.iter().filter(|event| event.kind == "move").count();
    assert_eq!(moves, 6, "{events:?}");
}
