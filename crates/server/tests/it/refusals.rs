//! Requests that must be refused and text that must be escaped: missing tokens, replays, foreign origins, hostile
//! text, large bodies.

use crate::test_server::TestServer;
use axum::{body::Body, http::Request};
use parlor_server::RateLimits;
use parlor_testkit::{Database, on_both_databases};
use serde_json::json;

on_both_databases! {
    async a_move_needs_the_token_of_its_seat,
    async requests_from_other_sites_are_refused,
    async hostile_text_is_escaped,
    async bad_bodies_are_refused_with_one_sentence,
    async bad_game_requests_are_refused,
    async a_client_over_its_rate_limit_gets_429,
    async unknown_paths_are_not_found,
}

const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";

async fn a_move_needs_the_token_of_its_seat(db: Database) {
    let server = TestServer::start(db).await;
    let made = server.game(json!({"game": "kalah:6,4", "second": {"kind": "open"}})).await;
    let other = server.game(json!({"game": "kalah:6,4"})).await;
    let mv = json!({"ply": 0, "move": "1"});
    for (token, status) in [
        (None, 401),
        (Some("f".repeat(32)), 403),
        (Some("not a token".to_string()), 401),
        (Some(other.token.clone()), 403),
        (Some(made.invitation.clone()), 403),
    ] {
        let answer = server.post(&made.moves(), token.as_deref(), &mv).await;
        assert_eq!(answer.status, status, "{token:?}: {}", answer.text);
        assert_eq!(answer.headers["content-type"], "application/problem+json");
    }
    let seat = format!("/api/v1/games/{}/seat", made.id);
    let seated = server.post(&seat, None, &json!({"invitation": made.invitation})).await.json();
    let guest = seated["token"].as_str().expect("a token");
    assert_eq!(server.post(&made.moves(), Some(guest), &mv).await.status, 403, "another's turn");
    assert_eq!(server.post(&made.moves(), Some(&made.token), &mv).await.status, 200);
    assert_eq!(server.post(&made.moves(), Some(&made.token), &mv).await.status, 409, "the same again");
    let later = json!({"ply": 7, "move": "1"});
    assert_eq!(server.post(&made.moves(), Some(&made.token), &later).await.status, 409, "from the future");
    assert_eq!(server.get(&made.path()).await.json()["ply"], 1, "only one of them counted");
}

