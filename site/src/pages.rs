//! The pages of the site: those that docs/SUMMARY.md lists, and generated ones. A page of the repository keeps its
//! path without the folder docs/. Files that pages link to or show are copied to the site.

use crate::{rewrite::rewrite, rules::Rules, write};
use anyhow::{Context, Result, bail};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Component, Path, PathBuf},
};

/// The folder of most sources, which is omitted in the paths of the site.
const DOCS: &str = "docs";
const SUMMARY: &str = "docs/SUMMARY.md";
/// The lines of the summary that are replaced by generated pages. They are comments, so that the code host does not
/// show them.
const COMMANDS: &str = "<!-- commands -->";
const RULES: &str = "<!-- rules -->";

/// A page that is not a file of the repository.
pub struct Generated {
    /// The path in the site, such as `commands/parlor-play.md`.
    pub path: String,
    pub title: String,
    /// The level of indentation in the index.
    pub depth: usize,
    pub text: String,
}

pub struct Pages {
    root: PathBuf,
    summary: String,
    /// The path in the site by path in the repository.
    sources: BTreeMap<PathBuf, PathBuf>,
    /// The path of the generated page by path of its source in the repository, so that links to the source work.
    aliases: BTreeMap<PathBuf, PathBuf>,
    generated: Vec<Generated>,
    /// Further generated files: path in the site, contents.
    made: Vec<(String, String)>,
}

impl Pages {
    /// Reads the summary. A page of docs/ that it does not list is an error.
    pub fn listed(root: &Path) -> Result<Pages> {
        let summary = fs::read_to_string(root.join(SUMMARY)).with_context(|| SUMMARY.to_string())?;
        let mut sources = BTreeMap::new();
        for target in summary.lines().filter_map(linked) {
            let path = normal(&Path::new(DOCS).join(target)).context("a path outside the repository")?;
            sources.insert(path.clone(), in_site(&path));
        }
        let mut unlisted = markdown_files(&root.join(DOCS))?;
        unlisted.retain(|path| {
            path.strip_prefix(root)
                .is_ok_and(|path| path != Path::new(SUMMARY) && !sources.contains_key(path))
        });
        if let Some(path) = unlisted.first() {
            bail!("{SUMMARY} does not list {}", path.display());
        }
        let (aliases, generated, made) = (BTreeMap::new(), Vec::new(), Vec::new());
        Ok(Pages { root: root.to_path_buf(), summary, sources, aliases, generated, made })
    }

    /// Adds the pages of the subcommands in place of their comment in the summary.
    pub fn add_commands(&mut self, pages: Vec<Generated>) -> Result<()> {
        self.add(COMMANDS, pages)
    }

    /// Adds the pages with the rules of the games in place of their comment in the summary.
    pub fn add_rules(&mut self, rules: Vec<Rules>) -> Result<()> {
        let mut pages = Vec::new();
        for Rules { page, source, pictures } in rules {
            self.aliases.insert(source.into(), page.path.clone().into());
            self.made.extend(pictures);
            pages.push(page);
        }
        self.add(RULES, pages)
    }

    fn add(&mut self, comment: &str, pages: Vec<Generated>) -> Result<()> {
        let place = self.summary.lines().find(|line| line.trim() == comment);
        let place = place.with_context(|| format!("{SUMMARY} has no line {comment}"))?;
        let indent = place.len() - place.trim_start().len();
        let line = |page: &Generated| {
            format!("{:1$}- [{2}]({3})\n", "", indent + 2 * page.depth, page.title, page.path)
        };
        let lines: String = pages.iter().map(line).collect();
        let place = place.to_string();
        self.summary = self.summary.replace(&place, lines.trim_end());
        self.generated.extend(pages);
        Ok(())
    }

