//! Adds the game of examples/fifth-game to a copy of the checkout, by the steps of CONTRIBUTING.md:
//! its folder, one `pub mod` line and one line of the catalogue. Then all tests must pass, the
//! binary must know the game, and no other file may have changed.

use crate::{
    command::{cargo, output, program, run},
    workspace::{root, target},
};
use anyhow::{Context, Result, bail, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The name of the game, of its folder and of its module.
const NAME: &str = "mnk";
/// The line that a contributor adds to the catalogue.
const ENTRY: &str = "Entry::of::<parlor_games::mnk::Mnk>(),";
const GAMES: &str = "crates/games/src/lib.rs";
const CATALOGUE: &str = "crates/catalog/src/entry.rs";
/// Packages whose tests do not depend on the games.
const WITHOUT_GAMES: [&str; 3] = ["parlor-sandbox", "parlor-store", "xtask"];

/// Adds the game, runs the tests, plays a game, and prints the changes.
pub fn check() -> Result<()> {
    let copy = Copy { folder: target().join("fifth-game") };
    copy.make()?;
    copy.add_game()?;
    // Tests start the examples as programs; `cargo test --examples` would build them as tests.
    run(copy.cargo().args(["build", "--workspace", "--examples"]))?;
    let mut tests = copy.cargo();
    tests.args(["test", "--workspace", "--no-fail-fast", "--lib", "--bins", "--tests"]);
    run(tests.args(WITHOUT_GAMES.iter().flat_map(|package| ["--exclude", package])))?;
    copy.play()?;
    copy.check_changes()
}

/// A copy of the tracked files in its own git repository.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    /// Copies the tracked files as they are in the checkout.
    fn make(&self) -> Result<()> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).context("cannot remove the copy of an earlier run")?;
        }
        let tracked = output(program("git").args(["ls-files", "-z"]))?;
        for name in tracked.split_terminator('\0') {
            let from = root().join(name);
            // A deleted file is tracked until the deletion is committed.
            if from.is_file() {
                copy_file(&from, &self.folder.join(name))?;
            }
        }
        run(self.git().args(["init", "--quiet"]))?;
        run(self.git().args(["add", "--all"]))
    }

    /// Performs the steps of a contributor.
    fn add_game(&self) -> Result<()> {
        let from = root().join("examples/fifth-game").join(NAME);
        copy_folder(&from, &self.folder.join("crates/games/src").join(NAME))?;
        self.edit(GAMES, |text| insert_in_order(text, &format!("pub mod {NAME};"), "pub mod "))?;
        self.edit(CATALOGUE, |text| insert_after_last(text, ENTRY, "Entry::with("))
    }

    fn edit(&self, name: &str, change: impl FnOnce(&str) -> Option<String>) -> Result<()> {
        let path = self.folder.join(name);
        let text = fs::read_to_string(&path)?;
        fs::write(path, change(&text).with_context(|| format!("{name} has no place for the new line"))?)?;
        Ok(())
    }

    /// Checks that the binary lists the game, plays it, referees it and draws it.
    fn play(&self) -> Result<()> {
        let players = ["--first", "minimax:depth=9", "--second", "engine:level=3"];
        for words in [
            &["games", NAME][..],
            &["rules", NAME],
            &[&["play", "mnk:3,3,3", "--no-pause", "--seed", "1"][..], &players].concat(),
            &["match", "random", "engine:level=1", "--game", NAME, "--rounds", "2", "--seed", "1"],
            &["solve", NAME],
            &["bench", NAME],
        ] {
            println!("\n$ parlor {}", words.join(" "));
            run(self.parlor().args(words))?;
        }
        let picture = output(self.parlor().args(["render", NAME, "--moves", "b2"]))?;
        ensure!(picture.starts_with("<svg"), "parlor render {NAME} draws no picture");
        Ok(())
    }

    /// Prints the changes and fails if more than two lines were edited.
    fn check_changes(&self) -> Result<()> {
        run(self.git().args(["add", "--intent-to-add", "--all"]))?;
        println!();
        run(self.git().args(["--no-pager", "diff", "--stat"]))?;
        let folder = format!("crates/games/src/{NAME}/");
        for line in output(self.git().args(["diff", "--numstat"]))?.lines() {
            match line.split('\t').collect::<Vec<_>>()[..] {
                [_, "0", name] if name.starts_with(&folder) => {}
                ["1", "0", GAMES | CATALOGUE] => {}
                _ => bail!("adding a game changed another file, or more than one line: {line}"),
            }
        }
        Ok(())
    }

    fn parlor(&self) -> Command {
        let mut command = self.cargo();
        command.args(["run", "--quiet", "--package", "parlor-app", "--bin", "parlor", "--"]);
        command
    }

    /// Cargo in the copy, with a target folder of its own: in a shared one cargo would take the packages of the copy for those
    /// of the checkout, because their paths below the workspace are equal.
    fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", target().join("fifth-game-build"));
        command
    }

    fn git(&self) -> Command {
        let mut command = program("git");
        command.current_dir(&self.folder);
        command
    }
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            copy_file(&entry.path(), &to)?;
        }
    }
    Ok(())
}

/// Inserts a line in alphabetical order among the lines with this beginning.
fn insert_in_order(text: &str, line: &str, beginning: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let is_after = |other: &&str| other.starts_with(beginning) && **other > *line;
    let at = lines.iter().position(is_after)?;
    Some(insert(lines, at, line))
}

/// Inserts a line after the last line with this beginning, with the same indentation.
fn insert_after_last(text: &str, line: &str, beginning: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().rposition(|other| other.trim_start().starts_with(beginning))?;
    let indent = lines[at].len() - lines[at].trim_start().len();
    Some(insert(lines, at + 1, &format!("{:indent$}{line}", "")))
}

fn insert<'a>(mut lines: Vec<&'a str>, at: usize, line: &'a str) -> String {
    lines.insert(at, line);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_inserted_in_alphabetical_order() {
        let text = "//! Games.\n\npub mod kalah;\npub mod oware;\nmod simd;\n";
        let changed = insert_in_order(text, "pub mod mnk;", "pub mod ");
        let wanted = "//! Games.\n\npub mod kalah;\npub mod mnk;\npub mod oware;\nmod simd;\n";
        assert_eq!(changed.as_deref(), Some(wanted));
        assert_eq!(insert_in_order("mod simd;\n", "pub mod mnk;", "pub mod "), None);
    }

    #[test]
    fn an_entry_is_inserted_after_the_last_one() {
        let text = "vec![\n    Entry::with(a()),\n    Entry::with(b()),\n]\n";
        let changed = insert_after_last(text, "Entry::of::<C>(),", "Entry::with(");
        let wanted = "vec![\n    Entry::with(a()),\n    Entry::with(b()),\n    Entry::of::<C>(),\n]\n";
        assert_eq!(changed.as_deref(), Some(wanted));
    }
}
