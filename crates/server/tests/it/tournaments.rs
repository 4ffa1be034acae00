//! Tournaments on the server: another process writes rows to the store, and the server shows them on pages and as JSON.

use axum::{
    Router,
    body::Body,
    http::{Request, StatusCode},
};
use http_body_util::BodyExt;
use parlor_league::plan_text;
use parlor_server::{Service, Settings, app};
use parlor_store::{Store, TournamentGameRow, ViolationRow};
use parlor_testkit::{Database, eventually_async, on_both_databases};
use parlor_tournament::{Entrant, TournamentPlan};
use serde_json::Value;
use std::time::Duration;
use tower::ServiceExt;

on_both_databases! {
    async standings_follow_the_stored_games,
    async hostile_names_are_escaped_and_reachable_by_url,
    async failures_are_shown_with_kind_reason_time_and_standard_error,
    async missing_tournaments_and_games_are_not_found,
    async a_tournament_without_a_plan_is_shown_from_its_games,
    async an_open_page_receives_changes_and_the_end,
}

const HOSTILE: &str = "a/b \"c\" <script>alert(1)</script>";
const BAD: &str = "<img src=x>/\"&'?#%";

fn plan(name: &str, players: &[&str]) -> TournamentPlan {
    let player = |name: &&str| Entrant {
        name: name.to_string(),
        spec: "bot:python3 /home/me/secret.py".into(),
        ..Entrant::default()
    };
    TournamentPlan {
        name: name.into(),
        games: vec!["kalah:3,2".into()],
        time: "move=100ms".parse().expect("a time control"),
        players: players.iter().map(player).collect(),
        ..TournamentPlan::default()
    }
}

/// A game that the first player of the pair wins, whichever side it has.
fn game(number: i64, players: [&str; 2]) -> TournamentGameRow {
    let result = if number % 2 == 0 { "first" } else { "second" };
    let record = format!("[Game \"kalah:3,2\"]\n[Result \"{result}\"]\n[Termination \"resigned\"]\n\n2 1\n");
    TournamentGameRow {
        number,
        game: "kalah:3,2".into(),
        round: 0,
        players: players.map(String::from),
        record,
        nanos: [1_500_000_000, 20_000_000],
        cpu_nanos: [None, None],
        violation: None,
        stderr: [String::new(), String::new()],
    }
}

fn failed(number: i64, players: [&str; 2]) -> TournamentGameRow {
    let record = "[Game \"kalah:3,2\"]\n[Result \"first\"]\n[Termination \"timeout\"]\n\n2 1\n";
    let foul = ViolationRow {
        side: "second".into(),
        kind: "timeout".into(),
        why: "took too long (120 ms) <b>\u{202e}now</b>".into(),
    };
    let aside = "thinking…\n<script>alert(2)</script>\u{1b}[2J\nTraceback: oh dear".to_string();
    TournamentGameRow {
        record: record.into(),
        violation: Some(foul),
        stderr: [String::new(), aside],
        ..game(number, players)
    }
}

struct TournamentServer {
    app: Router,
    /// The store as another process would use it.
    store: Store,
    service: Service,
}

async fn tournament_server(db: &Database) -> TournamentServer {
    let own = Store::connect(&db.url).await.expect("a store");
    let store = Store::connect(&db.url).await.expect("another handle");
    let service = Service::new(Settings::new(own));
    TournamentServer { app: app(service.clone()), store, service }
}

impl TournamentServer {
    async fn get(&self, path: &str) -> (StatusCode, String) {
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let response = self.app.clone().oneshot(request).await.expect("an answer");
        let status = response.status();
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        (status, String::from_utf8(bytes.to_vec()).expect("text"))
    }

    async fn page(&self, path: &str) -> String {
        let (status, text) = self.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        text
    }

    async fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.page(path).await).expect("JSON")
    }

    /// Waits until a number of the tournament `spring` has this value, because the server pauses between reads of a
    /// slow database. Returns the tournament.
    async fn json_when(&self, field: &str, number: u32) -> Value {
        let ask =
            async || Some(self.json("/api/v1/tournaments/spring").await).filter(|json| json[field] == number);
        eventually_async("the tournament is as expected", ask).await
    }

    async fn begin(&self, plan: &TournamentPlan) {
        self.store.begin_tournament(&plan.name, &plan.fingerprint(), 7).await.expect("begun");
        self.store.set_plan(&plan.name, &plan_text(plan)).await.expect("kept");
    }
}

