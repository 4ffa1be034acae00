//! Tests of workers that share a queue and are killed, stopped, or have another version of a bot. The tournament ends as if one
//! process had played it.
#![cfg(unix)]

use crate::harness::{PARLOR, parlor, run};
use parlor_store::{QueuedGame, Store, StoreError};
use parlor_testkit::{Database, Process, SplitMix64, eventually, on_postgres, temp_folder};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

on_postgres! {
    workers_that_are_killed_at_random_play_every_game_once,
    a_conductor_that_is_killed_goes_on_where_the_queue_is,
    who_is_told_to_stop_hands_its_games_back,
    needs_python_a_bot_with_other_files_is_left_to_others_and_a_changed_one_is_found,
    what_waits_for_another_version_is_left_and_told,
}

fn start(arguments: &[&str], log: &Path) -> Process {
    let log = fs::File::options().create(true).append(true).open(log).expect("a log");
    Process::start(parlor(arguments).stderr(log))
}

fn worker(db: &Database, dir: &Path, more: &[&str]) -> Process {
    let folder = dir.to_str().expect("a text");
    let mut arguments =
        vec!["worker", "--database", &db.url, "--dir", folder, "--games", "1", "--no-sandbox"];
    arguments.extend(more);
    start(&arguments, &dir.join("worker.log"))
}

fn conductor(db: &Database, file: &Path, more: &[&str]) -> Process {
    let mut arguments =
        vec!["tournament", file.to_str().expect("a text"), "--database", &db.url, "--no-sandbox"];
    arguments.extend(more);
    start(&arguments, &file.with_extension("log"))
}

/// Number of finished games in the database; 0 before its tables exist.
fn finished(db: &Database) -> u64 {
    let count = db.query("SELECT COUNT(*)::TEXT FROM tournament_game").unwrap_or_default();
    count.parse().unwrap_or(0)
}

fn ask(db: &Database, query: &str) -> String {
    db.query(query).expect("an answer")
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
    let records = parlor_core::Record::parse_many(&text).expect("records");
    let plain = |record: parlor_core::Record| parlor_core::Record { comments: Default::default(), ..record };
    let games = records.into_iter().map(|record| plain(record).to_string()).collect();
    let text = fs::read_to_string(dir.join("league/results.json")).expect("results");
    let mut standings = serde_json::from_str::<Value>(&text).expect("JSON")["standings"].take();
    for line in standings.as_array_mut().expect("a list") {
        line.as_object_mut().expect("an object").retain(|key, _| !key.contains("seconds"));
    }
    (games, standings)
}

/// The results of one process with the same plan and a SQLite database.
fn alone(rounds: u32, time: &str) -> (Vec<String>, Value) {
    let dir = temp_folder();
    let file = league(&dir, rounds, time, OURS);
    let (code, _, err) = run(&["tournament", file.to_str().expect("a text")]);
    assert_eq!(code, 0, "{err}");
    outcome(&dir)
}

fn workers_that_are_killed_at_random_play_every_game_once(db: &Database) {
    let dir = temp_folder();
    let file = league(&dir, 5, "nodes=20000", OURS);
    let mut conductor = conductor(db, &file, &["--workers-only"]);
    let mut workers: Vec<Process> = (0..3).map(|_| worker(db, &dir, &[])).collect();
    let mut random = SplitMix64::new(7);
    for _ in 0..6 {
        let until = finished(db) + 1 + random.below(8);
        eventually("these games are finished", || finished(db) >= until);
        // The old worker is dropped, which kills it without warning.
        workers[random.below(3) as usize] = worker(db, &dir, &[]);
    }
    assert_eq!(conductor.wait(), 0, "{}", fs::read_to_string(file.with_extension("log")).unwrap_or_default());
    assert_eq!(ask(db, "SELECT COUNT(*)::TEXT FROM tournament_game"), "60");
    assert_eq!(ask(db, "SELECT COUNT(*)::TEXT FROM job"), "0");
    assert!(outcome(&dir) == alone(5, "nodes=20000"), "another tournament");
}

fn a_conductor_that_is_killed_goes_on_where_the_queue_is(db: &Database) {
    let dir = temp_folder();
    let file = league(&dir, 4, "nodes=20000", OURS);
    let _worker = worker(db, &dir, &[]);
    for games in [6, 14, 0] {
        let killed = conductor(db, &file, &[]);
        eventually("these games are finished", || finished(db) >= games);
        drop(killed);
    }
    let other = temp_folder();
    let second = [conductor(db, &file, &["--workers-only"]), conductor(db, &file, &["--out", other.text()])];
    let codes = second.map(|mut one| one.wait());
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "one of two conducts: {codes:?}");
    let text = fs::read_to_string(file.with_extension("log")).expect("a log");
    assert!(text.contains("another process is running"), "{text}");
    let (code, _, err) = run(&["tournament", file.to_str().expect("a text"), "--database", &db.url]);
    assert_eq!(code, 0, "{err}");
    assert!(outcome(&dir) == alone(4, "nodes=20000"), "another tournament");
}

