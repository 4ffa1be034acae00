//! The engines of a server: a bounded crew, so that however many games wait, only so many think. A player of ours is made for
//! each move and leaves nothing behind; a thinker that nobody waits for is told to stop.

use super::Live;
use crate::{
    metrics::{Held, Metrics},
    problem::end_of_task,
    wire::SeatKind,
};
use parlor_catalog::Hosted;
use parlor_play::{Answer, Clocks, Failure, Limits, Player, Record, Side};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Semaphore, oneshot};

/// Without a clock nobody waits longer for a move.
const LONGEST: Duration = Duration::from_secs(10);
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
    desks: Arc<Semaphore>,
    hire: Arc<dyn Hire>,
    metrics: Arc<Metrics>,
}

/// A move being thought about.
pub(super) struct Thinking {
    stop: Arc<AtomicBool>,
    answer: oneshot::Receiver<Answered>,
    ply: usize,
    seq: i64,
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
        self.stop.store(true, Ordering::Relaxed);
    }

    pub async fn answer(&mut self) -> Answered {
        let stopped = |this: &Thinking| this.stop.load(Ordering::Relaxed);
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
    /// A crew of so many.
    pub fn new(desks: usize, hire: Arc<dyn Hire>, metrics: Arc<Metrics>) -> Crew {
        Crew { desks: Arc::new(Semaphore::new(desks)), hire, metrics }
    }

    /// Who makes the players.
    pub fn hire(&self) -> &Arc<dyn Hire> {
        &self.hire
    }

    /// Thinks about the position of a game, as soon as a desk is free.
    pub(super) fn think(&self, live: &Live, side: Side, clocks: Option<([i64; 2], i64)>) -> Thinking {
        let (send, answer) = oneshot::channel();
        let stop = Arc::new(AtomicBool::new(false));
        let (ply, seq) = (live.board().ply(), live.seq());
        let seat = &live.seats()[side.index()];
        let job = Job {
            host: live.host().clone(),
            spec: seat.key.clone(),
            house: seat.kind == SeatKind::House,
            record: live.record(),
            limits: limits(side, clocks),
            seed: seed(live.id(), ply),
            side,
        };
        let (desks, hire, told) = (self.desks.clone(), self.hire.clone(), stop.clone());
        let metrics = self.metrics.clone();
        tokio::spawn(async move {
            let Ok(_desk) = desks.acquire_owned().await else { return };
            if told.load(Ordering::Relaxed) {
                let _ = send.send(Answered { ply, seq, stopped: true, answer: Ok(Answer::NoMove) });
                return;
            }
            let _thinking = Held::one(&metrics, |metrics| &metrics.thinking);
            let answer = tokio::task::spawn_blocking(move || job.choose(hire.as_ref(), &told)).await;
            let answer = answer.unwrap_or_else(|error| Err(Failure::Crash(end_of_task(error))));
            let _ = send.send(Answered { ply, seq, stopped: false, answer });
        });
        Thinking { stop, answer, ply, seq }
    }
}

struct Job {
    host: Arc<dyn Hosted>,
    spec: String,
    house: bool,
    record: Record,
    limits: Limits,
    seed: u64,
    side: Side,
}

impl Job {
    fn choose(&self, hire: &dyn Hire, stop: &AtomicBool) -> Result<Answer, Failure> {
        let mut player =
            hire.player(self.host.as_ref(), &self.spec, self.house, self.seed).map_err(Failure::Start)?;
        player.ready(&self.record.game)?;
        player.begin(&self.record.game, self.side);
        let record = Record { ending: None, ..self.record.clone() };
        player.choose(&record, &self.limits, stop, &mut |_| ())
    }
}

fn limits(side: Side, clocks: Option<([i64; 2], i64)>) -> Limits {
    let Some((left, increment)) = clocks else { return Limits { time: Some(LONGEST), ..Limits::default() } };
    let time = |millis: i64| Duration::from_millis(millis.max(0) as u64);
    let left = left.map(|left| time(left).saturating_sub(MARGIN).max(Duration::from_millis(1)));
    let clocks = Clocks { left, increment: [time(increment); 2] };
    Limits { time: Some(left[side.index()]), clocks: Some(clocks), ..Limits::default() }
}

/// The same game asked again gives the same chances; another game others.
fn seed(id: &str, ply: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, ply).hash(&mut hasher);
    hasher.finish()
}
