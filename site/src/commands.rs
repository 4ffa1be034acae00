//! The command reference: the pages that `parlor man --markdown` writes, one for every subcommand.

use crate::pages::Generated;
use anyhow::{Context, Result};
use std::{env::consts::EXE_SUFFIX, fs, path::Path};
use xtask::command::{program, run};

/// The pages of the development build of `parlor`.
pub fn pages(target: &Path) -> Result<Vec<Generated>> {
    let binary = target.join("debug").join(format!("parlor{EXE_SUFFIX}"));
    let folder = target.join("site-commands");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    run(program(binary).args(["man", "--markdown", "--dir"]).arg(&folder))?;
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().into_string().ok();
        names.extend(name.and_then(|name| name.strip_suffix(".md").map(ToString::to_string)));
    }
    names.sort();
    let page = |name: String| {
        let text = fs::read_to_string(folder.join(format!("{name}.md")))?;
        let title = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let title = title.with_context(|| format!("{name} has no title"))?.to_string();
        let depth = title.split(' ').count() - 1;
        let title = if depth == 0 { "All commands and options".to_string() } else { title };
        Ok(Generated { path: format!("commands/{name}.md"), title, depth, text })
    };
    names.into_iter().map(page).collect()
}
