//! Tests of the log of `parlor serve` and `parlor worker`: starts and stops, killed bots, no secrets.
#![cfg(unix)]

use crate::harness::{Server, parlor, run};
use parlor_testkit::{Client, Database, Folder, eventually, on_postgres, temp_folder};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    path::PathBuf,
};

on_postgres! {
    a_game_that_is_taken_over_is_one_line_and_no_password_is_logged,
    a_worker_logs_its_start_its_stop_and_a_bot_that_was_killed,
}

/// A bot that plays its first legal move for two moves, then writes escape sequences and kills itself.
const KILLED: &str = "tab=$(printf '\\t')
while IFS=$tab read -r word game position moves rest; do
    [ \"$word\" = turn ] || continue
    case $rest in *' '*) printf '\\033[2Jbye\\n' >&2; kill -9 $$;; esac
    echo \"${moves%% *}\"
done
";

/// A server that logs to a file.
struct Logged {
    server: Server,
    file: PathBuf,
    _folder: Folder,
}

impl Logged {
    fn start(database: &str, more: &[&str]) -> Logged {
        let folder = temp_folder();
        let file = folder.join("log");
        let mut command =
            parlor(&["serve", "--no-limits", "--listen", "127.0.0.1:0", "--database", database]);
        command.args(more).current_dir(&folder).stderr(File::create(&file).expect("a file"));
        Logged { server: Server::with(&mut command), file, _folder: folder }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.file).expect("a log")
    }

    /// The first line with this text, as soon as it is written.
    fn line(&self, text: &str) -> String {
        let mut found = None;
        eventually(text, || {
            found = self.text().lines().find(|line| line.contains(text)).map(ToString::to_string);
            found.is_some()
        });
        found.expect("found")
    }

    fn stop(self) -> String {
        self.server.process.signal("TERM");
        let (rest, code) = self.server.process.rest();
        assert_eq!(code, 0, "{rest}");
        fs::read_to_string(&self.file).expect("a log")
    }
}

fn text(json: &Value, name: &str) -> String {
    json[name].as_str().unwrap_or_default().to_string()
}

