//! Long analyses on a shared database: a worker answers them if there is one, otherwise the server itself.

use crate::test_server::TestServer;
use parlor_catalog::MoveAnalysis;
use parlor_core::{Bounds, Margin};
use parlor_league::{AnalysisRequest, answer_text, version::queue_version};
use parlor_store::{Heartbeat, Store, WorkerId};
use parlor_testkit::{Database, eventually_async, on_postgres};
use serde_json::json;
use std::time::Duration;

on_postgres! {
    async a_worker_answers_a_long_analysis,
    async a_question_that_no_worker_leases_is_deleted_and_analysed_here,
}

/// A position that is not solved within a second.
const HARD: &str = "/api/v1/analysis?game=kalah:6,6&wait=1s";

async fn with_worker(db: Database) -> (TestServer, Store, WorkerId) {
    let server = TestServer::start(db).await;
    let store = Store::connect(&server.db.url).await.expect("a store");
    let worker = WorkerId { name: "worker".into(), version: queue_version(), lease: Duration::from_secs(15) };
    let heartbeat = Heartbeat { finished_games: 0, concurrency: 1, answers_questions: true };
    store.renew_leases(&worker, heartbeat, &[]).await.expect("alive");
    (server, store, worker)
}

/// An answer that no real analyst would give: every move is a proven win by ten.
fn answer(question: &AnalysisRequest) -> String {
    assert_eq!(question.record.game, "kalah:6,6");
    let judged = |mv: u32| MoveAnalysis {
        mv: mv.to_string(),
        value: Margin(10),
        chance: None,
        proved: Bounds { lo: Margin(10), hi: Margin(10) },
        by_hash: false,
        line: vec![mv.to_string()],
        nodes: 1,
    };
    answer_text(&(1..=6).map(judged).collect::<Vec<_>>())
}

async fn a_worker_answers_a_long_analysis(db: Database) {
    let (server, store, worker) = with_worker(db).await;
    let worker = async {
        let take = async || store.lease_questions(&worker, 1).await.expect("taken").pop();
        let job = eventually_async("a position to analyse", take).await;
        let question = AnalysisRequest::read(&job.text).expect("a question");
        store.answer_question(&worker.name, job.id, &answer(&question)).await.expect("answered");
    };
    let (response, ()) = tokio::join!(server.get(HARD), worker);
    let judged = response.json();
    assert_eq!((&judged["proven"], &judged["moves"][0]["value"]), (&json!(true), &json!(10)), "{judged}");
}

async fn a_question_that_no_worker_leases_is_deleted_and_analysed_here(db: Database) {
    let (server, store, worker) = with_worker(db).await;
    let judged = server.get(HARD).await.json();
    assert_eq!(judged["proven"], json!(false));
    assert_eq!(judged["moves"].as_array().map(Vec::len), Some(6), "{judged}");
    server.db.wait_for("SELECT COUNT(*)::TEXT FROM job", "0");
    assert_eq!(store.lease_questions(&worker, 9).await.expect("none"), []);
}
