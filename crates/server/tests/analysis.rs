//! Analysis from the outside: positions and games judged over the API and on the page, without sockets.

use axum::{
    Router,
    body::Body,
    http::{Request, Response, StatusCode, header},
};
use http_body_util::BodyExt;
use parlor_catalog::{Hosted, PlayerSpec, Setting};
use parlor_play::Player;
use parlor_server::{Hire, Limits, Service, Settings, app};
use parlor_store::Store;
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};
use tower::ServiceExt;

/// A finished line: the second side does nothing about four in a row.
const BLUNDER: &str = "4,1,4,1,4,1,4";

struct Staff;

impl Hire for Staff {
    fn player(&self, game: &dyn Hosted, spec: &str, _: bool, seed: u64) -> Result<Box<dyn Player>, String> {
        let spec: PlayerSpec = spec.parse().map_err(|bad: parlor_catalog::BadPlayer| bad.to_string())?;
        game.player(&spec, &Setting::seeded(seed)).map_err(|bad| bad.to_string())
    }

    fn house_bots(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A server of its own, whose folder goes when the test does.
struct House {
    app: Router,
    folder: PathBuf,
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl House {
    async fn open() -> House {
        House::with_tables(None).await
    }

    async fn with_tables(tables: Option<PathBuf>) -> House {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("parlor-analysis-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let store = Store::open(&folder.join("games.db")).await.expect("a store");
        let mut settings = Settings::new(store, Arc::new(Staff));
        (settings.limits, settings.tables) = (Limits::none(), tables);
        House { app: app(Service::new(settings)), folder }
    }

    async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.app.clone().oneshot(request).await.expect("an answer")
    }

    async fn get(&self, uri: &str) -> (StatusCode, String) {
        let request = Request::get(uri).body(Body::empty()).expect("a request");
        let response = self.ask(request).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        (status, String::from_utf8(bytes.to_vec()).expect("text"))
    }

    async fn json(&self, uri: &str) -> (StatusCode, Value) {
        let (status, text) = self.get(uri).await;
        (status, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}")))
    }

    async fn post(&self, uri: &str, token: Option<&str>, body: &Value) -> (StatusCode, Value) {
        let mut request = Request::post(uri).header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = self.ask(request.body(Body::from(body.to_string())).expect("a request")).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        (status, serde_json::from_slice(&bytes).expect("JSON"))
    }

    /// The count of a metric.
    async fn metric(&self, name: &str) -> i64 {
        let (_, page) = self.get("/metrics").await;
        let line = page.lines().find_map(|line| line.strip_prefix(&format!("parlor_{name} ")));
        line.and_then(|value| value.parse().ok()).expect("a metric")
    }
}

/// The data of all events of a name.
fn events(text: &str, name: &str) -> Vec<Value> {
    text.split("\n\n")
        .filter_map(|event| event.strip_prefix(&format!("event: {name}\ndata: ")))
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

#[tokio::test]
async fn proven_and_estimated_moves_are_told_apart() {
    let house = House::open().await;
    let (status, sure) =
        house.json("/api/v1/analysis?game=connect:4,4&moves=1,2,3,4,1,2,3,4&wait=10s").await;
    assert_eq!(status, StatusCode::OK, "{sure}");
    assert_eq!((&sure["proven"], &sure["done"], &sure["ply"]), (&json!(true), &json!(true), &json!(8)));
    for worth in sure["moves"].as_array().expect("moves") {
        assert_eq!(worth["exact"], json!(true));
        assert!(worth["lo"] == worth["hi"] && worth["lo"] == worth["value"], "{worth}");
    }
    let (_, guess) = house.json("/api/v1/analysis?game=amazons&wait=50ms").await;
    assert_eq!((&guess["proven"], &guess["turn"]), (&json!(false), &json!("first")));
    let best = &guess["moves"][0];
    assert_eq!(best["exact"], json!(false));
    assert!(best["chance"].is_number() && best["words"].as_str().is_some_and(|w| w.starts_with("about ")));
}

#[tokio::test]
async fn a_stream_ends_with_the_last_word() {
    let house = House::open().await;
    let (status, text) = house.get("/api/v1/analysis?game=connect:4,4&moves=1,2,3,4,1,2").await;
    assert_eq!(status, StatusCode::OK);
    let told = events(&text, "judgement");
    let done: Vec<bool> = told.iter().map(|verdict| verdict["done"] == json!(true)).collect();
    assert_eq!(done.iter().filter(|done| **done).count(), 1, "{done:?}");
    assert_eq!(done.last(), Some(&true));
    let (_, again) = house.json("/api/v1/analysis?game=connect:4,4&moves=1,2,3,4,1,2&wait=1ms").await;
    assert_eq!(again["moves"], told[told.len() - 1]["moves"], "what is proven is kept");
}

#[tokio::test]
async fn the_end_of_a_game_has_no_moves_to_judge() {
    let house = House::open().await;
    let (_, over) = house.json(&format!("/api/v1/analysis?game=connect&moves={BLUNDER}&wait=1s")).await;
    assert_eq!((&over["moves"], &over["turn"], &over["done"]), (&json!([]), &json!(null), &json!(true)));
    let (_, page) = house.get(&format!("/analysis?game=connect&moves={BLUNDER}")).await;
    assert!(page.contains("there is no move to judge"));
}

#[tokio::test]
async fn the_story_of_a_game_finds_the_blunder() {
    let house = House::open().await;
    let (status, text) = house.get(&format!("/api/v1/analysis/game?game=connect:5,4&moves={}", "3,1,3,1,3,1,3")).await;
    assert_eq!(status, StatusCode::OK);
    let points = events(&text, "ply");
    let last = |ply: u64| points.iter().rfind(|point| point["ply"] == json!(ply)).expect("every ply");
    assert_eq!(last(7)["value"].as_i64().map(i64::signum), Some(1), "the first side won");
    let blunder = &last(5)["made"];
    assert_eq!((&blunder["move"], &blunder["best"], &blunder["exact"]), (&json!("1"), &json!("3"), &json!(true)));
    assert!(blunder["gave"].as_f64().expect("a number") > 0.0, "{blunder}");
    assert_eq!(events(&text, "done").len(), 1);
}

#[tokio::test]
async fn a_running_game_is_shown_but_not_judged() {
    let house = House::open().await;
    let me = json!({"kind": "me"});
    let (status, made) = house.post("/api/v1/games", None, &json!({"game": "connect", "first": me, "second": me})).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let (id, token) = (made["id"].as_str().expect("a name"), made["token"].as_str());
    for (ply, text) in BLUNDER.split(',').enumerate() {
        for uri in ["/api/v1/analysis?wait=1s&", "/api/v1/analysis/game?", "/analysis/live?", "/analysis/story?"] {
            let (status, problem) = house.json(&format!("{uri}id={id}")).await;
            assert_eq!(status, StatusCode::CONFLICT);
            assert_eq!(problem["detail"], json!("The game is still being played; it can be analysed when it is over."));
        }
        let (status, page) = house.get(&format!("/analysis?id={id}&ply={ply}")).await;
        assert_eq!(status, StatusCode::OK);
        assert!(page.contains("still being played") && !page.contains("chip"), "no value is shown");
        let body = json!({"ply": ply, "move": text});
        let (status, state) = house.post(&format!("/api/v1/games/{id}/moves"), token, &body).await;
        assert_eq!(status, StatusCode::OK, "{state}");
    }
    let (status, judged) = house.json(&format!("/api/v1/analysis?id={id}&ply=6&wait=10s")).await;
    assert_eq!((status, &judged["moves"][0]["move"]), (StatusCode::OK, &json!("4")));
    let (_, page) = house.get(&format!("/analysis?id={id}&ply=6")).await;
    assert!(page.contains("chip proven win") && page.contains("badge proven win"), "{page}");
}

#[tokio::test]
async fn bad_input_is_refused_with_one_sentence() {
    let house = House::open().await;
    for (query, sentence) in [
        ("", "Game: a game is wanted, such as kalah:6,4."),
        ("game=chess", "There is no game 'chess'; the games are kalah, connect, oware, amazons."),
        ("game=connect&moves=4,9", "Moves: move 2 '9': "),
        ("game=connect&start=xx", "Start: "),
        ("game=connect&ply=3", "Ply: there is no ply 3; the line has 0 moves."),
        ("game=connect&wait=1h", "Wait: a time like 500ms or 2s is wanted, at most 10s."),
        ("game=connect&colour=red", "The address cannot be read: "),
    ] {
        let (status, problem) = house.json(&format!("/api/v1/analysis?{query}")).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        let detail = problem["detail"].as_str().expect("a sentence");
        assert!(detail.starts_with(sentence), "{query}: {detail}");
    }
    let (status, _) = house.json("/api/v1/analysis?id=bbbbbbbbbb").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_damaged_table_is_a_sentence() {
    let folder = std::env::temp_dir().join(format!("parlor-damaged-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("oware")).expect("a folder");
    std::fs::write(folder.join("oware").join("00.layer"), "nonsense").expect("a file");
    let house = House::with_tables(Some(folder.clone())).await;
    let (status, problem) = house.json("/api/v1/analysis?game=oware&wait=50ms").await;
    let (page_status, page) = house.get("/analysis?game=oware").await;
    std::fs::remove_dir_all(&folder).expect("gone");
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("00.layer")), "{problem}");
    assert!(page_status == StatusCode::OK && page.contains("00.layer"), "the page says so and shows the board");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_stops_listening_stops_the_work() {
    let house = House::open().await;
    let request = Request::get("/api/v1/analysis?game=kalah:6,6").body(Body::empty()).expect("a request");
    let response = house.ask(request).await;
    let mut body = response.into_body();
    body.frame().await.expect("a first judgement").expect("a frame");
    let work = tokio::spawn(async move { drop(tokio::time::timeout(Duration::from_millis(700), body.frame()).await) });
    let mut seen = false;
    while !work.is_finished() {
        seen |= house.metric("analysing").await > 0;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(seen, "somebody thought while somebody listened");
    let begun = Instant::now();
    while house.metric("analysing").await > 0 {
        assert!(begun.elapsed() < Duration::from_secs(2), "it goes on for nobody");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn pages_take_a_pasted_record_and_a_touch() {
    let house = House::open().await;
    let form = |body: &'static str| {
        Request::post("/analysis")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .expect("a request")
    };
    let to = |response: &Response<Body>| response.headers()[header::LOCATION].to_str().expect("text").to_string();
    let record = house.ask(form("record=%5BGame+%22connect%22%5D%0A%0A4+4+3")).await;
    assert_eq!(record.status(), StatusCode::SEE_OTHER);
    assert_eq!(to(&record), "/analysis?game=connect:7,6,4&moves=4,4,3");
    let typed = house.ask(form("game=connect&size=5&moves=33")).await;
    assert_eq!(to(&typed), "/analysis?game=connect:5,5,4&moves=3,3");
    let request = Request::get("/analysis?game=connect&moves=44&ply=1&touch=2").body(Body::empty());
    let touched = house.ask(request.expect("a request")).await;
    assert_eq!(to(&touched), "/analysis?game=connect:7,6,4&moves=4,3");
    let (status, page) = house.get("/analysis").await;
    assert!(status == StatusCode::OK && page.contains("Proven and estimated"));
    let hostile = house.ask(form("record=%3Cscript%3E")).await;
    assert_eq!(hostile.status(), StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn every_game_has_its_page() {
    let house = House::open().await;
    for entry in parlor_catalog::entries() {
        let game = entry.build("").expect("the usual size");
        let mv = game.board().moves().swap_remove(0);
        for uri in [format!("/analysis?game={}", entry.name), format!("/analysis?game={}&moves={mv}", entry.name)] {
            let (status, page) = house.get(&uri).await;
            assert_eq!(status, StatusCode::OK, "{uri}: {page}");
            assert!(page.contains("id=\"tree\"") && page.contains("Play from here"), "{uri}");
        }
    }
}
