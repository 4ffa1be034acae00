//! Clocks and endings of live games, with a clock that the test sets.

use crate::test_server::{CreatedGame, TestServer};
use parlor_catalog::Manual;
use parlor_core::{Answer, Board, Failure};
use parlor_server::{MakeBot, RateLimits, Settings};
use parlor_testkit::{Database, Scripted, eventually_async, on_both_databases};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

on_both_databases! {
    async waiting_for_a_processor_is_not_charged_to_an_engine,
    async an_invalid_claim_of_a_bot_loses_without_another_question,
    async a_valid_claim_of_a_bot_needs_the_consent_of_the_person,
    async failures_of_a_bot_end_as_they_do_in_a_tournament,
    async no_clock_runs_while_a_seat_is_open,
    async an_increment_starts_with_the_base,
    async byo_yomi_survives_a_restart,
    async a_correspondence_clock_runs_while_no_server_has_the_game_open,
    async an_overdue_game_is_forfeited_although_no_client_comes,
    async a_program_with_a_persons_token_follows_the_rules_for_programs,
    async a_program_that_takes_over_a_seat_keeps_the_elapsed_time,
    async a_game_is_aborted_before_its_second_move_only,
    async the_page_suggests_a_claim_from_the_third_occurrence_on,
    async a_game_of_older_rules_keeps_the_result_it_was_stored_with,
}

/// Makes bots whose answer is a function of the board.
fn bots<F>(answer: F) -> MakeBot
where
    F: Fn(&dyn Board) -> Result<Answer, Failure> + Clone + Send + Sync + 'static,
{
    Arc::new(move |_, _, _| {
        let answer = answer.clone();
        Ok(Box::new(Scripted(move |board: &dyn Board| answer(board))))
    })
}

fn first_move(board: &dyn Board) -> Result<Answer, Failure> {
    Ok(Answer::Move(board.moves()[0].clone()))
}

fn still() -> Arc<Manual> {
    Arc::new(Manual::stepping(Duration::ZERO))
}

fn set(settings: &mut Settings, clock: &Arc<Manual>, make_bot: MakeBot) {
    (settings.rate_limits, settings.clock, settings.make_bot) = (RateLimits::none(), clock.clone(), make_bot);
    settings.bots = vec![("bot".to_string(), "scripted".to_string())];
}

/// A server with these bots and a clock that only the test advances.
async fn server(db: Database, make_bot: MakeBot) -> (TestServer, Arc<Manual>) {
    let clock = still();
    (TestServer::with(db, |settings| set(settings, &clock, make_bot)).await, clock)
}

/// Another server on the same database after the first one has ended, with its clock.
async fn restarted(server: &TestServer, clock: &Arc<Manual>) -> TestServer {
    server.service.finish().await;
    TestServer::with(server.db.clone(), |settings| set(settings, clock, bots(first_move))).await
}

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// Starts another server on the same database some days later, by making all stored times older.
async fn after_days(server: &TestServer, clock: &Arc<Manual>, days: i64) -> TestServer {
    let passed = days * DAY;
    server.db.execute(&format!("UPDATE live_event SET at = at - {passed}"));
    let row =
        format!("touched = touched - {passed}, created = created - {passed}, deadline = deadline - {passed}");
    server.db.execute(&format!("UPDATE live_game SET {row}"));
    restarted(server, clock).await
}

async fn state(server: &TestServer, made: &CreatedGame) -> Value {
    server.get(&made.path()).await.json()
}

async fn until(server: &TestServer, made: &CreatedGame, wanted: impl Fn(&Value) -> bool) -> Value {
    eventually_async("the game is as wanted", async || Some(state(server, made).await).filter(&wanted)).await
}

