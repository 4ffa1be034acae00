//! Tournaments are kept, found again, and never mixed up.

use parlor_store::{Begun, Blocking, FoulRow, GameRow, Store, StoreError, TournamentRow};
use parlor_testkit::{Database, on_both_databases, temp_folder};
use sqlx::{AnyConnection, Connection, migrate::Migrator};
use std::path::Path;

on_both_databases! {
    what_is_kept_is_found_again_by_another_process,
    no_game_is_kept_twice_and_a_batch_is_kept_whole_or_not_at_all,
    another_plan_under_the_same_name_is_refused_and_changes_nothing,
    forgotten_games_can_be_played_again,
    async tournaments_are_listed_with_their_plans_and_counts_the_latest_first,
    async an_old_database_is_brought_up_to_date_with_its_tournaments_whole,
    a_new_database_may_be_opened_by_many_at_the_same_moment,
    an_old_database_may_be_opened_by_many_at_the_same_moment,
    a_database_of_a_newer_version_is_left_alone,
}

fn game(number: i64) -> GameRow {
    GameRow {
        number,
        game: "kalah:6,4".into(),
        round: number / 2,
        players: ["Ann's \"bot\"".into(), "Bob; DROP TABLE tournament".into()],
        record: "[Game \"kalah:6,4\"]\n\n3 6 2\n".into(),
        nanos: [1, i64::MAX],
        cpu_nanos: [Some(1_000_000 + number), None],
        foul: (number == 1).then(|| FoulRow {
            side: "second".into(),
            kind: "crash".into(),
            why: "crashed: \u{1b}[31m".into(),
        }),
        asides: [String::new(), "Traceback…".into()],
    }
}

fn what_is_kept_is_found_again_by_another_process(db: &Database) {
    let store = Blocking::connect(&db.url).expect("a store");
    assert_eq!(store.begin("spring", "the plan", 7).expect("begun"), Begun::New);
    store.keep("spring", &[game(1), game(0)]).expect("kept");
    store.keep("spring", &[game(5)]).expect("kept");
    // As after a kill: the first one is not closed.
    std::mem::forget(store);
    let again = Blocking::connect(&db.url).expect("the same store");
    assert_eq!(again.begin("spring", "the plan", 9).expect("begun"), Begun::Again);
    assert_eq!(again.games("spring").expect("games"), [game(0), game(1), game(5)]);
    assert_eq!(again.games("autumn").expect("games"), []);
}

fn no_game_is_kept_twice_and_a_batch_is_kept_whole_or_not_at_all(db: &Database) {
    let store = Blocking::connect(&db.url).expect("a store");
    store.begin("spring", "plan", 7).expect("begun");
    store.keep("spring", &[game(0)]).expect("kept");
    let again = store.keep("spring", &[game(1), game(0)]);
    assert!(matches!(again, Err(StoreError::Twice(_, 0))), "{again:?}");
    assert_eq!(store.games("spring").expect("games"), [game(0)]);
    let nowhere = store.keep("autumn", &[game(0)]);
    assert_eq!(
        nowhere,
        Err(StoreError::Missing("tournament 'autumn'".into())),
        "a tournament is begun first"
    );
}

fn another_plan_under_the_same_name_is_refused_and_changes_nothing(db: &Database) {
    let store = Blocking::connect(&db.url).expect("a store");
    store.begin("spring", "one plan", 7).expect("begun");
    let other = store.begin("spring", "another plan", 8);
    assert!(matches!(other, Err(StoreError::OtherPlan(_, before)) if before == "one plan"));
    assert_eq!(store.begin("autumn", "another plan", 8).expect("begun"), Begun::New);
}

fn forgotten_games_can_be_played_again(db: &Database) {
    let store = Blocking::connect(&db.url).expect("a store");
    store.begin("spring", "plan", 7).expect("begun");
    store.keep("spring", &[game(0), game(1), game(2)]).expect("kept");
    store.forget("spring", &[1, 77]).expect("forgotten");
    assert_eq!(store.games("spring").expect("games"), [game(0), game(2)]);
    store.keep("spring", &[game(1)]).expect("kept again");
    store.drop_tournament("spring").expect("dropped");
    assert_eq!(store.games("spring").expect("games"), []);
    assert_eq!(store.begin("spring", "another plan", 8).expect("begun"), Begun::New);
}

