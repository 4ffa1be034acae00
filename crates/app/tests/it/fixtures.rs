//! This build reads files of earlier builds: records, a tournament, a server's database, tables, a checkpoint. The README in
//! `tests/data/fixtures` explains how they were made. Fixtures are never rewritten.
#![cfg(unix)]

use crate::harness::{Server, parlor};
use parlor_core::{Record, RecordVersion};
use parlor_testkit::{Client, Folder, temp_folder};
use serde_json::{Map, Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn versions() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fixtures");
    let entries = fs::read_dir(folder).expect("the fixtures").map(|entry| entry.expect("an entry").path());
    let mut versions: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    versions.sort();
    assert!(!versions.is_empty());
    versions
}

/// A copy of every version, to be changed by a test.
fn copies() -> Vec<Folder> {
    let copied = |version: &PathBuf| {
        let folder = temp_folder();
        copy(version, &folder);
        folder
    };
    versions().iter().map(copied).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

fn read_json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join(name)).expect("a file")).expect("JSON")
}

/// Runs a command in a folder; it must succeed. Returns its standard output.
#[track_caller]
fn succeed(arguments: &[&str], folder: &Path, tables: &str) -> String {
    let mut command = parlor(arguments);
    let (code, out, err) =
        parlor_testkit::run(command.current_dir(folder).env("PARLOR_TABLES", folder.join(tables)));
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out
}

#[test]
fn records_replay_and_are_written_back_unchanged() {
    for version in versions() {
        let text = fs::read_to_string(version.join("records.parlor")).expect("records");
        let records = Record::parse_many(&text).expect("records");
        for record in &records {
            let board = parlor_catalog::game(&record.game).expect("a game").replay(record).expect("a replay");
            assert_eq!(board.ending(), record.ending, "{record}");
            assert_eq!(board.record(), *record, "{record}");
        }
        let again: String = records.iter().map(|record| format!("{record}\n")).collect();
        assert!(again == text, "{}: the records are written differently", version.display());
    }
}

/// The records of `v0.1.0` whose game ended with 25 seeds and an additional sweep. Their margin differs under today's rules.
fn collected_at_25() -> Vec<Record> {
    let text = fs::read_to_string(versions()[0].join("records.parlor")).expect("records");
    let changed = |record: &Record| {
        let today = Record { version: RecordVersion::V2, ..record.clone() };
        parlor_catalog::game(&record.game).expect("a game").replay(&today).is_err()
    };
    let old: Vec<Record> = Record::parse_many(&text).expect("records").into_iter().filter(changed).collect();
    assert!(!old.is_empty(), "there is such a game");
    old
}

#[test]
fn an_oware_game_that_25_seeds_ended_is_shown_rendered_and_analysed_with_its_old_result() {
    let folder = temp_folder();
    for record in collected_at_25() {
        let text = record.to_string();
        folder.write("old.parlor", &text);
        let shown = succeed(&["show", "old.parlor"], &folder, "none");
        let outcome = record.ending.and_then(|ending| ending.outcome).expect("a result");
        let by = outcome.by.expect("a margin");
        let scores = format!("({} to {})", 24 + by / 2, 24 - by / 2);
        assert!(shown.contains(&scores), "collected scores sum to 48: {scores}\n{shown}");
        let lines = succeed(&["show", "old.parlor", "--json"], &folder, "none");
        let last: Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
        assert_eq!(last["result"], json!(outcome.to_string()));
        let film = succeed(&["render", "--game", "old.parlor"], &folder, "none");
        assert!(film.contains(&scores), "{film}");
        let analysed = ["analyze", "--game", "old.parlor", "--json", "--time", "2ms"];
        assert_eq!(succeed(&analysed, &folder, "none").lines().count(), record.moves.len());
    }
}

#[test]
fn an_old_oware_record_with_another_winner_is_refused() {
    let folder = temp_folder();
    for record in collected_at_25() {
        let text = record.to_string();
        let (from, to) =
            if text.contains("[Result \"first") { ("first", "second") } else { ("second", "first") };
        folder.write("wrong.parlor", &text.replace(&format!("[Result \"{from}"), &format!("[Result \"{to}")));
        let (code, _, err) = parlor_testkit::run(parlor(&["show", "wrong.parlor"]).current_dir(&*folder));
        assert_eq!(code, 2, "{err}");
        assert!(
            err.contains(&format!("the record says '{to} by")) && err.contains("its moves give"),
            "{err}"
        );
    }
}

/// Standings without estimated numbers.
fn counted(results: &Value) -> Vec<Map<String, Value>> {
    let lines = results["standings"].as_array().expect("standings").iter();
    let counted = lines.map(|line| {
        let mut line = line.as_object().expect("a line").clone();
        for estimated in ["elo", "error", "superiority"] {
            line.remove(estimated);
        }
        line
    });
    counted.collect()
}

