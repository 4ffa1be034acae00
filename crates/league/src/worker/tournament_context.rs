//! A worker's context of a tournament: the plan from the database and the programs from the worker's
//! folder. Games of programs that differ from the tournament's, or that do not start, are left to
//! other workers.

use crate::{
    content_hash::{ContentHash, short},
    players::Players,
    requirements::Requirements,
    stored_plan::read_plan,
};
use parlor_catalog::DynGame;
use parlor_store::{Store, StoreError};
use parlor_tournament::{Slot, Tournament, TournamentPlan};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// What a worker needs to play games of a tournament.
pub struct TournamentContext {
    pub plan: TournamentPlan,
    /// Players whose games are left to other workers, with the reasons.
    pub left: BTreeMap<String, String>,
    players: Players,
    /// What each player may read beside its own files.
    reads: Vec<Vec<PathBuf>>,
    games: Vec<Arc<dyn DynGame>>,
    hashes: BTreeMap<String, ContentHash>,
}

/// Why a tournament cannot be played on this worker.
pub enum ContextError {
    Store(StoreError),
    /// The tournament has changed since the job was queued; the job will be removed.
    Stale,
    /// This worker cannot play the tournament; the reason is a sentence.
    Unplayable(String),
}

/// A game as the queue stores it.
#[derive(Serialize, Deserialize)]
struct QueuedSlot {
    seats: [usize; 2],
    game: usize,
    round: u64,
}

/// A game as text for the queue.
pub fn slot_text(slot: &Slot) -> String {
    let spot = QueuedSlot { seats: slot.seats, game: slot.game, round: slot.round };
    serde_json::to_string(&spot).unwrap_or_default()
}

impl TournamentContext {
    /// Reads a tournament from the database and its programs from the worker's folder.
    pub async fn find(
        store: &Store,
        name: &str,
        key: &str,
        players: &Players,
    ) -> Result<TournamentContext, ContextError> {
        let row = store.tournament(name).await.map_err(ContextError::Store)?.ok_or(ContextError::Stale)?;
        let requirements =
            store.requirements(name).await.map_err(ContextError::Store)?.ok_or(ContextError::Stale)?;
        let corrupt = |what: &str, why: String| {
            ContextError::Unplayable(format!("cannot read the {what} from the database: {why}"))
        };
        let plan = row.plan.ok_or(ContextError::Stale)?;
        let plan = read_plan(&plan).map_err(|why| corrupt("plan", why))?;
        let requirements =
            Requirements::read(&requirements).map_err(|why| corrupt("list of programs", why))?;
        if requirements.key(&plan) != key {
            return Err(ContextError::Stale);
        }
        TournamentContext::new(plan, &requirements, players.clone())
            .map_err(|why| ContextError::Unplayable(format!("it cannot be played on this worker: {why}")))
    }

    fn new(
        plan: TournamentPlan,
        requirements: &Requirements,
        players: Players,
    ) -> Result<TournamentContext, String> {
        let reads =
            requirements.reads.iter().map(|paths| paths.iter().map(|path| players.dir.join(path)).collect());
        let reads: Vec<Vec<PathBuf>> = reads.collect();
        let players = players.for_plan(&plan).map_err(|bad| bad.to_string())?;
        let games: Vec<_> = plan
            .games
            .iter()
            .map(|spec| parlor_catalog::game(spec))
            .collect::<Result<_, _>>()
            .map_err(|bad| bad.0)?;
        let hashes = players.hashes(&plan, &reads).map_err(|error| error.to_string())?;
        let mut context = TournamentContext { plan, left: BTreeMap::new(), players, reads, games, hashes };
        context.left = context.changed_programs(requirements);
        context.left.extend(context.unusable_players());
        Ok(context)
    }

    /// Programs whose content hash differs from the requirements, with the reasons.
    fn changed_programs(&self, requirements: &Requirements) -> BTreeMap<String, String> {
        let wanted =
            |name: &String| requirements.bots.get(name).map_or("none", |hash| short(hash)).to_string();
        let others =
            self.hashes.iter().filter(|(name, hash)| requirements.bots.get(*name) != Some(&hash.hash));
        others
            .map(|(name, hash)| {
                let (here, there) = (short(&hash.hash), wanted(name));
                let why = format!(
                    "its files on this worker have hash {here}, but the tournament expects {there}; its games are left to other workers"
                );
                (name.clone(), why)
            })
            .collect()
    }

    /// Players that cannot be made and programs that do not start, with the reasons.
    fn unusable_players(&self) -> BTreeMap<String, String> {
        let make_player = self.players.of_plan(&self.plan, &self.reads);
        let trouble = |entrant: usize| {
            for (number, game) in self.games.iter().enumerate() {
                let made = make_player(game.as_ref(), entrant, 0);
                let mut made = made.map_err(|bad| bad.to_string())?;
                if number == 0 {
                    made.ready(&game.spec()).map_err(|failure| failure.to_string())?;
                }
            }
            Ok::<(), String>(())
        };
        let players = self.plan.players.iter().map(|player| &player.name).enumerate();
        let sound = players.filter(|(_, name)| !self.left.contains_key(*name));
        sound
            .filter_map(|(entrant, name)| {
                let why = trouble(entrant).err()?;
                Some((name.clone(), format!("it {why} on this worker; its games are left to other workers")))
            })
            .collect()
    }

    /// Whether no program has changed.
    pub fn is_fresh(&self) -> bool {
        self.hashes.values().all(ContentHash::is_fresh)
    }

    /// The sentence about the sandbox, if the tournament has programs.
    pub fn remark(&self) -> Option<String> {
        self.players.has_programs().then(|| self.players.remark())
    }

    /// Parses the game of a job. The error says why it does not match the plan.
    pub fn slot(&self, number: i64, text: &str) -> Result<Slot, String> {
        let QueuedSlot { seats, game, round } =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let number = u64::try_from(number).map_err(|_| format!("number {number} is negative"))?;
        let known = seats.iter().all(|&seat| seat < self.plan.players.len()) && game < self.games.len();
        known
            .then_some(Slot { number, seats, game, round })
            .ok_or_else(|| "the plan has no such game".to_string())
    }

    pub fn tournament(&self) -> Tournament<'_> {
        let (games, clock) = (self.games.clone(), self.players.resources.clock.clone());
        let make_player = self.players.of_plan(&self.plan, &self.reads);
        Tournament { plan: &self.plan, games, make_player, clock }
    }
}
