//! Plays one game between two players and trusts neither: every move is checked, every move is timed, and a game that
//! repeats itself ends. Whoever fails loses; the referee never does, and its own delays are charged to nobody.

use crate::{Control, Delays, Foul, FoulKind, Plan, control::Watch};
use parlor_catalog::{Clock, Solving};
use parlor_play::{
    Answer, Audience, Board, Bounds, Cause, Ending, Failure, Limits, Margin, MoveTime, Offer, Outcome,
    Player, Record, Report, Side, is_finished, margin_of, shortened,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// How much later than its time an answer may come.
pub const GRACE: Duration = Duration::from_millis(20);
/// Positions that are looked at after each move to prove the result: a number, so that it is the same on every machine.
const PROOF_NODES: u64 = 20_000;
/// Of the legal moves so many are told to whoever made an illegal one.
const TOLD_MOVES: usize = 30;

/// The conditions of play.
#[derive(Clone, Debug)]
pub struct Referee {
    /// How long players may think.
    pub control: Control,
    /// How much later than its time an answer may come.
    pub grace: Duration,
    /// Processor time that a player may use for a move; players whose processor time is not measured have no such limit.
    pub cpu_limit: Option<Duration>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The game, with its ending; each move with what its player said of it and how long it thought.
    pub record: Record,
    /// What each side thought in all.
    pub thought: [Duration; 2],
    /// Processor time of each side in all, where it is measured.
    pub cpu: [Option<Duration>; 2],
    /// Who failed, and how.
    pub foul: Option<Foul>,
    /// What the referee took for itself, move by move.
    pub delays: Delays,
}

/// One game while it is played.
struct Sitting<'a, 'b> {
    referee: &'a Referee,
    board: Box<dyn Board>,
    players: [&'a mut (dyn Player + 'b); 2],
    stop: &'a AtomicBool,
    watch: Watch,
    played: Played,
}

/// What came of a turn.
enum Turn {
    GoesOn,
    Ends(Ending),
    Fails(Foul),
}

impl Referee {
    /// A referee who allows 20 ms of lateness.
    pub fn new(control: Control, clock: Arc<dyn Clock>) -> Referee {
        Referee { control, grace: GRACE, cpu_limit: None, clock }
    }

    /// The referee of a plan's games.
    pub fn of(plan: &Plan, clock: Arc<dyn Clock>) -> Referee {
        Referee { cpu_limit: plan.cpu_limit, ..Referee::new(plan.control, clock) }
    }

    /// Plays to the end, or until the result is proved by whoever is asked for proofs. When told to stop, the game is
    /// abandoned.
    pub fn play(
        &self,
        board: Box<dyn Board>,
        players: [&mut dyn Player; 2],
        stop: &AtomicBool,
        prover: Option<&mut dyn Solving>,
    ) -> Played {
        let delays = Delays::default();
        let (record, thought) = (Record::default(), [Duration::ZERO; 2]);
        let played = Played { record, thought, cpu: [None; 2], foul: None, delays };
        let watch = Watch::new(self.control);
        let mut sitting = Sitting { referee: self, board, players, stop, watch, played };
        sitting.begin();
        sitting.go_on(prover);
        sitting.end()
    }
}

impl Sitting<'_, '_> {
    fn begin(&mut self) {
        let spec = self.board.face().spec;
        for side in Side::BOTH {
            let player = &mut self.players[side.index()];
            let ready = catch_unwind(AssertUnwindSafe(|| player.ready(&spec)));
            let ready = ready.unwrap_or_else(|_| Err(Failure::Start("the player panicked".to_string())));
            if let Err(failure) = ready {
                self.fails(Foul::new(side, &failure));
                return;
            }
        }
        for side in Side::BOTH {
            let player = &mut self.players[side.index()];
            // A player that dies when it is greeted dies again when it is asked.
            let _ = catch_unwind(AssertUnwindSafe(|| player.begin(&spec, side)));
        }
    }

    fn go_on(&mut self, mut prover: Option<&mut dyn Solving>) {
        while self.board.ending().is_none() {
            let (begun, before) = (self.referee.clock.now(), self.all_thought());
            match self.turn() {
                Turn::GoesOn => {
                    let proved = prover.as_deref_mut().and_then(|prover| self.proved(prover));
                    if let Some(ending) = cycle(self.board.as_ref()).or(proved) {
                        self.board.close(ending);
                    }
                }
                _ if self.stop.load(Ordering::Relaxed) => (),
                Turn::Ends(ending) => {
                    self.board.close(ending);
                }
                Turn::Fails(foul) => self.fails(foul),
            }
            if self.stop.load(Ordering::Relaxed) {
                self.board.close(Ending { cause: Cause::Abandoned, outcome: None });
            }
            let taken = self.referee.clock.now().saturating_sub(begun);
            self.played.delays.add(taken.saturating_sub(self.all_thought() - before));
        }
    }

    fn end(mut self) -> Played {
        if let Some(ending) = self.board.ending() {
            for player in &mut self.players {
                let _ = catch_unwind(AssertUnwindSafe(|| player.end(&ending)));
            }
        }
        let comments = std::mem::take(&mut self.played.record.comments);
        self.played.record = Record { comments, ..self.board.record() };
        self.played
    }

    fn all_thought(&self) -> Duration {
        self.played.thought[0] + self.played.thought[1]
    }

    fn fails(&mut self, foul: Foul) {
        self.board.close(Ending::lost_by(foul.side, foul.kind.cause()));
        self.played.foul = Some(foul);
    }

