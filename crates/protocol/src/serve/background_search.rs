//! A search in a thread of its own. It writes `bestmove` exactly once, even if the player fails or panics.

use super::{output_lines, ugi_server::Output};
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

/// How long the end of the engine waits for a stopped search.
const TO_STOP: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The parameters of a search.
pub(super) struct SearchTask {
    pub board: Box<dyn Board>,
    pub limits: Limits,
    /// Whether to withhold the answer until `stop`.
    pub infinite: bool,
    pub output: Output,
    pub clock: Arc<dyn Clock>,
}

pub(super) struct BackgroundSearch {
    stop: Arc<AtomicBool>,
    /// Set just before the best move is printed.
    answered: Arc<AtomicBool>,
    thread: JoinHandle<Option<Box<dyn Player>>>,
}

impl BackgroundSearch {
    pub fn start(player: Box<dyn Player>, task: SearchTask) -> io::Result<BackgroundSearch> {
        let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let flags = (stop.clone(), answered.clone());
        // As much stack as the main thread has: a search may go deep.
        let thread = thread::Builder::new()
            .name("search".to_string())
            .stack_size(8 << 20)
            .spawn(move || task.run(player, &flags.0, &flags.1))?;
        Ok(BackgroundSearch { stop, answered, thread })
    }

    /// Asks the player to answer at once.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the best move has been written or is about to be.
    pub fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Acquire)
    }

    /// Waits for the answer and returns the player, `None` if it panicked.
    pub fn finish(self) -> Option<Box<dyn Player>> {
        self.thread.join().ok().flatten()
    }

    /// Stops the search and waits briefly for its answer.
    pub fn shut_down(self) {
        self.stop();
        let begun = Instant::now();
        while !self.thread.is_finished() && begun.elapsed() < TO_STOP {
            thread::sleep(POLL_INTERVAL);
        }
    }
}

impl SearchTask {
    fn run(
        self,
        mut player: Box<dyn Player>,
        stop: &AtomicBool,
        answered: &AtomicBool,
    ) -> Option<Box<dyn Player>> {
        let begun = self.clock.now();
        let mut report = |report: &_| {
            // The command loop notices a closed output.
            let _ =
                self.output.write_line(&output_lines::info(report, self.clock.now().saturating_sub(begun)));
        };
        let chosen = catch_unwind(AssertUnwindSafe(|| {
            player.choose(self.board.as_ref(), &self.limits, stop, &mut report)
        }));
        while self.infinite && !stop.load(Ordering::Relaxed) {
            thread::sleep(POLL_INTERVAL);
        }
        let (player, answer) = match chosen {
            Ok(Ok(answer)) => (Some(player), answer),
            Ok(Err(failure)) => {
                let _ = self.output.info_string(&format!("the player {failure}"));
                (Some(player), Answer::NoMove)
            }
            Err(_) => {
                let _ = self.output.info_string("the player panicked");
                (None, Answer::NoMove)
            }
        };
        answered.store(true, Ordering::Release);
        let _ = self.output.write_line(&match answer {
            Answer::Move(text) => format!("bestmove {text}"),
            Answer::Resign => "bestmove resign".to_string(),
            Answer::Claim => "bestmove claim".to_string(),
            Answer::NoMove => "bestmove (none)".to_string(),
        });
        player
    }
}
