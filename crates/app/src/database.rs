//! Finds the database of a command: `--database`, the first line of `--database-file`, or the variable `PARLOR_DATABASE`. A
//! URL is never shown, because it may contain a password.

use crate::{args::DatabaseOptions, error::CommandError};
use parlor_store::Store;
use std::{
    env,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

/// Environment variable that replaces `--database` in `serve` and `worker`.
const VARIABLE: &str = "PARLOR_DATABASE";
/// Maximum size of `--database-file` in bytes.
const LONGEST: u64 = 4096;

/// The database that the options name.
pub fn named(options: &DatabaseOptions) -> Result<Option<PathBuf>, CommandError> {
    if let Some(place) = &options.database {
        warn_of_password(place);
        return checked(place.clone(), "--database").map(Some);
    }
    options.database_file.as_deref().map(from_file).transpose()
}

/// The database that the options or the environment name.
pub fn named_or_usual(options: &DatabaseOptions) -> Result<Option<PathBuf>, CommandError> {
    if let Some(place) = named(options)? {
        return Ok(Some(place));
    }
    let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
    variable.map(|value| checked(value.into(), VARIABLE)).transpose()
}

/// The place as a PostgreSQL URL; `None` if it is a file.
pub fn address_of(place: &Path) -> Option<&str> {
    place.to_str().filter(|text| Store::is_postgres_url(text))
}

fn from_file(file: &Path) -> Result<PathBuf, CommandError> {
    let bad = |why: &str| CommandError::Input(format!("--database-file: {}: {why}", file.display()));
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    read.map_err(|error| bad(&format!("cannot read the file: {error}")))?;
    match text.lines().next().map(str::trim) {
        Some(place) if !place.is_empty() => checked(place.into(), "--database-file"),
        _ => {
            Err(bad("the first line is empty; expected a file name or a URL like postgres://user@host/name"))
        }
    }
}

/// Refuses URLs of other databases.
fn checked(place: PathBuf, source: &str) -> Result<PathBuf, CommandError> {
    if place.to_str().is_some_and(|text| text.contains("://") && !Store::is_postgres_url(text)) {
        let sentence = format!("{source}: expected a file, or a URL like postgres://user@host:5432/name");
        return Err(CommandError::Input(sentence));
    }
    Ok(place)
}

fn warn_of_password(place: &Path) {
    if address_of(place).is_some_and(has_password) {
        tracing::warn!(
            "the password in --database is visible in the process list; use --database-file, {VARIABLE} or PGPASSFILE"
        );
    }
}

fn has_password(address: &str) -> bool {
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let (authority, query) = rest.split_once('?').unwrap_or((rest, ""));
    let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':') || query.split('&').any(|pair| pair.starts_with("password="))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_a_password_in_both_parts_of_a_url() {
        assert!(has_password("postgres://ann:secret@host/name"));
        assert!(has_password("postgres://host/name?user=ann&password=secret"));
        for without in
            ["postgres://ann@host:5432/name", "postgres://host:5432/name", "postgres:///name?user=a"]
        {
            assert!(!has_password(without), "{without}");
        }
    }

    #[test]
    fn refuses_urls_of_other_databases_without_showing_them() {
        let error = checked("mysql://ann:secret@host/name".into(), "PARLOR_DATABASE").expect_err("refused");
        assert!(error.to_string().starts_with("PARLOR_DATABASE: expected a file, or a URL like postgres://"));
        assert!(!error.to_string().contains("secret"));
    }
}
