//! A worker at its queue: takes games, has them played, keeps what is finished, and says that it is alive. Whatever it holds is
//! handed back when it leaves; if it vanishes, the database notices by itself.
//!
//! A database that is away is waited for: finished games are kept in memory meanwhile.

use super::{
    bench::Bench,
    crew::{Crew, Done, Order, Outcome, Work},
    field::Field,
    fields::{Fields, Refusals},
    hand::Hand,
    pace::Pace,
};
use crate::{LeagueError, players::Hall, rows::row, version::wait_for_another};
use parlor_store::{GameRow, JOBS, Listener, Pulse, Store, StoreError, Taken, Taker};
use parlor_tournament::Entry;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// How often a worker says that it is alive.
const BEAT: Duration = Duration::from_secs(2);
/// How often it looks for work without being told.
const LOOK: Duration = Duration::from_secs(1);
/// How often it looks whether it is to stop.
const TICK: Duration = Duration::from_millis(50);

/// What a worker is told.
#[derive(Clone)]
pub struct Orders {
    /// Its name and version.
    pub taker: Taker,
    /// Games at a time.
    pub seats: usize,
    /// The only tournament it plays in, if there is one; then it answers no questions either.
    pub only: Option<String>,
    /// Where programs are looked for, and how they run.
    pub hall: Hall,
    /// Where endgame tables are looked for.
    pub tables: Option<PathBuf>,
    /// Whether it leaves when there is nothing to do.
    pub until_idle: bool,
    /// Whether it is to stop.
    pub stop: Arc<AtomicBool>,
}

/// A worker at work.
pub struct Shift {
    orders: Orders,
    store: Store,
    crew: Crew,
    hand: Hand,
    pace: Pace,
    fields: Fields,
    refusals: Refusals,
    finished: Vec<(i64, Arc<Field>, GameRow)>,
    games: u64,
    /// The versions of which it logged that games wait for them.
    logged: BTreeSet<String>,
    beaten: Option<Instant>,
    looked: Option<Instant>,
    /// Whether there may be more to take.
    hopeful: bool,
}

impl Shift {
    pub fn new(orders: Orders, store: Store) -> Shift {
        Shift {
            crew: Crew::of(orders.seats, &Arc::new(Bench::new(orders.tables.clone()))),
            fields: Fields::new(orders.hall.clone(), orders.tables.clone()),
            refusals: Refusals::new(&orders.taker.name),
            orders,
            store,
            hand: Hand::default(),
            pace: Pace::default(),
            finished: Vec::new(),
            games: 0,
            logged: BTreeSet::new(),
            beaten: None,
            looked: None,
            hopeful: true,
        }
    }

    /// Works until it is told to stop, or until there is nothing to do if that is enough. Gives how many games it finished.
    pub async fn work(mut self) -> Result<u64, LeagueError> {
        let mut listener = self.store.listener(&[JOBS]).await?;
        let mut trouble = None;
        while !self.is_stopped() && trouble.is_none() {
            trouble = match self.round().await {
                Ok(true) => break,
                Ok(false) => {
                    self.wait(&mut listener).await;
                    None
                }
                Err(StoreError::Away(why)) => {
                    self.away(&why).await;
                    None
                }
                Err(other) => Some(other),
            };
        }
        let games = self.leave().await;
        trouble.map_or(Ok(games), |error| Err(error.into()))
    }

    fn is_stopped(&self) -> bool {
        self.orders.stop.load(Ordering::Relaxed)
    }

    /// Everything that is due; whether that was all.
    async fn round(&mut self) -> Result<bool, StoreError> {
        self.store_finished().await?;
        if self.beaten.is_none_or(|last| last.elapsed() >= BEAT) {
            self.beat().await?;
        }
        let due = self.looked.is_none_or(|last| last.elapsed() >= LOOK);
        if due {
            self.fields.look_again();
        }
        if (self.hopeful || due) && self.hand.len() < self.pace.refill(self.orders.seats) {
            self.looked = Some(Instant::now());
            let taken = self.take().await?;
            self.hopeful = taken > 0;
            if taken == 0 && self.hand.is_empty() {
                self.tell_of_others().await?;
                return Ok(self.orders.until_idle && self.finished.is_empty());
            }
        }
        Ok(false)
    }

    /// Until something is done, or to be had, or a moment is over.
    async fn wait(&mut self, listener: &mut Listener) {
        tokio::select! {
            biased;
            Some(done) = self.crew.next() => {
                self.note(done);
                for done in self.crew.ready() {
                    self.note(done);
                }
            }
            heard = listener.next() => match heard {
                Ok(_) => self.hopeful = true,
                // It looks by itself as well.
                Err(_) => tokio::time::sleep(TICK).await,
            },
            () = tokio::time::sleep(TICK) => {}
        }
    }

