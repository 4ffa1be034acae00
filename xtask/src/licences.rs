//! Whether every package, ours and those we depend on, has a licence that deny.toml allows. Reads the same list as
//! `cargo deny check licenses`, without needing that tool.

use crate::workspace;
use anyhow::{Context, Result, bail};
use std::{fs, iter::Peekable, str::SplitWhitespace};

pub fn check() -> Result<()> {
    let allowed = allowed(&fs::read_to_string(workspace::root().join("deny.toml")).context("deny.toml")?)?;
    let metadata = workspace::metadata()?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let mut refused = Vec::new();
    for package in packages {
        let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
        match package["license"].as_str() {
            None => refused.push(format!("{name} names no licence")),
            Some(licence) => match permits(licence, &allowed) {
                Some(true) => {}
                Some(false) => refused.push(format!("{name}: {licence} is not allowed by deny.toml")),
                None => refused.push(format!("{name}: '{licence}' is no licence expression")),
            },
        }
    }
    if !refused.is_empty() {
        bail!("{}", refused.join("\n"));
    }
    println!("{} packages, all with a licence that deny.toml allows", packages.len());
    Ok(())
}

fn text(value: &serde_json::Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The strings of `allow = […]` under `[licenses]`.
fn allowed(toml: &str) -> Result<Vec<String>> {
    let section = toml.split_once("[licenses]").context("deny.toml has no [licenses]")?.1;
    let list = section.split_once("allow = [").context("deny.toml has no allow = […] under [licenses]")?.1;
    let list = list.split_once(']').context("the list in deny.toml does not end")?.0;
    Ok(list.split('"').skip(1).step_by(2).map(String::from).collect())
}

/// Whether an SPDX expression can be satisfied by the allowed licences; none if it cannot be read. A slash is an old way to
/// write OR.
fn permits(expression: &str, allowed: &[String]) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let permitted = either(&mut words, allowed)?;
    words.next().is_none().then_some(permitted)
}

type Words<'a> = Peekable<SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut permitted = both(words, allowed)?;
    while words.next_if_eq(&"OR").is_some() {
        permitted |= both(words, allowed)?;
    }
    Some(permitted)
}

fn both(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    let mut permitted = one(words, allowed)?;
    while words.next_if_eq(&"AND").is_some() {
        permitted &= one(words, allowed)?;
    }
    Some(permitted)
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> Option<bool> {
    match words.next()? {
        "(" => {
            let permitted = either(words, allowed)?;
            words.next_if_eq(&")").map(|_| permitted)
        }
        "OR" | "AND" | "WITH" | ")" => None,
        licence => {
            let exception = words.next_if_eq(&"WITH").and_then(|_| words.next());
            let whole = exception.map_or(licence.to_string(), |name| format!("{licence} WITH {name}"));
            Some(allowed.contains(&whole))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_spdx_means_them() {
        let allowed = ["MIT".to_string(), "Zlib".to_string(), "A WITH B".to_string()];
        for (expression, wanted) in [
            ("MIT", Some(true)),
            ("GPL-3.0", Some(false)),
            ("GPL-3.0 OR MIT", Some(true)),
            ("GPL-3.0/MIT", Some(true)),
            ("GPL-3.0 AND MIT", Some(false)),
            ("GPL-3.0 OR MIT AND Zlib", Some(true)),
            ("(GPL-3.0 OR MIT) AND Zlib", Some(true)),
            ("(MIT OR Zlib) AND GPL-3.0", Some(false)),
            ("A WITH B", Some(true)),
            ("MIT WITH B", Some(false)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT Zlib", None),
        ] {
            assert_eq!(permits(expression, &allowed), wanted, "{expression}");
        }
    }

    #[test]
    fn the_list_is_found_under_its_heading() {
        let toml = "[bans]\nallow = [\"x\"]\n[licenses]\n# why\nallow = [\n  \"MIT\",\n  \"Zlib\",\n]\n";
        assert_eq!(allowed(toml).ok(), Some(vec!["MIT".to_string(), "Zlib".to_string()]));
        assert!(allowed("[licenses]").is_err());
    }
}
