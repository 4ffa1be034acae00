//! Rooms: only games that are played or watched stay in memory.

use crate::test_server::{CreatedGame, TestServer};
use axum::{body::Body, http::Request};
use parlor_server::RateLimits;
use parlor_testkit::{Database, eventually_async, on_both_databases};
use serde_json::json;
use std::sync::Arc;

on_both_databases! {
    async reading_a_game_without_a_room_opens_none,
    async watching_a_finished_game_opens_no_room,
    async a_player_who_reads_a_live_game_opens_its_room,
    async idle_rooms_make_space_for_new_games,
    async the_least_recently_used_room_is_evicted_first,
    async a_watched_room_is_not_evicted,
    async an_evicted_game_is_restored_in_the_same_state,
    async robots_txt_allows_only_lists,
}

/// A server with space for this many rooms.
async fn small(db: impl Into<Arc<Database>>, rooms: usize) -> TestServer {
    TestServer::with(db, |settings| {
        settings.rate_limits = RateLimits::none();
        settings.rooms = rooms;
    })
    .await
}

async fn two_players(server: &TestServer) -> CreatedGame {
    server.game(json!({"game": "kalah:6,4", "second": {"kind": "open"}})).await
}

async fn resign(server: &TestServer, game: &CreatedGame) {
    let answer = server.post(&game.actions(), Some(&game.token), &json!({"action": "resign"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn reading_a_game_without_a_room_opens_none(db: Database) {
    let before = TestServer::start(db).await;
    let (finished, idle) = (two_players(&before).await, two_players(&before).await);
    resign(&before, &finished).await;
    let server = TestServer::start(before.db.clone()).await;
    for id in [&finished.id, &idle.id] {
        for path in [
            format!("/games/{id}"),
            format!("/games/{id}/board.svg"),
            format!("/api/v1/games/{id}"),
            format!("/api/v1/games/{id}/record"),
            format!("/analysis?id={id}"),
        ] {
            let answer = server.get(&path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        }
    }
    assert!(server.service.rooms().is_empty());
}

async fn watching_a_finished_game_opens_no_room(db: Database) {
    let before = TestServer::start(db).await;
    let finished = two_players(&before).await;
    resign(&before, &finished).await;
    let server = TestServer::start(before.db.clone()).await;
    let (frame, frames) = server.service.rooms().watch(&finished.id, None).await.expect("a game");
    assert!(frame.state.ending.is_some() && frames.is_none());
    assert!(server.service.rooms().is_empty());
}

async fn a_player_who_reads_a_live_game_opens_its_room(db: Database) {
    let before = TestServer::start(db).await;
    let game = two_players(&before).await;
    let server = TestServer::start(before.db.clone()).await;
    let request = Request::get(game.path()).header("authorization", format!("Bearer {}", game.token));
    let look = server.ask(request.body(Body::empty()).expect("a request")).await;
    assert_eq!(look.json()["you"], json!(["first"]));
    assert!(server.service.rooms().is_open(&game.id), "an engine could have to move");
}

async fn idle_rooms_make_space_for_new_games(db: Database) {
    let server = small(db, 3).await;
    for _ in 0..20 {
        // A room that has just been opened may not be idle yet.
        eventually_async("a game can be started", async || {
            let new = json!({"game": "kalah:6,4", "second": {"kind": "open"}});
            (server.post("/api/v1/games", None, &new).await.status == 201).then_some(())
        })
        .await;
    }
    assert!(server.service.rooms().len() <= 3);
}

/// Starts a game as soon as rooms are idle, so that the request finds space.
async fn start_game(server: &TestServer) -> CreatedGame {
    eventually_async("space", async || server.service.rooms().make_space().then_some(())).await;
    two_players(server).await
}

async fn the_least_recently_used_room_is_evicted_first(db: Database) {
    let server = small(db, 2).await;
    let old = two_players(&server).await;
    let older = two_players(&server).await;
    // The first game is used again.
    let moved = server.post(&old.moves(), Some(&old.token), &json!({"ply": 0, "move": "1"})).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    eventually_async("space", async || server.service.rooms().make_space().then_some(())).await;
    assert!(server.service.rooms().is_open(&old.id) && !server.service.rooms().is_open(&older.id));
}

async fn a_watched_room_is_not_evicted(db: Database) {
    let server = small(db, 1).await;
    let game = two_players(&server).await;
    let watching = server.service.rooms().watch(&game.id, None).await.expect("a game");
    let new = json!({"game": "kalah:6,4", "second": {"kind": "open"}});
    let refused = server.post("/api/v1/games", None, &new).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    drop(watching);
    start_game(&server).await;
}

async fn an_evicted_game_is_restored_in_the_same_state(db: Database) {
    let server = small(db, 1).await;
    let game = two_players(&server).await;
    server.post(&game.moves(), Some(&game.token), &json!({"ply": 0, "move": "3"})).await;
    start_game(&server).await;
    assert!(!server.service.rooms().is_open(&game.id));
    assert_eq!(server.get(&game.path()).await.json()["ply"], 1);
    let again = eventually_async("space", async || {
        let answer = server.post(&game.moves(), Some(&game.token), &json!({"ply": 1, "move": "1"})).await;
        (answer.status != 503).then_some(answer)
    })
    .await;
    assert_eq!(again.status, 200, "{}", again.text);
}

async fn robots_txt_allows_only_lists(db: Database) {
    let server = TestServer::start(db).await;
    let robots = server.get("/robots.txt").await;
    assert_eq!(robots.status, 200);
    assert_eq!(robots.headers["content-type"], "text/plain; charset=utf-8");
    for line in ["User-agent: *", "Disallow: /games", "Disallow: /analysis", "Disallow: /api/"] {
        assert!(robots.text.lines().any(|own| own == line), "{line}");
    }
    for line in ["Allow: /tournaments", "Allow: /rules"] {
        assert!(robots.text.lines().any(|own| own == line), "{line}");
    }
    assert!(!robots.text.contains("Disallow: /\n"));
}
