//! The threads of a worker: each plays one game after the other, or answers a question in between. Programs stay with their thread.
//! A thread that is told to stop a game gives it back without a result, and a panic takes nobody along.

use super::{bench::Bench, field::Field};
use parlor_tournament::{Cores, Entry, Halt, Slot, Table};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::AtomicBool,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Tournaments whose programs wait at one thread.
const TABLES: usize = 4;

/// What is to be done.
pub struct Order {
    pub id: i64,
    pub halt: Arc<AtomicBool>,
    pub work: Work,
}

pub enum Work {
    Game(Arc<Field>, Slot),
    Question(String),
}

/// What came of it.
pub struct Done {
    pub id: i64,
    pub result: Outcome,
    pub took: Duration,
}

pub enum Outcome {
    Played(Arc<Field>, Box<Entry>),
    Answered(String),
    /// It was told to stop.
    Left,
    /// A sentence.
    Failed(String),
}

/// Threads that take orders.
pub struct Crew {
    orders: Option<Sender<Order>>,
    threads: Vec<JoinHandle<()>>,
    done: UnboundedReceiver<Done>,
}

impl Crew {
    pub fn of(threads: usize, bench: &Arc<Bench>) -> Crew {
        let (orders, taken) = mpsc::channel();
        let (send, done) = unbounded_channel();
        let taken = Arc::new(Mutex::new(taken));
        let cores = Cores::available();
        let one = |number| {
            let (taken, send, bench) = (taken.clone(), send.clone(), bench.clone());
            let core = Core { number, threads, cores: cores.clone() };
            thread::spawn(move || work(&taken, &send, &bench, &core))
        };
        Crew { orders: Some(orders), threads: (0..threads).map(one).collect(), done }
    }

    pub fn order(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // Threads end only when nobody can order any more.
            let _ = orders.send(order);
        }
    }

    /// The next that is done.
    pub async fn next(&mut self) -> Option<Done> {
        self.done.recv().await
    }

    /// All that is done by now.
    pub fn ready(&mut self) -> Vec<Done> {
        std::iter::from_fn(|| self.done.try_recv().ok()).collect()
    }

    /// Sends everybody home, and gives what was done in the meantime.
    pub fn close(mut self) -> Vec<Done> {
        self.orders = None;
        for thread in self.threads.drain(..) {
            // What a thread could panic with was caught, game by game.
            let _ = thread.join();
        }
        self.ready()
    }
}

/// The cores of a thread.
struct Core {
    number: usize,
    /// The number of threads that play games.
    threads: usize,
    cores: Result<Cores, String>,
}

impl Core {
    /// Prepares the calling thread for a game that is pinned or not. The error is a sentence.
    fn prepare(&self, pin: bool) -> Result<(), String> {
        match &self.cores {
            Ok(cores) if pin => cores.pin(self.number),
            Ok(cores) => {
                cores.share(self.number, self.threads);
                Ok(())
            }
            Err(why) if pin => Err(why.clone()),
            Err(_) => Ok(()),
        }
    }
}

fn work(taken: &Mutex<Receiver<Order>>, send: &UnboundedSender<Done>, bench: &Bench, core: &Core) {
    let mut tables: Vec<(Arc<Field>, Table)> = Vec::new();
    loop {
        let order = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Order { id, halt, work }) = order else { return };
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| match work {
            Work::Game(field, slot) => match core.prepare(field.plan.pin) {
                Ok(()) => play(field, slot, &mut tables, &halt),
                Err(why) => Outcome::Failed(why),
            },
            Work::Question(text) => match core.prepare(false).and_then(|()| bench.answer(&text, &halt)) {
                Ok(answer) => Outcome::Answered(answer),
                Err(why) => Outcome::Failed(why),
            },
        }));
        let result = result.unwrap_or_else(|_| {
            tables.clear();
            Outcome::Failed("the referee panicked".to_string())
        });
        if send.send(Done { id, result, took: begun.elapsed() }).is_err() {
            return;
        }
    }
}

fn play(field: Arc<Field>, slot: Slot, tables: &mut Vec<(Arc<Field>, Table)>, halt: &AtomicBool) -> Outcome {
    if halt.load(std::sync::atomic::Ordering::Relaxed) {
        return Outcome::Left;
    }
    let at = tables.iter().position(|(known, _)| Arc::ptr_eq(known, &field));
    let mut table = match at {
        Some(at) => tables.remove(at).1,
        None => Table::default(),
    };
    let played = field.tournament().play(slot, &mut table, halt);
    // The latest stands last; the one that was longest without a game goes.
    tables.push((field.clone(), table));
    if tables.len() > TABLES {
        tables.remove(0);
    }
    match played {
        Ok(entry) if entry.halves().is_none() => Outcome::Left,
        Ok(entry) => Outcome::Played(field, Box::new(entry)),
        Err(Halt::Player(bad)) => Outcome::Failed(bad.to_string()),
        Err(other) => Outcome::Failed(other.to_string()),
    }
}
