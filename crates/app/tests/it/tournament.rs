//! Tests of `parlor tournament`: result files, resuming after kills, misbehaving bots.

use crate::harness::{PARLOR, Server, misbehaving};
use parlor_testkit::{Database, Process, SplitMix64, eventually, query_sqlite, temp_folder};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn league(dir: &Path, text: &str) -> PathBuf {
    let file = dir.join("league.toml");
    fs::write(&file, text).expect("written");
    file
}

fn parlor(arguments: &[&str], file: &Path) -> Command {
    let mut command = Command::new(PARLOR);
    command.arg("tournament").arg(file).args(arguments).env_remove("PARLOR_TABLES");
    command
}

fn run(arguments: &[&str], file: &Path) -> (i32, String, String) {
    parlor_testkit::run(&mut parlor(arguments, file))
}

fn results(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("league/results.json")).expect("results");
    serde_json::from_str(&text).expect("JSON")
}

/// The games without what depends on the clock: who, what, how it ended, and every move.
fn games(dir: &Path) -> Vec<String> {
    let text = fs::read_to_string(dir.join("league/games.parlor")).expect("records");
    let records = parlor_core::Record::parse_many(&text).expect("records");
    let plain = |record: parlor_core::Record| parlor_core::Record { comments: Default::default(), ..record };
    records.into_iter().map(|record| plain(record).to_string()).collect()
}

const PLAYERS: &str = r#"
[[player]]
name = "five"
spec = "engine:level=5"
[[player]]
name = "two"
spec = "engine:level=2"
[[player]]
name = "random"
spec = "random"
"#;

fn plan(rounds: u32, more: &str) -> String {
    format!(
        "name = \"a league\"\ngames = [\"kalah:3,2\", \"connect:4,4,3\"]\nrounds = {rounds}\ntime = \"nodes=200\"\nconcurrency = 2\n\
         openings = {{ plies = 2, seed = 7 }}\n{more}\n{PLAYERS}"
    )
}

#[test]
fn a_tournament_writes_its_results_and_is_not_played_twice() {
    let dir = temp_folder();
    let file = league(&dir, &plan(3, ""));
    let (code, out, err) = run(&[], &file);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.starts_with("a league: round-robin, kalah:3,2 connect:4,4,3, 3 players, 36 games, nodes=200"),
        "{out}"
    );
    for part in ["  1  five", "  3  random", "against", "first/second", "Referee overhead per move: median "]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let json = results(&dir);
    assert_eq!((json["played"].as_u64(), json["over"].as_bool()), (Some(36), Some(true)));
    assert_eq!(json["standings"][0]["player"], "five");
    assert_eq!(games(&dir).len(), 36);
    let csv = fs::read_to_string(dir.join("league/games.csv")).expect("games");
    assert_eq!(csv.lines().count(), 37, "{csv}");
    let before = games(&dir);
    let (code, again, err) = run(&["--json"], &file);
    assert_eq!(code, 0, "{err}");
    assert_eq!(serde_json::from_str::<Value>(&again).expect("JSON")["standings"], json["standings"]);
    assert_eq!(games(&dir), before);
}

#[test]
fn a_changed_player_plays_its_own_games_again_and_a_changed_plan_is_refused() {
    let dir = temp_folder();
    let file = league(&dir, &plan(2, ""));
    run(&[], &file);
    let before = games(&dir);
    let (code, _, err) = run(&["--rerun", "two"], &file);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("replaying 16 games"), "{err}");
    assert_eq!(games(&dir), before, "the same player plays the same games");
    let (code, _, err) = run(&["--rerun", "six"], &file);
    assert_eq!(code, 2);
    assert!(err.contains("--rerun: unknown player 'six'; the players are five, two, random"), "{err}");
    league(&dir, &plan(2, "").replace("nodes=200", "nodes=201"));
    let (code, _, err) = run(&[], &file);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains("was started with another plan ('time nodes=201' was 'time nodes=200')"), "{err}");
    assert_eq!(games(&dir), before, "nothing was changed");
    let (code, _, err) = run(&["--fresh"], &file);
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_players_own_time_control_is_used_shown_and_stored_in_the_plan() {
    let dir = temp_folder();
    let own = plan(1, "margin = \"100ms\"")
        .replace("name = \"two\"", "name = \"two\"\ntime = \"1m,byoyomi=3x5s\"\nmargin = \"0ms\"");
    let file = league(&dir, &own);
    let (code, out, err) = run(&[], &file);
    assert_eq!(code, 0, "{err}");
    let line = out.lines().find(|line| line.contains(" two ")).expect("a line of the table");
    assert!(line.ends_with("  time 1m,byoyomi=3x5s"), "{line}");
    let json = results(&dir);
    let players = json["standings"].as_array().expect("players");
    let two = players.iter().find(|player| player["player"] == "two").expect("two");
    assert_eq!((&two["time"], &two["margin"]), (&"1m,byoyomi=3x5s".into(), &"0ms".into()));
    assert_eq!(json["margin"], "100ms");
    assert!(players.iter().all(|player| player["player"] == "two" || player["time"].is_null()));
    league(&dir, &own.replace("3x5s", "3x6s"));
    let (code, _, err) = run(&[], &file);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains("was started with another plan") && err.contains("time 1m,byoyomi=3x6s"), "{err}");
}

