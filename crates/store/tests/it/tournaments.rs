//! Tournaments and their games: storing, reading and migration.

use parlor_store::{
    BlockingStore, Store, StoreError, TournamentGameRow, TournamentRow, TournamentStart, ViolationRow,
};
use parlor_testkit::{Database, on_both_databases, temp_folder};
use sqlx::{AnyConnection, Connection, migrate::Migrator};
use std::path::Path;

on_both_databases! {
    another_process_reads_what_was_stored,
    duplicate_games_are_refused_and_a_batch_is_atomic,
    another_plan_under_the_same_name_is_refused_and_changes_nothing,
    deleted_games_can_be_added_again,
    async tournaments_are_listed_with_their_plans_and_counts_the_latest_first,
    async an_old_database_is_migrated_with_all_its_tournaments,
    several_processes_can_create_a_database_at_once,
    several_processes_can_migrate_a_database_at_once,
    a_database_of_a_newer_version_is_not_changed,
}

fn game(number: i64) -> TournamentGameRow {
    TournamentGameRow {
        number,
        game: "kalah:6,4".into(),
        round: number / 2,
        players: ["Ann's \"bot\"".into(), "Bob; DROP TABLE tournament".into()],
        record: "[Game \"kalah:6,4\"]\n\n3 6 2\n".into(),
        nanos: [1, i64::MAX],
        cpu_nanos: [Some(1_000_000 + number), None],
        violation: (number == 1).then(|| ViolationRow {
            side: "second".into(),
            kind: "crash".into(),
            why: "crashed: \u{1b}[31m".into(),
        }),
        stderr: [String::new(), "Traceback…".into()],
    }
}

fn another_process_reads_what_was_stored(db: &Database) {
    let store = BlockingStore::connect(&db.url).expect("a store");
    assert_eq!(store.begin_tournament("spring", "the plan", 7).expect("begun"), TournamentStart::New);
    store.add_games("spring", &[game(1), game(0)]).expect("kept");
    store.add_games("spring", &[game(5)]).expect("kept");
    // The first store is not closed, as after a kill.
    std::mem::forget(store);
    let again = BlockingStore::connect(&db.url).expect("the same store");
    assert_eq!(again.begin_tournament("spring", "the plan", 9).expect("begun"), TournamentStart::Resumed);
    assert_eq!(again.tournament_games("spring").expect("games"), [game(0), game(1), game(5)]);
    assert_eq!(again.tournament_games("autumn").expect("games"), []);
}

fn duplicate_games_are_refused_and_a_batch_is_atomic(db: &Database) {
    let store = BlockingStore::connect(&db.url).expect("a store");
    store.begin_tournament("spring", "plan", 7).expect("begun");
    store.add_games("spring", &[game(0)]).expect("kept");
    let again = store.add_games("spring", &[game(1), game(0)]);
    assert!(matches!(again, Err(StoreError::DuplicateGame(_, 0))), "{again:?}");
    assert_eq!(store.tournament_games("spring").expect("games"), [game(0)]);
    let nowhere = store.add_games("autumn", &[game(0)]);
    assert_eq!(
        nowhere,
        Err(StoreError::NotFound("tournament 'autumn'".into())),
        "a tournament is begun first"
    );
}

fn another_plan_under_the_same_name_is_refused_and_changes_nothing(db: &Database) {
    let store = BlockingStore::connect(&db.url).expect("a store");
    store.begin_tournament("spring", "one plan", 7).expect("begun");
    let other = store.begin_tournament("spring", "another plan", 8);
    assert!(matches!(other, Err(StoreError::OtherPlan(_, before)) if before == "one plan"));
    assert_eq!(store.begin_tournament("autumn", "another plan", 8).expect("begun"), TournamentStart::New);
}

fn deleted_games_can_be_added_again(db: &Database) {
    let store = BlockingStore::connect(&db.url).expect("a store");
    store.begin_tournament("spring", "plan", 7).expect("begun");
    store.add_games("spring", &[game(0), game(1), game(2)]).expect("kept");
    store.delete_games("spring", &[1, 77]).expect("forgotten");
    assert_eq!(store.tournament_games("spring").expect("games"), [game(0), game(2)]);
    store.add_games("spring", &[game(1)]).expect("kept again");
    store.delete_tournament("spring").expect("dropped");
    assert_eq!(store.tournament_games("spring").expect("games"), []);
    assert_eq!(store.begin_tournament("spring", "another plan", 8).expect("begun"), TournamentStart::New);
}

