//! Checks the generated HTML: every link must lead to an existing file and, if it has a fragment, to an element of
//! that page, and no page may load anything from another host. Links to other hosts are not followed.

use anyhow::Result;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The result of a check.
pub struct Found {
    pub pages: usize,
    /// Links within the site.
    pub links: usize,
    pub faults: Vec<String>,
}

/// Elements that load their target instead of only linking to it.
const LOADING: [&str; 8] = ["script", "link", "img", "iframe", "source", "image", "use", "object"];
/// The page that servers show for addresses that do not exist. Its links are relative to the root of the server.
const NOT_FOUND: &str = "404.html";

pub fn check(site: &Path) -> Result<Found> {
    let (mut pages, mut files) = (BTreeMap::new(), BTreeSet::new());
    let mut found = Found { pages: 0, links: 0, faults: Vec::new() };
    for path in all_files(site)? {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        if end == "html" && !path.ends_with(NOT_FOUND) {
            pages.insert(path.clone(), Page::of(&fs::read_to_string(&path)?));
        } else if end == "css" || end == "svg" {
            let text = fs::read_to_string(&path)?;
            if ["url(http", "url(\"http", "url('http", "url(//", "@import"]
                .iter()
                .any(|word| text.contains(word))
            {
                found.faults.push(format!("{} loads from another host", path.display()));
            }
        }
        files.insert(path);
    }
    found.pages = pages.len();
    for (path, page) in &pages {
        for Link { element, target } in &page.links {
            let loads = LOADING.contains(&element.as_str());
            let fault = if target.starts_with("data:") || target.starts_with("mailto:") {
                None
            } else if target.contains("://") || target.starts_with("//") {
                loads.then_some("is loaded from another host")
            } else {
                found.links += 1;
                leads_nowhere(path, target, &pages, &files)
            };
            if let Some(fault) = fault {
                let page = path.strip_prefix(site).unwrap_or(path);
                found.faults.push(format!("{}: {target} {fault}", page.display()));
            }
        }
    }
    Ok(found)
}

fn leads_nowhere(
    path: &Path,
    target: &str,
    pages: &BTreeMap<PathBuf, Page>,
    files: &BTreeSet<PathBuf>,
) -> Option<&'static str> {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let file = file.split('?').next().unwrap_or(file);
    let mut to = if file.is_empty() { path.to_path_buf() } else { join(path, file) };
    if file.ends_with('/') {
        to.push("index.html");
    }
    match pages.get(&to) {
        _ if !files.contains(&to) => Some("leads to no file"),
        Some(page) if !anchor.is_empty() && !page.ids.contains(anchor) => Some("leads to no element"),
        _ => None,
    }
}

/// The path of a target that is relative to a page.
fn join(page: &Path, target: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(page).to_path_buf();
    for part in target.split('/') {
        match part {
            ".." => _ = path.pop(),
            "." | "" => (),
            name => path.push(name.replace("%20", " ")),
        }
    }
    path
}

fn all_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(all_files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

struct Link {
    /// The name of the element that contains the link.
    element: String,
    target: String,
}

/// The links of a page, and the ids of its elements.
struct Page {
    links: Vec<Link>,
    ids: BTreeSet<String>,
}

impl Page {
    /// Reads the tags of a page, except in scripts and comments.
    fn of(html: &str) -> Page {
        let mut page = Page { links: Vec::new(), ids: BTreeSet::new() };
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix("!--") {
                rest = after.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let (tag, after) = split_tag(rest);
            let name = tag.split([' ', '\n', '/']).next().unwrap_or_default().to_lowercase();
            for (attribute, value) in attributes(&tag[name.len().min(tag.len())..]) {
                match attribute {
                    "id" => _ = page.ids.insert(value),
                    "href" | "src" | "data" | "xlink:href" if !value.is_empty() => {
                        page.links.push(Link { element: name.clone(), target: value });
                    }
                    _ => (),
                }
            }
            rest = if name == "script" {
                after.split_once("</script>").map_or("", |(_, after)| after)
            } else {
                after
            };
        }
        page
    }
}

/// Splits a text into the content of its first tag and the rest. A `>` in quotes does not end a tag.
fn split_tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return (&text[..at], &text[at + 1..]),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => (),
        }
    }
    (text, "")
}

/// The names and values of a tag's attributes; attributes without a value are omitted.
fn attributes(tag: &str) -> Vec<(&str, String)> {
    let (mut found, mut rest) = (Vec::new(), tag);
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.rsplit([' ', '\n']).next().unwrap_or(name);
        let quote = after.chars().next().filter(|quote| ['"', '\''].contains(quote));
        let (value, after) = match quote {
            Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        found.push((name, value.replace("&amp;", "&").replace("&quot;", "\"").replace("&#39;", "'")));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_give_links_and_ids() {
        let page = Page::of(
            "<!-- <a href=x> --><h1 id=\"top\">A > b</h1><a class=c href='d.html#e&amp;f'>g</a><script src=\"h.js\">a<b id=\"no\"</script><img alt=\"x>y\" src=i>",
        );
        let links: Vec<_> =
            page.links.iter().map(|link| (link.element.as_str(), link.target.as_str())).collect();
        assert_eq!(links, [("a", "d.html#e&f"), ("script", "h.js"), ("img", "i")]);
        assert_eq!(page.ids, BTreeSet::from(["top".to_string()]));
    }

    #[test]
    fn missing_files_missing_elements_and_other_hosts_are_faults() {
        let folder = std::env::temp_dir().join(format!("parlor-site-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).expect("a folder");
        let page = "<a href=\"sub/b.html#there\">1</a><a href=\"sub/b.html#gone\">2</a><a href=\"c.html\">3</a>\
                    <a href=\"https://example.org\">4</a><img src=\"https://example.org/x.png\">";
        fs::write(folder.join("a.html"), page).expect("a page");
        fs::write(folder.join("sub/b.html"), "<p id=\"there\"><a href=\"../a.html\">5</a>").expect("a page");
        let found = check(&folder).expect("a folder that can be read");
        fs::remove_dir_all(&folder).expect("its own folder");
        assert_eq!((found.pages, found.links), (2, 4));
        let faults = found.faults.join("\n");
        for part in [
            "sub/b.html#gone leads to no element",
            "c.html leads to no file",
            "x.png is loaded from another host",
        ] {
            assert!(faults.contains(part), "{part} is missing in: {faults}");
        }
        assert_eq!(found.faults.len(), 3, "{faults}");
    }
}