/// Plays this plan with a database, and turns that into one of a build before the rules had a version.
fn played_by_older_rules(dir: &Path, rounds: u32) -> (PathBuf, Database) {
    let (file, db) = (league(dir, &plan(rounds, "")), Database::sqlite());
    let (code, _, err) = run(&["--database", &db.url], &file);
    assert_eq!(code, 0, "{err}");
    db.execute("UPDATE tournament SET fingerprint = REPLACE(fingerprint, 'rules 2' || CHAR(10), '')");
    (file, db)
}

const OTHER_RULES: &str = "the tournament 'a league' was started with version 1 of the rules, but this program has version 2; \
                           change its name to start a new one, or finish it with the older version of Parlor";

#[test]
fn a_tournament_of_another_version_of_the_rules_is_not_resumed() {
    let dir = temp_folder();
    let (file, db) = played_by_older_rules(&dir, 1);
    let before = games(&dir);
    // More rounds of a round-robin are the same plan; here they would be played by other rules.
    league(&dir, &plan(2, ""));
    let (code, _, err) = run(&["--database", &db.url], &file);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
    assert!(err.contains(OTHER_RULES), "{err}");
    league(&dir, &plan(1, ""));
    let (code, _, err) = run(&["--database", &db.url, "--rerun", "two"], &file);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains(OTHER_RULES), "games that are played again are mixed in too: {err}");
    assert_eq!(games(&dir), before, "no game was played");
    league(&dir, &plan(1, "").replace("a league", "another"));
    let (code, _, err) = run(&["--database", &db.url], &file);
    assert_eq!(code, 0, "{err}");
    league(&dir, &plan(2, ""));
    let (code, _, err) = run(&["--database", &db.url, "--fresh"], &file);
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_finished_tournament_of_other_rules_shows_its_results() {
    let dir = temp_folder();
    let (file, db) = played_by_older_rules(&dir, 1);
    let (before, table) = (games(&dir), results(&dir)["standings"].clone());
    let (code, out, err) = run(&["--database", &db.url, "--json"], &file);
    assert_eq!(code, 0, "{err}");
    assert_eq!(serde_json::from_str::<Value>(&out).expect("JSON")["standings"], table);
    assert_eq!(games(&dir), before);
}

/// Number of finished games in the tournament's database.
fn kept(dir: &Path) -> i64 {
    query_sqlite(&dir.join("league/games.db"), "SELECT COUNT(*) FROM tournament_game").unwrap_or(0)
}

#[test]
fn killed_at_any_moment_it_ends_as_if_nothing_had_happened() {
    let dirs = [temp_folder(), temp_folder()];
    let files = dirs.each_ref().map(|dir| league(dir, &plan(12, "adjudicate = { proven = true }")));
    assert_eq!(run(&[], &files[0]).0, 0);
    let (mut random, mut kills) = (SplitMix64::new(1), 0);
    loop {
        let until = kept(&dirs[1]) + random.below(20) as i64;
        let mut process = Process::start(parlor(&[], &files[1]).stderr(Stdio::null()));
        eventually("these games are kept, or all", || process.has_ended() || kept(&dirs[1]) >= until);
        if process.has_ended() {
            break;
        }
        process.kill();
        kills += 1;
    }
    let (code, _, err) = run(&[], &files[1]);
    assert_eq!(code, 0, "{err}");
    assert!(kills > 0, "it was killed at least once");
    assert_eq!(games(&dirs[1]), games(&dirs[0]), "after {kills} kills");
    let table = |dir: &Path| -> Vec<Value> {
        let lines = results(dir)["standings"].as_array().expect("lines").clone();
        let cells =
            |line: &Value| serde_json::json!([line["player"], line["points"], line["pairs"], line["elo"]]);
        lines.iter().map(cells).collect()
    };
    assert_eq!(table(&dirs[1]), table(&dirs[0]));
}

#[test]
fn a_second_process_for_the_same_tournament_is_refused() {
    let dir = temp_folder();
    let file = league(&dir, &plan(4000, ""));
    let _first = Process::start(parlor(&[], &file).stderr(Stdio::null()));
    eventually("the first one plays", || kept(&dir) > 0);
    let (code, _, err) = run(&[], &file);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("another process is running this tournament"), "{err}");
}

