//! A thread that thinks about one position and then tells the best move, exactly once, whatever happens to the player.

use super::{session::Output, telling};
use parlor_core::{Answer, Board, Limits, Player};
use parlor_engine::Clock;
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long a player that was told to stop is waited for at the end.
const TO_STOP: Duration = Duration::from_secs(1);
const LOOK: Duration = Duration::from_millis(1);

/// The parameters of a search.
pub(super) struct Task {
    pub board: Box<dyn Board>,
    pub limits: Limits,
    /// Whether to withhold the answer until `stop`.
    pub infinite: bool,
    pub output: Output,
    pub clock: Arc<dyn Clock>,
}

pub(super) struct Thinking {
    stop: Arc<AtomicBool>,
    /// Set just before the best move is printed.
    answered: Arc<AtomicBool>,
    thread: JoinHandle<Option<Box<dyn Player>>>,
}

impl Thinking {
    pub fn start(player: Box<dyn Player>, task: Task) -> io::Result<Thinking> {
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let flags = (stop.clone(), answered.clone());
        // As much stack as the main thread has: a search may go deep.
        let thread = thread::Builder::new()
            .name("thinking".to_string())
            .stack_size(8 << 20)
            .spawn(move || task.think(player, &flags.0, &flags.1))?;
        Ok(Thinking { stop, answered, thread })
    }

    /// Asks for the answer at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the best move has been told, or is about to be.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Acquire)
    }

    /// The player, once it has answered; none if it broke.
    pub fn finish(self) -> Option<Box<dyn Player>> {
        self.thread.join().ok().flatten()
    }

    /// Stops the search and waits briefly for its answer.
    pub fn leave(self) {
        self.stop();
        let begun = Instant::now();
        while !self.thread.is_finished() && begun.elapsed() < TO_STOP {
            thread::sleep(LOOK);
        }
    }
}

impl Task {
    fn think(
        self,
        mut player: Box<dyn Player>,
        stop: &AtomicBool,
        answered: &AtomicBool,
    ) -> Option<Box<dyn Player>> {
        let begun = self.clock.now();
        let mut report = |report: &_| {
            // Where nobody listens, the reader of the input will notice.
            let _ = self.output.say(&telling::info(report, self.clock.now().saturating_sub(begun)));
        };
        let thought = catch_unwind(AssertUnwindSafe(|| {
            player.choose(self.board.as_ref(), &self.limits, stop, &mut report)
        }));
        while self.infinite && !stop.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
        }
        let (player, answer) = match thought {
            Ok(Ok(answer)) => (Some(player), answer),
            Ok(Err(failure)) => {
                let _ = self.output.remark(&format!("the player {failure}"));
                (Some(player), Answer::NoMove)
            }
            Err(_) => {
                let _ = self.output.remark("the player panicked");
                (None, Answer::NoMove)
            }
        };
        answered.store(true, Ordering::Release);
        let _ = self.output.say(&match answer {
            Answer::Move(text) => format!("bestmove {text}"),
            Answer::Resign => "bestmove resign".to_string(),
            Answer::Claim => "bestmove claim".to_string(),
            Answer::NoMove => "bestmove (none)".to_string(),
        });
        player
    }
}
