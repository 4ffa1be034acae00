//! The invariants of the architecture that no compiler checks: who may know whom, what may stand where.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout").to_path_buf()
}

/// All files under a folder that end like this, with their texts.
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

/// The crates that a crate is built with, tests aside.
fn dependencies(name: &str) -> Vec<String> {
    let manifest =
        fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a manifest");
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|n| !n.is_empty())
        .map(String::from)
        .collect()
}

#[test]
fn crates_know_each_other_in_one_direction_only() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("core", &[][..]),
        ("games", &["parlor-core"][..]),
        ("session", &["parlor-core"][..]),
        ("engine", &["parlor-core"][..]),
        ("tables", &["parlor-core", "crc32fast", "memmap2", "zstd"][..]),
        ("solvers", &["parlor-core", "parlor-games", "parlor-engine", "parlor-tables", "crc32fast"][..]),
        ("catalog", &["parlor-core", "parlor-games", "parlor-engine", "parlor-tables", "parlor-solvers"][..]),
        ("console", &["parlor-core", "parlor-session", "parlor-catalog"][..]),
        ("tournament", &["parlor-core", "parlor-session", "parlor-catalog"][..]),
        ("protocol", &["parlor-core", "parlor-engine", "parlor-sandbox", "rustix"][..]),
        ("render", &["parlor-core", "maud"][..]),
        (
            "league",
            &[
                "parlor-core",
                "parlor-session",
                "parlor-catalog",
                "parlor-protocol",
                "parlor-sandbox",
                "parlor-store",
                "parlor-tournament",
                "serde",
                "serde_json",
                "sha2",
                "tokio",
                "toml",
                "tracing",
                "utoipa",
            ][..],
        ),
        ("sandbox", &["landlock", "libc", "rustix", "seccompiler"][..]),
        ("store", &["sqlx", "tokio", "tracing"][..]),
        (
            "server",
            &[
                "parlor-core",
                "parlor-session",
                "parlor-catalog",
                "parlor-league",
                "parlor-protocol",
                "parlor-render",
                "parlor-tournament",
                "parlor-store",
                "axum",
                "futures-util",
                "getrandom",
                "governor",
                "hyper",
                "hyper-util",
                "maud",
                "serde",
                "serde_json",
                "sha2",
                "tokio",
                "tower",
                "tower-http",
                "tracing",
                "utoipa",
            ][..],
        ),
    ]);
    for name in crates() {
        let Some(allowed) = allowed.get(name.as_str()) else {
            assert!(["app", "testkit"].contains(&name.as_str()), "a new crate states here whom it may know");
            continue;
        };
        for dependency in dependencies(&name) {
            assert!(allowed.contains(&dependency.as_str()), "{name} may not depend on {dependency}");
        }
    }
}

#[test]
fn no_game_is_named_where_all_are_treated_alike() {
    let games = ["kalah", "connect", "oware", "amazons"];
    for name in [
        "core",
        "session",
        "engine",
        "tables",
        "console",
        "tournament",
        "protocol",
        "league",
        "render",
        "store",
        "server",
    ] {
        for (path, text) in files(&root().join("crates").join(name).join("src"), ".rs") {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for (number, line) in (1..).zip(code.lines()) {
                // Comments and the sentences that show a newcomer an example may name one.
                let line = line.split("//").next().unwrap_or_default().to_lowercase();
                // Databases and bots are connected to; that is no game.
                let verbs = [
                    "after_connect",
                    "connect(",
                    "connect_lazy_with",
                    "connectoptions",
                    "connect_with",
                    "connect_lazy",
                    "reconnect",
                    "connect(",
                    "connect-src",
                    "connectinfo",
                    "connection",
                    "connected",
                    "connecting",
                ];
                let line = verbs.iter().fold(line, |line, word| line.replace(word, ""));
                let named = games.iter().find(|game| line.contains(*game) && !line.contains("like"));
                assert!(
                    named.is_none() || line.contains("disconnect"),
                    "{}:{number} names {named:?}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn the_rules_see_no_clock_no_file_no_chance_no_thread_and_no_user() {
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
                // A duration is a number, not a clock: the vocabulary of players needs it.
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
            assert!(!text.contains("env::var") && !text.contains("env::args"), "{}", path.display());
            assert!(!text.contains("anyhow"), "{}", path.display());
        }
    }
}

#[test]
fn only_named_files_are_unsafe() {
    let named = [
        "engine/src/memory.rs",
        "tables/src/map.rs",
        "solvers/src/connect/kernel.rs",
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
fn every_source_file_says_why_it_exists_and_stays_short() {
    let sources =
        ["crates", "xtask/src", "fuzz/fuzz_targets"].map(|folder| files(&root().join(folder), ".rs"));
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
fn every_allow_has_its_reason() {
    for (path, text) in files(&root().join("crates"), ".rs") {
        let bare =
            text.lines().find(|line| line.trim_start().starts_with("#[allow(") && !line.contains("reason"));
        assert_eq!(bare, None, "{}", path.display());
    }
}

#[test]
fn no_path_of_one_machine_stands_in_the_tree() {
    let shared = ["..", "shared"].join("/");
    for (path, text) in [".rs", ".md", ".toml", ".py"].iter().flat_map(|e| files(&root().join("crates"), e)) {
        assert!(!text.contains(&shared), "{} knows of a folder outside", path.display());
    }
}

#[test]
fn only_one_file_of_the_binary_writes_to_the_terminal() {
    for (path, text) in files(&root().join("crates/app/src"), ".rs") {
        let writes = ["io::stdout", "io::stderr", "stdout()", "stderr()", "println!", "eprintln!"];
        let found = writes.iter().find(|word| text.contains(**word));
        assert!(
            found.is_none() || path.ends_with("output.rs"),
            "{} has {found:?}; output.rs sanitises what is written",
            path.display()
        );
    }
}
