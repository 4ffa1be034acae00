//! One turn of a program: sends the question, waits for the answer and measures the time. The time runs from the moment the
//! question is written to the moment the answer arrives, both by one clock; the delay until our thread reads it is not charged.
//! A program that has not answered at `Limits::deadline` fails, even if it did not read the question. The session sets that
//! deadline and so decides how late an answer may be.

use crate::{
    BotOptions, Dialect,
    dialects::{BotMessage, simple::UNTIMED},
    inbox::{LineError, Received},
    link::Link,
};
use parlor_core::{Answer, Failure, Limits, Report};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// How long the late answer of a program is awaited after its last `try` was used.
const LATE_ANSWER: Duration = Duration::from_millis(20);
/// How often the clock and the stop flag are checked while no line arrives.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long an engine may take to answer after the stop flag is set.
const STOP_TIMEOUT: Duration = Duration::from_millis(200);
/// Limits of the wait for a program that continues to write after its turn: total time and number of polls.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(30);
const MAX_SETTLE_POLLS: u32 = 10;
/// How many polls a program that has exited gets for its last line to arrive.
const POLLS_AFTER_EXIT: u32 = 4;

/// The context of a request for a move.
pub(crate) struct TurnRequest<'a> {
    pub dialect: Dialect,
    pub options: &'a BotOptions,
    pub limits: &'a Limits,
    pub stop: &'a AtomicBool,
}

/// The result of a turn.
pub(crate) struct TurnResult {
    pub answer: Result<Answer, Failure>,
    pub thought: Duration,
    /// Processor time of the turn, if it is measured.
    pub cpu: Option<Duration>,
    /// Whether the program can take another question. False while it may still search this one.
    pub reusable: bool,
}

/// State of a turn in progress.
#[derive(Default)]
struct TurnState {
    started: Duration,
    /// The last `try`.
    best_try: Option<String>,
    /// Whether `stop` was sent to the engine.
    stop_sent: bool,
    /// The last moment for an answer after the stop flag was set.
    stop_deadline: Option<Duration>,
    polls_after_exit: u32,
}