#[test]
fn a_tournament_resumes_as_finished_and_the_server_shows_it() {
    for folder in copies() {
        let stored = read_json(&folder, "league/results.json");
        let records = fs::read_to_string(folder.join("league/games.parlor")).expect("records");
        let out = succeed(&["tournament", "league.toml", "--no-sandbox", "--json"], &folder, "none");
        let results: Value = serde_json::from_str(&out).expect("results");
        assert_eq!(counted(&results), counted(&stored));
        for field in ["name", "games", "format", "time", "seed", "played", "over"] {
            assert_eq!(results[field], stored[field], "{field}");
        }
        let again = fs::read_to_string(folder.join("league/games.parlor")).expect("records");
        assert!(again == records, "no game is played again: {again}");
        let server = Server::start(&format!("{}/league/games.db", folder.text()));
        let listed = server.client.get("/api/v1/tournaments").json();
        assert_eq!((&listed[0]["name"], &listed[0]["played"]), (&stored["name"], &stored["played"]));
        let path = format!("/api/v1/tournaments/{}", stored["name"].as_str().expect("a name"));
        let shown = server.client.get(&path).json();
        let points = |results: &Value| -> Vec<Value> {
            let lines = results["standings"].as_array().expect("standings").iter();
            lines
                .map(|line| json!([line["place"], line["player"], line["points"], line["failures"]]))
                .collect()
        };
        assert_eq!(points(&shown), points(&stored));
        let games = server.client.get(&format!("{path}/games")).json();
        assert_eq!(games["total"], stored["played"]);
    }
}

#[test]
fn an_unfinished_tournament_of_older_rules_is_refused_unchanged() {
    for folder in copies() {
        let plan = fs::read_to_string(folder.join("league.toml")).expect("a plan");
        folder.write("league.toml", &plan.replace("rounds = 1", "rounds = 2"));
        let records = fs::read_to_string(folder.join("league/games.parlor")).expect("records");
        let mut command = parlor(&["tournament", "league.toml", "--no-sandbox"]);
        let (code, _, err) = parlor_testkit::run(command.current_dir(&*folder));
        assert_eq!((code, err.lines().count()), (2, 1), "{err}");
        assert!(err.contains("was started with version 1 of the rules"), "{err}");
        assert_eq!(fs::read_to_string(folder.join("league/games.parlor")).expect("records"), records);
    }
}

/// The part of a game's state that the fixture has: no sentences, and no time of day.
fn part(state: &Value, like: &Value) -> Value {
    match like {
        Value::Object(like) => {
            let fields = like.iter().map(|(name, like)| (name.clone(), part(&state[name], like)));
            Value::Object(fields.collect())
        }
        Value::Array(like) if like.iter().any(Value::is_object) => {
            like.iter().enumerate().map(|(i, like)| part(&state[i], like)).collect()
        }
        _ => state.clone(),
    }
}

#[test]
fn a_servers_games_are_restored_and_the_unfinished_one_continues() {
    for folder in copies() {
        let server = Server::start(&format!("{}/server.db", folder.text()));
        let mut continued = 0;
        for (name, stored) in read_json(&folder, "server-states.json").as_object().expect("states") {
            let mut stored = stored.clone();
            let tokens = stored.as_object_mut().expect("a state").remove("tokens");
            let path = format!("/api/v1/games/{}", stored["id"].as_str().expect("an id"));
            assert_eq!(part(&server.client.get(&path).json(), &stored), stored, "{name}");
            if let Some(tokens) = tokens {
                go_on(&server.client, &path, &stored, &tokens);
                continued += 1;
            }
        }
        assert!(continued > 0, "there is a game to continue");
    }
}

/// Makes a move in a stored game, by the token of the side to move.
fn go_on(client: &Client, path: &str, stored: &Value, tokens: &Value) {
    let turn = usize::from(stored["turn"] == "second");
    let player = client.with_token(tokens[turn].as_str().expect("a token"));
    let other = client.with_token(tokens[1 - turn].as_str().expect("a token"));
    let moves = format!("{path}/moves");
    let body = json!({ "ply": stored["ply"], "path": [player.get(path).json()["paths"][0]] });
    assert_eq!(other.post(&moves, &body).status, 403, "it is the other side's turn");
    let after = player.post(&moves, &body);
    assert_eq!(after.status, 200, "{after:?}");
    assert_eq!(after.json()["ply"].as_u64(), stored["ply"].as_u64().map(|ply| ply + 1));
    assert_eq!(other.post(&format!("{path}/actions"), &json!({ "action": "resign" })).status, 200);
}

#[test]
fn tables_verify_and_a_probe_gives_the_stored_values() {
    for folder in copies() {
        for tables in ["tables", "tables-compressed"] {
            for probe in read_json(&folder, "table-probes.json").as_array().expect("probes") {
                let text = |name: &str| probe[name].as_str().expect("text");
                succeed(&["table", "verify", text("game")], &folder, tables);
                let arguments = ["table", "probe", text("game"), "--position", text("position"), "--json"];
                let answer: Value =
                    serde_json::from_str(&succeed(&arguments, &folder, tables)).expect("JSON");
                assert_eq!(answer, probe["answer"], "{tables}");
            }
        }
    }
}

#[test]
fn a_checkpoint_resumes_and_the_solution_is_the_stored_one() {
    for folder in copies() {
        let stored = read_json(&folder, "checkpoint.json");
        let game = stored["game"].as_str().expect("a game");
        let out = succeed(&["solve", game, "--checkpoint", "checkpoint", "--json"], &folder, "none");
        let solved: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
        assert_eq!(solved["value"], stored["value"]);
        // The proof is finished, so a short time limit suffices.
        let again = ["solve", game, "--checkpoint", "checkpoint", "--json", "--time", "10s"];
        let again: Value =
            serde_json::from_str(succeed(&again, &folder, "none").lines().last().expect("a line"))
                .expect("JSON");
        assert_eq!(again["value"], stored["value"]);
    }
}