#[test]
fn starts_and_stops_are_logged_with_version_and_settings() {
    let db = Database::sqlite();
    let server = Logged::start(&db.url, &["--public", "https://games.example.org", "--engines", "3"]);
    let line = server.line("server started");
    let listen = format!("listen={}", server.server.client.address);
    let version = format!("version={}", env!("CARGO_PKG_VERSION"));
    let database = format!("database={}", db.url);
    for part in [" INFO ", &version, &listen, &database, "public=https://games.example.org", "engines=3"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let log = server.stop();
    assert!(log.contains("server stopping signal=SIGTERM") && log.contains("server stopped"), "{log}");
    assert!(!log.contains('\u{1b}'), "no colours in a file: {log}");
}

#[test]
fn json_has_one_object_per_line() {
    let db = Database::sqlite();
    let log = Logged::start(&db.url, &["--log-format", "json"]).stop();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let messages: Vec<String> = lines.iter().map(|line| text(line, "message")).collect();
    assert_eq!(messages, ["server started", "server stopping", "server stopped"]);
    assert_eq!(
        (&lines[0]["level"], &lines[0]["version"]),
        (&"info".into(), &env!("CARGO_PKG_VERSION").into())
    );
}

#[test]
fn a_bad_level_is_one_sentence() {
    let (code, _, error) = run(&["games", "--log", "loud"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(error.contains("'loud' is not a level; expected off, error, warn"), "{error}");
    let (code, _, error) = parlor_testkit::run(parlor(&["games"]).env("PARLOR_LOG", "a=b"));
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(error.starts_with("parlor: PARLOR_LOG: 'a=b' is not a level; expected"), "{error}");
    let (code, _, error) = run(&["games", "--log-format", "xml"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
}

#[test]
fn the_level_is_taken_from_option_and_environment() {
    let db = Database::sqlite();
    assert_eq!(Logged::start(&db.url, &["--log", "warn"]).stop(), "");
    assert_eq!(Logged::start(&db.url, &["--log", "parlor_server=debug,warn"]).stop(), "");
    let (code, _, error) =
        parlor_testkit::run(parlor(&["serve", "--database", "ftp://a:b@c/d"]).env("PARLOR_LOG", "trace"));
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(
        error.contains("expected a file, or a URL like postgres://") && !error.contains("a:b"),
        "{error}"
    );
}

#[test]
fn a_killed_bot_is_logged_in_one_line_with_game_side_name_and_reason() {
    let db = Database::sqlite();
    let bots = temp_folder();
    let script = bots.write("bot.sh", KILLED);
    let bot = format!("greedy=bot:sh {}", script.display());
    let server = Logged::start(&db.url, &["--no-sandbox", "--bot", &bot]);
    let house = json!({"kind": "house", "name": "greedy"});
    let made = json!({"game": "connect", "first": house, "second": house});
    let made = server.server.client.post("/api/v1/games", &made).json();
    let line = server.line("bot failed");
    let begin = format!(" WARN bot failed game={} side=", text(&made, "id"));
    assert!(
        line.contains(&begin) && line.contains("bot=greedy kind=crash reason=\"crashed: signal 9 (SIGKILL)"),
        "{line}"
    );
    let log = server.stop();
    assert_eq!(log.matches("bot failed").count(), 1, "{log}");
    assert!(!log.contains('\u{1b}'), "{log}");
}

fn a_game_that_is_taken_over_is_one_line_and_no_password_is_logged(db: &Database) {
    let url = db.url.replace("://parlor@", "://parlor:open-sesame@");
    assert_ne!(url, db.url, "the server's URL names the user parlor");
    let [mut one, two] = [Logged::start(&url, &[]), Logged::start(&url, &["--log", "debug"])];
    let name = |server: &Logged| {
        let line = server.line("server started");
        let name = line.split("server=").nth(1).and_then(|rest| rest.split(' ').next());
        name.expect("a name").to_string()
    };
    let (old, new) = (name(&one), name(&two));
    let made =
        one.server.client.post("/api/v1/games", &json!({"game": "kalah:6,4", "clock": "5m+0s"})).json();
    let (id, token) = (text(&made, "id"), text(&made, "token"));
    one.server.process.kill();
    let line = two.line("game taken over");
    assert!(line.ends_with(&format!("game={id} old_owner={old} new_owner={new}")), "{line}");
    let client = Client { token: token.clone(), ..two.server.client.clone() };
    client.get(&format!("/games/{id}?invitation={token}"));
    assert_eq!(client.get(&format!("/api/v1/games/{id}/bot?token={token}")).status, 422);
    let logs = [one.text(), two.stop()].concat();
    assert_eq!(logs.matches("game taken over").count(), 1, "{logs}");
    for secret in ["open-sesame", &token] {
        assert!(!logs.contains(secret), "{logs}");
    }
}

fn a_worker_logs_its_start_its_stop_and_a_bot_that_was_killed(db: &Database) {
    let dir = temp_folder();
    dir.write("team7/bot.sh", KILLED);
    let plan = "name = \"a league\"\ngames = [\"connect\"]\nrounds = 1\ntime = \"move=5s\"\nconcurrency = 1\n\
                [[player]]\nname = \"team7\"\nspec = \"bot:sh team7/bot.sh\"\n\
                [[player]]\nname = \"bad\"\nspec = \"bad\"\n";
    let file = dir.write("league.toml", plan);
    let file = file.to_str().expect("a text");
    let url = db.url.replace("://parlor@", "://parlor:open-sesame@");
    let mut conductor = parlor_testkit::Process::start(
        parlor(&["tournament", file, "--database", &url, "--no-sandbox", "--workers-only"])
            .stderr(File::create(dir.join("conductor.log")).expect("a file")),
    );
    db.wait_for("SELECT COUNT(*)::TEXT FROM job", "2");
    let (code, _, log) = run(&[
        "worker",
        "--database",
        &url,
        "--dir",
        dir.text(),
        "--games",
        "1",
        "--no-sandbox",
        "--until-idle",
    ]);
    assert_eq!(code, 0, "{log}");
    assert_eq!(conductor.wait(), 0);
    for part in ["INFO worker started worker=", "games=2", "worker stopped worker="] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(" WARN bot failed ")).collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[0].contains("tournament=\"a league\" game=1 player=team7 kind=crash reason="), "{log}");
    assert!(!log.contains("open-sesame"), "{log}");
}