async fn play(server: &TestServer, made: &CreatedGame, ply: u64, text: &str) -> Value {
    let answer = server.post(&made.moves(), Some(&made.token), &json!({"ply": ply, "move": text})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn act(server: &TestServer, made: &CreatedGame, action: &str) -> u16 {
    server.post(&made.actions(), Some(&made.token), &json!({ "action": action })).await.status
}

fn ending(state: &Value) -> [&Value; 2] {
    [&state["ending"]["cause"], &state["ending"]["winner"]]
}

fn house() -> Value {
    json!({"kind": "house", "name": "bot"})
}

async fn waiting_for_a_processor_is_not_charged_to_an_engine(db: Database) {
    // The first bot to think occupies the only thread until the test releases it.
    let (go, held) = mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(Some(held)));
    let bots = bots(move |board: &dyn Board| {
        let first = held.lock().expect("no panic").take();
        if let Some(held) = first {
            let _ = held.recv();
        }
        first_move(board)
    });
    let clock = still();
    let server = TestServer::with(db, |settings| {
        set(settings, &clock, bots);
        settings.permits = 1;
    })
    .await;
    let new = json!({"game": "kalah:6,4", "first": house(), "second": {"kind": "me"}, "clock": "2s+0s"});
    let holder = server.game(new.clone()).await;
    until(&server, &holder, |state| state.get("queue").is_none()).await;
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(server.game(new.clone()).await);
    }
    let last = &waiting[2];
    let queued = until(&server, last, |state| state["queue"].is_number()).await;
    assert_eq!(queued["clocks"]["running"], Value::Null, "its clock is stopped while it waits");
    clock.advance(Duration::from_secs(60));
    drop(go);
    let moved = until(&server, last, |state| state["ply"].as_u64() > Some(0)).await;
    assert_eq!((&moved["ending"], &moved["clocks"]["left"]), (&Value::Null, &json!([2000, 2000])));
}

async fn an_invalid_claim_of_a_bot_loses_without_another_question(db: Database) {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    ASKED.store(0, Ordering::SeqCst);
    let claims = |_: &dyn Board| {
        ASKED.fetch_add(1, Ordering::SeqCst);
        Ok(Answer::Claim)
    };
    let (server, _) = server(db, bots(claims)).await;
    let made = server.game(json!({"game": "kalah:6,4", "first": house(), "second": {"kind": "me"}})).await;
    let over = until(&server, &made, |state| !state["ending"].is_null()).await;
    assert_eq!(ending(&over), [&json!("illegal"), &json!("second")]);
    assert_eq!(ASKED.load(Ordering::SeqCst), 1);
}

async fn a_valid_claim_of_a_bot_needs_the_consent_of_the_person(db: Database) {
    let claims = |board: &dyn Board| if board.ply() == 0 { Ok(Answer::Claim) } else { first_move(board) };
    let (server, _) = server(db, bots(claims)).await;
    let made = server.game(json!({"game": "oware", "first": house(), "second": {"kind": "me"}})).await;
    let offered = until(&server, &made, |state| !state["offer"].is_null()).await;
    assert_eq!((&offered["ending"], &offered["offer"]["by"]), (&Value::Null, &json!("first")));
    assert_eq!(act(&server, &made, "decline").await, 200);
    let over = until(&server, &made, |state| !state["ending"].is_null()).await;
    assert_eq!(ending(&over), [&json!("illegal"), &json!("second")], "it claims again in the same position");
}

#[tokio::test]
async fn a_claim_that_a_person_does_not_answer_is_declined() {
    // The bot claims when it is asked for the first time, and then moves.
    let asked = Arc::new(AtomicUsize::new(0));
    let claims = move |board: &dyn Board| match asked.fetch_add(1, Ordering::SeqCst) {
        0 => Ok(Answer::Claim),
        _ => first_move(board),
    };
    let (server, _) = server(Database::sqlite(), bots(claims)).await;
    let made = server.game(json!({"game": "oware", "first": house(), "second": {"kind": "me"}})).await;
    until(&server, &made, |state| !state["offer"].is_null()).await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    let moved = until(&server, &made, |state| state["ply"] == 1).await;
    assert_eq!((&moved["ending"], &moved["offer"]), (&Value::Null, &Value::Null));
}

