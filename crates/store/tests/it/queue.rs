//! The job queue: every job is done once, also if workers compete for it or are killed.

use parlor_store::{
    CollectedGames, FailedGame, Heartbeat, LeasedJob, MAX_ATTEMPTS, QuestionState, QueuedGame, Store,
    StoreError, TournamentGameRow, WaitingGames, WorkerId,
};
use parlor_testkit::{Database, eventually_async, on_postgres};
use std::{collections::BTreeSet, time::Duration};

on_postgres! {
    async games_are_leased_in_order_and_collected_when_finished,
    async concurrent_workers_never_lease_the_same_game,
    async an_expired_lease_goes_to_another_worker_and_the_first_result_counts,
    async a_heartbeat_renews_the_leases_of_a_worker,
    async a_released_job_is_not_an_attempt_and_a_game_fails_after_max_attempts,
    async leases_match_version_tournament_and_supported_players,
    async results_of_removed_games_and_deleted_tournaments_are_ignored,
    async a_question_is_enqueued_leased_answered_and_deleted,
    async only_one_process_holds_the_lock_of_a_tournament,
}

const NONE: [i64; 0] = [];
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(1);

fn worker(name: &str, lease: Duration) -> WorkerId {
    WorkerId { name: name.into(), version: "1.0".into(), lease }
}

fn queued_game(number: i64) -> QueuedGame {
    let players = if number < 2 { ["ann", "bob"] } else { ["ann", "cid"] };
    QueuedGame { number, players: players.map(String::from), text: format!("slot {number}") }
}

fn game(number: i64, by: &str) -> TournamentGameRow {
    TournamentGameRow {
        number,
        game: "kalah:6,4".into(),
        round: number / 2,
        players: ["ann".into(), "bob".into()],
        record: format!("by {by}\0"),
        nanos: [1, 2],
        cpu_nanos: [None, None],
        violation: None,
        stderr: Default::default(),
    }
}

/// The leased games as finished by this worker.
fn played(leased: &[LeasedJob], by: &str) -> Vec<(i64, TournamentGameRow)> {
    leased.iter().map(|job| (job.id, game(job.number, by))).collect()
}

fn numbers(leased: &[LeasedJob]) -> Vec<i64> {
    let mut numbers: Vec<i64> = leased.iter().map(|job| job.number).collect();
    numbers.sort_unstable();
    numbers
}

/// A store with this number of games in its queue.
async fn queue(db: &Database, games: i64) -> Store {
    let store = Store::connect(&db.url).await.expect("a store");
    store.begin_tournament("spring", "the plan", 7).await.expect("begun");
    let games: Vec<QueuedGame> = (0..games).map(queued_game).collect();
    store.enqueue_games("spring", "terms", "1.0", &games).await.expect("put in");
    store
}

async fn lease_games(store: &Store, worker: &WorkerId, most: usize) -> Vec<LeasedJob> {
    store.lease_games(worker, None, &[], most).await.expect("leased")
}

/// Leases one game as soon as the short lease of another worker has expired.
async fn lease_expired(store: &Store, worker: &WorkerId) -> Vec<LeasedJob> {
    eventually_async("a lease runs out", async || {
        Some(lease_games(store, worker, 1).await).filter(|leased| !leased.is_empty())
    })
    .await
}