#[test]
fn the_error_for_a_file_that_is_not_a_database_names_it() {
    let folder = temp_folder();
    let text = "this is no database at all, only some text that is long enough to look like one";
    let file = folder.write("nonsense.db", text);
    let sentence = BlockingStore::open(&file).expect_err("no database").to_string();
    assert!(sentence.contains("nonsense.db: "), "{sentence}");
    let sentence = BlockingStore::open(&file.join("below")).expect_err("no folder").to_string();
    assert!(sentence.contains("cannot open the database"), "{sentence}");
}

fn row(name: &str, begun: i64, [games, changes]: [i64; 2], plan: Option<&str>) -> TournamentRow {
    let plan = plan.map(String::from);
    TournamentRow { name: name.into(), fingerprint: "print".into(), begun, games, changes, plan }
}

async fn tournaments_are_listed_with_their_plans_and_counts_the_latest_first(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    assert_eq!(store.tournaments().await, Ok(vec![]));
    store.begin_tournament("spring", "print", 7).await.expect("begun");
    store.begin_tournament("autumn", "print", 9).await.expect("begun");
    store.add_games("spring", &[game(0), game(1)]).await.expect("kept");
    store.set_plan("spring", "games = 1").await.expect("kept");
    store.set_plan("spring", "games = 2").await.expect("kept again");
    let spring = row("spring", 7, [2, 3], Some("games = 2"));
    assert_eq!(store.tournament("spring").await, Ok(Some(spring.clone())));
    assert_eq!(store.tournament("winter").await, Ok(None));
    assert_eq!(store.tournaments().await, Ok(vec![row("autumn", 9, [0, 0], None), spring]));
    let nowhere = store.set_plan("winter", "games = 1").await.expect_err("no such one");
    assert_eq!(nowhere.to_string(), "there is no tournament 'winter'");
}

/// Creates a database with the first version of the schema, with a tournament in it.
async fn of_version_one(db: &Database) {
    sqlx::any::install_default_drivers();
    let kind = if db.is_shared() { "postgres" } else { "sqlite" };
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(kind);
    let mut old = AnyConnection::connect(&address(db)).await.expect("a database");
    Migrator::new(migrations).await.expect("migrations").run_to(1, &mut old).await.expect("the old schema");
    for text in [
        "INSERT INTO tournament VALUES ('spring', 'print', 7)",
        "INSERT INTO tournament_game VALUES ('spring', 0, 'kalah:6,4', 0, 'Ann', 'Bob', 'r', 1, 2, NULL, NULL, NULL, '', '')",
    ] {
        sqlx::query(text).execute(&mut old).await.expect("an old row");
    }
    old.close().await.expect("closed");
}

async fn an_old_database_is_migrated_with_all_its_tournaments(db: Database) {
    of_version_one(&db).await;
    let store = Store::connect(&db.url).await.expect("brought up to date");
    assert_eq!(store.tournaments().await, Ok(vec![row("spring", 7, [1, 0], None)]));
    assert_eq!(store.begin_tournament("spring", "print", 9).await, Ok(TournamentStart::Resumed));
    let games = store.tournament_games("spring").await.expect("games");
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].players, ["Ann", "Bob"]);
    store.add_games("spring", &[game(1)]).await.expect("it goes on");
    store.set_plan("spring", "games = 2").await.expect("kept");
    assert_eq!(store.live_games(0, 9).await, Ok(vec![]));
    assert_eq!(store.tournaments().await, Ok(vec![row("spring", 7, [2, 2], Some("games = 2"))]));
}

fn several_processes_can_create_a_database_at_once(db: &Database) {
    open_concurrently(db);
}

fn several_processes_can_migrate_a_database_at_once(db: &Database) {
    runtime().block_on(of_version_one(db));
    open_concurrently(db);
}

fn open_concurrently(db: &Database) {
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| BlockingStore::connect(&db.url).expect("opened").close());
        }
    });
}

fn a_database_of_a_newer_version_is_not_changed(db: &Database) {
    BlockingStore::connect(&db.url).expect("a store").close();
    runtime().block_on(async {
        let mut newer = AnyConnection::connect(&address(db)).await.expect("a database");
        let text = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                    SELECT 9999, 'newer', TRUE, checksum, 0 FROM _sqlx_migrations LIMIT 1";
        sqlx::query(text).execute(&mut newer).await.expect("a row");
        newer.close().await.expect("closed");
    });
    assert!(matches!(BlockingStore::connect(&db.url), Err(StoreError::NewerSchema(_))));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// The database as a URL for sqlx.
fn address(db: &Database) -> String {
    if db.is_shared() { db.url.clone() } else { format!("sqlite://{}?mode=rwc", db.url) }
}