impl TurnRequest<'_> {
    /// Sends the question and waits for the answer. The program is frozen after its answer and thawed for the next question.
    /// Its time starts after the thaw, so neither freezing nor thawing is charged.
    pub fn run(&self, link: &mut Link, question: &[String], report: &mut dyn FnMut(&Report)) -> TurnResult {
        if !link.is_frozen() {
            settle(link, self.options);
        }
        let before = link.cpu_time();
        link.thaw();
        link.inbox.begin_turn();
        let mut state = TurnState { started: self.options.clock.now(), ..TurnState::default() };
        for line in question {
            link.outbox.send(line);
        }
        let turn = self.wait(link, &mut state, report);
        link.inbox.end_turn();
        if turn.reusable {
            freeze(link, self.options);
        }
        let cpu = link.cpu_time().zip(before).map(|(after, before)| after.saturating_sub(before));
        TurnResult { cpu, ..turn }
    }

    fn wait(&self, link: &mut Link, state: &mut TurnState, report: &mut dyn FnMut(&Report)) -> TurnResult {
        loop {
            let taken = self.options.clock.now().saturating_sub(state.started);
            match link.receive(self.pause(taken)) {
                Received::Line(line) => {
                    let taken = line.at.saturating_sub(state.started);
                    if taken > self.due(state) {
                        return self.overdue(link, state, taken);
                    }
                    match self.dialect.read(&line.text) {
                        BotMessage::Answer(answer) => {
                            return TurnResult {
                                answer: Ok(answer),
                                thought: taken,
                                cpu: None,
                                reusable: true,
                            };
                        }
                        BotMessage::Try(text) => state.best_try = Some(text),
                        BotMessage::Report(progress) => report(&progress),
                        BotMessage::Unknown => (),
                    }
                }
                Received::Error(LineError::Closed) => {
                    return failed(Failure::Crash(link.failure_reason()), taken);
                }
                Received::Error(error) => return failed(Failure::Garbage(error.to_string()), taken),
                Received::Nothing => {
                    if let Some(turn) = self.check_process(link, state) {
                        return turn;
                    }
                }
            }
            if let Some(turn) = self.check_time(link, state) {
                return turn;
            }
        }
    }

    fn limit(&self) -> Duration {
        self.limits.time.unwrap_or(UNTIMED)
    }

    /// The last moment at which an answer is in time. It is later than the limit in byo-yomi, where an overrun costs a period.
    fn deadline(&self) -> Duration {
        self.limits.deadline.unwrap_or(self.limit())
    }

    /// When the turn ends without an answer: with a `try` at the limit, otherwise at the deadline.
    fn due(&self, state: &TurnState) -> Duration {
        if state.best_try.is_some() { self.limit() } else { self.deadline() }
    }

    /// How long to wait for a line before the next check of the clock.
    fn pause(&self, taken: Duration) -> Duration {
        let limit = self.limit();
        let next = if taken < limit { limit } else { self.deadline() };
        next.saturating_sub(taken).clamp(Duration::from_micros(100), POLL_INTERVAL)
    }

    /// Called when no line has arrived: checks whether the program still runs.
    fn check_process(&self, link: &mut Link, state: &mut TurnState) -> Option<TurnResult> {
        let taken = self.options.clock.now().saturating_sub(state.started);
        if link.outbox.is_ignored() {
            return Some(failed(Failure::Garbage("it does not read its input".to_string()), taken));
        }
        if link.exit_status().is_some() {
            state.polls_after_exit += 1;
        }
        let gone = state.polls_after_exit > POLLS_AFTER_EXIT;
        gone.then(|| failed(Failure::Crash(link.failure_reason()), taken))
    }

    /// Checks the clock and the stop flag. Sends `stop` to an engine at its limit.
    fn check_time(&self, link: &mut Link, state: &mut TurnState) -> Option<TurnResult> {
        let now = self.options.clock.now();
        let taken = now.saturating_sub(state.started);
        let stopped = self.stop.load(Ordering::Relaxed);
        if (stopped || taken >= self.limit()) && self.dialect == Dialect::Ugi && !state.stop_sent {
            state.stop_sent = true;
            link.outbox.send("stop");
        }
        if stopped {
            let timeout = if self.dialect == Dialect::Ugi { STOP_TIMEOUT } else { Duration::ZERO };
            let stop_deadline = *state.stop_deadline.get_or_insert(now + timeout);
            if now >= stop_deadline {
                let answer = state.best_try.take().map(Answer::Move).ok_or(Failure::Timeout(taken));
                return Some(TurnResult { answer, thought: taken, cpu: None, reusable: false });
            }
        }
        // A line that arrived in time may still be unread, so the turn is overdue only when the queue is empty.
        let overdue = taken > self.due(state) && link.inbox.is_empty();
        overdue.then(|| self.overdue(link, state, taken))
    }

    /// Ends a turn whose time is up. The last `try` counts as an answer at the limit.
    fn overdue(&self, link: &Link, state: &mut TurnState, taken: Duration) -> TurnResult {
        match state.best_try.take() {
            Some(best_try) => {
                // The final answer may be on its way, and must not be taken for the answer to the next question.
                link.inbox.expect_late_output(self.options.clock.now() + LATE_ANSWER);
                TurnResult {
                    answer: Ok(Answer::Move(best_try)),
                    thought: self.limit(),
                    cpu: None,
                    reusable: true,
                }
            }
            None if link.inbox.has_partial_line() => {
                let why = "its answer has no line end".to_string();
                // Charged up to the deadline only: the fault is the unfinished line, not the time.
                failed(Failure::Garbage(why), taken.min(self.deadline()))
            }
            None => failed(Failure::Timeout(taken), taken),
        }
    }
}

fn failed(failure: Failure, thought: Duration) -> TurnResult {
    TurnResult { answer: Err(failure), thought, cpu: None, reusable: false }
}

/// Freezes a program that has answered, unless it may ponder. Waits first for output that follows the answer, so that it is not
/// taken for the next one.
pub(crate) fn freeze(link: &mut Link, options: &BotOptions) {
    if !options.ponder {
        settle(link, options);
        link.freeze();
    }
}

/// Waits a limited time until the program has written all output that belongs to its last turn.
fn settle(link: &Link, options: &BotOptions) {
    let begun = options.clock.now();
    for _ in 0..MAX_SETTLE_POLLS {
        let now = options.clock.now();
        let rest = link.inbox.settle_time(now);
        if rest.is_zero() || now.saturating_sub(begun) > SETTLE_TIMEOUT {
            return;
        }
        thread::sleep(rest.min(POLL_INTERVAL));
    }
}
