//! `cargo xtask docs`: builds the documentation site in target/site from the pages that docs/SUMMARY.md lists, the
//! rules of every game in the catalogue, and a page for every subcommand. The sources link to each other by their
//! paths in the repository, because they are also read on the code host; for the site, links are rewritten to its
//! own paths.
//!
//! The pages are collected in target/site-source, mdBook converts them to HTML, and every link of the result is
//! checked. It is an error if a page of docs/ is not listed, a link leads nowhere, or a page loads a resource of
//! another host.

mod check;
mod commands;
mod pages;
mod rewrite;
mod rules;

use anyhow::{Context, Result, bail};
use mdbook_driver::{MDBook, config::Config};
use pages::Pages;
use std::{fs, io::Write, path::Path, process::ExitCode, str::FromStr};
use xtask::workspace;

const BOOK: &str = include_str!("../book.toml");
const STYLE: &str = include_str!("../theme/parlor.css");

fn main() -> ExitCode {
    match build() {
        Ok(line) => {
            let _ = writeln!(std::io::stdout(), "{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Builds and checks the site. Returns a line with its location.
fn build() -> Result<String> {
    let (root, target) = (workspace::root(), workspace::target());
    let (book, site) = (target.join("site-source"), target.join("site"));
    for folder in [&book, &site] {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
    }
    let mut pages = Pages::listed(&root)?;
    pages.add_rules(rules::pages()?)?;
    pages.add_commands(commands::pages(&target)?)?;
    pages.write(&book.join("src"))?;
    write(&book.join("theme/parlor.css"), STYLE)?;
    let mut config = Config::from_str(BOOK)?;
    config.build.build_dir.clone_from(&site);
    MDBook::load_with_config(&book, config)?.build()?;
    let found = check::check(&site)?;
    if !found.faults.is_empty() {
        bail!("the site has faults:\n{}", found.faults.join("\n"));
    }
    Ok(format!("{} pages, {} links: {}", found.pages, found.links, site.join("index.html").display()))
}

/// Writes a file and creates its parent folders.
fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
