//! The schema migrations of both databases. They are embedded as text and parsed at run time: the macro of sqlx would compile both
//! database drivers a second time.

use sqlx::{
    SqlSafeStr,
    migrate::{Migration, MigrationType, Migrator},
};
use std::sync::LazyLock;

/// Lists the migrations of a folder by number and name. The database stores number and checksum of each, so a released one is
/// never edited.
macro_rules! migrations {
    ($folder:literal: $($number:literal $name:literal),+ $(,)?) => {
        LazyLock::new(|| Migrator::with_migrations(vec![$(
            Migration::new(
                $number,
                $name.replace('_', " ").into(),
                MigrationType::Simple,
                include_str!(concat!("../migrations/", $folder, "/000", $number, "_", $name, ".sql")).into_sql_str(),
                false,
            )
        ),+]))
    };
}

pub static SQLITE: LazyLock<Migrator> = migrations! { "sqlite":
    1 "tournaments", 2 "games", 3 "changes", 5 "terms", 6 "health", 7 "processor_time", 8 "sessions",
};

#[cfg(any(test, feature = "postgres"))]
pub static POSTGRES: LazyLock<Migrator> = migrations! { "postgres":
    1 "tournaments", 2 "games", 3 "changes", 4 "servers", 5 "queue", 6 "health", 7 "processor_time", 8 "sessions",
};

#[cfg(test)]
mod tests {
    use super::*;

    /// The number and the name of every migration file of a folder.
    fn files(folder: &str) -> Vec<(i64, String)> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(folder);
        let mut found: Vec<(i64, String)> = std::fs::read_dir(folder)
            .expect("the migrations")
            .map(|entry| {
                let file = entry.expect("an entry").file_name().into_string().expect("a name");
                let (number, name) = file.trim_end_matches(".sql").split_once('_').expect("a number");
                (number.parse().expect("a number"), name.replace('_', " "))
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn every_file_is_listed() {
        for (folder, migrator) in [("sqlite", &SQLITE), ("postgres", &POSTGRES)] {
            let listed: Vec<(i64, String)> =
                migrator.iter().map(|step| (step.version, step.description.to_string())).collect();
            assert_eq!(listed, files(folder), "{folder}");
        }
    }
}
