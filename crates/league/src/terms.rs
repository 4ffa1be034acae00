//! What whoever plays a tournament's games must have: the programs as they are, by what they are made of. It is kept with the
//! games, so that nobody goes on with another program under the same name.

use crate::{LeagueError, print::of_text, seats::Company};
use parlor_store::Blocking;
use parlor_tournament::Plan;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What is to be had.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// What each program is made of, by the player's name.
    pub bots: BTreeMap<String, String>,
    /// What each player may read beside its own files, seen from the folder of the tournament.
    #[serde(default)]
    pub reads: Vec<Vec<PathBuf>>,
}

impl Terms {
    pub fn of(
        plan: &Plan,
        company: &Company,
        reads: &[Vec<PathBuf>],
        folder: &Path,
    ) -> Result<Terms, LeagueError> {
        let bots = company.prints(plan)?.into_iter().map(|(name, print)| (name, print.hash)).collect();
        let near =
            |path: &PathBuf| path.strip_prefix(folder).map_or_else(|_| path.clone(), Path::to_path_buf);
        let reads = reads.iter().map(|paths| paths.iter().map(near).collect()).collect();
        Ok(Terms { bots, reads })
    }

    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Terms::text`] writes.
    pub fn read(text: &str) -> Result<Terms, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// What these terms of a plan are known by: as long as it is the same, the games are.
    pub fn key(&self, plan: &Plan) -> String {
        let whole = format!("{}\n{}", plan.fingerprint(), self.text());
        of_text(&whole)[..16].to_string()
    }
}

/// Whether the programs are still those that played. One that has games and was changed is told: two programs under one name
/// are no tournament.
pub fn must_be_the_same(
    store: &Blocking,
    plan: &Plan,
    terms: &Terms,
    rerun: &[String],
) -> Result<(), LeagueError> {
    let Some(before) = store.terms(&plan.name)? else { return Ok(()) };
    let before = match Terms::read(&before) {
        Ok(before) => before,
        Err(reason) => {
            tracing::error!(
                table = "tournament",
                column = "terms",
                tournament = plan.name,
                reason,
                "corrupt row"
            );
            return Ok(());
        }
    };
    let differs = |name: &String| {
        let (old, new) = (before.bots.get(name), terms.bots.get(name));
        old.is_some() && old != new && !rerun.contains(name)
    };
    let mut changed: Vec<&String> = terms.bots.keys().filter(|name| differs(name)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let games = store.games(&plan.name)?;
    changed.retain(|name| games.iter().any(|game| game.players.contains(name)));
    let Some(first) = changed.first() else { return Ok(()) };
    let names = |sign: &str| changed.iter().map(|name| format!("{sign}{name}")).collect::<Vec<_>>();
    let (was, old) = match changed.len() {
        1 => (format!("{first} was"), "its old files"),
        _ => (format!("{} were", names("").join(", ")), "the old files"),
    };
    Err(LeagueError::Input(format!(
        "{was} changed since games were played; {} plays them again, or put {old} back to go on with them",
        names("--rerun ").join(" ")
    )))
}
