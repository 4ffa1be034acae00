//! The referee plays one game between two programs: it asks the side to move, measures the answer, and passes it to a
//! [`Session`], which applies the rules. Game time advances only by the time charged to players, so the referee's own delays
//! are charged to neither.

use crate::{Delays, TournamentPlan};
use parlor_catalog::{Clock, DynSolver};
use parlor_core::{
    Answer, Board, Bounds, Failure, Limits, Margin, MoveTime, Outcome, Player, Record, Report, Side,
    is_finished, margin_of,
};
use parlor_session::{
    Command, EventKind, Micros, OpenOffer, Policy, Remaining, Session, TimeControl, Violation, ViolationKind,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Node limit of the solver that tries to prove the result after each move: a number of nodes, so that it is the same on every
/// machine.
const PROOF_NODES: u64 = 20_000;

/// The conditions of a game.
#[derive(Clone, Debug)]
pub struct Referee {
    /// Per side.
    pub time: [TimeControl; 2],
    /// The margin for late answers of each side.
    pub margin: [Duration; 2],
    /// Processor time limit per move, for players whose processor time is measured.
    pub cpu_limit: Option<Duration>,
    pub clock: Arc<dyn Clock>,
}

/// A finished game with its measurements.
#[derive(Clone, Debug)]
pub struct Played {
    /// The game, with its ending; each move with its player's evaluation and the time it took.
    pub record: Record,
    /// Total time charged to each side.
    pub thought: [Duration; 2],
    /// Total processor time of each side, if it is measured.
    pub cpu: [Option<Duration>; 2],
    /// The violation by which the game ended, if by one.
    pub violation: Option<Violation>,
    /// Remaining time of each side at the end; `None` without a clock.
    pub remaining: [Option<Remaining>; 2],
    /// The referee's own overhead per move.
    pub delays: Delays,
}

struct GameInProgress<'a, 'b> {
    referee: &'a Referee,
    session: Session,
    /// Game time: the sum of the times charged to both players.
    now: Micros,
    players: [&'a mut (dyn Player + 'b); 2],
    stop: &'a AtomicBool,
    /// Time of the current move so far: a player whose claim was declined is asked again.
    spent: MoveTime,
    played: Played,
}

impl Referee {
    /// The same time control for both sides, and the default margin.
    pub fn new(time: TimeControl, clock: Arc<dyn Clock>) -> Referee {
        let margin = parlor_session::GRACE.into();
        Referee { time: [time; 2], margin: [margin; 2], cpu_limit: None, clock }
    }

    /// The referee for a game of a plan between these players, first side first.
    pub fn of(plan: &TournamentPlan, players: [usize; 2], clock: Arc<dyn Clock>) -> Referee {
        Referee {
            time: players.map(|player| plan.time_of(player)),
            margin: players.map(|player| plan.margin_of(player)),
            cpu_limit: plan.cpu_limit,
            clock,
        }
    }

    /// Plays to the end, or until the solver proves the result. When `stop` is set, the game is abandoned.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_catalog::{Monotonic, Resources, game};
    /// use parlor_session::TimeControl;
    /// use parlor_tournament::Referee;
    /// use std::sync::{Arc, atomic::AtomicBool};
    ///
    /// let game = game("kalah:3,2")?;
    /// let resources = Resources::seeded(1);
    /// let mut first = game.player(&"minimax:depth=3".parse()?, &resources)?;
    /// let mut second = game.player(&"random".parse()?, &resources)?;
    /// let referee = Referee::new(TimeControl::Unlimited, Arc::new(Monotonic::start()));
    /// let stop = AtomicBool::new(false);
    /// let played = referee.play(game.board(), [&mut *first, &mut *second], &stop, None);
    /// assert!(played.record.ending.is_some() && played.violation.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(
        &self,
        board: Box<dyn Board>,
        players: [&mut dyn Player; 2],
        stop: &AtomicBool,
        prover: Option<&mut dyn DynSolver>,
    ) -> Played {
        let policy = Policy { grace: self.margin.map(Micros::from), ..Policy::engines() };
        let session = Session::new(board, self.time, policy, Micros::ZERO);
        let played = Played {
            record: Record::default(),
            thought: [Duration::ZERO; 2],
            cpu: [None; 2],
            violation: None,
            remaining: [None; 2],
            delays: Delays::default(),
        };
        let (now, spent) = (Micros::ZERO, MoveTime::default());
        let mut game = GameInProgress { referee: self, session, now, players, stop, spent, played };
        game.start_players();
        game.play_on(prover);
        game.finish()
    }
}

impl GameInProgress<'_, '_> {
    fn start_players(&mut self) {
        let spec = self.session.board().spec();
        for side in Side::BOTH {
            let player = &mut self.players[side.index()];
            let ready = catch_unwind(AssertUnwindSafe(|| player.ready(&spec)));
            let ready = ready.unwrap_or_else(|_| Err(Failure::Start("the player panicked".to_string())));
            if let Err(failure) = ready {
                self.handle(side, Err(failure).into());
                return;
            }
        }
        for side in Side::BOTH {
            let player = &mut self.players[side.index()];
            // A player that panics here panics again when it is asked for a move.
            let _ = catch_unwind(AssertUnwindSafe(|| player.begin(&spec, side)));
        }
    }

    fn play_on(&mut self, mut prover: Option<&mut dyn DynSolver>) {
        let mut begun = self.referee.clock.now();
        while self.session.ending().is_none() {
            let before = self.all_thought();
            let ply = self.session.board().ply();
            self.ask_for_move();
            if self.session.board().ply() > ply
                && let Some(outcome) = prover.as_deref_mut().and_then(|prover| self.proved_outcome(prover))
            {
                self.handle(self.session.board().turn(), Command::Adjudicate(Some(outcome)));
            }
            if self.stop.load(Ordering::Relaxed) {
                self.handle(self.session.board().turn(), Command::Abandon);
            }
            let now = self.referee.clock.now();
            let taken = now.saturating_sub(begun);
            self.played.delays.add(taken.saturating_sub(self.all_thought() - before));
            begun = now;
        }
    }

