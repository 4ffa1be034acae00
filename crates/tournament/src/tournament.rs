//! Runs a tournament: some games at a time, each result stored before it counts, resuming where an earlier run stopped.
//! Which games there are, who plays them with which seed, and when enough is known follow from the plan and from the
//! results in the order of the games' numbers alone, in whatever order the games end.

use crate::{
    Cores, Executor, Ledger, LedgerEntry, NotKept, Referee, Slot, TournamentPlan, TournamentState,
    executor::{self, ThreadExecutor, WorkQueue},
    openings::OpeningCache,
};
use parlor_catalog::{BadPlayer, Clock, DynGame, Resources};
use parlor_core::{Player, Side, mix};
use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

/// Makes a player for one game: the game, the player's number in the plan, the seed of its random choices.
pub type MakePlayer<'a> =
    Box<dyn Fn(&dyn DynGame, usize, u64) -> Result<Box<dyn Player>, BadPlayer> + Send + Sync + 'a>;

/// Why a tournament stopped early.
#[derive(Clone, Debug, PartialEq)]
pub enum Halt {
    /// A player cannot be created.
    Player(BadPlayer),
    /// A player's program cannot be started: its name and a sentence.
    Start(String, String),
    /// A game could not be stored.
    Ledger(NotKept),
    /// A game could not be played, or what was played could not be had: a sentence.
    Executor(String),
}

/// Where one game after the other is played: the programs that stay there in between, and what is known of openings.
#[derive(Default)]
pub struct WorkerCache {
    staying: HashMap<usize, Box<dyn Player>>,
    openings: OpeningCache,
}

/// What a tournament needs to be played.
pub struct Tournament<'a> {
    pub plan: &'a TournamentPlan,
    /// In the order of the plan.
    pub games: Vec<Arc<dyn DynGame>>,
    pub make_player: MakePlayer<'a>,
    pub clock: Arc<dyn Clock>,
}

