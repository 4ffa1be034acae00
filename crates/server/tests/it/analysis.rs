//! The analysis of positions and games through the API and the page, without sockets.

use crate::test_server::TestServer;
use axum::{body::Body, http::Request};
use http_body_util::BodyExt;
use parlor_testkit::{Database, eventually_async, temp_folder};
use serde_json::{Value, json};

/// A finished game of Connect Four in which the second side ignores the threat of four in a row.
const BLUNDER: &str = "4,1,4,1,4,1,4";

async fn metric(server: &TestServer, name: &str) -> i64 {
    let page = server.get("/metrics").await.text;
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("parlor_{name} ")));
    line.and_then(|value| value.parse().ok()).expect("a metric")
}

async fn json_of(server: &TestServer, uri: &str) -> (u16, Value) {
    let answer = server.get(uri).await;
    (answer.status, answer.json())
}

async fn text_of(server: &TestServer, uri: &str) -> (u16, String) {
    let answer = server.get(uri).await;
    (answer.status, answer.text)
}

/// The data of all server-sent events with this name.
fn events(text: &str, name: &str) -> Vec<Value> {
    text.split("\n\n")
        .filter_map(|event| event.strip_prefix(&format!("event: {name}\ndata: ")))
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn proven_and_estimated_values_are_distinguished() {
    let server = TestServer::start(Database::sqlite()).await;
    let (status, sure) =
        json_of(&server, "/api/v1/analysis?game=connect:4,4&moves=1,2,3,4,1,2,3,4&wait=10s").await;
    assert_eq!(status, 200, "{sure}");
    assert_eq!((&sure["proven"], &sure["done"], &sure["ply"]), (&json!(true), &json!(true), &json!(8)));
    for worth in sure["moves"].as_array().expect("moves") {
        assert_eq!(worth["exact"], json!(true));
        assert!(worth["lo"] == worth["hi"] && worth["lo"] == worth["value"], "{worth}");
    }
    let (_, guess) = json_of(&server, "/api/v1/analysis?game=amazons&wait=50ms").await;
    assert_eq!((&guess["proven"], &guess["turn"]), (&json!(false), &json!("first")));
    let best = &guess["moves"][0];
    assert_eq!(best["exact"], json!(false));
    assert!(best["chance"].is_number() && best["words"].as_str().is_some_and(|w| w.starts_with("about ")));
}

#[tokio::test]
async fn an_event_stream_ends_with_the_final_report() {
    let server = TestServer::start(Database::sqlite()).await;
    let (status, text) = text_of(&server, "/api/v1/analysis?game=connect:4,4&moves=1,2,3,4,1,2").await;
    assert_eq!(status, 200);
    let told = events(&text, "judgement");
    let done: Vec<bool> = told.iter().map(|verdict| verdict["done"] == json!(true)).collect();
    assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
    assert_eq!(done.last(), Some(&true));
    let (_, again) = json_of(&server, "/api/v1/analysis?game=connect:4,4&moves=1,2,3,4,1,2&wait=1ms").await;
    assert_eq!(again["moves"], told[told.len() - 1]["moves"], "what is proven is kept");
}

#[tokio::test]
async fn a_finished_position_has_no_moves_to_analyse() {
    let server = TestServer::start(Database::sqlite()).await;
    let (_, over) = json_of(&server, &format!("/api/v1/analysis?game=connect&moves={BLUNDER}&wait=1s")).await;
    assert_eq!((&over["moves"], &over["turn"], &over["done"]), (&json!([]), &json!(null), &json!(true)));
    let (_, page) = text_of(&server, &format!("/analysis?game=connect&moves={BLUNDER}")).await;
    assert!(page.contains("Step back to see the analysis"));
}

#[tokio::test]
async fn the_report_of_a_game_finds_the_blunder() {
    let server = TestServer::start(Database::sqlite()).await;
    let (status, text) =
        text_of(&server, &format!("/api/v1/analysis/game?game=connect:5,4&moves={}", "3,1,3,1,3,1,3")).await;
    assert_eq!(status, 200);
    let points = events(&text, "ply");
    let last = |ply: u64| points.iter().rfind(|point| point["ply"] == json!(ply)).expect("every ply");
    assert_eq!(last(7)["value"].as_i64().map(i64::signum), Some(1), "the first side won");
    let blunder = &last(5)["made"];
    assert_eq!(
        (&blunder["move"], &blunder["best"], &blunder["exact"]),
        (&json!("1"), &json!("3"), &json!(true))
    );
    assert!(blunder["gave"].as_f64().expect("a number") > 0.0, "{blunder}");
    assert_eq!(events(&text, "done").len(), 1);
}

/// Oware ends at 25 captured seeds, but values are those of a game that is played to the last seed.
#[tokio::test]
async fn the_result_of_a_game_that_stops_early_is_not_the_value_of_its_last_move() {
    let server = TestServer::start(Database::sqlite()).await;
    let (status, text) =
        text_of(&server, "/api/v1/analysis/game?game=oware&start=4-4-3-0-0-1-1-4-1-3-0-2-23-2-S&moves=f")
            .await;
    assert_eq!(status, 200, "{text}");
    let points = events(&text, "ply");
    let last = |ply: u64| points.iter().rfind(|point| point["ply"] == json!(ply)).expect("every ply");
    assert_eq!((&last(1)["value"], &last(1)["turn"]), (&json!(23), &json!(null)), "25 less 2");
    assert_eq!(last(0)["made"]["exact"], json!(false), "21 seeds are left to play for: {text}");
}

#[tokio::test]
async fn a_live_game_is_shown_but_not_analysed() {
    let server = TestServer::start(Database::sqlite()).await;
    let me = json!({"kind": "me"});
    let made = server.game(json!({"game": "connect", "first": me, "second": me})).await;
    let id = &made.id;
    for (ply, text) in BLUNDER.split(',').enumerate() {
        for uri in
            ["/api/v1/analysis?wait=1s&", "/api/v1/analysis/game?", "/analysis/live?", "/analysis/story?"]
        {
            let (status, problem) = json_of(&server, &format!("{uri}id={id}")).await;
            assert_eq!(status, 409);
            assert_eq!(
                problem["detail"],
                json!("The game is still in progress; it can be analysed when it is over.")
            );
        }
        let (status, page) = text_of(&server, &format!("/analysis?id={id}&ply={ply}")).await;
        assert_eq!(status, 200);
        assert!(page.contains("still in progress") && !page.contains("chip"), "no value is shown");
        let body = json!({"ply": ply, "move": text});
        let answer = server.post(&made.moves(), Some(&made.token), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let (status, judged) = json_of(&server, &format!("/api/v1/analysis?id={id}&ply=6&wait=10s")).await;
    assert_eq!((status, &judged["moves"][0]["move"]), (200, &json!("4")));
    let (_, page) = text_of(&server, &format!("/analysis?id={id}&ply=6")).await;
    assert!(page.contains("chip proven win") && page.contains("badge proven win"), "{page}");
}

#[tokio::test]
async fn bad_input_is_refused_with_one_sentence() {
    let server = TestServer::start(Database::sqlite()).await;
    let names: Vec<&str> = parlor_catalog::entries().iter().map(|entry| entry.name).collect();
    let unknown = format!("There is no game 'chess'; the games are {}.", names.join(", "));
    for (query, sentence) in [
        ("", "Game: expected a game, like kalah:6,4."),
        ("game=chess", unknown.as_str()),
        ("game=connect&moves=4,9", "Moves: move 2 '9': "),
        ("game=connect&start=xx", "Start: "),
        ("game=connect&ply=3", "Ply: expected 0 to 0, the number of moves, not 3."),
        ("game=connect&wait=1h", "Wait: expected a time like 500ms or 2s, at most 10s."),
        ("game=connect&colour=red", "Invalid query parameters: "),
    ] {
        let (status, problem) = json_of(&server, &format!("/api/v1/analysis?{query}")).await;
        assert_eq!(status, 422, "{query}");
        let detail = problem["detail"].as_str().expect("a sentence");
        assert!(detail.starts_with(sentence), "{query}: {detail}");
    }
    let (status, _) = json_of(&server, "/api/v1/analysis?id=bbbbbbbbbb").await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn a_damaged_endgame_table_is_reported() {
    let folder = temp_folder();
    folder.write("oware/00.layer", "nonsense");
    let tables = Some(folder.to_path_buf());
    let server = TestServer::with(Database::sqlite(), |settings| settings.tables = tables).await;
    let (status, problem) = json_of(&server, "/api/v1/analysis?game=oware&wait=50ms").await;
    let (page_status, page) = text_of(&server, "/analysis?game=oware").await;
    assert_eq!(status, 409, "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("00.layer")), "{problem}");
    assert!(page_status == 200 && page.contains("00.layer"), "the page says so and shows the board");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_disconnects_stops_its_analysis() {
    let server = TestServer::start(Database::sqlite()).await;
    let request = Request::get("/api/v1/analysis?game=kalah:6,6").body(Body::empty()).expect("a request");
    let response = server.send(request).await;
    let mut body = response.into_body();
    body.frame().await.expect("a first judgement").expect("a frame");
    let analysing = async |wanted: bool| {
        let is_as_wanted = async || ((metric(&server, "analysing").await > 0) == wanted).then_some(());
        eventually_async("the analysis runs or stops as wanted", is_as_wanted).await;
    };
    // Reading on keeps the analysis running; dropping the body stops it.
    let reading = tokio::spawn(async move { while body.frame().await.is_some() {} });
    analysing(true).await;
    reading.abort();
    analysing(false).await;
}

#[tokio::test]
async fn the_page_accepts_a_pasted_record_and_a_clicked_move() {
    let server = TestServer::start(Database::sqlite()).await;
    let to = async |body: &str| {
        let answer = server.form("/analysis", None, body).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        answer.headers["location"].to_str().expect("text").to_string()
    };
    let record = to("record=%5BGame+%22connect%22%5D%0A%0A4+4+3").await;
    assert_eq!(record, "/analysis?game=connect:7,6,4&moves=4,4,3");
    assert_eq!(to("game=connect&size=5,4&moves=33").await, "/analysis?game=connect:5,4,4&moves=3,3");
    let touched = server.get("/analysis?game=connect&moves=44&ply=1&touch=2").await;
    assert_eq!(touched.headers["location"], "/analysis?game=connect:7,6,4&moves=4,3");
    let (status, page) = text_of(&server, "/analysis").await;
    assert!(status == 200 && page.contains("Proven and estimated"));
    assert_eq!(server.form("/analysis", None, "record=%3Cscript%3E").await.status, 422);
}

#[tokio::test]
async fn every_game_has_its_page() {
    let server = TestServer::start(Database::sqlite()).await;
    for entry in parlor_catalog::entries() {
        let game = entry.build("").expect("the usual size");
        let mv = game.board().moves().swap_remove(0);
        for uri in
            [format!("/analysis?game={}", entry.name), format!("/analysis?game={}&moves={mv}", entry.name)]
        {
            let (status, page) = text_of(&server, &uri).await;
            assert_eq!(status, 200, "{uri}: {page}");
            assert!(page.contains("id=\"tree\"") && page.contains("Play from here"), "{uri}");
        }
    }
}
