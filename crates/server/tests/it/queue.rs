//! The fair queue of engines and analyses: no visitor's jobs delay those of others for long, and a waiting job
//! reports its place.

use crate::test_server::TestServer;
use axum::{body::Body, http::Request};
use http_body_util::BodyExt;
use parlor_server::{PeerAddress, RateLimits, Settings};
use parlor_testkit::{Database, eventually_async, on_both_databases, within};
use serde_json::{Value, json};
use std::{net::SocketAddr, time::Duration};

on_both_databases! {
    async a_short_move_does_not_wait_for_long_ones_of_another_address,
    async a_new_visitor_is_next_in_the_queue,
    async a_queued_move_shows_its_place_on_the_page_and_in_the_api,
    async a_move_that_no_client_waits_for_leaves_the_queue,
    async an_engine_thinks_no_longer_than_the_server_allows,
    async a_queued_analysis_reports_its_place,
    async an_address_has_a_limited_number_of_analyses,
}

/// Configures one thread for long jobs and one for short ones; an engine with a long limit thinks until the test ends.
fn one_thread(settings: &mut Settings) {
    settings.rate_limits = RateLimits::none();
    settings.permits = 1;
    settings.think_time = Duration::from_secs(600);
}

fn address(last: u8) -> PeerAddress {
    PeerAddress(SocketAddr::from(([10, 0, 0, last], 1)))
}

/// Starts a game against an engine, which moves first, as a visitor from an address.
async fn game(server: &TestServer, from: PeerAddress, spec: &str, clock: Option<&str>) -> String {
    let engine = json!({"kind": "player", "spec": spec});
    let new = json!({"game": "kalah:6,6", "first": engine, "clock": clock});
    let request = Request::post("/api/v1/games").extension(from).header("content-type", "application/json");
    let answer = server.ask(request.body(Body::from(new.to_string())).expect("a request")).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()["id"].as_str().expect("an id").to_string()
}

async fn state(server: &TestServer, id: &str) -> Value {
    server.get(&format!("/api/v1/games/{id}")).await.json()
}

async fn has_moved(server: &TestServer, id: &str) {
    eventually_async("the engine moves", async || {
        (state(server, id).await["ply"].as_u64()? > 0).then_some(())
    })
    .await;
}

/// Waits until a game's engine has this place in the queue.
async fn has_place(server: &TestServer, id: &str, place: Option<usize>) {
    let place = place.map_or(Value::Null, |place| json!(place));
    eventually_async("the place in the queue", async || {
        let state = state(server, id).await;
        (state.get("queue").unwrap_or(&Value::Null) == &place).then_some(())
    })
    .await;
}

/// Waits until one of two games is next in the queue; returns the other one first. Either engine may have started first.
async fn running_and_waiting<'a>(server: &TestServer, [a, b]: [&'a String; 2]) -> [&'a String; 2] {
    eventually_async("one game waits", async || {
        if state(server, b).await["queue"] == 1 {
            Some([a, b])
        } else {
            (state(server, a).await["queue"] == 1).then_some([b, a])
        }
    })
    .await
}

async fn a_short_move_does_not_wait_for_long_ones_of_another_address(db: Database) {
    let server = TestServer::with(db, one_thread).await;
    let mut greedy = Vec::new();
    for _ in 0..10 {
        greedy.push(game(&server, address(1), "engine:time=600s", None).await);
    }
    has_place(&server, &greedy[9], Some(9)).await;
    let short = game(&server, address(2), "engine:level=1", None).await;
    has_moved(&server, &short).await;
    for id in greedy {
        assert_eq!(state(&server, &id).await["ply"], 0);
    }
}

async fn a_new_visitor_is_next_in_the_queue(db: Database) {
    let server = TestServer::with(db, one_thread).await;
    for _ in 0..5 {
        game(&server, address(1), "engine:time=600s", None).await;
    }
    let newcomer = game(&server, address(2), "engine:time=600s", None).await;
    has_place(&server, &newcomer, Some(1)).await;
}

async fn a_queued_move_shows_its_place_on_the_page_and_in_the_api(db: Database) {
    let server = TestServer::with(db, one_thread).await;
    let first = game(&server, address(1), "engine:time=600s", None).await;
    let second = game(&server, address(1), "engine:time=600s", None).await;
    let [running, waiting] = running_and_waiting(&server, [&first, &second]).await;
    let page = server.get(&format!("/games/{waiting}")).await.text;
    assert!(page.contains("position 1 in the queue"), "{page}");
    has_place(&server, running, None).await;
    assert!(server.get(&format!("/games/{running}")).await.text.contains("is thinking"));
}

async fn a_move_that_no_client_waits_for_leaves_the_queue(db: Database) {
    let server = TestServer::with(db, one_thread).await;
    let engine = json!({"kind": "player", "spec": "engine:time=600s"});
    let new = json!({"game": "kalah:6,6", "first": engine});
    let games = [server.game(new.clone()).await, server.game(new).await];
    let [running, waiting] = running_and_waiting(&server, [&games[0].id, &games[1].id]).await;
    let resigning = games.iter().find(|game| game.id == *running).expect("one of the two");
    let answer =
        server.post(&resigning.actions(), Some(&resigning.token), &json!({"action": "resign"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    has_place(&server, waiting, None).await;
}

async fn an_engine_thinks_no_longer_than_the_server_allows(db: Database) {
    let server = TestServer::with(db, |settings| {
        one_thread(settings);
        settings.think_time = Duration::from_millis(50);
    })
    .await;
    for clock in [None, Some("3h+0s")] {
        let game = game(&server, address(1), "engine:time=600s", clock).await;
        has_moved(&server, &game).await;
    }
}

/// Reads a stream of events until a text occurs in it.
async fn events_until(server: &TestServer, path: &str, from: PeerAddress, text: &str) -> String {
    let request = Request::get(path).extension(from).body(Body::empty()).expect("a request");
    let mut body = server.send(request).await.into_body();
    let mut seen = String::new();
    within(text, async {
        while !seen.contains(text) {
            let frame = body.frame().await.expect("the stream goes on").expect("a frame");
            seen.push_str(&String::from_utf8_lossy(frame.data_ref().expect("data")));
        }
    })
    .await;
    seen
}

async fn a_queued_analysis_reports_its_place(db: Database) {
    let server = TestServer::with(db, one_thread).await;
    game(&server, address(1), "engine:time=600s", None).await;
    let query = "game=kalah:6,6&moves=1";
    let seen = events_until(&server, &format!("/api/v1/analysis?{query}"), address(2), "event: queue").await;
    assert!(seen.contains("event: judgement"), "the first estimate is a short job: {seen}");
    let seen = events_until(&server, &format!("/analysis/live?{query}"), address(2), "in the queue").await;
    assert!(seen.contains("Position "), "{seen}");
}

async fn an_address_has_a_limited_number_of_analyses(db: Database) {
    let server = TestServer::with(db, one_thread).await;
    let ask = async |from: PeerAddress| {
        let request = Request::get("/api/v1/analysis?game=kalah:6,6").extension(from);
        server.send(request.body(Body::empty()).expect("a request")).await
    };
    let mut open = Vec::new();
    for _ in 0..64 {
        let response = ask(address(1)).await;
        assert_eq!(response.status(), 200);
        open.push(response);
    }
    assert_eq!(ask(address(1)).await.status(), 503);
    assert_eq!(ask(address(2)).await.status(), 200, "another address");
}