    /// One question and its answer.
    fn turn(&mut self) -> Turn {
        let side = self.board.turn();
        let (record, limits) = (self.board.record(), self.watch.limits(side));
        let mut last = Report::default();
        let begun = self.referee.clock.now();
        let player = &mut self.players[side.index()];
        let asked = || player.choose(&record, &limits, self.stop, &mut |report| last = report.clone());
        let answer = catch_unwind(AssertUnwindSafe(asked))
            .unwrap_or_else(|_| Err(Failure::Crash("the player panicked".to_string())));
        let taken = self.referee.clock.now().saturating_sub(begun);
        let thought = self.players[side.index()].thought().unwrap_or(taken).min(taken);
        let cpu = self.players[side.index()].cpu_time();
        self.played.thought[side.index()] += thought;
        if let Some(cpu) = cpu {
            *self.played.cpu[side.index()].get_or_insert_default() += cpu;
        }
        let answer = match answer {
            Err(Failure::Timeout(after)) => return Turn::Fails(late(side, after, &limits)),
            Err(failure) => return Turn::Fails(Foul::new(side, &failure)),
            Ok(_) if limits.time.is_some_and(|time| thought > time + self.referee.grace) => {
                return Turn::Fails(late(side, thought, &limits));
            }
            Ok(answer) => answer,
        };
        if let Some((cpu, limit)) = cpu.zip(self.referee.cpu_limit).filter(|(cpu, limit)| cpu > limit) {
            return Turn::Fails(too_busy(side, cpu, limit));
        }
        let outcome = self.judged(side, answer);
        if matches!(outcome, Turn::GoesOn) {
            self.watch.pressed(side, thought);
            self.played
                .record
                .comments
                .insert(self.board.ply(), remark(&last, MoveTime { wall: thought, cpu }));
        }
        outcome
    }

    fn judged(&mut self, side: Side, answer: Answer) -> Turn {
        match answer {
            Answer::Move(text) => match self.board.play(&text, Audience::NOBODY) {
                Ok(_) => Turn::GoesOn,
                Err(why) => {
                    let legal = some_of(&self.board.moves());
                    Turn::Fails(Foul::illegal(
                        side,
                        format!("answered '{}': {why}; {legal}", shortened(&text, 24)),
                    ))
                }
            },
            Answer::Resign => Turn::Ends(Ending::lost_by(side, Cause::Resigned)),
            Answer::Claim if self.board.claimable() => {
                let other = &mut self.players[side.other().index()];
                match other.accepts(self.board.as_ref(), Offer::Cycle) {
                    true => Turn::Ends(Ending { cause: Cause::Cycle, outcome: self.board.settled() }),
                    false => Turn::Fails(Foul::illegal(side, "claimed a cycle, which was refused")),
                }
            }
            Answer::Claim => Turn::Fails(Foul::illegal(side, "claimed a cycle where there is none")),
            Answer::NoMove => Turn::Fails(Foul::illegal(side, "has no move where there are some")),
        }
    }

    /// The end of a game whose winner is proved. By how much is left open: the game was not played out.
    fn proved(&self, prover: &mut dyn Solving) -> Option<Ending> {
        if self.board.ending().is_some() {
            return None;
        }
        let limits = Limits { nodes: Some(PROOF_NODES), ..Limits::default() };
        let Bounds { lo, hi } = prover.solve(&self.board.record(), &limits, self.stop, &mut |_| ()).ok()?;
        let side = self.board.turn();
        let outcome = match () {
            () if lo > Margin(0) => Outcome::win(side),
            () if hi < Margin(0) => Outcome::win(side.other()),
            () if lo == hi => Outcome::DRAW,
            () => return None,
        };
        Some(Ending { cause: Cause::Adjudicated, outcome: Some(outcome) })
    }
}

/// Who answered too late, with what there was.
fn late(side: Side, after: Duration, limits: &Limits) -> Foul {
    let mut foul = Foul::new(side, &Failure::Timeout(after));
    if let Some(time) = limits.time {
        let whole = if limits.clocks.is_some() { "were left" } else { "are allowed" };
        foul.why = format!("took too long ({} ms; {} ms {whole})", after.as_millis(), time.as_millis());
    }
    foul
}

/// A player that answered in time and used too much processor time for it.
fn too_busy(side: Side, cpu: Duration, limit: Duration) -> Foul {
    let (cpu, limit) = (cpu.as_millis(), limit.as_millis());
    let why = format!("used too much processor time ({cpu} ms; {limit} ms are allowed)");
    Foul { side, kind: FoulKind::Timeout, why }
}

/// A game between programs ends when a position stands for the second time, in games that know what that pays.
fn cycle(board: &dyn Board) -> Option<Ending> {
    let again = board.ending().is_none() && board.occurrences() > 1;
    let outcome = board.settled().filter(|_| again)?;
    Some(Ending { cause: Cause::Cycle, outcome: Some(outcome) })
}

/// What a player said of its move and how long it took, as records have it: `+8 exact 0.010s cpu 0.009s`.
fn remark(report: &Report, time: MoveTime) -> String {
    match report.proved.filter(|bounds| bounds.are_exact()) {
        Some(bounds) => format!("{:+} exact {time}", bounds.lo.0),
        None if is_finished(report.value) => format!("{:+} {time}", margin_of(report.value).0),
        None if report.nodes > 0 => format!("{:+} {time}", report.value),
        None => time.to_string(),
    }
}

fn some_of(moves: &[String]) -> String {
    let told = moves.iter().take(TOLD_MOVES).map(String::as_str).collect::<Vec<_>>().join(" ");
    match moves.len().saturating_sub(TOLD_MOVES) {
        0 => format!("legal: {told}"),
        more => format!("legal: {told} and {more} more"),
    }
}
