//! The engines of a server. They think on the threads of the server's [`ThreadPool`], in its fair queue. An engine is made for each
//! move and keeps nothing; it is stopped when no client waits for its move.

use super::{GameSeat, GameTime, LiveGame};
use crate::{
    metrics::{GaugeGuard, Metrics},
    problem::end_of_task,
    thread_pool::{Costs, JobHandle, QueuePosition, ThreadPool},
    wire::SeatKind,
};
use parlor_catalog::{BadPlayer, DynGame, Resources};
use parlor_core::{Answer, Board, Failure, Limits, Player, Side};
use parlor_session::Micros;
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    net::IpAddr,
    path::PathBuf,
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

/// The part of its remaining time that an engine may not use, because the answer has to be stored in time.
const MARGIN: Duration = Duration::from_millis(50);

/// Memory in bytes of an engine whose level sets none. It is small because several engines search at the same time.
/// Levels have their own sizes, so that they play the same moves here as in the console.
const MEMORY: usize = 16 << 20;

/// Makes a player of one of the server's bots: the game, the spec of the bot, the seed. The error is a sentence.
pub type MakeBot = Arc<dyn Fn(&dyn DynGame, &str, u64) -> Result<Box<dyn Player>, String> + Send + Sync>;

/// Runs the engines of all games.
#[derive(Clone)]
pub struct EnginePool {
    pool: ThreadPool,
    /// The bots that this server runs: name and spec.
    bots: Arc<Vec<(String, String)>>,
    make_bot: MakeBot,
    tables: Option<PathBuf>,
    metrics: Arc<Metrics>,
    /// The longest thinking time per move.
    longest: Duration,
    costs: Arc<Mutex<Costs>>,
}

/// A move being thought about, or waiting for a thread.
pub(super) struct Thinking {
    stop: Arc<Stop>,
    /// Receives the moment at which it starts to think; `None` from then on.
    started: Option<oneshot::Receiver<Micros>>,
    answer: oneshot::Receiver<EngineAnswer>,
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

pub(super) struct EngineAnswer {
    /// The ply of the position that the engine was asked about.
    pub ply: usize,
    /// Sequence number of the event after which the engine was asked.
    pub seq: i64,
    pub stopped: bool,
    /// The start plus the time that is charged.
    pub at: Micros,
    pub answer: Result<Answer, Failure>,
}

/// What an engine's job reports.
pub(super) enum SearchProgress {
    /// It left the queue, is ready, and thinks since this moment.
    Started {
        at: Micros,
        /// Sequence number of the event after which the engine was asked.
        seq: i64,
    },
    Answered(Box<EngineAnswer>),
}

impl Thinking {
    pub fn stop(&self) {
        self.stop.is_set.store(true, Ordering::Relaxed);
        self.stop.set.notify_one();
    }

    /// The place in the queue; `None` as soon as the engine thinks.
    pub fn place(&self) -> Option<usize> {
        if self.stop.is_set.load(Ordering::Relaxed) { None } else { self.place.get() }
    }

    /// Whether it thinks about the position after this event, and has left the queue.
    pub fn thinks_after(&self, seq: i64) -> bool {
        self.started.is_none() && self.seq == seq
    }

    /// Waits for the start of the search, then for the answer. Cancel-safe.
    pub async fn progress(&mut self) -> SearchProgress {
        if let Some(started) = &mut self.started {
            let started = started.await;
            self.started = None;
            // Without a start there is an answer all the same: a failure, or that it was stopped.
            if let Ok(at) = started {
                return SearchProgress::Started { at, seq: self.seq };
            }
        }
        let stopped = |this: &Thinking| this.stop.is_set.load(Ordering::Relaxed);
        SearchProgress::Answered(Box::new(match (&mut self.answer).await {
            Ok(answered) => EngineAnswer { stopped: answered.stopped || stopped(self), ..answered },
            // The task was dropped before it could answer: the server shuts down.
            Err(_) => EngineAnswer {
                ply: self.ply,
                seq: self.seq,
                stopped: true,
                at: Micros::ZERO,
                answer: Err(Failure::Crash("its task was cancelled".to_string())),
            },
        }))
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.stop();
    }
}

impl EnginePool {
    /// Engines on a pool of threads, none of which thinks longer than this about a move.
    pub fn new(
        pool: ThreadPool,
        bots: Vec<(String, String)>,
        make_bot: MakeBot,
        tables: Option<PathBuf>,
        metrics: Arc<Metrics>,
        longest: Duration,
    ) -> EnginePool {
        let costs = Arc::new(Mutex::new(Costs::new(longest)));
        EnginePool { pool, bots: Arc::new(bots), make_bot, tables, metrics, longest, costs }
    }

