//! Games over the API and the pages' forms, without sockets.

use crate::test_server::TestServer;
use parlor_testkit::{Database, eventually_async, on_both_databases};
use serde_json::{Value, json};

on_both_databases! {
    async every_game_is_played_to_its_end_by_paths_alone,
    async an_engine_answers_and_its_move_is_stored,
    async an_invited_player_joins_and_takebacks_need_consent,
    async an_engine_agrees_to_a_claim_only_after_a_repetition,
    async a_player_forfeits_on_time_without_any_request,
    async forms_work_without_the_script,
    async the_state_has_the_steps_of_the_last_move,
    async the_openapi_document_lists_every_route,
}

async fn state(server: &TestServer, id: &str) -> Value {
    server.get(&format!("/api/v1/games/{id}")).await.json()
}

/// Waits until the state of a game meets a condition, for example until an engine has moved.
async fn until(server: &TestServer, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let ask = async || Some(state(server, id).await).filter(&wanted);
    eventually_async("the game is as wanted", ask).await
}

async fn every_game_is_played_to_its_end_by_paths_alone(db: Database) {
    let server = TestServer::start(db).await;
    for entry in parlor_catalog::entries() {
        let made = server.game(json!({"game": entry.name})).await;
        for ply in 0.. {
            let request = axum::http::Request::get(made.path())
                .header("authorization", format!("Bearer {}", made.token));
            let look = server.ask(request.body(axum::body::Body::empty()).expect("a request")).await.json();
            if !look["ending"].is_null() {
                assert!(
                    look["ending"]["sentence"].as_str().is_some_and(|text| text.ends_with('.')),
                    "{look}"
                );
                break;
            }
            let mut path = Vec::new();
            let mut tree = &look["paths"];
            while let Some(steps) = tree.as_object() {
                let (target, rest) = steps.iter().nth(ply % steps.len()).expect("a way on");
                path.push(target.parse::<u16>().expect("a target"));
                tree = rest;
            }
            let ends = tree.as_array().expect("an end of every path");
            path.push(ends[ply % ends.len()].as_u64().expect("a target") as u16);
            let answer =
                server.post(&made.moves(), Some(&made.token), &json!({"ply": ply, "path": path})).await;
            assert_eq!(answer.status, 200, "{}: {}", entry.name, answer.text);
            assert!(ply < 1000, "{} does not end", entry.name);
        }
        let record = server.get(&format!("{}/record", made.path())).await.text;
        let record = parlor_core::Record::parse(&record).expect("a record");
        let game = parlor_catalog::game(&record.game).expect("a game");
        assert!(game.replay(&record).expect("it replays").ending().is_some());
    }
}

async fn the_state_has_the_steps_of_the_last_move(db: Database) {
    let server = TestServer::start(db).await;
    let made = server.game(json!({"game": "kalah:3,2"})).await;
    assert_eq!(state(&server, &made.id).await["steps"], json!([]), "no move yet");
    let sown = server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "3"})).await.json();
    let steps = json!([{"from": 2, "to": 6, "count": 1}, {"from": 2, "to": 5, "count": 1}]);
    assert_eq!(sown["steps"], steps, "into the own pot, then into the other row");
    let made = server.game(json!({"game": "connect"})).await;
    let drop = server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "4"})).await.json();
    assert_eq!(drop["steps"], json!([{"to": 38, "count": 1}]));
    assert_eq!(drop["marks"], json!([{"cell": 38, "piece": "first", "glyph": "disc"}]));
}

async fn an_engine_answers_and_its_move_is_stored(db: Database) {
    let server = TestServer::start(db).await;
    let second = json!({"kind": "player", "spec": "engine:level=1"});
    let made = server.game(json!({"game": "connect", "second": second})).await;
    server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "4"})).await;
    let after = until(&server, &made.id, |state| state["ply"] == 2).await;
    assert_eq!(after["turn"], "first");
    let back = server.post(&made.actions(), Some(&made.token), &json!({"action": "takeback"})).await;
    assert_eq!((back.status, &back.json()["ply"]), (200, &json!(0)), "at once, to where one had a choice");
    let kept = TestServer::start(server.db.clone()).await;
    assert_eq!(state(&kept, &made.id).await["moves"], json!([]), "another server finds it so");
}

