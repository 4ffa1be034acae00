//! Invariants of the architecture that the compiler does not check: dependencies between crates, and rules for source files.

use parlor_catalog::entries;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout").to_path_buf()
}

/// All files in a folder with this ending, with their contents.
fn files(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_str().is_some_and(|name| name.ends_with(ending)) {
            let text = fs::read_to_string(&path).expect("a text");
            found.push((path, text));
        }
    }
    found.sort();
    found
}

fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("one").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

/// The output of `cargo metadata`.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The dependencies of each crate, without those of its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let text = |value: &Value| value.as_str().expect("a text").to_string();
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages
        .map(|package| {
            let all = package["dependencies"].as_array().expect("dependencies").iter();
            let built = all.filter(|dependency| dependency["kind"].is_null());
            (text(&package["name"]), built.map(|dependency| text(&dependency["name"])).collect())
        })
        .collect()
}

/// The crates of the workspace that each crate may depend on.
const LAYERS: [(&str, &[&str]); 17] = [
    ("core", &[]),
    ("games", &["core"]),
    ("session", &["core"]),
    ("engine", &["core"]),
    ("tables", &["core"]),
    ("render", &["core"]),
    ("sandbox", &[]),
    ("store", &[]),
    ("solvers", &["core", "games", "engine", "tables"]),
    ("catalog", &["core", "games", "engine", "tables", "solvers"]),
    ("protocol", &["core", "session", "engine", "sandbox"]),
    ("console", &["core", "session", "catalog"]),
    ("tournament", &["core", "session", "catalog"]),
    ("league", &["core", "session", "catalog", "tournament", "protocol", "sandbox", "store"]),
    ("server", &["core", "session", "catalog", "tournament", "protocol", "store", "league", "render"]),
    (
        "app",
        &[
            "core",
            "session",
            "catalog",
            "console",
            "tournament",
            "protocol",
            "sandbox",
            "store",
            "league",
            "render",
            "server",
        ],
    ),
    ("testkit", &["core"]),
];

#[test]
fn dependencies_between_crates_go_in_one_direction() {
    let dependencies = dependencies();
    for name in crates() {
        let (_, allowed) = LAYERS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| {
            panic!("the crate {name} is not in LAYERS; a new crate states there which crates it may use")
        });
        for dependency in &dependencies[&format!("parlor-{name}")] {
            let ours = dependency.strip_prefix("parlor-");
            assert!(ours.is_none_or(|ours| allowed.contains(&ours)), "{name} may not depend on {dependency}");
        }
    }
}

#[test]
fn xtask_builds_without_our_crates() {
    let manifest = fs::read_to_string(root().join("xtask/Cargo.toml")).expect("a manifest");
    assert!(!manifest.contains("parlor-"), "code that needs our crates belongs to lab");
}

#[test]
fn core_depends_on_nothing_and_games_and_session_on_core_only() {
    let dependencies = dependencies();
    assert!(dependencies["parlor-core"].is_empty());
    for (name, allowed) in [("games", &["parlor-core"][..]), ("session", &["parlor-core", "thiserror"])] {
        let allowed = allowed.iter().map(ToString::to_string).collect();
        assert_eq!(dependencies[&format!("parlor-{name}")], allowed, "{name}");
    }
}

#[test]
fn each_external_library_is_used_by_its_crates_only() {
    let dependencies = dependencies();
    for (dependency, users) in [
        ("sqlx", &["store", "testkit"][..]),
        ("axum", &["server"]),
        ("hyper", &["server"]),
        ("tokio", &["store", "league", "server", "app", "testkit"]),
        ("clap", &["app"]),
        ("ctrlc", &["app"]),
        ("tracing-subscriber", &["app"]),
        ("anyhow", &[]),
    ] {
        for name in crates() {
            let uses = dependencies[&format!("parlor-{name}")].contains(dependency);
            assert!(!uses || users.contains(&name.as_str()), "{name} may not depend on {dependency}");
        }
    }
}

#[test]
fn only_the_command_join_is_async() {
    for (path, text) in files(&root().join("crates/app/src"), ".rs") {
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let found = code.into_iter().any(|line| line.contains("tokio::") || line.contains("async "));
        let may = path.starts_with(root().join("crates/app/src/commands/join"));
        assert!(!found || may, "{} is async", path.display());
    }
}

/// The crates that know games by name.
const KNOW_GAMES: [&str; 3] = ["games", "solvers", "catalog"];
/// A foreign protocol for one game.
const DIALECT: &str = "crates/app/src/commands/join/cosc";
/// Uses of a game's name as an ordinary word.
const ORDINARY: [&str; 7] = [
    "connect to ",
    "connect(",
    "connect-src",
    "sys_connect",
    "after_connect",
    "connect_with",
    "connect_lazy",
];

