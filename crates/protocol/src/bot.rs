//! An external program as a [`Player`]. `ready` starts the program, `choose` asks it in its dialect. A failure ends the
//! program, and only the next game starts it again. The bot does not check the rules.

use crate::{
    Dialect, Program,
    dialects::{simple, ugi},
    handshake::Handshake,
    link::{Link, RunningProgram},
    process, stderr,
    turn::{self, TurnRequest},
};
use parlor_core::{Answer, BadRecord, Board, Ending, Failure, Limits, Player, Record, Report, Side};
use parlor_engine::{Clock, Monotonic};
use parlor_sandbox::Sandbox;
use std::{
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Makes the board of a record. Needed for the practice turn in the handshake of a simple bot.
pub type Replay = Arc<dyn Fn(&Record) -> Result<Box<dyn Board>, BadRecord> + Send + Sync>;

/// How a program is started and run.
#[derive(Clone)]
pub struct BotOptions {
    /// Limit for starting and the handshake.
    pub startup: Duration,
    pub clock: Arc<dyn Clock>,
    /// Whether it may ponder (search in the opponent's time). Otherwise it is frozen from its answer to its next message.
    pub ponder: bool,
    /// The sandbox of the program; `None` runs it unprotected.
    pub sandbox: Option<Sandbox>,
}

impl Default for BotOptions {
    /// Ten seconds to start, the real clock, no pondering, no sandbox.
    fn default() -> BotOptions {
        BotOptions {
            startup: Duration::from_secs(10),
            clock: Arc::new(Monotonic::start()),
            ponder: false,
            sandbox: None,
        }
    }
}

impl fmt::Debug for BotOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BotOptions")
            .field("startup", &self.startup)
            .field("ponder", &self.ponder)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

type Launcher = Box<dyn FnMut() -> Result<RunningProgram, String> + Send>;

/// An external program as a player.
pub struct Bot {
    dialect: Dialect,
    start: Launcher,
    replay: Replay,
    options: BotOptions,
    link: Option<Link>,
    /// Whether the handshake was made since the last game ended.
    is_ready: bool,
    /// The failure that ended the program in this game.
    failed: Option<Failure>,
    side: Side,
    thought: Option<Duration>,
    cpu_time: Option<Duration>,
    /// Unread standard error of processes that have exited.
    stderr: String,
}

impl Bot {
    /// A player for this program, which is not started yet.
    pub fn new(program: Program, replay: Replay, options: BotOptions) -> Bot {
        let (dialect, sandbox) = (program.dialect, options.sandbox.clone());
        let start = move || {
            let name = program.command.first().map_or("", String::as_str);
            process::start(&program, sandbox.as_ref()).map_err(|error| format!("'{name}': {error}"))
        };
        Bot::with_launcher(dialect, Box::new(start), replay, options)
    }

    /// A bot over any link that `start` opens.
    pub(crate) fn with_launcher(
        dialect: Dialect,
        start: Launcher,
        replay: Replay,
        options: BotOptions,
    ) -> Bot {
        Bot {
            dialect,
            start,
            replay,
            options,
            link: None,
            is_ready: false,
            failed: None,
            side: Side::First,
            thought: None,
            cpu_time: None,
            stderr: String::new(),
        }
    }

    /// Sets whether the program may ponder.
    #[must_use]
    pub fn with_ponder(mut self, ponder: bool) -> Bot {
        self.options.ponder = ponder;
        self
    }

    /// Starts the program if it does not run, and makes the handshake for this game.
    fn make_ready(&mut self, game: &str) -> Result<(), Failure> {
        if self.link.as_mut().is_some_and(|link| link.inbox.error().is_some() || link.exit_status().is_some())
        {
            self.disconnect(Link::kill);
        }
        (self.failed, self.is_ready, self.thought, self.cpu_time) = (None, true, None, None);
        let is_new = self.link.is_none();
        let made = self.running().and_then(|()| self.make_handshake(game, is_new));
        made.map_err(|why| self.fail(Failure::Start(why)))
    }

    fn running(&mut self) -> Result<(), String> {
        if self.link.is_none() {
            let program = (self.start)()?;
            let open = Link::open(program, &self.options.clock);
            self.link = Some(
                open.map_err(|error| format!("cannot start the thread that reads its output: {error}"))?,
            );
        }
        Ok(())
    }

    fn make_handshake(&mut self, game: &str, is_new: bool) -> Result<(), String> {
        let Some(link) = &mut self.link else { return Ok(()) };
        let mut handshake = Handshake { link, options: &self.options };
        match self.dialect {
            Dialect::Ugi => handshake.ugi(game, is_new)?,
            Dialect::Simple if is_new => {
                let record = Record { game: game.to_string(), ..Record::default() };
                let board = (self.replay)(&record).map_err(|bad| bad.to_string())?;
                handshake.practice(board.as_ref())?;
            }
            Dialect::Simple => (),
        }
        turn::freeze(link, &self.options);
        Ok(())
    }

    /// Ends the program after a failure. It plays no more in this game.
    fn fail(&mut self, failure: Failure) -> Failure {
        self.disconnect(Link::kill);
        self.failed = Some(failure.clone());
        failure
    }

    /// Closes the link to the program, if it runs, and keeps its standard error.
    fn disconnect<T>(&mut self, close: fn(&mut Link) -> T) -> Option<T> {
        let mut link = self.link.take()?;
        let result = close(&mut link);
        let wrote = link.stderr.take();
        self.keep_stderr(&wrote);
        Some(result)
    }

    /// Asks the program to exit. Returns whether it exited by itself, `None` if it was not running.
    pub fn quit(&mut self) -> Option<bool> {
        self.is_ready = false;
        self.disconnect(Link::quit)
    }

    fn keep_stderr(&mut self, wrote: &str) {
        self.stderr.push_str(wrote);
        let over = self.stderr.len().saturating_sub(stderr::CAPACITY);
        let cut = (over..).find(|&at| self.stderr.is_char_boundary(at)).unwrap_or(over);
        self.stderr.drain(..cut);
    }

    /// The lines that ask for a move; `None` for a simple bot after the end of the game.
    fn question(&self, board: &dyn Board, limits: &Limits) -> Option<Vec<String>> {
        match self.dialect {
            Dialect::Ugi => Some(vec![ugi::position(board), ugi::go(limits)]),
            Dialect::Simple => board.ending().is_none().then(|| vec![simple::turn(board, limits.time)]),
        }
    }
}

impl Player for Bot {
    fn ready(&mut self, game: &str) -> Result<(), Failure> {
        self.make_ready(game)
    }

    fn begin(&mut self, game: &str, side: Side) {
        self.side = side;
        if !self.is_ready {
            // A failure is stored and returned by the first `choose`.
            let _ = self.make_ready(game);
        }
        if let (Dialect::Simple, Some(link)) = (self.dialect, &mut self.link) {
            link.outbox.send(&simple::new(game, side));
        }
    }

    fn choose(
        &mut self,
        board: &dyn Board,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        if !self.is_ready {
            self.make_ready(&board.spec())?;
        }
        if let Some(failure) = &self.failed {
            return Err(failure.clone());
        }
        let Some(question) = self.question(board, limits) else { return Ok(Answer::NoMove) };
        let Some(link) = &mut self.link else {
            return Err(Failure::Crash("it is not running".to_string()));
        };
        let turn_request = TurnRequest { dialect: self.dialect, options: &self.options, limits, stop };
        let turn = turn_request.run(link, &question, report);
        (self.thought, self.cpu_time) = (Some(turn.thought), turn.cpu);
        if turn.answer.is_ok() && !turn.reusable {
            self.disconnect(Link::kill);
            self.is_ready = false;
        }
        turn.answer.map_err(|failure| self.fail(failure))
    }

    fn end(&mut self, ending: &Ending) {
        if let (Dialect::Simple, Some(link)) = (self.dialect, &mut self.link) {
            let line = simple::end(ending, self.side);
            if self.options.ponder {
                link.outbox.send(&line);
            } else {
                link.finish(&line);
            }
        }
        self.is_ready = false;
    }

    fn thought(&self) -> Option<Duration> {
        self.thought
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.cpu_time
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn aside(&mut self) -> String {
        if let Some(link) = &self.link {
            let wrote = link.stderr.take();
            self.keep_stderr(&wrote);
        }
        std::mem::take(&mut self.stderr)
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.disconnect(Link::quit);
    }
}