impl Tournament<'_> {
    /// Resumes after the games in the ledger, and plays until all games are played, enough is known, `watch` breaks, or
    /// `stop` is set. `watch` sees every game that was stored, and the state with it.
    pub fn run(
        &self,
        ledger: &mut dyn Ledger,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&TournamentState, &[LedgerEntry]) -> ControlFlow<()>,
    ) -> Result<TournamentState, Halt> {
        let mut state = self.so_far(ledger)?;
        if state.is_over() {
            return Ok(state);
        }
        let workers = self.plan.concurrency;
        let cores = if self.plan.pin { Cores::for_games(workers) } else { Cores::available() };
        let cores = match cores {
            Err(why) if self.plan.pin => return Err(Halt::Executor(why)),
            cores => cores.ok(),
        };
        self.try_out()?;
        let (queue, halt) = (WorkQueue::new(), AtomicBool::new(false));
        let (send, finished) = mpsc::channel();
        thread::scope(|scope| {
            for worker in 0..workers {
                let (send, queue, halt, cores) = (send.clone(), &queue, &halt, &cores);
                let restrict = move || match cores {
                    Some(cores) if self.plan.pin => cores.pin(worker),
                    Some(cores) => {
                        cores.share(worker, workers);
                        Ok(())
                    }
                    None => Ok(()),
                };
                scope.spawn(move || match restrict() {
                    Ok(()) => executor::work(self, queue, halt, &send),
                    // The tournament may have ended already.
                    Err(why) => drop(send.send(Err(Halt::Executor(why)))),
                });
            }
            drop(send);
            let mut executor = ThreadExecutor { queue: &queue, finished, ledger };
            let counted = self.count(&mut state, &mut executor, stop, watch);
            halt.store(true, Ordering::Relaxed);
            queue.close();
            counted
        })?;
        Ok(state)
    }

    /// The same with another executor. It continues after the games that the ledger holds; the executor stores the games that
    /// finish from now on.
    pub fn conduct(
        &self,
        ledger: &mut dyn Ledger,
        executor: &mut dyn Executor,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&TournamentState, &[LedgerEntry]) -> ControlFlow<()>,
    ) -> Result<TournamentState, Halt> {
        let mut state = self.so_far(ledger)?;
        self.count(&mut state, executor, stop, watch)?;
        Ok(state)
    }

    /// What was played by earlier runs. Games that are none of the plan's are forgotten.
    fn so_far(&self, ledger: &mut dyn Ledger) -> Result<TournamentState, Halt> {
        let mut state = TournamentState::new(self.plan);
        let foreign = state.take(self.plan, ledger.kept().map_err(Halt::Ledger)?);
        if !foreign.is_empty() {
            ledger.forget(&foreign).map_err(Halt::Ledger)?;
        }
        Ok(state)
    }

    /// Lays out what is to be played, and lets count what is finished.
    fn count(
        &self,
        state: &mut TournamentState,
        executor: &mut dyn Executor,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&TournamentState, &[LedgerEntry]) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        let mut known = 0;
        while !state.is_over() && !stop.load(Ordering::Relaxed) {
            let games = state.schedule.games();
            if games > known {
                let open = (known..games).filter(|number| !state.entries.contains_key(number));
                executor.open(open.filter_map(|number| state.schedule.slot(number)).collect())?;
                known = games;
            }
            let Some(batch) = executor.finished()? else { break };
            if batch.is_empty() {
                continue;
            }
            state.count(self.plan, batch.clone());
            if watch(state, &batch).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Starts every program once, so that one that cannot be started is reported at once, not game by game.
    pub fn try_out(&self) -> Result<(), Halt> {
        for (number, game) in self.games.iter().enumerate() {
            for (entrant, player) in self.plan.players.iter().enumerate() {
                let mut made = (self.make_player)(game.as_ref(), entrant, 0).map_err(Halt::Player)?;
                // One start is enough to know that a program can be started.
                let ready = if number == 0 { made.ready(&game.spec()) } else { Ok(()) };
                ready.map_err(|failure| Halt::Start(player.name.clone(), failure.to_string()))?;
            }
        }
        Ok(())
    }

    /// Plays one game. Programs stay at the table for the next one. If `halt` is set, the game has no outcome.
    pub fn play(&self, slot: Slot, table: &mut WorkerCache, halt: &AtomicBool) -> Result<LedgerEntry, Halt> {
        let WorkerCache { staying, openings } = table;
        let game = self.games[slot.game].as_ref();
        let mut board = self.plan.openings.cached_board(game, slot.round, openings);
        for (tag, seat) in ["First", "Second"].into_iter().zip(slot.seats) {
            board.tag(tag, &self.plan.players[seat].name);
        }
        board.tag("Event", &self.plan.name);
        board.tag("Round", &(slot.round + 1).to_string());
        let mut first = self.seated(slot, Side::First, staying)?;
        let mut second = self.seated(slot, Side::Second, staying)?;
        let mut prover = self.prover(game)?;
        let referee = Referee::of(self.plan, slot.seats, self.clock.clone());
        let played = referee.play(
            board,
            [first.as_mut(), second.as_mut()],
            halt,
            match &mut prover {
                Some(prover) => Some(prover.as_mut()),
                None => None,
            },
        );
        let asides = [first.aside(), second.aside()];
        let asides = if played.violation.is_some() { asides } else { Default::default() };
        for (entrant, player) in slot.seats.into_iter().zip([first, second]) {
            if player.is_reusable() {
                staying.insert(entrant, player);
            }
        }
        Ok(LedgerEntry::new(slot, played, asides))
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
        let seed = mix([self.plan.seed, slot.number, side.index() as u64]);
        (self.make_player)(self.games[slot.game].as_ref(), entrant, seed).map_err(Halt::Player)
    }

    /// The solver that proves results, a new one for each game: what it proves must not depend on which games this worker
    /// played before.
    fn prover(&self, game: &dyn DynGame) -> Result<Option<Box<dyn parlor_catalog::DynSolver>>, Halt> {
        if !self.plan.adjudicate {
            return Ok(None);
        }
        let resources =
            Resources { memory: Some(PROOF_MEMORY), ..Resources::with_clock(0, self.clock.clone()) };
        game.solver(&resources).map(Some).map_err(|bad| Halt::Player(BadPlayer::Table(bad)))
    }
}

const PROOF_MEMORY: usize = 4 << 20;

impl std::fmt::Display for Halt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Halt::Player(bad) => bad.fmt(f),
            Halt::Start(name, why) => write!(f, "player {name} {why}"),
            Halt::Executor(why) => f.write_str(why),
            Halt::Ledger(NotKept(why)) => write!(f, "a finished game could not be saved: {why}"),
        }
    }
}
