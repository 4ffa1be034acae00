//! A foreign program as a player. It is started when it is to be ready, asked in its dialect, and ended when it fails or is no
//! longer wanted; one that failed is started again for the next game and not before. The bot decides nothing about the rules.

use crate::{
    Dialect, Program,
    asking::{self, Asking},
    dialects::{simple, ugi},
    greeting::Greeting,
    link::{Link, Running},
    notes, process,
};
use parlor_core::{Answer, BadRecord, Board, Ending, Failure, Limits, Player, Record, Report, Side};
use parlor_engine::{Clock, Monotonic};
use parlor_sandbox::Sandbox;
use std::{
    fmt,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// Makes a board of a record: for the practice turn by which a simple bot is made ready.
pub type Replay = Arc<dyn Fn(&Record) -> Result<Box<dyn Board>, BadRecord> + Send + Sync>;

/// The conditions under which a program plays.
#[derive(Clone)]
pub struct Terms {
    /// Limit for starting and the handshake.
    pub startup: Duration,
    pub clock: Arc<dyn Clock>,
    /// Whether it may think while the other side does. Otherwise it is frozen from its answer to its next message.
    pub ponder: bool,
    /// The sandbox it runs in; none: it is started as it is.
    pub sandbox: Option<Sandbox>,
}

impl Default for Terms {
    /// Ten seconds to start, the real clock, stopped between its turns, no sandbox.
    fn default() -> Terms {
        Terms {
            startup: Duration::from_secs(10),
            clock: Arc::new(Monotonic::start()),
            ponder: false,
            sandbox: None,
        }
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terms")
            .field("startup", &self.startup)
            .field("ponder", &self.ponder)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

type Start = Box<dyn FnMut() -> Result<Running, String> + Send>;

/// An external program as a player.
pub struct Bot {
    dialect: Dialect,
    start: Start,
    replay: Replay,
    terms: Terms,
    link: Option<Link>,
    /// Whether it has been made ready since its last game ended.
    is_ready: bool,
    /// The failure that ended its part in this game.
    failed: Option<Failure>,
    side: Side,
    thought: Option<Duration>,
    cpu_time: Option<Duration>,
    /// Unread standard error of processes that have exited.
    left: String,
}

impl Bot {
    /// A player that is this program. It is not started yet.
    pub fn new(program: Program, replay: Replay, terms: Terms) -> Bot {
        let (dialect, sandbox) = (program.dialect, terms.sandbox.clone());
        let start = move || {
            let name = program.command.first().map_or("", String::as_str);
            process::start(&program, sandbox.as_ref()).map_err(|error| format!("'{name}': {error}"))
        };
        Bot::over(dialect, Box::new(start), replay, terms)
    }

    /// A bot over any link that `start` opens.
    pub(crate) fn over(dialect: Dialect, start: Start, replay: Replay, terms: Terms) -> Bot {
        Bot {
            dialect,
            start,
            replay,
            terms,
            link: None,
            is_ready: false,
            failed: None,
            side: Side::First,
            thought: None,
            cpu_time: None,
            left: String::new(),
        }
    }

    /// The same player, which may or may not think while the other side does.
    #[must_use]
    pub fn with_ponder(mut self, ponder: bool) -> Bot {
        self.terms.ponder = ponder;
        self
    }

    /// The running program, made ready for this game; started if it is not running.
    fn make_ready(&mut self, game: &str) -> Result<(), Failure> {
        if self.link.as_mut().is_some_and(|link| link.inbox.trouble().is_some() || link.ended().is_some()) {
            self.let_go(Link::kill);
        }
        (self.failed, self.is_ready, self.thought, self.cpu_time) = (None, true, None, None);
        let is_new = self.link.is_none();
        let made = self.running().and_then(|()| self.greet(game, is_new));
        made.map_err(|why| self.fail(Failure::Start(why)))
    }

    fn running(&mut self) -> Result<(), String> {
        if self.link.is_none() {
            let program = (self.start)()?;
            let open = Link::open(program, &self.terms.clock);
            self.link = Some(
                open.map_err(|error| format!("cannot start the thread that reads its output: {error}"))?,
            );
        }
        Ok(())
    }

    fn greet(&mut self, game: &str, is_new: bool) -> Result<(), String> {
        let Some(link) = &mut self.link else { return Ok(()) };
        let mut greeting = Greeting { link, terms: &self.terms };
        match self.dialect {
            Dialect::Ugi => greeting.engine(game, is_new)?,
            Dialect::Simple if is_new => {
                let record = Record { game: game.to_string(), ..Record::default() };
                let board = (self.replay)(&record).map_err(|bad| bad.to_string())?;
                greeting.simple(board.as_ref())?;
            }
            Dialect::Simple => (),
        }
        asking::freeze(link, &self.terms);
        Ok(())
    }

    /// The program has failed: it is ended, and plays no more in this game.
    fn fail(&mut self, failure: Failure) -> Failure {
        self.let_go(Link::kill);
        self.failed = Some(failure.clone());
        failure
    }

    /// Parts from the program, if it runs, and keeps what it wrote aside.
    fn let_go<T>(&mut self, how: fn(&mut Link) -> T) -> Option<T> {
        let mut link = self.link.take()?;
        let went = how(&mut link);
        let wrote = link.notes.take();
        self.keep(&wrote);
        Some(went)
    }

    /// Tells the program to go. Whether it went by itself; none if it was not running.
    pub fn quit(&mut self) -> Option<bool> {
        self.is_ready = false;
        self.let_go(Link::part)
    }

    fn keep(&mut self, wrote: &str) {
        self.left.push_str(wrote);
        let over = self.left.len().saturating_sub(notes::KEPT);
        let cut = (over..).find(|&at| self.left.is_char_boundary(at)).unwrap_or(over);
        self.left.drain(..cut);
    }

    /// What to ask; none where there is no move to ask for.
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
            // Whoever is not asked to be ready first is told of it with the first question.
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
        let asking = Asking { dialect: self.dialect, terms: &self.terms, limits, stop };
        let turn = asking.ask(link, &question, report);
        (self.thought, self.cpu_time) = (Some(turn.thought), turn.cpu);
        if turn.answer.is_ok() && !turn.keeps {
            self.let_go(Link::kill);
            self.is_ready = false;
        }
        turn.answer.map_err(|failure| self.fail(failure))
    }

    fn end(&mut self, ending: &Ending) {
        if let (Dialect::Simple, Some(link)) = (self.dialect, &mut self.link) {
            let line = simple::end(ending, self.side);
            if self.terms.ponder {
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
            let wrote = link.notes.take();
            self.keep(&wrote);
        }
        std::mem::take(&mut self.left)
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.let_go(Link::part);
    }
}