fn who_is_told_to_stop_hands_its_games_back(db: &Database) {
    let dir = temp_folder();
    let slow = "[[player]]\nname = \"one\"\nspec = \"engine:threads=1\"\n[[player]]\nname = \"other\"\nspec = \"engine:threads=1\"\n";
    let file = league(&dir, 1, "move=3s", slow);
    let conductor = conductor(db, &file, &["--workers-only"]);
    let mut worker = worker(db, &dir, &[]);
    db.wait_for("SELECT COUNT(*)::TEXT FROM job WHERE state = 'taken'", "1");
    let (code, out, err) = run(&["worker", "--database", &db.url, "--list"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("1 at a time  0 games played  1 job in progress")
            && out.contains("3 games of 'a league' waiting for"),
        "{out}"
    );
    worker.signal("TERM");
    assert_eq!(worker.wait(), 0);
    let state = "SELECT COUNT(*) || '|' || MAX(attempts) FROM job WHERE state = 'ready'";
    assert_eq!(ask(db, state), "4|0", "no attempt was made");
    assert_eq!(ask(db, "SELECT COUNT(*)::TEXT FROM worker"), "0");
    drop(conductor);
}

fn needs_python_a_bot_with_other_files_is_left_to_others_and_a_changed_one_is_found(db: &Database) {
    let dir = temp_folder();
    let made =
        Command::new(PARLOR).args(["new-bot", "python"]).arg(dir.join("team7")).output().expect("it runs");
    assert!(made.status.success());
    let players = "[[player]]\nname = \"team7\"\nspec = \"bot:python3 team7/bot.py\"\n[[player]]\nname = \"random\"\nspec = \"random\"\n\
                   [[player]]\nname = \"bad\"\nspec = \"bad\"\n";
    let file = league(&dir, 1, "move=5s", players);
    let other = temp_folder();
    fs::create_dir(other.join("team7")).expect("a folder");
    fs::write(other.join("team7/bot.py"), "print('no')").expect("written");
    let conductor_one = conductor(db, &file, &["--workers-only"]);
    let strange = worker(db, &other, &[]);
    db.wait_for("SELECT COUNT(*)::TEXT FROM tournament_game", "4");
    let log = other.join("worker.log");
    eventually("the worker reports the difference", || {
        fs::read_to_string(&log).is_ok_and(|said| said.contains("games refused"))
    });
    assert_eq!(ask(db, "SELECT COUNT(*)::TEXT FROM tournament_game WHERE 'team7' IN (first, second)"), "0");
    let said = fs::read_to_string(&log).expect("a log");
    let line = said.lines().find(|line| line.contains("games refused")).unwrap_or_default();
    for part in [
        "tournament=\"a league\" player=team7 reason=\"its files on this worker have hash ",
        ", but the tournament expects ",
    ] {
        assert!(line.contains(part), "{said}");
    }
    assert!(line.ends_with("; its games are left to other workers\""), "{said}");
    drop(strange);
    let (code, _, err) = run(&[
        "worker",
        "--database",
        &db.url,
        "--dir",
        dir.to_str().expect("a text"),
        "--until-idle",
        "--no-sandbox",
    ]);
    assert_eq!(code, 0, "{err}");
    db.wait_for("SELECT COUNT(*)::TEXT FROM tournament_game", "12");
    drop(conductor_one);
    let bot = dir.join("team7/bot.py");
    let text = fs::read_to_string(&bot).expect("a bot");
    fs::write(&bot, format!("{text}\n# another\n")).expect("written");
    let arguments = ["tournament", file.to_str().expect("a text"), "--database", &db.url, "--no-sandbox"];
    let (code, _, err) = run(&arguments);
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("team7 was changed since games were played; use --rerun team7 to replay those games"),
        "{err}"
    );
    let (code, _, err) = run(&[&arguments[..], &["--rerun", "team7"]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("replaying 8 games"), "{err}");
    assert_eq!(ask(db, "SELECT COUNT(*)::TEXT FROM tournament_game"), "12");
}

fn what_waits_for_another_version_is_left_and_told(db: &Database) {
    let dir = temp_folder();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime
        .block_on(async {
            let store = Store::connect(&db.url).await?;
            store.begin_tournament("newer", "plan", 1).await?;
            let fixture = |number| QueuedGame { number, players: Default::default(), text: String::new() };
            store.enqueue_games("newer", "terms", "999.1 rules 7", &[fixture(0), fixture(1)]).await?;
            store.begin_tournament("older", "plan", 1).await?;
            // The version tag of old builds, without a version of the rules.
            store.enqueue_games("older", "terms", env!("CARGO_PKG_VERSION"), &[fixture(0)]).await?;
            store.close().await;
            Ok::<(), StoreError>(())
        })
        .expect("put in");
    let (code, out, err) =
        run(&["worker", "--database", &db.url, "--dir", dir.to_str().expect("a text"), "--until-idle"]);
    assert_eq!((code, out.as_str()), (0, "Played 0 games.\n"));
    let version = env!("CARGO_PKG_VERSION");
    let own = format!("this is Parlor {version} (rules 2)");
    assert!(err.contains(&format!("2 games wait for Parlor 999.1 (rules 7); {own}")), "{err}");
    assert!(err.contains(&format!("1 game waits for Parlor {version} (rules 1); {own}")), "{err}");
    assert_eq!(ask(db, "SELECT COUNT(*)::TEXT FROM job WHERE state = 'ready' AND attempts = 0"), "3");
}

#[test]
fn a_worker_requires_a_shared_database() {
    let (code, _, err) = run(&["worker", "--database", "games.db"]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains("SQLite has no job queue"), "{err}");
}

#[test]
#[ignore = "needs python3"]
fn needs_python_a_changed_bot_is_found_with_a_database_in_a_file_too() {
    let dir = temp_folder();
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
    assert!(err.contains("use --rerun team7 to replay those games, or restore its old files"), "{err}");
    fs::write(&bot, text).expect("written");
    assert_eq!(run(&arguments).0, 0, "the old bot goes on");
}
