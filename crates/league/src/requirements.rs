//! The requirements of a tournament: the content hashes of its programs and the files that they may
//! read. They are stored with the games, so that no worker plays with a changed program.

use crate::{LeagueError, content_hash::of_text, players::Players};
use parlor_store::BlockingStore;
use parlor_tournament::TournamentPlan;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What a worker must have to play a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirements {
    /// The content hash of each program, by player name.
    pub bots: BTreeMap<String, String>,
    /// The files that each player may read beside its own, relative to the tournament's folder.
    #[serde(default)]
    pub reads: Vec<Vec<PathBuf>>,
}

impl Requirements {
    pub fn of(
        plan: &TournamentPlan,
        players: &Players,
        reads: &[Vec<PathBuf>],
        folder: &Path,
    ) -> Result<Requirements, LeagueError> {
        let bots = players.hashes(plan, reads)?.into_iter().map(|(name, hash)| (name, hash.hash)).collect();
        let near =
            |path: &PathBuf| path.strip_prefix(folder).map_or_else(|_| path.clone(), Path::to_path_buf);
        let reads = reads.iter().map(|paths| paths.iter().map(near).collect()).collect();
        Ok(Requirements { bots, reads })
    }

    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what [`Requirements::text`] writes.
    pub fn read(text: &str) -> Result<Requirements, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The key of a plan with these requirements. Workers play only jobs with the same key.
    pub fn key(&self, plan: &TournamentPlan) -> String {
        let text = format!("{}\n{}", plan.fingerprint(), self.text());
        of_text(&text)[..16].to_string()
    }
}

/// Refuses programs that have changed since they played, unless their games are played again.
pub fn check_unchanged(
    store: &BlockingStore,
    plan: &TournamentPlan,
    requirements: &Requirements,
    rerun: &[String],
) -> Result<(), LeagueError> {
    let Some(before) = store.requirements(&plan.name)? else { return Ok(()) };
    let before = match Requirements::read(&before) {
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
        let (old, new) = (before.bots.get(name), requirements.bots.get(name));
        old.is_some() && old != new && !rerun.contains(name)
    };
    let mut changed: Vec<&String> = requirements.bots.keys().filter(|name| differs(name)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let games = store.tournament_games(&plan.name)?;
    changed.retain(|name| games.iter().any(|game| game.players.contains(name)));
    let Some(first) = changed.first() else { return Ok(()) };
    let names = |sign: &str| changed.iter().map(|name| format!("{sign}{name}")).collect::<Vec<_>>();
    let (was, old) = match changed.len() {
        1 => (format!("{first} was"), "its old files"),
        _ => (format!("{} were", names("").join(", ")), "the old files"),
    };
    Err(LeagueError::Input(format!(
        "{was} changed since games were played; use {} to replay those games, or restore {old} to continue",
        names("--rerun ").join(" ")
    )))
}
