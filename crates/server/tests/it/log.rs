//! The log: one line for each failure, with ids and the reason, and never a secret.

use crate::test_server::{CreatedGame, TestServer};
use axum::{body::Body, http::Request};
use parlor_catalog::Clock;
use parlor_core::{Answer, Board, Failure};
use parlor_server::RateLimits;
use parlor_testkit::{Database, Log, Scripted, eventually_async};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A server that runs one bot with this behaviour.
async fn failing(answer: fn(&dyn Board) -> Result<Answer, Failure>) -> TestServer {
    TestServer::with(Database::sqlite(), |settings| {
        settings.rate_limits = RateLimits::none();
        settings.bots = vec![("greedy".to_string(), "scripted".to_string())];
        settings.make_bot = Arc::new(move |_, _, _| Ok(Box::new(Scripted(answer))));
    })
    .await
}

/// A clock that panics after the test has broken it.
#[derive(Debug, Default)]
struct FragileClock(AtomicBool);

impl Clock for FragileClock {
    fn now(&self) -> Duration {
        assert!(!self.0.load(Ordering::SeqCst), "the clock is on fire");
        Duration::ZERO
    }
}

async fn moved(server: &TestServer, made: &CreatedGame, ply: u64, mv: &str) -> u16 {
    server.post(&made.moves(), Some(&made.token), &json!({"ply": ply, "move": mv})).await.status
}

async fn advance(by: Duration) {
    tokio::time::pause();
    tokio::time::advance(by).await;
    tokio::time::resume();
}

/// A second server on the database, which has no game in memory.
async fn restarted(server: &TestServer) -> TestServer {
    TestServer::start(server.db.clone()).await
}

#[tokio::test]
async fn a_corrupt_event_of_a_live_game_is_logged_once_with_the_game_and_the_event() {
    let server = TestServer::start(Database::sqlite()).await;
    let made = server.game(json!({"game": "kalah:6,4", "second": {"kind": "me"}})).await;
    assert_eq!(moved(&server, &made, 0, "1").await, 200);
    server.db.execute("UPDATE live_event SET text = '99'");
    let server = restarted(&server).await;
    let log = Log::capture();
    for path in [made.path(), format!("/games/{}?invitation={}", made.id, made.invitation)] {
        let answer = server.get(&path).await;
        assert_eq!(answer.status, 500, "{}", answer.text);
        assert!(!answer.text.contains("live_event") && !answer.text.contains("99"), "{}", answer.text);
    }
    let lines = log.lines();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    for (line, path) in lines.iter().zip([made.path(), format!("/games/{}", made.id)]) {
        let begin =
            format!("ERROR request failed method=GET path={path} status=500 game={} reason=", made.id);
        assert!(line.starts_with(&begin), "{line}");
        assert!(line.contains("live_event") && line.contains("event 1 (move '99')"), "{line}");
    }
}

#[tokio::test]
async fn a_failed_write_is_logged_and_health_is_503_until_a_write_succeeds() {
    let server = TestServer::start(Database::sqlite()).await;
    let made = server.game(json!({"game": "kalah:6,4", "second": {"kind": "me"}})).await;
    assert_eq!(server.get("/healthz").await.text, "ok\n");
    let log = Log::capture();
    server
        .db
        .execute("CREATE TRIGGER broken BEFORE INSERT ON live_event BEGIN SELECT RAISE(ABORT, 'no'); END");
    assert_eq!(moved(&server, &made, 0, "1").await, 503);
    let line = log.only("write failed");
    assert!(line.contains(&format!("ids={}", made.id)), "{line}");
    let line = log.only("request failed");
    assert!(line.starts_with("WARN") && line.contains("status=503") && line.contains(&made.id), "{line}");
    let health = server.get("/healthz").await;
    assert_eq!((health.status, health.text.as_str()), (503, "failing: writes to the database fail\n"));
    log.only("path=/healthz status=503");
    server.db.execute("DROP TRIGGER broken");
    assert_eq!(server.get("/healthz").await.status, 503, "nothing was written since");
    advance(Duration::from_secs(1)).await;
    assert_eq!(server.get("/healthz").await.status, 200);
    assert_eq!(moved(&server, &made, 0, "1").await, 200);
    let metrics = server.get("/metrics").await.text;
    assert!(metrics.contains("\nparlor_failed_writes_total 1\n"), "{metrics}");
    assert!(metrics.contains("\nparlor_errors_total 3\n"), "{metrics}");
}