/// The game that a line of code names as a whole word. Comments, examples ("like kalah:6,4") and command lines in help texts
/// may name a game.
fn named_game(line: &str) -> Option<&'static str> {
    let code = line.split("//").next().unwrap_or_default().to_lowercase();
    if ["like ", "e.g. ", "parlor ", "{parlor} "].iter().any(|word| code.contains(word)) {
        return None;
    }
    let code = ORDINARY.iter().fold(code, |code, word| code.replace(word, ""));
    let words = || code.split(|c: char| !c.is_ascii_alphanumeric());
    entries().iter().map(|entry| entry.name).find(|name| words().any(|word| word == *name))
}

#[test]
fn general_code_names_no_game() {
    let folders = crates().into_iter().filter(|name| !KNOW_GAMES.contains(&name.as_str()));
    let folders = folders.map(|name| root().join("crates").join(name).join("src"));
    let more =
        ["fuzz/src", "site", "crates/server/assets", "crates/render/assets"].map(|name| root().join(name));
    for folder in folders.chain(more) {
        let texts = [".rs", ".js", ".css"].iter().flat_map(|ending| files(&folder, ending));
        for (path, text) in texts.filter(|(path, _)| !path.starts_with(root().join(DIALECT))) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in (1..).zip(code.lines()) {
                let named = named_game(line);
                assert!(named.is_none(), "{}:{number} names {named:?}: {line}", path.display());
            }
        }
    }
    assert_eq!(named_game("if entry.name == \"oware\" {"), Some("oware"));
    assert_eq!(named_game("use parlor_games::connect::Connect;"), Some("connect"));
    assert_eq!(named_game("pool.connect_with(options) // of kalah"), None);
}

#[test]
fn rules_use_no_clock_file_random_number_thread_or_user() {
    let forbidden = [
        "std::time",
        "std::fs",
        "std::io",
        "std::env",
        "std::thread",
        "std::process",
        "std::net",
        "rand::",
        "println!",
        "eprintln!",
    ];
    for name in ["games", "core"] {
        for (path, text) in files(&root().join("crates").join(name).join("src"), ".rs") {
            for word in forbidden {
                // `Duration` is a number, not a clock; players need it for their limits.
                let text =
                    text.replace("time::Duration", "").replace("std::{fmt, sync::atomic::AtomicBool, }", "");
                assert!(!text.contains(word), "{} knows {word}", path.display());
            }
            assert!(
                !text.contains("Instant") && !text.contains("SystemTime"),
                "{} sees a clock",
                path.display()
            );
        }
    }
}

#[test]
fn only_the_binary_reads_arguments_and_environment() {
    for name in crates().into_iter().filter(|name| !["app", "testkit"].contains(&name.as_str())) {
        for (path, text) in files(&root().join("crates").join(&name).join("src"), ".rs") {
            let reads = ["env::var", "env::args", "env::home_dir", "env::current_exe", "env::current_dir"];
            let found = reads.iter().find(|word| text.contains(**word));
            assert!(found.is_none(), "{} has {found:?}", path.display());
        }
    }
}

#[test]
fn only_listed_files_are_unsafe() {
    let named = [
        "engine/src/memory.rs",
        "tables/src/map.rs",
        "solvers/src/connect/kernel.rs",
        "solvers/src/connect/vectors.rs",
        "solvers/src/kalah/kernel.rs",
        "games/src/simd.rs",
        "sandbox/src/kernel.rs",
        "sandbox/examples/intruder/hostile.rs",
    ];
    for (path, text) in files(&root().join("crates"), ".rs") {
        let uses = text.contains("unsafe {") || text.contains("unsafe fn") || text.contains("unsafe impl");
        let may = path.ends_with("tidy.rs") || named.iter().any(|name| path.ends_with(name));
        assert!(!uses || may, "{} is not one of the files that may be unsafe", path.display());
        let explained = text.matches("SAFETY:").count() >= text.matches("unsafe {").count();
        assert!(
            explained || path.ends_with("tidy.rs") || path.ends_with("intruder/hostile.rs"),
            "{} has an unsafe block without its reason",
            path.display()
        );
    }
}

#[test]
fn every_source_file_has_a_header_and_at_most_500_lines() {
    let sources = ["crates", "examples", "xtask/src", "lab/src", "site/src", "fuzz/fuzz_targets"]
        .map(|folder| files(&root().join(folder), ".rs"));
    for (path, text) in sources.into_iter().flatten() {
        assert!(
            text.starts_with("//!") || text.starts_with("#!["),
            "{} does not open with //!",
            path.display()
        );
        let lines = text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines; 500 is the limit", path.display());
    }
}

