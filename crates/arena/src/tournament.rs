//! Plays a plan: some games at a time, each result kept before it counts, and where it was left off before. Which games there
//! are, who plays them with which seed, and when enough is known follow from the plan and from the results in the order of the
//! games' numbers alone, however the games happened to end.

use crate::{
    Entry, Ledger, NotKept, Plan, Referee, Slot, State,
    desk::{Desk, Task},
};
use parlor_catalog::{BadPlayer, Clock, Hosted, Setting, Tools};
use parlor_play::{Player, Side, mix};
use std::{
    collections::HashMap,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

/// Makes the players of a tournament.
pub trait Seats: Sync {
    /// A player of the plan for a game of this spec.
    fn player(
        &self,
        entrant: usize,
        game: &dyn Hosted,
        setting: &Setting,
    ) -> Result<Box<dyn Player>, BadPlayer>;
    /// Whether it is kept from one game to the next, as a foreign program is, and not made anew.
    fn stays(&self, entrant: usize) -> bool;
}

/// Players of the catalogue alone, made anew for each game by the specs of the plan.
pub struct House<'a>(pub &'a Plan);

impl Seats for House<'_> {
    fn player(
        &self,
        entrant: usize,
        game: &dyn Hosted,
        setting: &Setting,
    ) -> Result<Box<dyn Player>, BadPlayer> {
        game.player(&self.0.players[entrant].spec.parse()?, setting)
    }

    fn stays(&self, _: usize) -> bool {
        false
    }
}

/// Why a tournament did not go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt {
    /// A player cannot be made.
    Player(BadPlayer),
    /// A player's program cannot be started: its name and a sentence.
    Start(String, String),
    /// A game could not be kept.
    Ledger(NotKept),
}

/// What a tournament is played with.
pub struct Tournament<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its games, in the same order.
    pub games: Vec<Arc<dyn Hosted>>,
    /// Who makes the players.
    pub seats: &'a dyn Seats,
    /// Who sees to the rules.
    pub referee: Referee,
}