const SPRING: &str = "/tournaments/spring";
const HOSTILE_AT: &str = "/tournaments/a%2Fb%20%22c%22%20%3Cscript%3Ealert%281%29%3C%2Fscript%3E";

async fn standings_follow_the_stored_games(db: Database) {
    let table = tournament_server(&db).await;
    assert!(table.page("/tournaments").await.contains("No tournaments yet"));
    // With three players, the first one has the first bye.
    let plan = plan("spring", &["cleo", "ann", "bob"]);
    table.begin(&plan).await;
    assert!(table.page("/tournaments").await.contains("0 of 6"));
    table.store.add_games("spring", &[game(0, ["ann", "bob"]), game(1, ["bob", "ann"])]).await.expect("kept");
    let json = table.json_when("played", 2).await;
    assert_eq!(json["over"], false);
    let first = &json["standings"][0];
    assert_eq!((&first["player"], &first["points"], &first["won"]), (&"ann".into(), &2.0.into(), &2.into()));
    assert_eq!(first["against"]["bob"]["pairs"], serde_json::json!([0, 0, 0, 0, 1]));
    assert_eq!(first["spec"], "bot", "commands are not published");
    let page = table.page(SPRING).await;
    for part in ["2 of 6 games", "<strong>2.0</strong>", "2.0/2", "data-parts=\"/tournaments/spring/live?\""]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("secret"), "{page}");
    assert!(table.page("/tournaments").await.contains("<td>ann</td>"));
    // Of a replayed game only the new result counts.
    table.store.delete_games("spring", &[0]).await.expect("forgotten");
    table.store.add_games("spring", &[failed(0, ["bob", "ann"])]).await.expect("kept");
    // In the plan this game has the sides swapped, so it does not count.
    table.json_when("played", 1).await;
}

async fn hostile_names_are_escaped_and_reachable_by_url(db: Database) {
    let table = tournament_server(&db).await;
    table.begin(&plan(HOSTILE, &["ann", BAD])).await;
    table.store.add_games(HOSTILE, &[failed(0, ["ann", BAD]), game(1, [BAD, "ann"])]).await.expect("kept");
    let player = "%3Cimg%20src%3Dx%3E%2F%22%26%27%3F%23%25";
    for path in [
        "/tournaments".to_string(),
        HOSTILE_AT.to_string(),
        format!("{HOSTILE_AT}?player={player}"),
        format!("{HOSTILE_AT}/games/1"),
        format!("{HOSTILE_AT}/games/2"),
    ] {
        let page = table.page(&path).await;
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script>"), "{path}: {page}");
        assert!(!page.contains("<img") && !page.contains("<b>"), "{path}: {page}");
        assert!(!page.contains(['\u{202e}', '\u{1b}']), "{path}: {page}");
        assert!(path == "/tournaments" || page.contains("&lt;img src=x&gt;"), "{path}: {page}");
    }
    let list = table.page("/tournaments").await;
    assert!(list.contains(&format!("href=\"{HOSTILE_AT}\"")), "{list}");
    let page = table.page(HOSTILE_AT).await;
    assert!(page.contains(&format!("href=\"{HOSTILE_AT}?player={player}#games\"")), "{page}");
    let json = table.json(&format!("/api/v1{HOSTILE_AT}/games?player={player}")).await;
    assert_eq!((&json["total"], &json["games"][0]["players"][0]), (&2.into(), &BAD.into()));
    assert_eq!(table.json(&format!("/api/v1{HOSTILE_AT}/games?player=unknown")).await["total"], 0);
}

