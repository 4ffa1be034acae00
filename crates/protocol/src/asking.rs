//! One question and its answer, timed. The time runs from the moment the question is written to the moment the answer arrives,
//! both by one clock; the delay until it is read is not charged. A program that has not answered at `Limits::deadline` has
//! failed, also if it did not read the question. How late an answer may be is decided by the session that sets that deadline.

use crate::{
    Dialect, Terms,
    dialects::{Said, simple::UNTIMED},
    inbox::{Heard, Trouble},
    link::Link,
};
use parlor_core::{Answer, Failure, Limits, Report};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// How long the answer of a program whose try was taken may take to come after all.
const LAST_WORD: Duration = Duration::from_millis(20);
/// How often the clock and the stop flag are looked at while nothing comes.
const LOOK: Duration = Duration::from_millis(5);
/// How long an engine that is told to stop for good may take to answer.
const TO_STOP: Duration = Duration::from_millis(200);
/// How long a program that does not fall silent is waited for, and how often at most.
const TO_SETTLE: Duration = Duration::from_millis(30);
const MOST_SETTLING: u32 = 10;
/// How many looks a program that has ended gets for its last line.
const LAST_LOOKS: u32 = 4;

/// The context of a request for a move.
pub(crate) struct Asking<'a> {
    pub dialect: Dialect,
    pub terms: &'a Terms,
    pub limits: &'a Limits,
    pub stop: &'a AtomicBool,
}

/// The result of a turn.
pub(crate) struct Turn {
    pub answer: Result<Answer, Failure>,
    pub thought: Duration,
    /// Processor time that it took, where that is measured.
    pub cpu: Option<Duration>,
    /// Whether the program may be asked again: not if it still thinks about this.
    pub keeps: bool,
}

/// State of a turn in progress.
#[derive(Default)]
struct Waiting {
    asked: Duration,
    /// The last `try`.
    tried: Option<String>,
    /// Whether an engine was told to stop.
    told: bool,
    /// Until when it may answer after the flag was set.
    patience: Option<Duration>,
    looks_after_end: u32,
}