#[test]
fn every_allow_states_its_reason() {
    for (path, text) in files(&root().join("crates"), ".rs") {
        let bare =
            text.lines().find(|line| line.trim_start().starts_with("#[allow(") && !line.contains("reason"));
        assert_eq!(bare, None, "{}", path.display());
    }
}

#[test]
fn no_file_contains_a_path_outside_the_checkout() {
    let shared = ["..", "shared"].join("/");
    for (path, text) in [".rs", ".md", ".toml", ".py"].iter().flat_map(|e| files(&root().join("crates"), e)) {
        assert!(!text.contains(&shared), "{} knows of a folder outside", path.display());
    }
}

#[test]
fn only_one_file_of_the_binary_writes_to_the_terminal() {
    for (path, text) in files(&root().join("crates/app/src"), ".rs") {
        let text = text.replace("stdio::", "");
        let writes = ["io::stdout", "io::stderr", "stdout()", "stderr()", "println!", "eprintln!"];
        let found = writes.iter().find(|word| text.contains(**word));
        assert!(
            found.is_none() || path.ends_with("stdio.rs"),
            "{} has {found:?}; stdio.rs sanitises what is written",
            path.display()
        );
    }
}

/// Names of public types that several files define, with the reason. The games are not listed: a game may choose its names
/// without looking at the others, and code names the module of a game.
const SHARED_NAMES: [(&str, &str); 4] = [
    ("Listener", "store without the feature `postgres` defines an empty type of the same name"),
    ("ProcessTree", "sandbox defines an alternative for systems other than Linux"),
    ("SharedDatabase", "store without the feature `postgres` defines an empty type of the same name"),
    ("TournamentLock", "store without the feature `postgres` defines an empty type of the same name"),
];

/// The name of the public type that a line defines, such as `pub struct Board {`.
fn public_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let (kind, rest) = rest.split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    ["struct", "enum", "trait", "type", "union"].contains(&kind).then_some(&rest[..end])
}

#[test]
fn public_type_names_are_unique_in_the_workspace() {
    let sources = crates().into_iter().map(|name| root().join("crates").join(name).join("src"));
    let mut defined: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for folder in sources.chain(["xtask/src", "lab/src"].map(|name| root().join(name))) {
        for (path, text) in files(&folder, ".rs") {
            for name in text.lines().filter_map(public_type) {
                defined.entry(name.to_string()).or_default().insert(path.clone());
            }
        }
    }
    let games = root().join("crates/games/src");
    let game =
        |path: &PathBuf| path.strip_prefix(&games).ok().and_then(|path| path.parent().map(Path::to_path_buf));
    let mut shared: Vec<&str> = Vec::new();
    for (name, paths) in defined.iter().filter(|(_, paths)| paths.len() > 1) {
        // Files beside each other are one game; `None` is a file outside the games.
        let owners: BTreeSet<_> = paths.iter().map(game).collect();
        if owners.len() == paths.len() && !owners.contains(&None) {
            continue;
        }
        let known = SHARED_NAMES.iter().any(|(shared, _)| shared == name);
        assert!(known, "{name} is defined in several files: {paths:?}; choose a more precise name");
        shared.push(name);
    }
    assert_eq!(shared, SHARED_NAMES.map(|(name, _)| name), "SHARED_NAMES has a name that is unique now");
}

/// The walks of ARCHITECTURE.md: the beginning of each heading, and the most files it may list.
const WALKS: [(&str, usize); 4] = [
    ("A click on the page", 25),
    ("A solve", 12),
    ("A move of a tournament's bot", 17),
    ("A line at the console", 8),
];

/// The files that a walk lists: `1. `core/src/matches.rs`: what it does with the data`.
fn walk_files(walk: &str) -> Vec<&str> {
    let items = walk.lines().filter_map(|line| line.split_once(". `"));
    let numbered = items.filter(|(number, _)| number.parse::<usize>().is_ok());
    numbered.map(|(_, item)| item.split('`').next().unwrap_or_default()).collect()
}

#[test]
fn walks_are_short_and_list_files_that_exist() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let section =
        page.split("\n## ").find(|section| section.starts_with("Walks")).expect("a section 'Walks'");
    let walks: Vec<&str> = section.split("\n### ").skip(1).collect();
    assert_eq!(walks.len(), WALKS.len(), "the walks of the page are those of WALKS");
    for (title, most) in WALKS {
        let walk = walks.iter().find(|walk| walk.starts_with(title)).expect(title);
        let files = walk_files(walk);
        assert!(
            !files.is_empty() && files.len() <= most,
            "{title}: {} files; {most} is the limit",
            files.len()
        );
        assert_eq!(
            files.iter().collect::<BTreeSet<_>>().len(),
            files.len(),
            "{title}: a file is listed twice"
        );
        for file in files {
            assert!(root().join("crates").join(file).is_file(), "{title}: there is no file {file}");
        }
    }
}