async fn an_invited_player_joins_and_takebacks_need_consent(db: Database) {
    let server = TestServer::start(db).await;
    let made = server.game(json!({"game": "kalah:6,4", "second": {"kind": "open"}, "name": "Host"})).await;
    let seat = format!("/api/v1/games/{}/seat", made.id);
    let wrong = server.post(&seat, None, &json!({"invitation": "0".repeat(32)})).await;
    assert_eq!(wrong.status, 409, "{}", wrong.text);
    let seated =
        server.post(&seat, None, &json!({"invitation": made.invitation, "name": "Guest"})).await.json();
    let guest = seated["token"].as_str().expect("a token").to_string();
    assert_eq!(seated["side"], "second");
    let again = server.post(&seat, None, &json!({"invitation": made.invitation})).await;
    assert_eq!(again.status, 409, "an invitation is used once");
    server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "1"})).await;
    let act = |action: &str| json!({"action": action});
    let asked = server.post(&made.actions(), Some(&made.token), &act("takeback")).await.json();
    assert_eq!(asked["offer"], json!({"kind": "takeback", "by": "first"}));
    let own = server.post(&made.actions(), Some(&made.token), &act("accept")).await;
    assert_eq!(own.status, 409, "a player cannot accept their own offer");
    let declined = server.post(&made.actions(), Some(&guest), &act("decline")).await.json();
    assert_eq!((&declined["offer"], &declined["ply"]), (&Value::Null, &json!(1)));
    server.post(&made.actions(), Some(&made.token), &act("takeback")).await;
    let agreed = server.post(&made.actions(), Some(&guest), &act("accept")).await.json();
    assert_eq!(agreed["ply"], 0);
    let over = server.post(&made.actions(), Some(&guest), &act("resign")).await.json();
    assert_eq!(over["ending"]["sentence"], "Guest resigns: Host wins.");
    let after = server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "1"})).await;
    assert_eq!(after.status, 409, "{}", after.text);
}

async fn an_engine_agrees_to_a_claim_only_after_a_repetition(db: Database) {
    let server = TestServer::start(db).await;
    let second = json!({"kind": "player", "spec": "engine:level=1"});
    let made = server.game(json!({"game": "oware", "second": second})).await;
    let claimed = server.post(&made.actions(), Some(&made.token), &json!({"action": "claim"})).await;
    assert_eq!(claimed.status, 409, "{}", claimed.text);
    assert!(claimed.text.contains("only if the position has occurred before"), "{}", claimed.text);
}

async fn a_player_forfeits_on_time_without_any_request(db: Database) {
    let server = TestServer::start(db).await;
    let made = server.game(json!({"game": "kalah:6,4", "clock": "1s+0s"})).await;
    let first = server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "1"})).await.json();
    assert_eq!(first["clocks"]["left"], json!([1000, 1000]), "the first move is not charged");
    let over = until(&server, &made.id, |state| !state["ending"].is_null()).await;
    assert_eq!((&over["ending"]["cause"], &over["ending"]["winner"]), (&json!("timeout"), &json!("first")));
    let late = server.post(&made.moves(), Some(&made.token), &json!({"ply": 1, "move": "1"})).await;
    assert_eq!(late.status, 409, "{}", late.text);
}

async fn forms_work_without_the_script(db: Database) {
    let server = TestServer::start(db).await;
    let made = server
        .form("/games", None, "game=kalah&kalah-holes=3&kalah-beans=2&opponent=me&side=first&name=Ann")
        .await;
    assert_eq!(made.status, 303, "{}", made.text);
    let cookie =
        made.headers["set-cookie"].to_str().expect("a cookie").split(';').next().expect("a pair").to_string();
    let page = made.headers["location"].to_str().expect("a place").to_string();
    let moved = server.form(&format!("{page}/act"), Some(&cookie), "act=move&ply=0&move=1").await;
    assert_eq!(moved.status, 303, "{}", moved.text);
    let shown = server.get(&page).await.text;
    assert!(shown.contains("kalah:3,2"), "{shown}");
    let refused = server.form(&format!("{page}/act"), Some(&cookie), "act=move&ply=1&move=99").await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("role=\"alert\""), "{}", refused.text);
    let bad = server.form("/games", None, "game=kalah&kalah-holes=999&opponent=me").await;
    assert!(bad.status == 422 && bad.text.contains("is not a number from"), "{}", bad.text);
}

async fn the_openapi_document_lists_every_route(db: Database) {
    let server = TestServer::start(db).await;
    let paths = server.get("/api/v1/openapi.json").await.json()["paths"].clone();
    let mut known: Vec<&String> = paths.as_object().expect("paths").keys().collect();
    known.sort();
    for path in
        ["/api/v1/games", "/api/v1/games/{id}", "/api/v1/games/{id}/moves", "/api/v1/games/{id}/events"]
    {
        assert!(known.iter().any(|known| *known == path), "{path} is not among {known:?}");
    }
    assert!(server.get("/api/v1/nothing").await.text.contains("urn:parlor:problem:not-found"));
    assert_eq!(server.get("/healthz").await.text, "ok\n");
    assert!(server.get("/metrics").await.text.contains("parlor_games_total 0"));
}