    /// Writes the sources of the book into a folder.
    pub fn write(&self, src: &Path) -> Result<()> {
        let mut files = BTreeSet::new();
        let mut faults = Vec::new();
        for (source, page) in &self.sources {
            let text = fs::read_to_string(self.root.join(source))
                .with_context(|| format!("cannot read {}, which {SUMMARY} lists", source.display()))?;
            let text = rewrite(&text, |target| self.target(source, page, target, &mut files, &mut faults));
            write(&src.join(page), text)?;
        }
        for page in &self.generated {
            write(&src.join(&page.path), &page.text)?;
        }
        for (path, text) in &self.made {
            write(&src.join(path), text)?;
        }
        for file in files {
            let bytes = fs::read(self.root.join(&file))?;
            write(&src.join(in_site(&file)), bytes)?;
        }
        write(&src.join("SUMMARY.md"), self.site_summary())?;
        if faults.is_empty() { Ok(()) } else { bail!("links that lead nowhere:\n{}", faults.join("\n")) }
    }

    /// The summary with the paths of the site.
    fn site_summary(&self) -> String {
        let line = |line: &str| match linked(line).and_then(|target| {
            let path = normal(&Path::new(DOCS).join(target))?;
            Some((target, self.sources.get(&path)?))
        }) {
            Some((target, page)) => line.replace(&format!("({target})"), &format!("({})", slashes(page))),
            None => line.to_string(),
        };
        self.summary.lines().map(|text| line(text) + "\n").collect()
    }

    /// The new target of a link in the site; `None` if it leads to a file that is only in the repository.
    fn target(
        &self,
        source: &Path,
        page: &Path,
        target: &str,
        files: &mut BTreeSet<PathBuf>,
        faults: &mut Vec<String>,
    ) -> Option<String> {
        if target.starts_with('#') || target.contains("://") || target.starts_with("mailto:") {
            return Some(target.to_string());
        }
        let (path, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
        let folder = source.parent().unwrap_or(Path::new(""));
        let file = normal(&folder.join(path)).filter(|file| self.root.join(file).exists());
        let Some(file) = file else {
            faults.push(format!("{}: {target}", source.display()));
            return None;
        };
        let to = match self.sources.get(&file).or_else(|| self.aliases.get(&file)) {
            Some(page) => page.clone(),
            None if self.root.join(&file).is_dir() || file.extension().is_some_and(|end| end == "md") => {
                return None;
            }
            None => {
                files.insert(file.clone());
                in_site(&file)
            }
        };
        Some(slashes(&relative(page, &to)) + anchor)
    }
}

/// The target of a line of the summary such as `- [Title](path.md)`.
fn linked(line: &str) -> Option<&str> {
    let (_, target) = line.rsplit_once("](")?;
    target.trim_end().strip_suffix(')').filter(|target| !target.is_empty())
}

/// The path in the site of a file of the repository. A README becomes the index page of its folder.
fn in_site(path: &Path) -> PathBuf {
    let path = path.strip_prefix(DOCS).unwrap_or(path);
    if path.ends_with("README.md") { path.with_file_name("index.md") } else { path.to_path_buf() }
}

/// Resolves `.` and `..` in a path; `None` if it leads out of the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir if !normal.pop() => return None,
            _ => (),
        }
    }
    Some(normal)
}

/// The path from a page to another file of the site.
fn relative(page: &Path, to: &Path) -> PathBuf {
    let up = page.parent().map_or(0, |folder| folder.components().count());
    std::iter::repeat_n(Path::new(".."), up).collect::<PathBuf>().join(to)
}

fn slashes(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn markdown_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(markdown_files(&path)?);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_summary_has_a_target() {
        assert_eq!(linked("  - [Rules](../README.md)"), Some("../README.md"));
        assert_eq!(linked("# Play"), None);
        assert_eq!(linked("- [Draft]()"), None);
    }

    #[test]
    fn paths_lose_the_folder_of_the_sources_and_are_relative_to_their_page() {
        let page = in_site(Path::new("docs/decisions/0001.md"));
        assert_eq!(relative(&page, &in_site(Path::new("docs/server.md"))), Path::new("../server.md"));
        assert_eq!(relative(&in_site(Path::new("README.md")), Path::new("a/b.svg")), Path::new("a/b.svg"));
        assert_eq!(in_site(Path::new("docs/decisions/README.md")), Path::new("decisions/index.md"));
        assert_eq!(normal(Path::new("docs/../README.md")), Some("README.md".into()));
        assert_eq!(normal(Path::new("docs/../../README.md")), None);
    }
}