async fn games_are_leased_in_order_and_collected_when_finished(db: Database) {
    let store = queue(&db, 4).await;
    let ann = worker("a", LONG);
    let leased = lease_games(&store, &ann, 3).await;
    assert_eq!(numbers(&leased), [0, 1, 2]);
    assert!(
        leased
            .iter()
            .all(|job| job.tournament == "spring" && job.requirements == "terms" && job.attempts == 1)
    );
    assert_eq!(store.collect_games("spring").await.expect("nothing"), CollectedGames::default());
    let done = store.finish_games("a", "spring", &played(&leased[..2], "a")).await.expect("finished");
    assert_eq!(done.len(), 2);
    let collected = store.collect_games("spring").await.expect("collected");
    assert_eq!(collected.games.iter().map(|row| row.number).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(collected.games, store.tournament_games("spring").await.expect("games"));
    assert_eq!(store.collect_games("spring").await.expect("nothing"), CollectedGames::default());
    // Finished games and games in the queue are not added again.
    store
        .enqueue_games("spring", "terms", "1.0", &(0..4).map(queued_game).collect::<Vec<_>>())
        .await
        .expect("put");
    assert_eq!(numbers(&lease_games(&store, &ann, 9).await), [3]);
}

async fn concurrent_workers_never_lease_the_same_game(db: Database) {
    let store = queue(&db, 400).await;
    let one = |name: String, store: Store| async move {
        let (worker, mut all) = (worker(&name, LONG), Vec::new());
        loop {
            let leased = lease_games(&store, &worker, 3).await;
            if leased.is_empty() {
                return all;
            }
            all.extend(numbers(&leased));
        }
    };
    let workers: Vec<_> = (0..6).map(|i| tokio::spawn(one(format!("w{i}"), store.clone()))).collect();
    let mut all = Vec::new();
    for worker in workers {
        all.extend(worker.await.expect("no panic"));
    }
    assert_eq!((all.len(), all.into_iter().collect::<BTreeSet<i64>>().len()), (400, 400));
}

async fn an_expired_lease_goes_to_another_worker_and_the_first_result_counts(db: Database) {
    let store = queue(&db, 1).await;
    let slow = lease_games(&store, &worker("slow", SHORT), 1).await;
    let quick = lease_expired(&store, &worker("quick", LONG)).await;
    assert_eq!((quick[0].id, quick[0].attempts), (slow[0].id, 2));
    assert_eq!(lease_games(&store, &worker("third", LONG), 1).await, [], "the lease of quick is valid");
    assert_eq!(store.finish_games("slow", "spring", &played(&slow, "slow")).await.expect("finished"), [0]);
    assert_eq!(
        store.finish_games("quick", "spring", &played(&quick, "quick")).await.expect("finished"),
        NONE
    );
    assert_eq!(store.finish_games("slow", "spring", &played(&slow, "slow")).await.expect("again"), NONE);
    let games = store.tournament_games("spring").await.expect("games");
    assert_eq!((games.len(), games[0].record.as_str()), (1, "by slow\u{fffd}"));
}

async fn a_heartbeat_renews_the_leases_of_a_worker(db: Database) {
    let store = queue(&db, 2).await;
    let (ann, bob) = (worker("ann", LONG), worker("bob", LONG));
    let held = lease_games(&store, &ann, 2).await;
    let ids: Vec<i64> = held.iter().map(|job| job.id).collect();
    let heartbeat = Heartbeat { finished_games: 3, concurrency: 2, answers_questions: true };
    assert!(!store.has_analysis_worker("1.0", LONG).await.expect("asked"));
    let lease = || db.query("SELECT MIN(until)::TEXT FROM job WHERE state = 'taken'").expect("a lease");
    let before = lease();
    assert_eq!(store.renew_leases(&ann, heartbeat, &ids).await.expect("alive").len(), 2);
    assert!(lease() > before, "a heartbeat renews the lease");
    assert_eq!(lease_games(&store, &bob, 2).await, []);
    assert!(store.has_analysis_worker("1.0", LONG).await.expect("asked"));
    assert!(!store.has_analysis_worker("1.1", LONG).await.expect("asked"));
    let workers = store.workers().await.expect("workers");
    assert_eq!((workers.len(), workers[0].heartbeat, workers[0].leased_jobs), (1, heartbeat, 2));
    store.remove_queued_games("spring", None).await.expect("withdrawn");
    assert_eq!(store.renew_leases(&ann, heartbeat, &ids).await.expect("alive"), Vec::<i64>::new());
    store.deregister_worker("ann").await.expect("gone");
    assert_eq!(store.workers().await.expect("workers"), []);
}

async fn a_released_job_is_not_an_attempt_and_a_game_fails_after_max_attempts(db: Database) {
    let store = queue(&db, 1).await;
    let ann = worker("ann", LONG);
    for _ in 0..2 * MAX_ATTEMPTS {
        let leased = lease_games(&store, &ann, 1).await;
        assert_eq!(leased[0].attempts, 1);
        store.release_jobs("ann", &[leased[0].id]).await.expect("back");
    }
    let leased = lease_games(&store, &ann, 1).await;
    store.nack_game("ann", leased[0].id, "it is odd").await.expect("told");
    for attempt in 2..=MAX_ATTEMPTS {
        assert_eq!(lease_expired(&store, &worker("bob", SHORT)).await[0].attempts, attempt);
    }
    let stuck = FailedGame { number: 0, attempts: MAX_ATTEMPTS, why: Some("it is odd".into()) };
    let told = eventually_async("the last lease runs out", async || {
        store.collect_games("spring").await.expect("told").failed.pop()
    });
    assert_eq!(told.await, stuck);
    assert_eq!(lease_games(&store, &ann, 1).await, [], "it is not handed out again");
}

async fn leases_match_version_tournament_and_supported_players(db: Database) {
    let store = queue(&db, 4).await;
    let newer = WorkerId { version: "1.1".into(), ..worker("newer", LONG) };
    assert_eq!(lease_games(&store, &newer, 9).await, []);
    let waiting = WaitingGames { tournament: "spring".into(), version: "1.0".into(), games: 4 };
    assert_eq!(store.waiting_games().await.expect("waiting"), [waiting]);
    let ann = worker("ann", LONG);
    assert_eq!(store.lease_games(&ann, Some("autumn"), &[], 9).await.expect("none"), []);
    for (name, some) in [("", &[][..]), ("ann", &[]), ("bob", &[2, 3])] {
        let left = [("spring".to_string(), name.to_string())];
        let leased = store.lease_games(&ann, None, &left, 9).await.expect("leased");
        assert_eq!(numbers(&leased), some, "without {name}");
    }
    let elsewhere = [("autumn".to_string(), "ann".to_string())];
    assert_eq!(store.lease_games(&ann, Some("spring"), &elsewhere, 9).await.expect("leased").len(), 2);
}

async fn results_of_removed_games_and_deleted_tournaments_are_ignored(db: Database) {
    let store = queue(&db, 3).await;
    let ann = worker("ann", LONG);
    let leased = lease_games(&store, &ann, 2).await;
    store.remove_queued_games("spring", Some(("terms", "1.0"))).await.expect("nothing to withdraw");
    assert_eq!(
        store.finish_games("ann", "spring", &played(&leased[..1], "ann")).await.expect("finished").len(),
        1
    );
    store.remove_queued_games("spring", Some(("other terms", "1.0"))).await.expect("withdrawn");
    assert_eq!(
        store.finish_games("ann", "spring", &played(&leased[1..], "ann")).await.expect("refused"),
        NONE
    );
    assert_eq!(lease_games(&store, &ann, 9).await, []);
    store.delete_tournament("spring").await.expect("gone");
    assert_eq!(store.finish_games("ann", "spring", &played(&leased, "ann")).await.expect("refused"), NONE);
}

async fn a_question_is_enqueued_leased_answered_and_deleted(db: Database) {
    let store = queue(&db, 1).await;
    let ann = worker("ann", LONG);
    let id = store.enqueue_question("1.0", "who wins?").await.expect("asked");
    assert_eq!(store.question_state(id).await.expect("known"), QuestionState::Waiting);
    let leased = store.lease_questions(&ann, 2).await.expect("leased");
    assert_eq!((leased.len(), leased[0].id, leased[0].text.as_str()), (1, id, "who wins?"));
    assert_eq!(store.question_state(id).await.expect("known"), QuestionState::Leased);
    store.answer_question("ann", id, "draw").await.expect("answered");
    assert_eq!(store.question_state(id).await.expect("known"), QuestionState::Answered("draw".into()));
    store.delete_question(id).await.expect("away");
    assert_eq!(store.question_state(id).await.expect("known"), QuestionState::Missing);
}

async fn only_one_process_holds_the_lock_of_a_tournament(db: Database) {
    let store = queue(&db, 1).await;
    let first = store.lock_tournament("spring").await.expect("asked").expect("no other holder");
    assert!(store.lock_tournament("spring").await.expect("asked").is_none());
    assert!(store.lock_tournament("autumn").await.expect("asked").is_some());
    drop(first);
    let again = async || store.lock_tournament("spring").await.expect("asked");
    eventually_async("the advisory lock is released", again).await;
}

#[tokio::test]
async fn a_file_has_no_queue_but_stores_requirements() {
    let file = Database::sqlite();
    let store = Store::connect(&file.url).await.expect("a store");
    assert_eq!(store.enqueue_games("spring", "", "1.0", &[]).await, Err(StoreError::NotShared));
    assert_eq!(store.waiting_games().await, Err(StoreError::NotShared));
    store.begin_tournament("spring", "the plan", 7).await.expect("begun");
    assert_eq!(store.requirements("spring").await.expect("none"), None);
    store.set_requirements("spring", "{}").await.expect("kept");
    assert_eq!(store.requirements("spring").await.expect("some").as_deref(), Some("{}"));
    assert!(store.set_requirements("autumn", "{}").await.is_err());
}