async fn requests_from_other_sites_are_refused(db: Database) {
    let server = TestServer::start(db).await;
    let made = server.game(json!({"game": "kalah:6,4"})).await;
    for (name, value) in
        [("origin", "https://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")]
    {
        let request = Request::post(made.moves())
            .header("host", "parlor.example")
            .header(name, value)
            .header("cookie", format!("parlor={}", made.token))
            .header("content-type", "application/json")
            .body(Body::from(r#"{"ply":0,"move":"1"}"#));
        let answer = server.ask(request.expect("a request")).await;
        assert_eq!(answer.status, 403, "{name}: {value}");
        assert!(answer.text.contains("foreign-origin"), "{}", answer.text);
    }
    assert_eq!(server.get(&made.path()).await.json()["ply"], 0);
}

async fn hostile_text_is_escaped(db: Database) {
    let server = TestServer::start(db).await;
    let name = &SCRIPT[..40];
    let made = server.game(json!({"game": "kalah:6,4", "name": name, "second": {"kind": "open"}})).await;
    let guest = json!({"invitation": made.invitation, "name": "<b>x\u{1b}[31m\u{202e}"});
    server.post(&format!("/api/v1/games/{}/seat", made.id), None, &guest).await;
    for page in [
        "/".to_string(),
        format!("/games/{}", made.id),
        format!("/games/{}?invitation={SCRIPT}", made.id).replace(' ', "%20").replace(['<', '>', '"'], "%3C"),
    ] {
        let answer = server.get(&page).await;
        assert_eq!(answer.status, 200, "{page}");
        assert!(!answer.text.contains("<script>alert") && !answer.text.contains("<b>x"), "{page}");
        assert!(!answer.text.contains('\u{1b}') && !answer.text.contains('\u{202e}'), "{page}");
        let policy = answer.headers["content-security-policy"].to_str().expect("a policy");
        assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    }
    let long = server
        .post(
            &format!("/api/v1/games/{}/seat", made.id),
            None,
            &json!({"invitation": made.invitation, "name": "x".repeat(41)}),
        )
        .await;
    assert_eq!(long.status, 422, "{}", long.text);
}

async fn bad_bodies_are_refused_with_one_sentence(db: Database) {
    let server = TestServer::start(db).await;
    let made = server.game(json!({"game": "kalah:6,4"})).await;
    let send = async |kind: &str, body: Vec<u8>| {
        let request = Request::post(made.moves())
            .header("authorization", format!("Bearer {}", made.token))
            .header("content-type", kind)
            .body(Body::from(body));
        server.ask(request.expect("a request")).await
    };
    for (kind, body, status) in [
        ("application/json", b"{".to_vec(), 422),
        ("application/json", b"{\"ply\":-1,\"move\":\"1\"}".to_vec(), 422),
        ("application/json", b"{\"ply\":0}".to_vec(), 422),
        ("application/json", b"{\"ply\":0,\"move\":\"1\",\"extra\":1}".to_vec(), 422),
        ("application/json", b"{\"ply\":0,\"path\":[65535]}".to_vec(), 422),
        ("application/json", b"{\"ply\":0,\"move\":\"\xff\"}".to_vec(), 422),
        ("text/plain", b"{\"ply\":0,\"move\":\"1\"}".to_vec(), 422),
        ("application/json", vec![b'['; 100_000], 413),
        ("application/json", vec![b'['; 60_000], 422),
    ] {
        let answer = send(kind, body.clone()).await;
        assert_eq!(
            answer.status,
            status,
            "{}: {}",
            String::from_utf8_lossy(&body[..body.len().min(60)]),
            answer.text
        );
        let detail = answer.json()["detail"].as_str().expect("a sentence").to_string();
        assert!(detail.ends_with('.') && detail.len() < 600, "{detail}");
    }
    assert_eq!(server.get(&made.path()).await.json()["ply"], 0, "nothing has changed");
}

async fn bad_game_requests_are_refused(db: Database) {
    let server = TestServer::start(db).await;
    for (body, part) in [
        (json!({"game": "chess"}), "There is no game 'chess'"),
        (json!({"game": "kalah:99999999999"}), "is not a number"),
        (json!({"game": "kalah", "first": {"kind": "open"}, "second": {"kind": "open"}}), "both are open"),
        (
            json!({"game": "kalah", "second": {"kind": "player", "spec": "engine:threads=64"}}),
            "option 'threads' of a player cannot be set",
        ),
        (
            json!({"game": "kalah", "second": {"kind": "player", "spec": "engine:memory=65536"}}),
            "option 'memory' of a player cannot be set",
        ),
        (json!({"game": "kalah", "second": {"kind": "player", "spec": "bot:sh -c reboot"}}), "bot"),
        (json!({"game": "kalah", "second": {"kind": "house", "name": "x"}}), "no bot with this name"),
        (json!({"game": "kalah", "clock": "1y+1y"}), "is not a time control; expected 5m+3s"),
        (json!({"game": "kalah", "start": "nonsense"}), ""),
        (json!({"game": "kalah", "who": 1}), "unknown field"),
    ] {
        let answer = server.post("/api/v1/games", None, &body).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.text);
        let detail = answer.json()["detail"].as_str().expect("a sentence").to_string();
        assert!(detail.contains(part), "{body}: {detail}");
    }
    assert_eq!(server.get("/metrics").await.text.matches("parlor_games_total 0").count(), 1);
}

async fn a_client_over_its_rate_limit_gets_429(db: Database) {
    let server = TestServer::start(db).await;
    let limits = RateLimits::per_second([1, 1, 1]);
    let busy = TestServer::with(server.db.clone(), |settings| settings.rate_limits = limits).await;
    let mut refused = 0;
    for _ in 0..30 {
        let answer = busy.post("/api/v1/games", None, &json!({"game": "kalah:3,2"})).await;
        refused += usize::from(answer.status == 429);
        if answer.status == 429 {
            assert_eq!(answer.headers["retry-after"], "2");
        }
    }
    assert!((15..=20).contains(&refused), "ten at once, then one a second: {refused}");
    assert_eq!(busy.get("/healthz").await.status, 200);
}

async fn unknown_paths_are_not_found(db: Database) {
    let server = TestServer::start(db).await;
    for path in [
        "/games/..%2f..%2fetc",
        "/games/aaaaaaaaaa",
        "/assets/../Cargo.toml",
        "/nothing",
        "/games/bcdfghjkmn",
    ] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    assert!(server.service.rooms().is_empty(), "nothing is remembered of them");
    let answer = server.form("/healthz", None, "").await;
    assert_eq!(answer.status, 405, "{}", answer.text);
    assert_eq!(answer.json()["detail"], "Method not allowed; use GET.");
}
