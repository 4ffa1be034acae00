//! The engines of a server. They think on the threads of the server's [`Pool`], in its fair queue. A player of ours is made for
//! each move and leaves nothing behind; it is stopped when no client waits for its move.

use super::Live;
use crate::{
    metrics::{Held, Metrics},
    pool::{Costs, JobHandle, Pool, QueuePosition},
    problem::end_of_task,
    wire::SeatKind,
};
use parlor_catalog::Hosted;
use parlor_play::{Answer, Clocks, Failure, Limits, Player, Record, Side};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot},
    time::Instant,
};

/// Who has a clock is not given all of it: the answer has to come back, too.
const MARGIN: Duration = Duration::from_millis(50);

/// Makes the players of a server.
pub trait Hire: Send + Sync {
    /// A player of the catalogue, or of a house bot's name; the error is a sentence.
    fn player(
        &self,
        game: &dyn Hosted,
        spec: &str,
        house: bool,
        seed: u64,
    ) -> Result<Box<dyn Player>, String>;
    /// The bots that this server runs: what they are called.
    fn house_bots(&self) -> Vec<String>;
}

/// Whoever thinks for all games.
#[derive(Clone)]
pub struct Crew {
    pool: Pool,
    hire: Arc<dyn Hire>,
    metrics: Arc<Metrics>,
    /// The longest time for a move.
    longest: Duration,
    costs: Arc<Mutex<Costs>>,
}

/// A move being thought about, or waiting for a thread.
pub(super) struct Thinking {
    stop: Arc<Stop>,
    answer: oneshot::Receiver<Answered>,
    place: QueuePosition,
    ply: usize,
    seq: i64,
}

/// Tells a player to stop, and its job to leave the queue.
#[derive(Default)]
struct Stop {
    is_set: AtomicBool,
    set: Notify,
}

/// What came of it.
pub(super) struct Answered {
    /// The position it is meant for.
    pub ply: usize,
    /// The event after which it was asked.
    pub seq: i64,
    /// Whether it was told to stop.
    pub stopped: bool,
    pub answer: Result<Answer, Failure>,
}

impl Thinking {
    pub fn stop(&self) {
        self.stop.is_set.store(true, Ordering::Relaxed);
        self.stop.set.notify_one();
    }

    /// Its place in the queue; none as soon as it thinks.
    pub fn place(&self) -> Option<usize> {
        if self.stop.is_set.load(Ordering::Relaxed) { None } else { self.place.get() }
    }

