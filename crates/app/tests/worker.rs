//! Workers at a shared queue: killed, stopped, of another mind about a bot; and the tournament ends as if one process had played it.
//!
//! They need a server of PostgreSQL on which databases may be made, by `PARLOR_POSTGRES`; without one they are left out.
#![cfg(unix)]

#[path = "../../store/tests/places/mod.rs"]
mod places;

use parlor_store::{Fixture, Store, StoreError};
use places::{Place, shared};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
const PATIENCE: Duration = Duration::from_secs(120);

/// A database of a test's own; it is gone when this is dropped.
struct Database(Place);

impl Database {
    fn new(name: &str) -> Option<Database> {
        shared(&format!("worker_{name}")).map(Database)
    }

    /// The text that a statement gives.
    fn try_ask(&self, text: &str) -> Result<String, sqlx::Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut connection = PgConnection::connect(&self.0.at).await?;
            let answer = sqlx::query_scalar(AssertSqlSafe(text)).fetch_one(&mut connection).await?;
            connection.close().await?;
            Ok(answer)
        })
    }

    fn ask(&self, text: &str) -> String {
        self.try_ask(text).expect("an answer")
    }

    /// Waits until a statement answers like this. At first there may be no tables yet.
    fn until(&self, text: &str, answer: &str) {
        let begun = Instant::now();
        while self.try_ask(text).ok().as_deref() != Some(answer) {
            assert!(begun.elapsed() < PATIENCE, "{text} is not {answer} but {:?}", self.try_ask(text));
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A process that is killed when the test is over.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn is_over(&mut self) -> bool {
        self.0.try_wait().expect("a state").is_some()
    }

    fn terminate(&mut self) -> i32 {
        let killed = Command::new("kill").arg(self.0.id().to_string()).status().expect("kill runs");
        assert!(killed.success());
        self.wait()
    }

    fn wait(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("a state") {
                return status.code().unwrap_or(-1);
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn scratch(name: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("worker-{name}"));
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a folder");
    dir
}

fn start(arguments: &[&str], log: &Path) -> Running {
    let log = fs::File::options().create(true).append(true).open(log).expect("a log");
    let mut command = Command::new(PARLOR);
    command.args(arguments).env_remove("PARLOR_TABLES").stdout(Stdio::null()).stderr(log);
    Running(command.spawn().expect("it starts"))
}

fn worker(database: &Database, dir: &Path, more: &[&str]) -> Running {
    let folder = dir.to_str().expect("a text");
    let mut arguments =
        vec!["worker", "--database", &database.0.at, "--dir", folder, "--games", "1", "--no-sandbox"];
    arguments.extend(more);
    start(&arguments, &dir.join("worker.log"))
}

fn conductor(database: &Database, file: &Path, more: &[&str]) -> Running {
    let mut arguments =
        vec!["tournament", file.to_str().expect("a text"), "--database", &database.0.at, "--no-sandbox"];
    arguments.extend(more);
    start(&arguments, &file.with_extension("log"))
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let run = Command::new(PARLOR).args(arguments).env_remove("PARLOR_TABLES").output();
    let Output { status, stdout, stderr } = run.expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code().unwrap_or(-1), text(&stdout), text(&stderr))
}

fn league(dir: &Path, rounds: u32, time: &str, players: &str) -> PathBuf {
    let file = dir.join("league.toml");
    let text = format!(
        "name = \"a league\"\ngames = [\"kalah:6,4\", \"connect:7,6,4\"]\nrounds = {rounds}\ntime = \"{time}\"\nconcurrency = 1\n\
         openings = {{ plies = 2, seed = 7 }}\n{players}"
    );
    fs::write(&file, text).expect("written");
    file
}

const OURS: &str = "[[player]]\nname = \"deep\"\nspec = \"engine:threads=1,memory=16\"\n[[player]]\nname = \"two\"\nspec = \"engine:level=2\"\n\
                    [[player]]\nname = \"random\"\nspec = \"random\"\n";

/// The games without what depends on the clock, and the standings without the time.
fn outcome(dir: &Path) -> (Vec<String>, Value) {
    let text = fs::read_to_string(dir.join("league/games.parlor")).expect("records");
    let records = parlor_play::Record::parse_many(&text).expect("records");
    let plain = |record: parlor_play::Record| parlor_play::Record { comments: Default::default(), ..record };
    let games = records.into_iter().map(|record| plain(record).to_string()).collect();
    let text = fs::read_to_string(dir.join("league/results.json")).expect("results");
    let mut standings = serde_json::from_str::<Value>(&text).expect("JSON")["standings"].take();
    for line in standings.as_array_mut().expect("a list") {
        line.as_object_mut().expect("an object").retain(|key, _| !key.contains("seconds"));
    }
    (games, standings)
}

/// What one process makes of the same file, with a database in a file.
fn alone(name: &str, rounds: u32, time: &str) -> (Vec<String>, Value) {
    let dir = scratch(&format!("{name}-alone"));
    let file = league(&dir, rounds, time, OURS);
    let (code, _, err) = run(&["tournament", file.to_str().expect("a text")]);
    assert_eq!(code, 0, "{err}");
    outcome(&dir)
}

/// Numbers that look random.
fn chance(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn workers_that_are_killed_at_random_play_every_game_once() {
    let Some(database) = Database::new("killed") else { return };
    let dir = scratch("killed");
    let file = league(&dir, 5, "nodes=20000", OURS);
    let mut conductor = conductor(&database, &file, &["--workers-only"]);
    let mut workers: Vec<Running> = (0..3).map(|_| worker(&database, &dir, &[])).collect();
    let (mut seed, mut kills, begun) = (7, 0, Instant::now());
    while !conductor.is_over() {
        assert!(
            begun.elapsed() < PATIENCE,
            "{}",
            fs::read_to_string(file.with_extension("log")).unwrap_or_default()
        );
        thread::sleep(Duration::from_millis(300 + chance(&mut seed) % 700));
        if kills < 6 {
            let which = chance(&mut seed) as usize % workers.len();
            // Dropped is killed, with -9.
            workers[which] = worker(&database, &dir, &[]);
            kills += 1;
        }
    }
    assert_eq!(conductor.wait(), 0, "{}", fs::read_to_string(file.with_extension("log")).unwrap_or_default());
    assert!(kills > 3, "all was played before anybody was killed");
    assert_eq!(database.ask("SELECT COUNT(*)::TEXT FROM tournament_game"), "60");
    assert_eq!(database.ask("SELECT COUNT(*)::TEXT FROM job"), "0");
    assert!(outcome(&dir) == alone("killed", 5, "nodes=20000"), "another tournament");
}

#[test]
fn a_conductor_that_is_killed_goes_on_where_the_queue_is() {
    let Some(database) = Database::new("conductor") else { return };
    let dir = scratch("conductor");
    let file = league(&dir, 4, "nodes=20000", OURS);
    let _worker = worker(&database, &dir, &[]);
    for wait in [600, 900, 50] {
        let killed = conductor(&database, &file, &[]);
        thread::sleep(Duration::from_millis(wait));
        drop(killed);
    }
    let second = [
        conductor(&database, &file, &["--workers-only"]),
        conductor(&database, &file, &["--out", "elsewhere"]),
    ];
    let codes = second.map(|mut one| one.wait());
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "one of two conducts: {codes:?}");
    let text = fs::read_to_string(file.with_extension("log")).expect("a log");
    assert!(text.contains("is being played by another process"), "{text}");
    let (code, _, err) = run(&["tournament", file.to_str().expect("a text"), "--database", &database.0.at]);
    assert_eq!(code, 0, "{err}");
    assert!(outcome(&dir) == alone("conductor", 4, "nodes=20000"), "another tournament");
}

#[test]
fn who_is_told_to_stop_hands_its_games_back() {
    let Some(database) = Database::new("stopped") else { return };
    let dir = scratch("stopped");
    let slow = "[[player]]\nname = \"one\"\nspec = \"engine:threads=1\"\n[[player]]\nname = \"other\"\nspec = \"engine:threads=1\"\n";
    let file = league(&dir, 1, "move=3s", slow);
    let conductor = conductor(&database, &file, &["--workers-only"]);
    let mut worker = worker(&database, &dir, &[]);
    database.until("SELECT COUNT(*)::TEXT FROM job WHERE state = 'taken'", "1");
    let (code, out, err) = run(&["worker", "--database", &database.0.at, "--list"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("1 at a time  0 played  1 in hand") && out.contains("3 of 'a league' wait for"),
        "{out}"
    );
    assert_eq!(worker.terminate(), 0);
    let state = "SELECT COUNT(*) || '|' || MAX(attempts) FROM job WHERE state = 'ready'";
    assert_eq!(database.ask(state), "4|0", "no attempt was made");
    assert_eq!(database.ask("SELECT COUNT(*)::TEXT FROM worker"), "0");
    drop(conductor);
}

#[test]
fn a_bot_that_is_another_here_is_left_to_others_and_a_changed_one_is_seen() {
    let Some(database) = Database::new("bots") else { return };
    let dir = scratch("bots");
    let made =
        Command::new(PARLOR).args(["new-bot", "python"]).arg(dir.join("team7")).output().expect("it runs");
    assert!(made.status.success());
    let players = "[[player]]\nname = \"team7\"\nspec = \"bot:python3 team7/bot.py\"\n[[player]]\nname = \"random\"\nspec = \"random\"\n\
                   [[player]]\nname = \"bad\"\nspec = \"bad\"\n";
    let file = league(&dir, 1, "move=5s", players);
    let other = scratch("bots-other");
    fs::create_dir(other.join("team7")).expect("a folder");
    fs::write(other.join("team7/bot.py"), "print('no')").expect("written");
    let conductor_one = conductor(&database, &file, &["--workers-only"]);
    let strange = worker(&database, &other, &[]);
    database.until("SELECT COUNT(*)::TEXT FROM tournament_game", "4");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(
        database.ask("SELECT COUNT(*)::TEXT FROM tournament_game WHERE 'team7' IN (first, second)"),
        "0"
    );
    let said = fs::read_to_string(other.join("worker.log")).expect("a log");
    let sentence = said.lines().find(|line| line.starts_with("team7 here is ")).unwrap_or_default();
    assert!(
        sentence.contains(", the tournament's is ") && sentence.ends_with(": its games are left to others"),
        "{said}"
    );
    drop(strange);
    let (code, _, err) = run(&[
        "worker",
        "--database",
        &database.0.at,
        "--dir",
        dir.to_str().expect("a text"),
        "--until-idle",
        "--no-sandbox",
    ]);
    assert_eq!(code, 0, "{err}");
    database.until("SELECT COUNT(*)::TEXT FROM tournament_game", "12");
    drop(conductor_one);
    let bot = dir.join("team7/bot.py");
    let text = fs::read_to_string(&bot).expect("a bot");
    fs::write(&bot, format!("{text}\n# another\n")).expect("written");
    let arguments =
        ["tournament", file.to_str().expect("a text"), "--database", &database.0.at, "--no-sandbox"];
    let (code, _, err) = run(&arguments);
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("team7 was changed since games were played; --rerun team7 plays them again"),
        "{err}"
    );
    let (code, _, err) = run(&[&arguments[..], &["--rerun", "team7"]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("8 games are played again"), "{err}");
    assert_eq!(database.ask("SELECT COUNT(*)::TEXT FROM tournament_game"), "12");
}

#[test]
fn what_waits_for_another_version_is_left_and_told() {
    let Some(database) = Database::new("version") else { return };
    let dir = scratch("version");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime
        .block_on(async {
            let store = Store::connect(&database.0.at).await?;
            store.begin("newer", "plan", 1).await?;
            let fixture = |number| Fixture { number, players: Default::default(), text: String::new() };
            store.put_games("newer", "terms", "999.1", &[fixture(0), fixture(1)]).await?;
            store.close().await;
            Ok::<(), StoreError>(())
        })
        .expect("put in");
    let (code, out, err) = run(&[
        "worker",
        "--database",
        &database.0.at,
        "--dir",
        dir.to_str().expect("a text"),
        "--until-idle",
    ]);
    assert_eq!((code, out.as_str()), (0, "0 games were played here.\n"));
    let version = env!("CARGO_PKG_VERSION");
    assert!(err.contains(&format!("2 games wait for Parlor 999.1; this is {version}")), "{err}");
}

#[test]
fn a_worker_wants_a_shared_database() {
    let (code, _, err) = run(&["worker", "--database", "games.db"]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains("a database in a file has no queue"), "{err}");
}

#[test]
fn a_changed_bot_is_seen_in_a_file_too() {
    let dir = scratch("file");
    let made =
        Command::new(PARLOR).args(["new-bot", "python"]).arg(dir.join("team7")).output().expect("it runs");
    assert!(made.status.success());
    let players = "[[player]]\nname = \"team7\"\nspec = \"bot:python3 team7/bot.py\"\n[[player]]\nname = \"bad\"\nspec = \"bad\"\n";
    let file = league(&dir, 1, "move=5s", players);
    let arguments = ["tournament", file.to_str().expect("a text"), "--no-sandbox"];
    let (code, _, err) = run(&arguments);
    assert_eq!(code, 0, "{err}");
    let bot = dir.join("team7/bot.py");
    let text = fs::read_to_string(&bot).expect("a bot");
    fs::write(&bot, format!("{text}\n# another\n")).expect("written");
    let (code, _, err) = run(&arguments);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains("--rerun team7 plays them again, or put its old files back"), "{err}");
    fs::write(&bot, text).expect("written");
    assert_eq!(run(&arguments).0, 0, "the old bot goes on");
}
