//! Plain language: phrases that hide who acts or how many, and help texts without an example.

use crate::harness::run;
use std::{fs, path::Path};

/// Phrases that name neither the actor nor the quantity. Write "the client" or "at most 64 requests" instead.
const VAGUE: [&str; 11] = [
    "whoever",
    "somebody",
    "nobody",
    "anybody",
    "so many",
    "so much",
    "is told",
    "are told",
    "stand here",
    "stands here",
    "it stands",
];

const ENDINGS: [&str; 9] = ["rs", "md", "js", "mjs", "css", "html", "toml", "py", "sh"];

/// Folders that contain no sources of this project.
const SKIPPED: [&str; 3] = [".git", "target", "node_modules"];

/// Deliberate uses: the file, a part of the line, and the reason.
const ALLOWED: [(&str, &str, &str); 3] = [
    ("crates/app/tests/it/wording.rs", "", "the list itself"),
    ("crates/sandbox/src/linux/account.rs", "NOBODY", "the Unix user 'nobody'"),
    ("xtask/src/postgres.rs", "nobody", "the Unix user 'nobody'"),
];

/// The vague lines of all files under a folder, as path and text.
fn vague_lines(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if path.is_dir() {
            if !SKIPPED.contains(&name) {
                vague_lines(root, &path, found);
            }
            continue;
        }
        if !path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known)) {
            continue;
        }
        let file = path.strip_prefix(root).expect("below the root").display().to_string();
        let text = fs::read_to_string(&path).expect("a text");
        let lines = text.lines().filter(|line| {
            let line = line.to_lowercase();
            VAGUE.iter().any(|phrase| line.contains(phrase))
        });
        found.extend(lines.map(|line| (file.clone(), line.trim().to_string())));
    }
}

#[test]
fn texts_name_actors_and_quantities() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the checkout");
    let mut found = Vec::new();
    vague_lines(root, root, &mut found);
    let is_allowed = |(file, line): &(String, String), (allowed, part, _): &(&str, &str, &str)| {
        file == allowed && line.contains(part)
    };
    let unused: Vec<_> =
        ALLOWED.iter().filter(|entry| !found.iter().any(|line| is_allowed(line, entry))).collect();
    assert!(unused.is_empty(), "entries of ALLOWED without a line: {unused:?}");
    found.retain(|line| !ALLOWED.iter().any(|entry| is_allowed(line, entry)));
    let report: Vec<String> = found.iter().map(|(file, line)| format!("{file}: {line}")).collect();
    assert!(report.is_empty(), "{} lines:\n{}", report.len(), report.join("\n"));
}

/// The names of the subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").map(str::to_string).collect()
}

/// Checks the help of a command and of its subcommands; returns the number of help texts.
fn check_help(command: &[&str]) -> usize {
    let (code, help, err) = run(&[command, &["--help"]].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{command:?}");
    let mut examples = help.lines().skip_while(|line| *line != "Example:" && *line != "Examples:").skip(1);
    let call = ["parlor"].iter().chain(command).copied().collect::<Vec<_>>().join(" ");
    assert!(examples.any(|line| line.contains(&call)), "'{call} --help' has no example:\n{help}");
    let below = subcommands(&help);
    1 + below.iter().map(|name| check_help(&[command, &[name.as_str()]].concat())).sum::<usize>()
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    assert!(check_help(&[]) > 20);
}