#[test]
fn a_file_that_is_no_database_is_refused_with_its_name() {
    let folder = temp_folder();
    let text = "this is no database at all, only some text that is long enough to look like one";
    let file = folder.write("nonsense.db", text);
    let sentence = Blocking::open(&file).expect_err("no database").to_string();
    assert!(sentence.contains("nonsense.db: "), "{sentence}");
    let sentence = Blocking::open(&file.join("below")).expect_err("no folder").to_string();
    assert!(sentence.contains("cannot open the database"), "{sentence}");
}

fn row(name: &str, begun: i64, [games, changes]: [i64; 2], plan: Option<&str>) -> TournamentRow {
    let plan = plan.map(String::from);
    TournamentRow { name: name.into(), fingerprint: "print".into(), begun, games, changes, plan }
}

async fn tournaments_are_listed_with_their_plans_and_counts_the_latest_first(db: Database) {
    let store = Store::connect(&db.url).await.expect("a store");
    assert_eq!(store.tournaments().await, Ok(vec![]));
    store.begin("spring", "print", 7).await.expect("begun");
    store.begin("autumn", "print", 9).await.expect("begun");
    store.keep("spring", &[game(0), game(1)]).await.expect("kept");
    store.keep_plan("spring", "games = 1").await.expect("kept");
    store.keep_plan("spring", "games = 2").await.expect("kept again");
    let spring = row("spring", 7, [2, 3], Some("games = 2"));
    assert_eq!(store.tournament("spring").await, Ok(Some(spring.clone())));
    assert_eq!(store.tournament("winter").await, Ok(None));
    assert_eq!(store.tournaments().await, Ok(vec![row("autumn", 9, [0, 0], None), spring]));
    let nowhere = store.keep_plan("winter", "games = 1").await.expect_err("no such one");
    assert_eq!(nowhere.to_string(), "there is no tournament 'winter'");
}

/// A database as the first version of the schema left it, with a tournament in it.
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

async fn an_old_database_is_brought_up_to_date_with_its_tournaments_whole(db: Database) {
    of_version_one(&db).await;
    let store = Store::connect(&db.url).await.expect("brought up to date");
    assert_eq!(store.tournaments().await, Ok(vec![row("spring", 7, [1, 0], None)]));
    assert_eq!(store.begin("spring", "print", 9).await, Ok(Begun::Again));
    let games = store.games("spring").await.expect("games");
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].players, ["Ann", "Bob"]);
    store.keep("spring", &[game(1)]).await.expect("it goes on");
    store.keep_plan("spring", "games = 2").await.expect("kept");
    assert_eq!(store.live_games(0, 9).await, Ok(vec![]));
    assert_eq!(store.tournaments().await, Ok(vec![row("spring", 7, [2, 2], Some("games = 2"))]));
}

fn a_new_database_may_be_opened_by_many_at_the_same_moment(db: &Database) {
    open_by_many(db);
}

fn an_old_database_may_be_opened_by_many_at_the_same_moment(db: &Database) {
    runtime().block_on(of_version_one(db));
    open_by_many(db);
}

fn open_by_many(db: &Database) {
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| Blocking::connect(&db.url).expect("opened").close());
        }
    });
}

fn a_database_of_a_newer_version_is_left_alone(db: &Database) {
    Blocking::connect(&db.url).expect("a store").close();
    runtime().block_on(async {
        let mut newer = AnyConnection::connect(&address(db)).await.expect("a database");
        let text = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                    SELECT 9999, 'newer', TRUE, checksum, 0 FROM _sqlx_migrations LIMIT 1";
        sqlx::query(text).execute(&mut newer).await.expect("a row");
        newer.close().await.expect("closed");
    });
    assert!(matches!(Blocking::connect(&db.url), Err(StoreError::Newer(_))));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// The database as a URL for sqlx.
fn address(db: &Database) -> String {
    if db.is_shared() { db.url.clone() } else { format!("sqlite://{}?mode=rwc", db.url) }
}
