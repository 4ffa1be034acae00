//! The queue: what is in it is done once, whoever takes it and whoever vanishes with it.

use parlor_store::{
    ATTEMPTS, Asked, Collected, Fixture, GameRow, Pulse, Store, StoreError, Stuck, Taken, Taker, Waiting,
};
use parlor_testkit::{Database, eventually_async, on_postgres};
use std::{collections::BTreeSet, time::Duration};

on_postgres! {
    async games_are_taken_in_order_and_collected_when_they_are_finished,
    async two_takers_never_get_the_same_game,
    async a_lease_that_ran_out_is_taken_again_and_the_first_who_finishes_wins,
    async who_is_heard_of_keeps_what_it_has,
    async what_is_handed_back_was_no_attempt_and_what_is_tried_too_often_is_told,
    async only_the_same_version_the_wanted_tournament_and_known_players_are_taken,
    async what_is_withdrawn_or_of_a_tournament_that_is_gone_counts_no_more,
    async a_question_is_asked_taken_answered_and_taken_away,
    async one_alone_conducts_a_tournament,
}

const NONE: [i64; 0] = [];
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(1);

fn taker(name: &str, lease: Duration) -> Taker {
    Taker { name: name.into(), version: "1.0".into(), lease }
}

fn fixture(number: i64) -> Fixture {
    let players = if number < 2 { ["ann", "bob"] } else { ["ann", "cid"] };
    Fixture { number, players: players.map(String::from), text: format!("slot {number}") }
}

fn game(number: i64, by: &str) -> GameRow {
    GameRow {
        number,
        game: "kalah:6,4".into(),
        round: number / 2,
        players: ["ann".into(), "bob".into()],
        record: format!("by {by}\0"),
        nanos: [1, 2],
        cpu_nanos: [None, None],
        foul: None,
        asides: Default::default(),
    }
}

/// What was taken, as games that this worker finished.
fn played(taken: &[Taken], by: &str) -> Vec<(i64, GameRow)> {
    taken.iter().map(|job| (job.id, game(job.number, by))).collect()
}

fn numbers(taken: &[Taken]) -> Vec<i64> {
    let mut numbers: Vec<i64> = taken.iter().map(|job| job.number).collect();
    numbers.sort_unstable();
    numbers
}

/// A store with this number of games in its queue.
async fn queue(db: &Database, games: i64) -> Store {
    let store = Store::connect(&db.url).await.expect("a store");
    store.begin("spring", "the plan", 7).await.expect("begun");
    let fixtures: Vec<Fixture> = (0..games).map(fixture).collect();
    store.put_games("spring", "terms", "1.0", &fixtures).await.expect("put in");
    store
}

async fn take(store: &Store, taker: &Taker, most: usize) -> Vec<Taken> {
    store.take_games(taker, None, &[], most).await.expect("taken")
}

/// Takes one game as soon as a short lease of another worker has run out.
async fn take_expired(store: &Store, taker: &Taker) -> Vec<Taken> {
    eventually_async("a lease runs out", async || {
        Some(take(store, taker, 1).await).filter(|taken| !taken.is_empty())
    })
    .await
}

