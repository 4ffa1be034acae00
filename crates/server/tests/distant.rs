//! Long studies on a shared database: judged by a worker if one is there, by the server itself if not.

mod house;

use house::{House, places};
use parlor_catalog::Judgement;
use parlor_play::{Bounds, Margin};
use parlor_server::{Limits, Question, answer_text};
use parlor_store::{Pulse, Store, Taker};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// A position of which nobody proves anything in a second.
const HARD: &str = "/api/v1/analysis?game=kalah:6,6&wait=1s";

async fn house(name: &str) -> Option<(House, Store, Taker)> {
    let place = Arc::new(places::shared(name)?);
    let house = House::at(&place, Limits::none()).await;
    let store = Store::connect(&place.at).await.expect("a store");
    let version = env!("CARGO_PKG_VERSION").to_string();
    let taker = Taker { name: "worker".into(), version, lease: Duration::from_secs(15) };
    let pulse = Pulse { games: 0, seats: 1, analyses: true };
    store.at_work(&taker, pulse, &[]).await.expect("alive");
    Some((house, store, taker))
}

/// What no analyst would say: every move is proved to win by ten.
fn answer(question: &Question) -> String {
    assert_eq!(question.record.game, "kalah:6,6");
    let judged = |mv: u32| Judgement {
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

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_judges_what_takes_long() {
    let Some((house, store, taker)) = house("distant_judged").await else { return };
    let working = tokio::spawn(async move {
        loop {
            if let Some(job) = store.take_questions(&taker, 1).await.expect("taken").pop() {
                let question = Question::read(&job.text).expect("a question");
                store.answer(&taker.name, job.id, &answer(&question)).await.expect("answered");
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
    });
    let judged = house.get(HARD).await.json();
    assert_eq!((&judged["proven"], &judged["moves"][0]["value"]), (&json!(true), &json!(10)), "{judged}");
    working.await.expect("no panic");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_takes_is_judged_here_and_taken_back() {
    let Some((house, store, taker)) = house("distant_alone").await else { return };
    let judged = house.get(HARD).await.json();
    assert_eq!(judged["proven"], json!(false));
    assert_eq!(judged["moves"].as_array().map(Vec::len), Some(6), "{judged}");
    sleep(Duration::from_millis(200)).await;
    assert_eq!(store.take_questions(&taker, 9).await.expect("none"), []);
}