async fn failures_of_a_bot_end_as_they_do_in_a_tournament(db: Database) {
    let fails = |board: &dyn Board| match board.spec().as_str() {
        "kalah:3,2" => Ok(Answer::NoMove),
        "kalah:4,2" => Err(Failure::Timeout(Duration::ZERO)),
        "kalah:5,2" => Err(Failure::Garbage("x".to_string())),
        _ => Err(Failure::Crash("x".to_string())),
    };
    let (server, _) = server(db, bots(fails)).await;
    for (game, cause) in
        [("kalah:3,2", "illegal"), ("kalah:4,2", "timeout"), ("kalah:5,2", "illegal"), ("kalah:6,2", "crash")]
    {
        let made = server.game(json!({"game": game, "first": house(), "second": {"kind": "me"}})).await;
        let over = until(&server, &made, |state| !state["ending"].is_null()).await;
        assert_eq!(ending(&over), [&json!(cause), &json!("second")], "{game}");
    }
}

async fn no_clock_runs_while_a_seat_is_open(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    let new = json!({"game": "connect", "second": {"kind": "open"}, "clock": "5s+0s"});
    let made = server.game(new).await;
    play(&server, &made, 0, "4").await;
    clock.advance(Duration::from_secs(3600));
    assert_eq!(state(&server, &made).await["clocks"]["running"], Value::Null);
    let seat = format!("{}/seat", made.path());
    assert_eq!(server.post(&seat, None, &json!({"invitation": made.invitation})).await.status, 200);
    let clocks = state(&server, &made).await["clocks"].clone();
    assert_eq!((&clocks["running"], &clocks["left"]), (&json!("second"), &json!([5000, 5000])));
}

async fn an_increment_starts_with_the_base(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect", "clock": "10s+60s"})).await;
    assert_eq!(state(&server, &made).await["clocks"]["left"], json!([10_000, 10_000]));
    play(&server, &made, 0, "4").await;
    clock.advance(Duration::from_millis(10_001));
    let over = until(&server, &made, |state| !state["ending"].is_null()).await;
    assert_eq!(ending(&over), [&json!("timeout"), &json!("first")]);
}

async fn byo_yomi_survives_a_restart(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect", "clock": "10s,byoyomi=3x5s"})).await;
    play(&server, &made, 0, "4").await;
    clock.advance(Duration::from_secs(17));
    let clocks = play(&server, &made, 1, "4").await["clocks"].clone();
    assert_eq!((&clocks["left"], &clocks["periods"]), (&json!([10_000, 0]), &json!([3, 2])));
    let again = restarted(&server, &clock).await;
    let clocks = state(&again, &made).await["clocks"].clone();
    assert_eq!((&clocks["left"], &clocks["periods"]), (&json!([10_000, 0]), &json!([3, 2])));
    assert_eq!(clocks["period"], 5000);
}

async fn a_correspondence_clock_runs_while_no_server_has_the_game_open(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect", "clock": "move=3d"})).await;
    play(&server, &made, 0, "4").await;
    let again = after_days(&server, &clock, 2).await;
    let clocks = state(&again, &made).await["clocks"].clone();
    assert_eq!((&clocks["running"], &clocks["left"]), (&json!("second"), &json!([3 * DAY, 3 * DAY])));
    play(&again, &made, 1, "4").await;
    let third = after_days(&again, &clock, 4).await;
    // The server may have ended the game before the move arrives: then the move is refused.
    third.post(&made.moves(), Some(&made.token), &json!({"ply": 2, "move": "4"})).await;
    let over = state(&third, &made).await;
    assert_eq!(ending(&over), [&json!("timeout"), &json!("second")], "{over}");
}

async fn an_overdue_game_is_forfeited_although_no_client_comes(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect", "clock": "move=1d"})).await;
    play(&server, &made, 0, "4").await;
    let again = after_days(&server, &clock, 2).await;
    let watching = again.service.clone();
    let watching = tokio::spawn(async move { watching.watch_clocks().await });
    let stored = async || {
        let (row, _) = again.service.store().live_game(&made.id).await.ok()??;
        row.ended.map(|_| (row.cause, row.deadline))
    };
    let stored = eventually_async("the game ends in the database", stored).await;
    watching.abort();
    assert_eq!(stored, (Some("timeout".to_string()), None));
}

