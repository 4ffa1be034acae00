//! Where workers get their games: in the order of their numbers, each once; whoever finds none waits for the next stage.

use crate::Slot;
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// What a worker is to do.
pub(crate) enum Task {
    Play(Slot),
    GoHome,
}

pub(crate) struct Desk {
    inside: Mutex<Inside>,
    news: Condvar,
}

struct Inside {
    waiting: VecDeque<Slot>,
    closed: bool,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        Desk { inside: Mutex::new(Inside { waiting: VecDeque::new(), closed: false }), news: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in games that are new in the schedule.
    pub(crate) fn add(&self, slots: Vec<Slot>) {
        self.lock().waiting.extend(slots);
        self.news.notify_all();
    }

    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.news.notify_all();
    }

    pub(crate) fn next(&self) -> Task {
        let mut inside = self.lock();
        loop {
            if inside.closed {
                return Task::GoHome;
            }
            if let Some(slot) = inside.waiting.pop_front() {
                return Task::Play(slot);
            }
            inside = self.news.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