async fn games_are_taken_in_order_and_collected_when_they_are_finished(db: Database) {
    let store = queue(&db, 4).await;
    let ann = taker("a", LONG);
    let taken = take(&store, &ann, 3).await;
    assert_eq!(numbers(&taken), [0, 1, 2]);
    assert!(taken.iter().all(|job| job.tournament == "spring" && job.terms == "terms" && job.attempts == 1));
    assert_eq!(store.collect("spring").await.expect("nothing"), Collected::default());
    let done = store.finish("a", "spring", &played(&taken[..2], "a")).await.expect("finished");
    assert_eq!(done.len(), 2);
    let collected = store.collect("spring").await.expect("collected");
    assert_eq!(collected.games.iter().map(|row| row.number).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(collected.games, store.games("spring").await.expect("games"));
    assert_eq!(store.collect("spring").await.expect("nothing"), Collected::default());
    // What is finished or there already is not put in again.
    store.put_games("spring", "terms", "1.0", &(0..4).map(fixture).collect::<Vec<_>>()).await.expect("put");
    assert_eq!(numbers(&take(&store, &ann, 9).await), [3]);
}

async fn two_takers_never_get_the_same_game(db: Database) {
    let store = queue(&db, 400).await;
    let one = |name: String, store: Store| async move {
        let (taker, mut all) = (taker(&name, LONG), Vec::new());
        loop {
            let taken = take(&store, &taker, 3).await;
            if taken.is_empty() {
                return all;
            }
            all.extend(numbers(&taken));
        }
    };
    let takers: Vec<_> = (0..6).map(|i| tokio::spawn(one(format!("w{i}"), store.clone()))).collect();
    let mut all = Vec::new();
    for taker in takers {
        all.extend(taker.await.expect("no panic"));
    }
    assert_eq!((all.len(), all.into_iter().collect::<BTreeSet<i64>>().len()), (400, 400));
}

async fn a_lease_that_ran_out_is_taken_again_and_the_first_who_finishes_wins(db: Database) {
    let store = queue(&db, 1).await;
    let slow = take(&store, &taker("slow", SHORT), 1).await;
    let quick = take_expired(&store, &taker("quick", LONG)).await;
    assert_eq!((quick[0].id, quick[0].attempts), (slow[0].id, 2));
    assert_eq!(take(&store, &taker("third", LONG), 1).await, [], "the lease of quick is valid");
    assert_eq!(store.finish("slow", "spring", &played(&slow, "slow")).await.expect("finished"), [0]);
    assert_eq!(store.finish("quick", "spring", &played(&quick, "quick")).await.expect("finished"), NONE);
    assert_eq!(store.finish("slow", "spring", &played(&slow, "slow")).await.expect("again"), NONE);
    let games = store.games("spring").await.expect("games");
    assert_eq!((games.len(), games[0].record.as_str()), (1, "by slow\u{fffd}"));
}

async fn who_is_heard_of_keeps_what_it_has(db: Database) {
    let store = queue(&db, 2).await;
    let (ann, bob) = (taker("ann", LONG), taker("bob", LONG));
    let held = take(&store, &ann, 2).await;
    let ids: Vec<i64> = held.iter().map(|job| job.id).collect();
    let pulse = Pulse { games: 3, seats: 2, analyses: true };
    assert!(!store.is_attended("1.0", LONG).await.expect("asked"));
    let lease = || db.query("SELECT MIN(until)::TEXT FROM job WHERE state = 'taken'").expect("a lease");
    let before = lease();
    assert_eq!(store.at_work(&ann, pulse, &ids).await.expect("alive").len(), 2);
    assert!(lease() > before, "a heartbeat renews the lease");
    assert_eq!(take(&store, &bob, 2).await, []);
    assert!(store.is_attended("1.0", LONG).await.expect("asked"));
    assert!(!store.is_attended("1.1", LONG).await.expect("asked"));
    let workers = store.workers().await.expect("workers");
    assert_eq!((workers.len(), workers[0].pulse, workers[0].holds), (1, pulse, 2));
    store.withdraw("spring", None).await.expect("withdrawn");
    assert_eq!(store.at_work(&ann, pulse, &ids).await.expect("alive"), Vec::<i64>::new());
    store.go_home("ann").await.expect("gone");
    assert_eq!(store.workers().await.expect("workers"), []);
}

async fn what_is_handed_back_was_no_attempt_and_what_is_tried_too_often_is_told(db: Database) {
    let store = queue(&db, 1).await;
    let ann = taker("ann", LONG);
    for _ in 0..2 * ATTEMPTS {
        let taken = take(&store, &ann, 1).await;
        assert_eq!(taken[0].attempts, 1);
        store.hand_back("ann", &[taken[0].id]).await.expect("back");
    }
    let taken = take(&store, &ann, 1).await;
    store.stumble("ann", taken[0].id, "it is odd").await.expect("told");
    for attempt in 2..=ATTEMPTS {
        assert_eq!(take_expired(&store, &taker("bob", SHORT)).await[0].attempts, attempt);
    }
    let stuck = Stuck { number: 0, attempts: ATTEMPTS, why: Some("it is odd".into()) };
    let told = eventually_async("the last lease runs out", async || {
        store.collect("spring").await.expect("told").stuck.pop()
    });
    assert_eq!(told.await, stuck);
    assert_eq!(take(&store, &ann, 1).await, [], "it is not handed out again");
}

async fn only_the_same_version_the_wanted_tournament_and_known_players_are_taken(db: Database) {
    let store = queue(&db, 4).await;
    let newer = Taker { version: "1.1".into(), ..taker("newer", LONG) };
    assert_eq!(take(&store, &newer, 9).await, []);
    let waiting = Waiting { tournament: "spring".into(), version: "1.0".into(), games: 4 };
    assert_eq!(store.waiting().await.expect("waiting"), [waiting]);
    let ann = taker("ann", LONG);
    assert_eq!(store.take_games(&ann, Some("autumn"), &[], 9).await.expect("none"), []);
    for (name, some) in [("", &[][..]), ("ann", &[]), ("bob", &[2, 3])] {
        let left = [("spring".to_string(), name.to_string())];
        let taken = store.take_games(&ann, None, &left, 9).await.expect("taken");
        assert_eq!(numbers(&taken), some, "without {name}");
    }
    let elsewhere = [("autumn".to_string(), "ann".to_string())];
    assert_eq!(store.take_games(&ann, Some("spring"), &elsewhere, 9).await.expect("taken").len(), 2);
}

async fn what_is_withdrawn_or_of_a_tournament_that_is_gone_counts_no_more(db: Database) {
    let store = queue(&db, 3).await;
    let ann = taker("ann", LONG);
    let taken = take(&store, &ann, 2).await;
    store.withdraw("spring", Some(("terms", "1.0"))).await.expect("nothing to withdraw");
    assert_eq!(store.finish("ann", "spring", &played(&taken[..1], "ann")).await.expect("finished").len(), 1);
    store.withdraw("spring", Some(("other terms", "1.0"))).await.expect("withdrawn");
    assert_eq!(store.finish("ann", "spring", &played(&taken[1..], "ann")).await.expect("refused"), NONE);
    assert_eq!(take(&store, &ann, 9).await, []);
    store.drop_tournament("spring").await.expect("gone");
    assert_eq!(store.finish("ann", "spring", &played(&taken, "ann")).await.expect("refused"), NONE);
}

async fn a_question_is_asked_taken_answered_and_taken_away(db: Database) {
    let store = queue(&db, 1).await;
    let ann = taker("ann", LONG);
    let id = store.ask("1.0", "who wins?").await.expect("asked");
    assert_eq!(store.asked(id).await.expect("known"), Asked::Waiting);
    let taken = store.take_questions(&ann, 2).await.expect("taken");
    assert_eq!((taken.len(), taken[0].id, taken[0].text.as_str()), (1, id, "who wins?"));
    assert_eq!(store.asked(id).await.expect("known"), Asked::Taken);
    store.answer("ann", id, "nobody").await.expect("answered");
    assert_eq!(store.asked(id).await.expect("known"), Asked::Answered("nobody".into()));
    store.unask(id).await.expect("away");
    assert_eq!(store.asked(id).await.expect("known"), Asked::Gone);
}

async fn one_alone_conducts_a_tournament(db: Database) {
    let store = queue(&db, 1).await;
    let first = store.alone("spring").await.expect("asked").expect("nobody else");
    assert!(store.alone("spring").await.expect("asked").is_none());
    assert!(store.alone("autumn").await.expect("asked").is_some());
    drop(first);
    let again = async || store.alone("spring").await.expect("asked");
    eventually_async("the advisory lock is released", again).await;
}

#[tokio::test]
async fn a_file_has_no_queue_but_it_keeps_what_programs_are() {
    let file = Database::sqlite();
    let store = Store::connect(&file.url).await.expect("a store");
    assert_eq!(store.put_games("spring", "", "1.0", &[]).await, Err(StoreError::NotShared));
    assert_eq!(store.waiting().await, Err(StoreError::NotShared));
    store.begin("spring", "the plan", 7).await.expect("begun");
    assert_eq!(store.terms("spring").await.expect("none"), None);
    store.keep_terms("spring", "{}").await.expect("kept");
    assert_eq!(store.terms("spring").await.expect("some").as_deref(), Some("{}"));
    assert!(store.keep_terms("autumn", "{}").await.is_err());
}
