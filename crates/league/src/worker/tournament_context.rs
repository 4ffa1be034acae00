//! A tournament as a worker knows it: its plan from the database, its programs from the worker's
//! own folder. Games of programs whose files differ from the tournament's, or that do not start,
//! are left to other workers.

use crate::{
    content_hash::{ContentHash, short},
    players::Players,
    requirements::Requirements,
    stored_plan::read_plan,
};
use parlor_catalog::Hosted;
use parlor_store::{Store, StoreError};
use parlor_tournament::{Slot, Tournament, TournamentPlan};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// What a worker needs to play games of a tournament.
pub struct TournamentContext {
    pub plan: TournamentPlan,
    /// The players whose games are left to others, and why.
    pub left: BTreeMap<String, String>,
    players: Players,
    /// What each player may read beside its own files.
    reads: Vec<Vec<PathBuf>>,
    games: Vec<Arc<dyn Hosted>>,
    hashes: BTreeMap<String, ContentHash>,
}

pub enum NoContext {
    Store(StoreError),
    /// The tournament is not what the job was put in for: it will be taken away.
    Stale,
    /// This worker cannot play it: a sentence.
    Unplayable(String),
}

/// A game as the queue stores it.
#[derive(Serialize, Deserialize)]
struct Spot {
    seats: [usize; 2],
    game: usize,
    round: u64,
}

/// A game as text for the queue.
pub fn slot_text(slot: &Slot) -> String {
    let spot = Spot { seats: slot.seats, game: slot.game, round: slot.round };
    serde_json::to_string(&spot).unwrap_or_default()
}

impl TournamentContext {
    /// Reads a tournament from the database and its programs from the worker's folder.
    pub async fn find(
        store: &Store,
        name: &str,
        key: &str,
        players: &Players,
    ) -> Result<TournamentContext, NoContext> {
        let row = store.tournament(name).await.map_err(NoContext::Store)?.ok_or(NoContext::Stale)?;
        let terms = store.requirements(name).await.map_err(NoContext::Store)?.ok_or(NoContext::Stale)?;
        let corrupt = |what: &str, why: String| {
            NoContext::Unplayable(format!("cannot read the {what} from the database: {why}"))
        };
        let plan = row.plan.ok_or(NoContext::Stale)?;
        let plan = read_plan(&plan).map_err(|why| corrupt("plan", why))?;
        let terms = Requirements::read(&terms).map_err(|why| corrupt("list of programs", why))?;
        if terms.key(&plan) != key {
            return Err(NoContext::Stale);
        }
        TournamentContext::here(plan, &terms, players.clone())
            .map_err(|why| NoContext::Unplayable(format!("it cannot be played on this worker: {why}")))
    }

    fn here(
        plan: TournamentPlan,
        terms: &Requirements,
        players: Players,
    ) -> Result<TournamentContext, String> {
        let reads = terms.reads.iter().map(|paths| paths.iter().map(|path| players.dir.join(path)).collect());
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
        context.left = context.strange(terms);
        context.left.extend(context.broken());
        Ok(context)
    }

    /// The programs that are not what they are to be.
    fn strange(&self, terms: &Requirements) -> BTreeMap<String, String> {
        let wanted = |name: &String| terms.bots.get(name).map_or("none", |hash| short(hash)).to_string();
        let others = self.hashes.iter().filter(|(name, hash)| terms.bots.get(*name) != Some(&hash.hash));
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

    /// The players that cannot be made, and the programs that do not start.
    fn broken(&self) -> BTreeMap<String, String> {
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

    /// What is to be known before programs are run.
    pub fn remark(&self) -> Option<String> {
        self.players.has_programs().then(|| self.players.remark())
    }

    /// The game of a job. The error says why it is none of this plan's.
    pub fn slot(&self, number: i64, text: &str) -> Result<Slot, String> {
        let Spot { seats, game, round } = serde_json::from_str(text).map_err(|error| error.to_string())?;
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