#[tokio::test]
async fn a_panic_is_logged_once_and_the_client_gets_a_general_sentence() {
    let clock = Arc::new(FragileClock::default());
    let server = TestServer::with(Database::sqlite(), |settings| settings.clock = clock.clone()).await;
    let log = Log::capture();
    clock.0.store(true, Ordering::SeqCst);
    let answer = server.post("/api/v1/games", None, &json!({"game": "kalah:6,4"})).await;
    assert_eq!(answer.status, 500);
    assert!(!answer.text.contains("fire"), "{}", answer.text);
    assert_eq!(answer.headers["x-content-type-options"], "nosniff", "as every response");
    assert_eq!(
        log.lines(),
        [
            "ERROR request failed method=POST path=/api/v1/games status=500 reason=panicked: the clock is on fire"
        ]
    );
}

#[tokio::test]
async fn a_failing_bot_of_the_server_is_logged_once_with_game_side_name_and_reason() {
    for (fails, reason) in [
        (
            (|_| Err(Failure::Crash("killed by signal 9".to_string())))
                as fn(&dyn Board) -> Result<Answer, Failure>,
            "crash reason=crashed: killed by signal 9",
        ),
        (|_| panic!("division by zero"), "crash reason=crashed: panicked: division by zero"),
        (|_| Ok(Answer::Move("99".to_string())), "illegal reason=played '99': "),
        (|_| Ok(Answer::NoMove), "illegal reason=answered that it has no move"),
    ] {
        let server = failing(fails).await;
        let log = Log::capture();
        let house = json!({"kind": "house", "name": "greedy"});
        let made = server.game(json!({"game": "kalah:6,4", "first": house, "second": {"kind": "me"}})).await;
        let over = async || {
            Some(server.get(&made.path()).await.json()).filter(|state| state["ending"] != Value::Null)
        };
        eventually_async("the bot has lost", over).await;
        let begin = format!("WARN bot failed game={} side=first bot=greedy kind={reason}", made.id);
        assert!(log.only("bot failed").starts_with(&begin), "{:?}", log.lines());
    }
}

#[tokio::test]
async fn no_token_cookie_or_invitation_is_logged() {
    let server = TestServer::start(Database::sqlite()).await;
    let made = server.game(json!({"game": "kalah:6,4", "second": {"kind": "open"}})).await;
    let seat = format!("/api/v1/games/{}/seat", made.id);
    let guest = server.post(&seat, None, &json!({"invitation": made.invitation})).await.json();
    let guest = guest["token"].as_str().expect("a token").to_string();
    assert_eq!(moved(&server, &made, 0, "1").await, 200);
    server.db.execute("UPDATE live_event SET text = '99' WHERE kind = 'move'");
    let server = restarted(&server).await;
    let log = Log::capture();
    let id = &made.id;
    for path in [
        format!("/games/{id}?invitation={}", made.invitation),
        format!("/api/v1/games/{id}?token={}", made.token),
        format!("/api/v1/games/{id}/events?token={}", made.token),
    ] {
        let request = Request::get(path).header("cookie", format!("parlor={guest}"));
        let request = request.header("authorization", format!("Bearer {}", made.token)).body(Body::empty());
        assert_eq!(server.ask(request.expect("a request")).await.status, 500);
    }
    let again = json!({"invitation": made.invitation, "name": "me"});
    assert_eq!(server.post(&seat, Some(&made.token), &again).await.status, 500);
    assert_eq!(log.with("request failed").len(), 4, "{:#?}", log.lines());
    for line in log.lines() {
        for secret in [&made.token, &made.invitation, &guest] {
            assert!(!line.contains(secret.as_str()), "{line}");
        }
    }
}