    async fn away(&mut self, why: &str) {
        // The store logs an outage by itself; a reason that passes at once is not worth more than this.
        tracing::debug!(worker = self.orders.taker.name, reason = why, "waiting for the database");
        let (store, stop) = (self.store.clone(), self.orders.stop.clone());
        let stopped = async move {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(TICK).await;
            }
        };
        tokio::select! {
            () = store.back() => {}
            () = stopped => {}
        }
        self.hopeful = true;
    }

    /// Takes down what was done.
    fn note(&mut self, Done { id, result, took }: Done) {
        match result {
            Outcome::Played(field, entry) => {
                self.pace.took(took);
                self.log_failure(&field, &entry);
                let row = row(&field.plan, &entry);
                self.finished.push((id, field, row));
            }
            Outcome::Answered(text) => self.hand.answers.push((id, text)),
            Outcome::Left => self.hand.back.push(id),
            Outcome::Failed(why) => {
                let worker = &self.orders.taker.name;
                tracing::error!(worker, job = id, reason = why, "job failed; other workers may take it");
                self.hand.failed.push((id, why));
            }
        }
    }

    /// Logs a player that lost by a failure. The worker of a tournament's own process leaves that to the tournament, which shows it.
    fn log_failure(&self, field: &Field, entry: &Entry) {
        let Some(violation) = entry.violation.as_ref().filter(|_| self.orders.only.is_none()) else {
            return;
        };
        tracing::warn!(
            worker = self.orders.taker.name,
            tournament = field.plan.name,
            game = entry.slot.number + 1,
            player = field.plan.players[entry.slot.seats[violation.side.index()]].name,
            kind = %violation.kind,
            reason = violation.reason,
            "bot failed"
        );
    }

    /// Keeps what is finished, tournament by tournament, and hands back what is not.
    async fn store_finished(&mut self) -> Result<(), StoreError> {
        while let Some((_, field, _)) = self.finished.first() {
            let tournament = field.plan.name.clone();
            let games: Vec<(i64, GameRow)> = self
                .finished
                .iter()
                .filter(|(_, field, _)| field.plan.name == tournament)
                .map(|(id, _, row)| (*id, row.clone()))
                .collect();
            let counted = self.store.finish(&self.orders.taker.name, &tournament, &games).await?;
            self.games += counted.len() as u64;
            self.hand.drop_all(games.iter().map(|(id, _)| *id));
            self.finished.retain(|(_, field, _)| field.plan.name != tournament);
        }
        self.hand.settle(&self.store, &self.orders.taker.name).await
    }

    /// Says that it is alive, and lets go of what is another's by now.
    async fn beat(&mut self) -> Result<(), StoreError> {
        let analyses = self.orders.only.is_none();
        let pulse = Pulse { games: self.games, seats: self.orders.seats as u64, analyses };
        let held = self.hand.ids();
        let own = self.store.at_work(&self.orders.taker, pulse, &held).await?;
        let lost = self.hand.keep_only(&own);
        if !lost.is_empty() {
            let worker = &self.orders.taker.name;
            tracing::info!(worker, jobs = ?lost, "jobs given up: their lease has expired, or they were withdrawn");
        }
        self.beaten = Some(Instant::now());
        Ok(())
    }

    /// Takes what there is room for; how much it was.
    async fn take(&mut self) -> Result<usize, StoreError> {
        let mut count = 0;
        if self.orders.only.is_none() {
            let free = self.orders.seats.saturating_sub(self.hand.len());
            let asked = match free {
                0 => Vec::new(),
                free => self.store.take_questions(&self.orders.taker, free).await?,
            };
            count += asked.len();
            for Taken { id, text, .. } in asked {
                self.order(id, Work::Question(text));
            }
        }
        let room = self.pace.most(self.orders.seats).saturating_sub(self.hand.len());
        let left = self.fields.left();
        let only = self.orders.only.as_deref();
        let mut taken = self.store.take_games(&self.orders.taker, only, &left, room).await?;
        taken.sort_by_key(|job| job.id);
        count += taken.len();
        let mut back = Vec::new();
        for job in taken {
            let id = job.id;
            if !self.begin(job).await? {
                back.push(id);
            }
        }
        if !back.is_empty() {
            self.store.hand_back(&self.orders.taker.name, &back).await?;
        }
        Ok(count)
    }

    /// Begins a game, if it can be played here.
    async fn begin(&mut self, job: Taken) -> Result<bool, StoreError> {
        let found = self.fields.find(&self.store, &job.tournament, &job.terms, &mut self.refusals).await?;
        let Some(field) = found else { return Ok(false) };
        let slot = match field.slot(job.number, &job.text) {
            Ok(slot) => slot,
            Err(why) => {
                let reason = format!("corrupt row of job (id {}): {why}", job.id);
                self.refusals.log(&job.tournament, None, &reason);
                self.fields.leave_to_others(&job.tournament, "");
                return Ok(false);
            }
        };
        if slot.seats.iter().any(|&seat| field.left.contains_key(&field.plan.players[seat].name)) {
            return Ok(false);
        }
        self.order(job.id, Work::Game(field, slot));
        Ok(true)
    }

    fn order(&mut self, id: i64, work: Work) {
        let halt = self.hand.take(id);
        self.crew.order(Order { id, halt, work });
    }

    /// Says once what waits for workers of another version.
    async fn tell_of_others(&mut self) -> Result<(), StoreError> {
        if self.orders.only.is_some() {
            return Ok(());
        }
        let own = &self.orders.taker.version;
        let mut others: BTreeMap<String, u64> = BTreeMap::new();
        for waiting in self.store.waiting().await? {
            if waiting.version != *own {
                *others.entry(waiting.version).or_default() += waiting.games;
            }
        }
        for (version, games) in others {
            // Once for each version, however many it are by then.
            if self.logged.insert(version.clone()) {
                let sentence = wait_for_another(games, &version, own);
                tracing::warn!(worker = self.orders.taker.name, "{sentence}");
            }
        }
        Ok(())
    }

    /// Stops what is played, keeps what is finished, and hands back the rest. If the database is away, what it holds goes to
    /// others when its time is up.
    async fn leave(mut self) -> u64 {
        self.hand.halt();
        let crew = std::mem::replace(&mut self.crew, Crew::of(0, &Arc::new(Bench::new(None))));
        for done in crew.close() {
            self.note(done);
        }
        let worker = self.orders.taker.name.clone();
        let left = match self.store_finished().await {
            Ok(()) => self.store.go_home(&worker).await,
            failed => failed,
        };
        if let Err(reason) = left {
            tracing::warn!(worker, %reason, "jobs not handed back; others take them when their lease expires");
        }
        self.store.close().await;
        self.games
    }
}