#[test]
fn bad_files_get_one_sentence_with_the_line() {
    let dir = temp_folder();
    for (text, part) in [
        ("name = \"x\"\ngames = [\"kalah\"]\nround = 3\n", "line 3: unknown field `round`"),
        ("name = \"x\"\ngames = [\"kalah\"", "league.toml: line "),
        ("name = \"x\"\ngames = [\"kalah\"]\n", "player: expected at least two players, found 0"),
        ("name = \"x\"\ngames = [\"chess\"]\n", "games: there is no game 'chess'"),
        (&plan(1, "").replace("random\"", "robot\""), "there is no player 'robot'"),
        (&plan(1, "").replace("\"random\"", "\"human\""), "people cannot play in matches"),
    ] {
        let file = league(&dir, text);
        let (code, out, err) = run(&[], &file);
        assert_eq!((code, out.as_str(), err.lines().count()), (2, "", 1), "{err}");
        assert!(err.contains(part), "{err}");
    }
    let (code, _, err) = run(&[], &dir.join("nowhere.toml"));
    assert_eq!(code, 2, "{err}");
}

/// The largest memory that a process had, in KiB, where the system tells.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_tournament_continues_with_misbehaving_bots_and_shows_their_violations() {
    let dir = temp_folder();
    let bots = [
        "illegal",
        "stall",
        "exit",
        "abort",
        "close",
        "flood",
        "nonewline",
        "latin1",
        "longline",
        "children",
    ];
    let mut text = "name = \"bad company\"\ngames = [\"kalah:3,2\"]\nformat = \"gauntlet\"\nrounds = 1\ntime = \"move=1s\"\n\
                    [[player]]\nname = \"ours\"\nspec = \"engine:level=3\"\n"
        .to_string();
    for how in bots {
        let spec = format!("bot:'{}' {how}", misbehaving().display());
        text += &format!("[[player]]\nname = \"{how}\"\nspec = \"\"\"{spec}\"\"\"\n");
        // On a busy machine a flood must not take longer than its turn: its last `try` would count.
        text += if how == "flood" { "time = \"move=30s\"\n" } else { "" };
    }
    let file = league(&dir, &text);
    let mut child =
        parlor(&[], &file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut most = 0;
    eventually("the tournament ends", || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        most = most.max(peak(&status).unwrap_or(0));
        child.try_wait().expect("a status").is_some()
    });
    let output = child.wait_with_output().expect("an end");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(most < 200 << 10, "{most} KiB");
    let json = results(&dir);
    let failures = |name: &str| {
        let lines = json["standings"].as_array().expect("lines");
        let line = lines.iter().find(|line| line["player"] == name).expect(name);
        line["failures"].clone()
    };
    for (how, kind) in [
        ("illegal", "illegal"),
        ("stall", "timeout"),
        ("exit", "crash"),
        ("abort", "crash"),
        ("close", "crash"),
        ("flood", "garbage"),
        ("nonewline", "garbage"),
        ("latin1", "garbage"),
        ("longline", "garbage"),
    ] {
        assert_eq!(failures(how), serde_json::json!({ kind: 2 }), "{how}: {out}{err}");
    }
    assert_eq!(failures("children"), serde_json::json!({}), "{out}");
    assert_eq!(json["played"], 20);
    let aside = fs::read_to_string(dir.join("league/stderr.txt")).expect("what they wrote aside");
    assert!(aside.contains(", exit\nI leave\nin anger\n"), "{aside}");
}

#[test]
fn a_bot_that_cannot_be_started_ends_the_tournament_at_once() {
    let dir = temp_folder();
    let file = league(
        &dir,
        "name = \"x\"\ngames = [\"kalah:3,2\"]\n[[player]]\nname = \"ours\"\nspec = \"bad\"\n\
         [[player]]\nname = \"absent\"\nspec = \"bot:./no-such-bot\"\n",
    );
    let (code, out, err) = run(&[], &file);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("player absent could not be started: ") && err.contains("no-such-bot"), "{err}");
}

#[test]
fn a_server_on_the_same_database_shows_the_tournament() {
    let dir = temp_folder();
    let file = league(&dir, &plan(1, "").replace("a league", "spring & <autumn>/winter"));
    let database = dir.join("all.db");
    let (code, _, err) = run(&["--database", database.to_str().expect("a path")], &file);
    assert_eq!(code, 0, "{err}");
    assert!(dir.join("league/results.json").exists() && !dir.join("league/games.db").exists());
    // The folder's own database, too, holds all that a server needs.
    assert_eq!(run(&[], &file).0, 0);
    for database in [database, dir.join("league/games.db")] {
        let server = Server::start(database.to_str().expect("a path"));
        let list = server.client.get("/tournaments").body;
        let page = server.client.get("/tournaments/spring%20%26%20%3Cautumn%3E%2Fwinter").body;
        assert!(list.contains("href=\"/tournaments/spring%20%26%20%3Cautumn%3E%2Fwinter\""), "{list}");
        for part in ["spring &amp; &lt;autumn&gt;/winter", "12 games, finished", "engine:level=5"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
