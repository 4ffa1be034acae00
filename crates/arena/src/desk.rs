//! Where workers get their games: in the order of their numbers, each once; whoever finds none waits for the next stage.

use crate::{Slot, State};
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
    /// Games of the schedule that are out or have been.
    known: u64,
    closed: bool,
}

impl Desk {
    pub(crate) fn new(state: &State) -> Desk {
        let desk = Desk {
            inside: Mutex::new(Inside { waiting: VecDeque::new(), known: 0, closed: false }),
            news: Condvar::new(),
        };
        desk.renew(state);
        desk
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the games that are new in the schedule.
    pub(crate) fn renew(&self, state: &State) {
        let mut inside = self.lock();
        let games = state.schedule.games();
        if games > inside.known {
            let open = (inside.known..games).filter(|number| !state.entries.contains_key(number));
            inside.waiting.extend(open.filter_map(|number| state.schedule.slot(number)));
            inside.known = games;
            self.news.notify_all();
        }
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