    /// The names of the bots that this server runs.
    pub fn bots(&self) -> Vec<String> {
        self.bots.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The player of a seat. A visitor's spec names a player of the catalogue; only the operator's bots can be programs.
    pub(super) fn player(
        &self,
        game: &dyn DynGame,
        seat: &GameSeat,
        seed: u64,
    ) -> Result<Box<dyn Player>, String> {
        if seat.kind == SeatKind::House {
            let bot = self.bots.iter().find(|(name, _)| *name == seat.key);
            let (_, spec) = bot.ok_or_else(|| "this server no longer runs that bot".to_string())?;
            return (self.make_bot)(game, spec, seed);
        }
        catalog_player(game, &seat.key, self.tables.clone(), seed).map_err(|bad| bad.to_string())
    }

    /// Thinks about the position of a game, as soon as it is the visitor's turn. The limits hold from the moment at which it
    /// starts to think.
    pub(super) fn think(
        &self,
        live: &LiveGame,
        side: Side,
        limits: Limits,
        time: &GameTime,
        visitor: IpAddr,
    ) -> Thinking {
        let (send, answer) = oneshot::channel();
        let (start, started) = oneshot::channel();
        let stop = Arc::new(Stop::default());
        let (ply, seq) = (live.board().ply(), live.seq());
        let seat = &live.seats()[side.index()];
        let job = ThinkJob {
            host: live.host().clone(),
            seat: seat.clone(),
            board: live.board().clone_box(),
            limits,
            time: time.clone(),
            seed: seed(live.id(), ply),
            side,
        };
        let cost = lock(&self.costs).expect(&job.host.spec(), &seat.key, job.is_bot());
        let thread = self.pool.submit(visitor, cost);
        let place = thread.place();
        let (engines, stopped) = (self.clone(), stop.clone());
        tokio::spawn(async move {
            let answered = match engines.choose(job, thread, stopped, start).await {
                Some((at, answer)) => EngineAnswer { ply, seq, stopped: false, at, answer },
                None => {
                    EngineAnswer { ply, seq, stopped: true, at: Micros::ZERO, answer: Ok(Answer::NoMove) }
                }
            };
            let _ = send.send(answered);
        });
        Thinking { stop, started: Some(started), answer, place, ply, seq }
    }

    /// The answer of a player and its time; none if it is stopped while it waits for a thread.
    async fn choose(
        self,
        job: ThinkJob,
        mut thread: JobHandle,
        stop: Arc<Stop>,
        start: oneshot::Sender<Micros>,
    ) -> Option<(Micros, Result<Answer, Failure>)> {
        tokio::select! {
            () = thread.started() => {}
            () = stop.set.notified() => return None,
        }
        if stop.is_set.load(Ordering::Relaxed) {
            return None;
        }
        let limits = job.limits(self.longest);
        let time = job.time.clone();
        let thinking = tokio::task::spawn_blocking(move || {
            let _held = (thread, GaugeGuard::new(&self.metrics, |metrics| &metrics.thinking));
            let begun = Instant::now();
            let answer = job.choose(&self, &limits, &stop.is_set, start);
            if !stop.is_set.load(Ordering::Relaxed) {
                lock(&self.costs).learn(&job.host.spec(), &job.seat.key, begun.elapsed());
            }
            answer
        });
        let crashed = |error| (time.now(), Err(Failure::Crash(end_of_task(error))));
        Some(thinking.await.unwrap_or_else(crashed))
    }
}

fn lock(costs: &Mutex<Costs>) -> std::sync::MutexGuard<'_, Costs> {
    costs.lock().unwrap_or_else(PoisonError::into_inner)
}

struct ThinkJob {
    host: Arc<dyn DynGame>,
    seat: GameSeat,
    board: Box<dyn Board>,
    limits: Limits,
    time: GameTime,
    seed: u64,
    side: Side,
}

impl ThinkJob {
    /// The answer and its time. Making the player and starting a program is not thinking.
    fn choose(
        &self,
        engines: &EnginePool,
        limits: &Limits,
        stop: &AtomicBool,
        start: oneshot::Sender<Micros>,
    ) -> (Micros, Result<Answer, Failure>) {
        let mut player = match self.player(engines) {
            Ok(player) => player,
            Err(failure) => return (self.time.now(), Err(failure)),
        };
        let started = self.time.now();
        // The room may have ended.
        let _ = start.send(started);
        let answer = player.choose(self.board.as_ref(), limits, stop, &mut |_| ());
        let taken = self.time.now() - started;
        let thought = player.thought().map_or(taken, |thought| taken.min(thought.into()));
        (started + thought, answer)
    }

