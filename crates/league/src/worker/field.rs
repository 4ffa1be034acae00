//! A tournament as a worker knows it: its plan out of the database, its programs out of the worker's own folder. Programs that are
//! not what the tournament's are, or that do not start, are left to others.

use crate::{
    plan::read_plan,
    players::Hall,
    print::{Print, short},
    seats::Company,
    terms::Terms,
};
use parlor_catalog::{Clock, Hosted, Monotonic, Setting};
use parlor_store::{Store, StoreError};
use parlor_tournament::{Plan, Seats, Slot, Tournament};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// A tournament to be played in.
pub struct Field {
    pub plan: Plan,
    /// The players whose games are left to others, and why.
    pub left: BTreeMap<String, String>,
    company: Company,
    games: Vec<Arc<dyn Hosted>>,
    clock: Arc<dyn Clock>,
    prints: BTreeMap<String, Print>,
}

/// Why there is no field.
pub enum NoField {
    /// The database failed.
    Store(StoreError),
    /// The tournament is not what the job was put in for: it will be taken away.
    Stale,
    /// It cannot be played here: a sentence.
    Unplayable(String),
}

/// A game as it stands in the queue.
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

impl Field {
    /// Looks up a tournament and what is here of it.
    pub async fn find(
        store: &Store,
        name: &str,
        key: &str,
        hall: &Hall,
        tables: Option<PathBuf>,
    ) -> Result<Field, NoField> {
        let row = store.tournament(name).await.map_err(NoField::Store)?.ok_or(NoField::Stale)?;
        let terms = store.terms(name).await.map_err(NoField::Store)?.ok_or(NoField::Stale)?;
        let corrupt = |what: &str, why: String| {
            NoField::Unplayable(format!("the {what} in the database cannot be read: {why}"))
        };
        let plan = row.plan.ok_or(NoField::Stale)?;
        let plan = read_plan(&plan).map_err(|why| corrupt("plan", why))?;
        let terms = Terms::read(&terms).map_err(|why| corrupt("list of programs", why))?;
        if terms.key(&plan) != key {
            return Err(NoField::Stale);
        }
        Field::here(plan, &terms, hall.clone(), tables)
            .map_err(|why| NoField::Unplayable(format!("it cannot be played here: {why}")))
    }

    fn here(plan: Plan, terms: &Terms, hall: Hall, tables: Option<PathBuf>) -> Result<Field, String> {
        let reads = terms.reads.iter().map(|paths| paths.iter().map(|path| hall.dir.join(path)).collect());
        let reads = reads.collect();
        let company = Company::of(&plan, hall, reads, tables).map_err(|error| error.to_string())?;
        let games: Vec<_> = plan
            .games
            .iter()
            .map(|spec| parlor_catalog::game(spec))
            .collect::<Result<_, _>>()
            .map_err(|bad| bad.0)?;
        let prints = company.prints(&plan).map_err(|error| error.to_string())?;
        let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
        let mut field = Field { plan, left: BTreeMap::new(), company, games, clock, prints };
        field.left = field.strange(terms);
        field.left.extend(field.broken());
        Ok(field)
    }

    /// The programs that are not what they are to be.
    fn strange(&self, terms: &Terms) -> BTreeMap<String, String> {
        let wanted = |name: &String| terms.bots.get(name).map_or("none", |hash| short(hash)).to_string();
        let others = self.prints.iter().filter(|(name, print)| terms.bots.get(*name) != Some(&print.hash));
        others
            .map(|(name, print)| {
                let (here, there) = (short(&print.hash), wanted(name));
                let why = format!(
                    "its files here are {here}, the tournament's are {there}: its games are left to others"
                );
                (name.clone(), why)
            })
            .collect()
    }

    /// The players that cannot be made, and the programs that do not start.
    fn broken(&self) -> BTreeMap<String, String> {
        let setting = Setting { seed: 0, clock: self.clock.clone(), tables: None };
        let trouble = |entrant: usize| {
            for (number, game) in self.games.iter().enumerate() {
                let made = self.company.player(entrant, game.as_ref(), &setting);
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
                Some((name.clone(), format!("it {why} here: its games are left to others")))
            })
            .collect()
    }

    /// Whether all programs are still what they were.
    pub fn is_fresh(&self) -> bool {
        self.prints.values().all(Print::is_fresh)
    }

    /// What is to be known before programs are run.
    pub fn remark(&self) -> Option<String> {
        self.company.remark()
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

    /// What its games are played with.
    pub fn tournament(&self) -> Tournament<'_> {
        let (games, clock) = (self.games.clone(), self.clock.clone());
        Tournament { plan: &self.plan, games, seats: &self.company, clock }
    }
}