impl Tournament<'_> {
    /// Plays on from what the ledger has kept, until all is played, enough is known, `watch` has had enough, or it is told to
    /// stop. `watch` sees every game that was kept, and the state with it.
    pub fn run(
        &self,
        ledger: &mut dyn Ledger,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&State, &[Entry]) -> ControlFlow<()>,
    ) -> Result<State, Halt> {
        let mut state = State::new(self.plan);
        let foreign = state.take(self.plan, ledger.kept().map_err(Halt::Ledger)?);
        if !foreign.is_empty() {
            ledger.forget(&foreign).map_err(Halt::Ledger)?;
        }
        if state.is_over() {
            return Ok(state);
        }
        self.try_out()?;
        let desk = Desk::new(&state);
        let halt = AtomicBool::new(false);
        let (send, finished) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.plan.concurrency {
                let (send, desk, halt) = (send.clone(), &desk, &halt);
                scope.spawn(move || self.work(desk, halt, &send));
            }
            drop(send);
            let collected = self.collect(&mut state, ledger, &finished, &desk, stop, watch);
            halt.store(true, Ordering::Relaxed);
            desk.close();
            collected
        })?;
        Ok(state)
    }

    /// Starts every program once: who cannot be started is told at once, not game by game.
    pub fn try_out(&self) -> Result<(), Halt> {
        for (number, game) in self.games.iter().enumerate() {
            for (entrant, player) in self.plan.players.iter().enumerate() {
                let made = self.seats.player(entrant, game.as_ref(), &self.setting(0));
                let mut made = made.map_err(Halt::Player)?;
                // One start is enough to know that a program can be started.
                let ready = if number == 0 { made.ready(&game.spec()) } else { Ok(()) };
                ready.map_err(|failure| Halt::Start(player.name.clone(), failure.to_string()))?;
            }
        }
        Ok(())
    }

    fn setting(&self, seed: u64) -> Setting {
        Setting { seed, clock: self.referee.clock.clone(), tables: None }
    }

    /// Keeps what is finished, then lets it count.
    fn collect(
        &self,
        state: &mut State,
        ledger: &mut dyn Ledger,
        finished: &mpsc::Receiver<Result<Entry, Halt>>,
        desk: &Desk,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&State, &[Entry]) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        while !state.is_over() && !stop.load(Ordering::Relaxed) {
            let first = match finished.recv_timeout(TICK) {
                Ok(first) => first,
                Err(mpsc::RecvTimeoutError::Timeout) => continue,
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            };
            // All that is finished by now is kept together: one visit to the disk for many games.
            let batch: Vec<Entry> =
                std::iter::once(first).chain(finished.try_iter()).collect::<Result<_, Halt>>()?;
            ledger.keep(&batch).map_err(Halt::Ledger)?;
            state.count(self.plan, batch.clone());
            desk.renew(state);
            if watch(state, &batch).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// One worker: plays what the desk gives it. Programs stay with it from game to game.
    fn work(&self, desk: &Desk, halt: &AtomicBool, send: &mpsc::Sender<Result<Entry, Halt>>) {
        let mut staying: HashMap<usize, Box<dyn Player>> = HashMap::new();
        while let Task::Play(slot) = desk.next() {
            let played = catch_unwind(AssertUnwindSafe(|| self.one(slot, &mut staying, halt)));
            let played = played.unwrap_or_else(|_| Err(Halt::Ledger(NotKept("the referee panicked".into()))));
            match played {
                Ok(entry) if entry.halves().is_none() => return,
                played => {
                    let ends = played.is_err();
                    if send.send(played).is_err() || ends {
                        return;
                    }
                }
            }
        }
    }

    fn one(
        &self,
        slot: Slot,
        staying: &mut HashMap<usize, Box<dyn Player>>,
        halt: &AtomicBool,
    ) -> Result<Entry, Halt> {
        let game = self.games[slot.game].as_ref();
        let mut board = self.plan.openings.board(game, slot.round);
        for (tag, seat) in ["First", "Second"].into_iter().zip(slot.seats) {
            board.tag(tag, &self.plan.players[seat].name);
        }
        board.tag("Event", &self.plan.name);
        board.tag("Round", &(slot.round + 1).to_string());
        let mut first = self.seated(slot, Side::First, staying)?;
        let mut second = self.seated(slot, Side::Second, staying)?;
        let mut prover = self.prover(game)?;
        let played = self.referee.play(
            board,
            [first.as_mut(), second.as_mut()],
            halt,
            match &mut prover {
                Some(prover) => Some(prover.as_mut()),
                None => None,
            },
        );
        let asides = [first.aside(), second.aside()];
        let asides = if played.foul.is_some() { asides } else { Default::default() };
        for (entrant, player) in slot.seats.into_iter().zip([first, second]) {
            if self.seats.stays(entrant) {
                staying.insert(entrant, player);
            }
        }
        Ok(Entry::new(slot, played, asides))
    }

    /// The player of a side: the program that stayed, or one made for this game alone.
    fn seated(
        &self,
        slot: Slot,
        side: Side,
        staying: &mut HashMap<usize, Box<dyn Player>>,
    ) -> Result<Box<dyn Player>, Halt> {
        let entrant = slot.seats[side.index()];
        if let Some(player) = staying.remove(&entrant) {
            return Ok(player);
        }
        let setting = self.setting(mix([self.plan.seed, slot.number, side.index() as u64]));
        self.seats.player(entrant, self.games[slot.game].as_ref(), &setting).map_err(Halt::Player)
    }

    /// Whoever proves results, anew for each game: what it proves must not depend on which games this worker played before.
    fn prover(&self, game: &dyn Hosted) -> Result<Option<Box<dyn parlor_catalog::Solving>>, Halt> {
        if !self.plan.adjudicate {
            return Ok(None);
        }
        let clock: Arc<dyn Clock> = self.referee.clock.clone();
        let tools = Tools { memory: PROOF_MEMORY, threads: 1, clock, tables: None };
        game.solver(&tools).map(Some).map_err(|bad| Halt::Player(BadPlayer::Table(bad)))
    }
}

/// How often the collector looks whether it is to stop.
const TICK: Duration = Duration::from_millis(20);
const PROOF_MEMORY: usize = 4 << 20;

impl std::fmt::Display for Halt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Halt::Player(bad) => bad.fmt(f),
            Halt::Start(name, why) => write!(f, "player {name} {why}"),
            Halt::Ledger(NotKept(why)) => write!(f, "a finished game could not be kept: {why}"),
        }
    }
}