async fn a_program_with_a_persons_token_follows_the_rules_for_programs(db: Database) {
    let (server, _) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect", "second": {"kind": "open"}})).await;
    let seat = format!("{}/seat", made.path());
    let body = json!({"invitation": made.invitation, "bot": true});
    let taken = server.post(&seat, Some(&made.token), &body).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    assert_eq!(state(&server, &made).await["seats"][0]["kind"], "bot");
    let illegal = server.post(&made.moves(), Some(&made.token), &json!({"ply": 0, "move": "99"})).await;
    assert_eq!(ending(&illegal.json()), [&json!("illegal"), &json!("second")], "{}", illegal.text);
}

async fn a_program_that_takes_over_a_seat_keeps_the_elapsed_time(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect", "clock": "10s+0s"})).await;
    play(&server, &made, 0, "4").await;
    play(&server, &made, 1, "4").await;
    clock.advance(Duration::from_secs(6));
    let body = json!({"invitation": "0".repeat(32), "bot": true});
    let taken = server.post(&format!("{}/seat", made.path()), Some(&made.token), &body).await;
    assert_eq!(taken.status, 200, "{}", taken.text);
    clock.advance(Duration::from_secs(6));
    server.post(&made.moves(), Some(&made.token), &json!({"ply": 2, "move": "4"})).await;
    let over = state(&server, &made).await;
    assert_eq!(ending(&over), [&json!("timeout"), &json!("second")], "{over}");
}

async fn a_game_is_aborted_before_its_second_move_only(db: Database) {
    let (server, _) = server(db, bots(first_move)).await;
    let made = server.game(json!({"game": "connect"})).await;
    play(&server, &made, 0, "4").await;
    assert_eq!(act(&server, &made, "abort").await, 200);
    let over = state(&server, &made).await;
    assert_eq!(ending(&over), [&json!("abandoned"), &Value::Null]);
    let made = server.game(json!({"game": "connect"})).await;
    play(&server, &made, 0, "4").await;
    play(&server, &made, 1, "4").await;
    assert_eq!(act(&server, &made, "abort").await, 409);
    assert_eq!(state(&server, &made).await["ending"], Value::Null);
}

async fn the_page_suggests_a_claim_from_the_third_occurrence_on(db: Database) {
    let (server, _) = server(db, bots(first_move)).await;
    // The only moves carry two seeds around the board; the position returns after 12 moves.
    let start = "1-0-0-0-0-0-1-0-0-0-0-0-23-23-S";
    let made = server.game(json!({"game": "oware", "start": start})).await;
    let round = ["a", "A", "b", "B", "c", "C", "d", "D", "e", "E", "f", "F"];
    for (ply, text) in (0..).zip(round.iter().cycle().take(36)) {
        let state = play(&server, &made, ply, text).await;
        assert_eq!(state["ending"], Value::Null, "a repeated position does not end the game");
        if [12, 24, 36].contains(&(ply + 1)) || ply < 23 {
            assert_eq!(state["repetition"], json!(ply + 1 >= 24), "after {} moves", ply + 1);
        }
    }
    assert_eq!(act(&server, &made, "claim").await, 200);
    let over = state(&server, &made).await;
    assert_eq!(over["ending"]["cause"], "cycle", "one person with both seats agrees");
}

async fn a_game_of_older_rules_keeps_the_result_it_was_stored_with(db: Database) {
    let (server, clock) = server(db, bots(first_move)).await;
    // Player 1 captures two seeds and has 25. Older rules then gave each player the seeds on their own row.
    let start = "0-0-0-0-0-1-1-0-0-0-3-3-23-17-S";
    let made = server.game(json!({"game": "oware", "start": start})).await;
    let now = play(&server, &made, 0, "f").await;
    assert_eq!((&now["ending"]["cause"], &now["ending"]["by"]), (&json!("normal"), &json!(8)));
    server.db.execute("UPDATE live_game SET rules = 1, result = 'first by 2'");
    let again = restarted(&server, &clock).await;
    assert_eq!(state(&again, &made).await["ending"]["by"], 2, "23 + 2 to 17 + 6");
    let record = again.get(&format!("{}/record", made.path())).await.text;
    assert!(record.contains("first by 2") && !record.contains("Version"), "{record}");
}
