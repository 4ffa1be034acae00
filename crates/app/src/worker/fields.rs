//! The tournaments that a worker knows, and whom it leaves to others. What was changed is looked at again, and so is, after a while,
//! what could not be played.

use super::field::{Field, NoField};
use parlor_store::{Store, StoreError};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

/// How often programs are looked at for changes.
const LOOK: Duration = Duration::from_secs(1);
/// How often it looks whether what it left to others can be played here after all.
const SECOND_THOUGHT: Duration = Duration::from_secs(10);

/// Says things once.
pub struct Voice {
    say: fn(&str),
    said: BTreeSet<String>,
}

impl Voice {
    pub fn new(say: fn(&str)) -> Voice {
        Voice { say, said: BTreeSet::new() }
    }

    /// Says it, if it has not said it before.
    pub fn once(&mut self, sentence: &str) {
        if self.said.insert(sentence.to_string()) {
            (self.say)(sentence);
        }
    }

    /// Says it, also if it said it before.
    pub fn say(&self, sentence: &str) {
        (self.say)(sentence);
    }
}

/// The tournaments that a worker knows.
pub struct Fields {
    dir: PathBuf,
    sandboxed: bool,
    known: BTreeMap<(String, String), Arc<Field>>,
    /// By tournament and player; an empty name means everybody there.
    left: BTreeSet<(String, String)>,
    left_since: Instant,
    looked: Instant,
}

impl Fields {
    pub fn new(dir: PathBuf, sandboxed: bool) -> Fields {
        let (known, left, now) = (BTreeMap::new(), BTreeSet::new(), Instant::now());
        Fields { dir, sandboxed, known, left, left_since: now, looked: now }
    }

    /// Whom it leaves to others.
    pub fn left(&self) -> Vec<(String, String)> {
        self.left.iter().cloned().collect()
    }

    /// Forgets what was changed, and after a while what was left to others.
    pub fn look_again(&mut self) {
        if self.looked.elapsed() >= LOOK {
            self.known.retain(|_, field| field.is_fresh());
            self.looked = Instant::now();
        }
        if !self.left.is_empty() && self.left_since.elapsed() >= SECOND_THOUGHT {
            self.left.clear();
            self.known.retain(|_, field| field.left.is_empty());
        }
    }

    /// The tournament of a job; none where it is none of this worker's.
    pub async fn find(
        &mut self,
        store: &Store,
        name: &str,
        key: &str,
        voice: &mut Voice,
    ) -> Result<Option<Arc<Field>>, StoreError> {
        let place = (name.to_string(), key.to_string());
        if let Some(field) = self.known.get(&place) {
            return Ok(Some(field.clone()));
        }
        let field = match Field::find(store, name, key, &self.dir, self.sandboxed).await {
            Ok(field) => Arc::new(field),
            Err(NoField::Store(error)) => return Err(error),
            Err(NoField::Stale) => {
                self.leave_to_others(name, "");
                return Ok(None);
            }
            Err(NoField::Unplayable(why)) => {
                voice.once(&format!("{why}; its games are left to others"));
                self.leave_to_others(name, "");
                return Ok(None);
            }
        };
        for (player, why) in &field.left {
            voice.once(why);
            self.leave_to_others(name, player);
        }
        if let Some(remark) = field.remark() {
            voice.once(&remark);
        }
        self.known.insert(place, field.clone());
        Ok(Some(field))
    }

    pub fn leave_to_others(&mut self, tournament: &str, player: &str) {
        if self.left.is_empty() {
            self.left_since = Instant::now();
        }
        self.left.insert((tournament.to_string(), player.to_string()));
    }
}
