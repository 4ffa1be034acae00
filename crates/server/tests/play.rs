//! Games over the API and the pages' forms, without sockets.

mod house;

use house::House;
use serde_json::{Value, json};
use std::time::Duration;

async fn state(house: &House, id: &str) -> Value {
    house.get(&format!("/api/v1/games/{id}")).await.json()
}

/// Waits until the game stands as wanted; engines think in their own time.
async fn until(house: &House, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..2000 {
        let now = state(house, id).await;
        if wanted(&now) {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to that: {}", state(house, id).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_game_is_played_to_its_end_by_paths_alone() {
    let house = House::open().await;
    for entry in parlor_catalog::entries() {
        let made = house.game(json!({"game": entry.name})).await;
        for ply in 0.. {
            let request = axum::http::Request::get(made.path())
                .header("authorization", format!("Bearer {}", made.token));
            let look = house.ask(request.body(axum::body::Body::empty()).expect("a request")).await.json();
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
                house.post(&made.moves(), Some(&made.token), &json!({"ply": ply, "path": path})).await;
            assert_eq!(answer.status, 200, "{}: {}", entry.name, answer.text);
            assert!(ply < 1000, "{} does not end", entry.name);
        }
        let record = house.get(&format!("{}/record", made.path())).await.text;
        let record = parlor_play::Record::parse(&record).expect("a record");
        let game = parlor_catalog::game(&record.game).expect("a game");
        assert!(game.replay(&record).expect("it replays").ending().is_some());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_answers_and_its_move_is_kept() {
    let house = House::open().await;
    let second = json!({"kind": "player", "spec": "engine:level=1"});
    let made = house.game(json!({"game": "connect", "second": second})).await;
    house.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "4"})).await;
    let after = until(&house, &made.id, |state| state["ply"] == 2).await;
    assert_eq!(after["turn"], "first");
    let back = house.post(&made.actions(), Some(&made.token), &json!({"action": "takeback"})).await;
    assert_eq!((back.status, &back.json()["ply"]), (200, &json!(0)), "at once, to where one had a choice");
    let kept = House::at(&house.place, parlor_server::Limits::none()).await;
    assert_eq!(state(&kept, &made.id).await["moves"], json!([]), "another server finds it so");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_sits_down_by_invitation_and_takebacks_need_both() {
    let house = House::open().await;
    let made = house.game(json!({"game": "kalah:6,4", "second": {"kind": "open"}, "name": "Host"})).await;
    let seat = format!("/api/v1/games/{}/seat", made.id);
    let wrong = house.post(&seat, None, &json!({"invitation": "0".repeat(32)})).await;
    assert_eq!(wrong.status, 409, "{}", wrong.text);
    let seated =
        house.post(&seat, None, &json!({"invitation": made.invitation, "name": "Guest"})).await.json();
    let guest = seated["token"].as_str().expect("a token").to_string();
    assert_eq!(seated["side"], "second");
    let again = house.post(&seat, None, &json!({"invitation": made.invitation})).await;
    assert_eq!(again.status, 409, "an invitation is used once");
    house.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "1"})).await;
    let act = |action: &str| json!({"action": action});
    let asked = house.post(&made.actions(), Some(&made.token), &act("takeback")).await.json();
    assert_eq!(asked["offer"], json!({"kind": "takeback", "by": "first"}));
    let own = house.post(&made.actions(), Some(&made.token), &act("accept")).await;
    assert_eq!(own.status, 409, "nobody agrees with themselves");
    let declined = house.post(&made.actions(), Some(&guest), &act("decline")).await.json();
    assert_eq!((&declined["offer"], &declined["ply"]), (&Value::Null, &json!(1)));
    house.post(&made.actions(), Some(&made.token), &act("takeback")).await;
    let agreed = house.post(&made.actions(), Some(&guest), &act("accept")).await.json();
    assert_eq!(agreed["ply"], 0);
    let over = house.post(&made.actions(), Some(&guest), &act("resign")).await.json();
    assert_eq!(over["ending"]["sentence"], "Guest resigns: Host wins.");
    let after = house.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "1"})).await;
    assert_eq!(after.status, 409, "{}", after.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_does_not_agree_that_play_is_endless_before_it_is() {
    let house = House::open().await;
    let second = json!({"kind": "player", "spec": "engine:level=1"});
    let made = house.game(json!({"game": "oware", "second": second})).await;
    let claimed = house.post(&made.actions(), Some(&made.token), &json!({"action": "claim"})).await;
    assert_eq!(claimed.status, 409, "{}", claimed.text);
    assert!(claimed.text.contains("where a position comes back"), "{}", claimed.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_falls_though_nobody_asks() {
    let house = House::open().await;
    let made = house.game(json!({"game": "kalah:6,4", "clock": "1s+0s"})).await;
    let first = house.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "1"})).await.json();
    assert_eq!(first["clocks"]["left"], json!([1000, 1000]), "nobody pays for the first move");
    let over = until(&house, &made.id, |state| !state["ending"].is_null()).await;
    assert_eq!((&over["ending"]["cause"], &over["ending"]["winner"]), (&json!("timeout"), &json!("first")));
    let late = house.post(&made.moves(), Some(&made.token), &json!({"ply": 1, "move": "1"})).await;
    assert_eq!(late.status, 409, "{}", late.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_play_without_any_script() {
    let house = House::open().await;
    let made = house
        .form("/games", None, "game=kalah&kalah-holes=3&kalah-beans=2&opponent=me&side=first&name=Ann")
        .await;
    assert_eq!(made.status, 303, "{}", made.text);
    let cookie =
        made.headers["set-cookie"].to_str().expect("a cookie").split(';').next().expect("a pair").to_string();
    let page = made.headers["location"].to_str().expect("a place").to_string();
    let moved = house.form(&format!("{page}/act"), Some(&cookie), "act=move&ply=0&move=1").await;
    assert_eq!(moved.status, 303, "{}", moved.text);
    let shown = house.get(&page).await.text;
    assert!(shown.contains("kalah:3,2"), "{shown}");
    let refused = house.form(&format!("{page}/act"), Some(&cookie), "act=move&ply=1&move=99").await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("role=\"alert\""), "{}", refused.text);
    let bad = house.form("/games", None, "game=kalah&kalah-holes=999&opponent=me").await;
    assert!(bad.status == 422 && bad.text.contains("is not a number from"), "{}", bad.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_names_every_address_of_the_api() {
    let house = House::open().await;
    let paths = house.get("/api/v1/openapi.json").await.json()["paths"].clone();
    let mut known: Vec<&String> = paths.as_object().expect("paths").keys().collect();
    known.sort();
    for path in
        ["/api/v1/games", "/api/v1/games/{id}", "/api/v1/games/{id}/moves", "/api/v1/games/{id}/events"]
    {
        assert!(known.iter().any(|known| *known == path), "{path} is not among {known:?}");
    }
    assert!(house.get("/api/v1/nothing").await.text.contains("urn:parlor:problem:not-found"));
    assert_eq!(house.get("/healthz").await.text, "ok\n");
    assert!(house.get("/metrics").await.text.contains("parlor_games_total 0"));
}