    pub async fn answer(&mut self) -> Answered {
        let stopped = |this: &Thinking| this.stop.is_set.load(Ordering::Relaxed);
        match (&mut self.answer).await {
            Ok(answered) => Answered { stopped: stopped(self), ..answered },
            // The task was dropped before it could answer: the server shuts down.
            Err(_) => Answered {
                ply: self.ply,
                seq: self.seq,
                stopped: stopped(self),
                answer: Err(Failure::Crash("its task was cancelled".to_string())),
            },
        }
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Crew {
    /// Engines on a pool of threads, none of which thinks longer than this about a move.
    pub fn new(pool: Pool, hire: Arc<dyn Hire>, metrics: Arc<Metrics>, longest: Duration) -> Crew {
        let costs = Arc::new(Mutex::new(Costs::new(longest)));
        Crew { pool, hire, metrics, longest, costs }
    }

    /// Who makes the players.
    pub fn hire(&self) -> &Arc<dyn Hire> {
        &self.hire
    }

    /// Thinks about the position of a game, as soon as it is the visitor's turn.
    pub(super) fn think(
        &self,
        live: &Live,
        side: Side,
        clocks: Option<([i64; 2], i64)>,
        visitor: IpAddr,
    ) -> Thinking {
        let (send, answer) = oneshot::channel();
        let stop = Arc::new(Stop::default());
        let (ply, seq) = (live.board().ply(), live.seq());
        let seat = &live.seats()[side.index()];
        let job = Job {
            host: live.host().clone(),
            spec: seat.key.clone(),
            house: seat.kind == SeatKind::House,
            record: live.record(),
            clocks,
            seed: seed(live.id(), ply),
            side,
        };
        let cost = lock(&self.costs).expect(&job.host.spec(), &job.spec, job.house);
        let thread = self.pool.submit(visitor, cost);
        let place = thread.place();
        let (crew, told) = (self.clone(), stop.clone());
        tokio::spawn(async move {
            let answered = match crew.choose(job, thread, told).await {
                Some(answer) => Answered { ply, seq, stopped: false, answer },
                None => Answered { ply, seq, stopped: true, answer: Ok(Answer::NoMove) },
            };
            let _ = send.send(answered);
        });
        Thinking { stop, answer, place, ply, seq }
    }

    /// The answer of a player; none if it is stopped before its turn.
    async fn choose(
        self,
        job: Job,
        mut thread: JobHandle,
        stop: Arc<Stop>,
    ) -> Option<Result<Answer, Failure>> {
        let queued = Instant::now();
        tokio::select! {
            () = thread.started() => {}
            () = stop.set.notified() => return None,
        }
        if stop.is_set.load(Ordering::Relaxed) {
            return None;
        }
        let limits = job.limits(queued.elapsed(), self.longest);
        let thinking = tokio::task::spawn_blocking(move || {
            let _held = (thread, Held::one(&self.metrics, |metrics| &metrics.thinking));
            let begun = Instant::now();
            let answer = job.choose(self.hire.as_ref(), &limits, &stop.is_set);
            if !stop.is_set.load(Ordering::Relaxed) {
                lock(&self.costs).learn(&job.host.spec(), &job.spec, begun.elapsed());
            }
            answer
        });
        Some(thinking.await.unwrap_or_else(|error| Err(Failure::Crash(end_of_task(error)))))
    }
}

fn lock(costs: &Mutex<Costs>) -> std::sync::MutexGuard<'_, Costs> {
    costs.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Job {
    host: Arc<dyn Hosted>,
    spec: String,
    house: bool,
    record: Record,
    /// What both have left, and what they get for a move, when the job was queued.
    clocks: Option<([i64; 2], i64)>,
    seed: u64,
    side: Side,
}

impl Job {
    fn choose(&self, hire: &dyn Hire, limits: &Limits, stop: &AtomicBool) -> Result<Answer, Failure> {
        let mut player =
            hire.player(self.host.as_ref(), &self.spec, self.house, self.seed).map_err(Failure::Start)?;
        player.ready(&self.record.game)?;
        player.begin(&self.record.game, self.side);
        let record = Record { ending: None, ..self.record.clone() };
        player.choose(&record, limits, stop, &mut |_| ())
    }

    /// What the player may use: its clock, less what the job waited, and no more than the longest time for a move. A program
    /// that the operator runs (`--bot`) gets its whole clock.
    fn limits(&self, waited: Duration, longest: Duration) -> Limits {
        let Some((left, increment)) = self.clocks else {
            return Limits { time: Some(longest), ..Limits::default() };
        };
        let time = |millis: i64| Duration::from_millis(millis.max(0) as u64);
        let mut left = left.map(|left| time(left).saturating_sub(MARGIN).max(Duration::from_millis(1)));
        let own = &mut left[self.side.index()];
        // Less than that is part of the margin.
        if waited > MARGIN / 2 {
            *own = own.saturating_sub(waited).max(Duration::from_millis(1));
        }
        let own = if self.house { *own } else { (*own).min(longest) };
        let clocks = Some(Clocks { left, increment: [time(increment); 2] });
        Limits { time: Some(own), clocks, ..Limits::default() }
    }
}

/// The same game asked again gives the same chances; another game others.
fn seed(id: &str, ply: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, ply).hash(&mut hasher);
    hasher.finish()
}