async fn failures_are_shown_with_kind_reason_time_and_standard_error(db: Database) {
    let table = tournament_server(&db).await;
    table.begin(&plan("spring", &["ann", "bob"])).await;
    table
        .store
        .add_games("spring", &[failed(0, ["ann", "bob"]), game(1, ["bob", "ann"])])
        .await
        .expect("kept");
    for path in [SPRING.to_string(), format!("{SPRING}/games/1")] {
        let page = table.page(&path).await;
        for part in ["timeout", "bob took too long (120 ms)", "Traceback: oh dear", "class=\"tail\"", "20 ms"]
        {
            assert!(page.contains(part), "{path}: {part}: {page}");
        }
    }
    let page = table.page(SPRING).await;
    assert!(page.contains("1 timeout") && page.contains("2 games, finished"), "{page}");
    assert!(!page.contains("data-parts"), "nothing more is to come");
    let only = table.json("/api/v1/tournaments/spring/games?failed=1").await;
    assert_eq!((&only["total"], &only["games"][0]["failure"]["kind"]), (&1.into(), &"timeout".into()));
    let game = table.page(&format!("{SPRING}/games/1")).await;
    assert!(
        game.contains("<svg") && game.contains("/analysis?game=kalah%3A3%2C2&amp;moves=2%201&amp;ply=2"),
        "{game}"
    );
    let record = table.page(&format!("{SPRING}/games/1/record")).await;
    assert!(record.starts_with("[Game \"kalah:3,2\"]"), "{record}");
    let all =
        parlor_core::Record::parse_many(&table.page(&format!("{SPRING}/record")).await).expect("records");
    assert_eq!(all.len(), 2);
}

async fn missing_tournaments_and_games_are_not_found(db: Database) {
    let table = tournament_server(&db).await;
    table.begin(&plan("spring", &["ann", "bob"])).await;
    for path in ["/tournaments/autumn", "/tournaments/autumn/live", "/tournaments/spring/games/1"] {
        assert_eq!(table.get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    for path in
        ["/tournaments/spring/games/0", "/api/v1/tournaments/autumn", "/tournaments/spring/games/1/record"]
    {
        assert_eq!(table.get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(table.get("/tournaments/spring?page=x").await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

async fn a_tournament_without_a_plan_is_shown_from_its_games(db: Database) {
    let table = tournament_server(&db).await;
    table.store.begin_tournament("spring", "print", 7).await.expect("begun");
    assert!(table.page(SPRING).await.contains("The plan of this tournament is not stored"));
    table
        .store
        .add_games("spring", &[game(0, ["ann", "bob"]), game(7, ["bob", "cleo"])])
        .await
        .expect("kept");
    let page = table.page(SPRING).await;
    assert!(page.contains("cleo") && page.contains("2 games"), "{page}");
    let json = table.json("/api/v1/tournaments/spring").await;
    assert_eq!((&json["over"], &json["standings"][0]["points"]), (&false.into(), &1.0.into()));
    table.store.set_plan("spring", "name = \"no JSON\"").await.expect("kept");
    assert!(table.page(SPRING).await.contains("The plan of this tournament is not stored"));
}

async fn an_open_page_receives_changes_and_the_end(db: Database) {
    let table = tournament_server(&db).await;
    table.begin(&plan("spring", &["ann", "bob"])).await;
    let request = Request::get("/tournaments/spring/live").body(Body::empty()).expect("a request");
    let mut live = table.app.clone().oneshot(request).await.expect("an answer").into_body();
    let whole = next(&mut live).await.expect("the state as it is");
    assert!(whole["html"]["t-head"].as_str().is_some_and(|html| html.contains("0 of 2 games")), "{whole}");
    assert_eq!(whole["html"].as_object().map(serde_json::Map::len), Some(6));
    table.store.add_games("spring", &[game(0, ["ann", "bob"])]).await.expect("kept");
    let change = next(&mut live).await.expect("a change");
    assert!(change["html"]["t-head"].as_str().is_some_and(|html| html.contains("1 of 2 games")), "{change}");
    assert!(change["html"]["t-games"].is_string() && change["html"]["t-fouls"].is_null(), "{change}");
    table.store.add_games("spring", &[game(1, ["bob", "ann"])]).await.expect("kept");
    let end = next(&mut live).await.expect("the end");
    assert_eq!(end["over"], true);
    assert!(next(&mut live).await.is_none(), "nothing more comes");
    table.service.stop();
}

async fn next(live: &mut Body) -> Option<Value> {
    loop {
        let frame = tokio::time::timeout(Duration::from_secs(20), live.frame()).await.expect("in time")?;
        let bytes = frame.expect("a frame").into_data().expect("data");
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        if let Some(data) = text.lines().find_map(|line| line.strip_prefix("data: ")) {
            return Some(serde_json::from_str(data).expect("JSON"));
        }
    }
}