    fn is_bot(&self) -> bool {
        self.seat.kind == SeatKind::House
    }

    fn player(&self, engines: &EnginePool) -> Result<Box<dyn Player>, Failure> {
        let made = engines.player(self.host.as_ref(), &self.seat, self.seed);
        let mut player = made.map_err(Failure::Start)?;
        let spec = self.board.spec();
        player.ready(&spec)?;
        player.begin(&spec, self.side);
        Ok(player)
    }

    /// The limits of the player: its clock minus a margin, and at most the longest time per move. A program that
    /// the operator runs (`--bot`) may use its whole clock.
    fn limits(&self, longest: Duration) -> Limits {
        let mut limits = self.limits.with_margin(MARGIN);
        match limits.time {
            // A program that hangs in a correspondence game does not hold a thread for days.
            None => Limits { time: Some(longest), deadline: None, ..limits },
            Some(time) => {
                limits.time = Some(if self.is_bot() { time } else { time.min(longest) });
                limits
            }
        }
    }
}

/// The player of a spec that a visitor chose.
fn catalog_player(
    game: &dyn DynGame,
    spec: &str,
    tables: Option<PathBuf>,
    seed: u64,
) -> Result<Box<dyn Player>, BadPlayer> {
    game.player(&spec.parse()?, &Resources { memory: Some(MEMORY), tables, ..Resources::seeded(seed) })
}

/// The random seed: the same position of the same game gives the same seed.
fn seed(id: &str, ply: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, ply).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_catalog::{entries, game};

    /// The player's move, and the nodes of its search: memory shows in them before it changes a move.
    fn answer(
        player: Result<Box<dyn Player>, BadPlayer>,
        board: &dyn Board,
        limits: &Limits,
    ) -> (String, u64) {
        let (mut player, mut nodes) = (player.expect("a player"), 0);
        let mut count = |report: &parlor_core::Report| nodes = report.nodes;
        match player.choose(board, limits, &AtomicBool::new(false), &mut count) {
            Ok(Answer::Move(text)) => (text, nodes),
            other => panic!("{other:?}"),
        }
    }

    /// The answers of a level in the console and on the server, whose limit is ten seconds a move.
    fn answers(game: &dyn DynGame, spec: &str, board: &dyn Board, seed: u64) -> [(String, u64); 2] {
        let console = game.player(&spec.parse().expect("a spec"), &Resources::seeded(seed));
        let console = answer(console, board, &Limits::default());
        let limits = Limits { time: Some(Duration::from_secs(10)), ..Limits::default() };
        [console, answer(catalog_player(game, spec, None, seed), board, &limits)]
    }

    #[test]
    fn a_level_plays_the_same_moves_on_the_server_as_in_the_console() {
        for entry in entries() {
            let game = entry.build("").expect("the default parameters are legal");
            let mut board = game.board();
            for (ply, level) in [9, 1, 3, 5, 7].into_iter().enumerate() {
                let spec = format!("engine:level={level}");
                let [console, server] = answers(game.as_ref(), &spec, board.as_ref(), ply as u64);
                assert_eq!(console, server, "{} level {level} at ply {ply}", entry.name);
                board.play(&console.0).expect("a legal move");
            }
        }
    }

    #[test]
    fn a_visitors_spec_names_no_program() {
        for entry in entries() {
            let game = entry.build("").expect("the default parameters are legal");
            for spec in ["bot:sh", "bot:x=y", "ugi:x=y"] {
                assert!(catalog_player(game.as_ref(), spec, None, 1).is_err(), "{spec}");
            }
        }
    }

    #[test]
    fn level_9_plays_amazons_on_the_server_as_in_the_console() {
        let game = game("amazons").expect("a game");
        let mut board = game.board();
        board.play("d1-d7/g7").expect("a legal move");
        let [console, server] = answers(game.as_ref(), "engine:level=9", board.as_ref(), 1);
        assert_eq!(console, server);
    }
}