impl Asking<'_> {
    /// Asks and waits. The program is frozen after its answer and goes on with the next question: its time runs from the moment
    /// at which it can go on. How long freezing and thawing take is the referee's own delay.
    pub fn ask(&self, link: &mut Link, question: &[String], report: &mut dyn FnMut(&Report)) -> Turn {
        if !link.is_frozen() {
            settle(link, self.terms);
        }
        let before = link.cpu_time();
        link.thaw();
        link.inbox.listen();
        let mut waiting = Waiting { asked: self.terms.clock.now(), ..Waiting::default() };
        for line in question {
            link.outbox.send(line);
        }
        let turn = self.wait(link, &mut waiting, report);
        link.inbox.rest();
        if turn.keeps {
            freeze(link, self.terms);
        }
        let cpu = link.cpu_time().zip(before).map(|(after, before)| after.saturating_sub(before));
        Turn { cpu, ..turn }
    }

    fn wait(&self, link: &mut Link, waiting: &mut Waiting, report: &mut dyn FnMut(&Report)) -> Turn {
        loop {
            let taken = self.terms.clock.now().saturating_sub(waiting.asked);
            match link.hear(self.pause(taken)) {
                Heard::Line(line) => {
                    let taken = line.at.saturating_sub(waiting.asked);
                    if taken > self.due(waiting) {
                        return self.overdue(link, waiting, taken);
                    }
                    match self.dialect.read(&line.text) {
                        Said::Answer(answer) => {
                            return Turn { answer: Ok(answer), thought: taken, cpu: None, keeps: true };
                        }
                        Said::Try(text) => waiting.tried = Some(text),
                        Said::Report(told) => report(&told),
                        Said::Unknown => (),
                    }
                }
                Heard::Trouble(Trouble::Closed) => return failed(Failure::Crash(link.obituary()), taken),
                Heard::Trouble(trouble) => return failed(Failure::Garbage(trouble.to_string()), taken),
                Heard::Nothing => {
                    if let Some(turn) = self.look(link, waiting) {
                        return turn;
                    }
                }
            }
            if let Some(turn) = self.press(link, waiting) {
                return turn;
            }
        }
    }

    fn limit(&self) -> Duration {
        self.limits.time.unwrap_or(UNTIMED)
    }

    /// The last moment at which an answer is in time. In byo-yomi an overrun costs a period, so it is later than the limit.
    fn deadline(&self) -> Duration {
        self.limits.deadline.unwrap_or(self.limit())
    }

    /// When the turn ends without an answer: with a `try` at the limit, otherwise at the deadline.
    fn due(&self, waiting: &Waiting) -> Duration {
        if waiting.tried.is_some() { self.limit() } else { self.deadline() }
    }

    /// How long to wait for news before the clock is looked at again.
    fn pause(&self, taken: Duration) -> Duration {
        let limit = self.limit();
        let next = if taken < limit { limit } else { self.deadline() };
        next.saturating_sub(taken).clamp(Duration::from_micros(100), LOOK)
    }

    /// Called when no line has arrived: checks whether the program still runs.
    fn look(&self, link: &mut Link, waiting: &mut Waiting) -> Option<Turn> {
        let taken = self.terms.clock.now().saturating_sub(waiting.asked);
        if link.outbox.is_ignored() {
            return Some(failed(Failure::Garbage("it does not read its input".to_string()), taken));
        }
        if link.ended().is_some() {
            waiting.looks_after_end += 1;
        }
        let gone = waiting.looks_after_end > LAST_LOOKS;
        gone.then(|| failed(Failure::Crash(link.obituary()), taken))
    }

    /// Looks at the clock and the flag, and tells an engine to stop when it is time.
    fn press(&self, link: &mut Link, waiting: &mut Waiting) -> Option<Turn> {
        let now = self.terms.clock.now();
        let taken = now.saturating_sub(waiting.asked);
        let stopped = self.stop.load(Ordering::Relaxed);
        if (stopped || taken >= self.limit()) && self.dialect == Dialect::Ugi && !waiting.told {
            waiting.told = true;
            link.outbox.send("stop");
        }
        if stopped {
            let patience = if self.dialect == Dialect::Ugi { TO_STOP } else { Duration::ZERO };
            let until = *waiting.patience.get_or_insert(now + patience);
            if now >= until {
                let answer = waiting.tried.take().map(Answer::Move).ok_or(Failure::Timeout(taken));
                return Some(Turn { answer, thought: taken, cpu: None, keeps: false });
            }
        }
        // A line that came in time may still wait to be read: only silence is overdue.
        let overdue = taken > self.due(waiting) && link.inbox.is_silent();
        overdue.then(|| self.overdue(link, waiting, taken))
    }

    /// Time is up: the last try counts, as an answer at the limit.
    fn overdue(&self, link: &Link, waiting: &mut Waiting, taken: Duration) -> Turn {
        match waiting.tried.take() {
            Some(tried) => {
                // Its last word may be on the way: it is waited for before the next question.
                link.inbox.expect_more(self.terms.clock.now() + LAST_WORD);
                Turn { answer: Ok(Answer::Move(tried)), thought: self.limit(), cpu: None, keeps: true }
            }
            None if link.inbox.is_mid_line() => {
                let why = "its answer has no line end".to_string();
                // Not charged beyond the deadline: the unfinished line is what it did wrong.
                failed(Failure::Garbage(why), taken.min(self.deadline()))
            }
            None => failed(Failure::Timeout(taken), taken),
        }
    }
}

fn failed(failure: Failure, thought: Duration) -> Turn {
    Turn { answer: Err(failure), thought, cpu: None, keeps: false }
}

/// Freezes a program that has answered, unless it may go on thinking. What it writes after its answer comes first, so that it is
/// not taken for the next one.
pub(crate) fn freeze(link: &mut Link, terms: &Terms) {
    if !terms.ponder {
        settle(link, terms);
        link.freeze();
    }
}

/// Waits until the program has said all that belongs to its last turn, though not for ever.
fn settle(link: &Link, terms: &Terms) {
    let begun = terms.clock.now();
    for _ in 0..MOST_SETTLING {
        let now = terms.clock.now();
        let rest = link.inbox.unsettled(now);
        if rest.is_zero() || now.saturating_sub(begun) > TO_SETTLE {
            return;
        }
        thread::sleep(rest.min(LOOK));
    }
}