    fn finish(mut self) -> Played {
        if let Some(ending) = self.session.ending() {
            for player in &mut self.players {
                let _ = catch_unwind(AssertUnwindSafe(|| player.end(&ending)));
            }
        }
        let comments = std::mem::take(&mut self.played.record.comments);
        Played {
            record: Record { comments, ..self.session.record() },
            violation: self.session.violation().cloned(),
            remaining: self.session.remaining(self.now),
            ..self.played
        }
    }

    fn all_thought(&self) -> Duration {
        self.played.thought[0] + self.played.thought[1]
    }

    /// Asks the side to move once, and handles its answer.
    fn ask_for_move(&mut self) {
        let side = self.session.board().turn();
        let (answer, report, time) = self.answer(side);
        if self.stop.load(Ordering::Relaxed) {
            // It may have been stopped before an answer arrived: the game is abandoned.
            return;
        }
        self.now = self.now + time.wall.into();
        self.spent.wall += time.wall;
        if let Some(cpu) = time.cpu {
            *self.spent.cpu.get_or_insert_default() += cpu;
        }
        let command = match self.excess(answer.is_ok()) {
            Some(reason) => Command::Fail(ViolationKind::Timeout, reason),
            None => answer.into(),
        };
        match self.handle(side, command) {
            Some(EventKind::Move(_)) => {
                let comment = comment(&report, std::mem::take(&mut self.spent));
                self.played.record.comments.insert(self.session.board().ply(), comment);
            }
            Some(EventKind::Offer(offer)) => self.ask_to_agree(offer),
            _ => {}
        }
    }

    /// The answer of a side, the last report of its search, and the time it took.
    fn answer(&mut self, side: Side) -> (Result<Answer, Failure>, Report, MoveTime) {
        let (board, limits) = (self.session.board(), self.session.limits(self.now));
        let mut last = Report::default();
        let player = &mut self.players[side.index()];
        let begun = self.referee.clock.now();
        let asked = || player.choose(board, &limits, self.stop, &mut |report| last = report.clone());
        let answer = catch_unwind(AssertUnwindSafe(asked))
            .unwrap_or_else(|_| Err(Failure::Crash("the player panicked".to_string())));
        let taken = self.referee.clock.now().saturating_sub(begun);
        let player = &self.players[side.index()];
        let time = MoveTime { wall: player.thought().unwrap_or(taken).min(taken), cpu: player.cpu_time() };
        self.played.thought[side.index()] += time.wall;
        if let Some(cpu) = time.cpu {
            *self.played.cpu[side.index()].get_or_insert_default() += cpu;
        }
        (answer, last, time)
    }

    /// A sentence about a player that answered and exceeded the limit of processor time.
    fn excess(&self, answered: bool) -> Option<String> {
        let (cpu, limit) = self.spent.cpu.zip(self.referee.cpu_limit)?;
        let (used, allowed) = (cpu.as_millis(), limit.as_millis());
        (answered && cpu > limit).then(|| format!("used too much CPU time ({used} ms; {allowed} ms allowed)"))
    }

    /// Asks the opponent whether it agrees to an offer, and answers it.
    fn ask_to_agree(&mut self, offer: OpenOffer) {
        let other = offer.by.other();
        let (player, board) = (&mut self.players[other.index()], self.session.board());
        let agrees = catch_unwind(AssertUnwindSafe(|| player.accepts(board, offer.offer)));
        let command = match agrees {
            Ok(true) => Command::Accept,
            Ok(false) => Command::Decline,
            Err(_) => Err(Failure::Crash("the player panicked".to_string())).into(),
        };
        self.handle(other, command);
    }

    /// Passes a command to the session. The session refuses none of these, because the side is right and errors of programs are
    /// violations. If it did, the side would lose, so that every game ends.
    fn handle(&mut self, side: Side, command: Command) -> Option<EventKind> {
        let event = self.session.handle(side, command, self.now).or_else(|refused| {
            let fail = Command::Fail(ViolationKind::Illegal, refused.to_string());
            self.session.handle(side, fail, self.now)
        });
        event.ok().map(|event| event.kind)
    }

    /// The result that the solver proves, without a margin, because the game was not played out.
    fn proved_outcome(&self, prover: &mut dyn DynSolver) -> Option<Outcome> {
        if self.session.ending().is_some() {
            return None;
        }
        let limits = Limits { nodes: Some(PROOF_NODES), ..Limits::default() };
        let Bounds { lo, hi } = prover.solve(self.session.board(), &limits, self.stop, &mut |_| ()).ok()?;
        let side = self.session.board().turn();
        if lo > Margin(0) {
            Some(Outcome::win(side))
        } else if hi < Margin(0) {
            Some(Outcome::win(side.other()))
        } else {
            (lo == hi).then_some(Outcome::DRAW)
        }
    }
}

/// The comment of a move in the record: its player's evaluation and the time it took, as in `+8 exact 0.010s cpu 0.009s`.
fn comment(report: &Report, time: MoveTime) -> String {
    match report.proved.filter(|bounds| bounds.are_exact()) {
        Some(bounds) => format!("{:+} exact {time}", bounds.lo.0),
        None if is_finished(report.value) => format!("{:+} {time}", margin_of(report.value).0),
        None if report.nodes > 0 => format!("{:+} {time}", report.value),
        None => time.to_string(),
    }
}
