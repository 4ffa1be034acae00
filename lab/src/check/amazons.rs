//! Compares Amazons' solver, races and engine with plain negamax on random endgames of many sizes, with the queens
//! close together or scattered. The winner must be the same, the best line legal and consistent with it, and no
//! race or proof of the engine may be wrong. If the queens are separated, every race must be decided and the
//! engine's answer proven.

use anyhow::{Result, bail, ensure};
use parlor_core::{Bounds, Game, Limits, Margin, Match, Notation, Solve, mix};
use parlor_engine::{Monotonic, Random, Searcher};
use parlor_games::amazons::{Amazons, Position, Territory};
use parlor_solvers::amazons::{
    AmazonsExpert, Racer, Strategist,
    endgames::{KnownWins, endgame, separated, wins},
};
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Instant,
};

const THREADS: u64 = 2;
const MEMORY: usize = 16 << 20;
/// Most empty squares: in any endgame, and with separated queens.
const MOST_EMPTY: usize = 10;
const MOST_SEPARATED: usize = 14;
/// Turns that a race may visit: none, few, some, all.
const BUDGETS: [u64; 4] = [0, 10, 300, u64::MAX];

/// Node limits of the engine. With separated queens the move that keeps a won race is found soon; otherwise the
/// engine finds fewer proofs with fewer nodes.
const TRIES: [u64; 3] = [20, 300, 5_000];
const TRIES_SEPARATED: u64 = 20_000;

/// The number of endgames of each kind, and the random seed.
pub struct EndgameChecks {
    pub endgames: u64,
    pub separated: u64,
    pub seed: u64,
}

pub fn check(plan: &EndgameChecks) -> Result<()> {
    println!("random endgames beside plain negamax, {THREADS} threads; seed {}", plan.seed);
    println!("{:<10} {:>9} {:>8} {:>8} {:>8} {:>9}", "kind", "endgames", "won", "races", "engine", "seconds");
    for (kind, count, apart) in [("any", plan.endgames, false), ("separated", plan.separated, true)] {
        let began = Instant::now();
        let part = |thread: u64| {
            let count = count / THREADS + u64::from(thread < count % THREADS);
            Checker::new(mix([plan.seed, thread, u64::from(apart)])).check(count, apart)
        };
        let parts: Vec<Result<Tally>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|n| scope.spawn(move || part(n))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| bail!("it panicked"))).collect()
        });
        let mut all = Tally::default();
        for part in parts {
            let part = part?;
            all = Tally {
                checked: all.checked + part.checked,
                won: all.won + part.won,
                races: all.races + part.races,
                proven: all.proven + part.proven,
            };
        }
        let seconds = began.elapsed().as_secs_f64();
        let Tally { checked, won, races, proven } = all;
        println!("{kind:<10} {checked:>9} {won:>8} {races:>8} {proven:>8} {seconds:>9.1}");
    }
    Ok(())
}

#[derive(Default)]
struct Tally {
    checked: u64,
    won: u64,
    /// Number of decided races.
    races: u64,
    /// Number of proven answers of the engine.
    proven: u64,
}

/// State of one thread, with a solver for every size.
struct Checker {
    random: Random,
    experts: HashMap<String, (AmazonsExpert, Racer, Strategist)>,
}

impl Checker {
    fn new(seed: u64) -> Checker {
        Checker { random: Random::new(seed), experts: HashMap::new() }
    }

    fn check(&mut self, count: u64, apart: bool) -> Result<Tally> {
        let mut tally = Tally::default();
        while tally.checked < count {
            let most = if apart { MOST_SEPARATED } else { MOST_EMPTY };
            let empty = self.random.below(most + 1);
            let (game, pos) = endgame(&mut self.random, empty);
            if apart && !separated(&game, &pos) {
                continue;
            }
            let won = wins(&game, &pos, &mut KnownWins::default());
            let truth = Margin(if won { 1 } else { -1 });
            let raced = self.compare(&game, &pos, truth, apart)?;
            let proven = self.compare_engine(&game, &pos, truth, apart)?;
            tally.checked += 1;
            tally.won += u64::from(won);
            tally.races += u64::from(raced);
            tally.proven += u64::from(proven);
        }
        Ok(tally)
    }

    /// Returns whether the race was decided; an error if anything differs from `truth`.
    fn compare(&mut self, game: &Amazons, pos: &Position, truth: Margin, apart: bool) -> Result<bool> {
        let place = format!("{} {}", game.spec(), game.write_position(pos));
        let budget = if apart { u64::MAX } else { BUDGETS[self.random.below(BUDGETS.len())] };
        let (expert, racer, _) = self.experts_of(game);
        let raced = racer.race(pos, budget);
        ensure!(raced.is_none_or(|raced| raced == truth), "{place}: the race is wrong, it is {truth:?}");
        ensure!(!apart || raced.is_some(), "{place}: the race is not decided");
        let (mut played, mut line) = (Match::from_position(*game, *pos), Vec::new());
        let stop = AtomicBool::new(false);
        let bounds =
            expert.solve(&played, &Limits::default(), &stop, &mut |report| line.clone_from(&report.line));
        ensure!(bounds == Bounds::exactly(truth), "{place}: the solver says {bounds:?}, it is {truth:?}");
        for mv in &line {
            played.play(mv)?;
        }
        let end = game.result(played.position());
        let lost = if line.len().is_multiple_of(2) { truth } else { -truth };
        ensure!(end == Some(lost), "{place}: the line {} ends with {end:?}", line.join(" "));
        Ok(raced.is_some())
    }

    /// Returns whether the engine's answer was proven; an error if the proof is wrong or the answer gives away a win.
    fn compare_engine(&mut self, game: &Amazons, pos: &Position, truth: Margin, apart: bool) -> Result<bool> {
        if game.result(pos).is_some() {
            return Ok(true);
        }
        let place = format!("{} {}", game.spec(), game.write_position(pos));
        let nodes = if apart { TRIES_SEPARATED } else { TRIES[self.random.below(TRIES.len())] };
        let (_, _, engine) = self.experts_of(game);
        engine.forget();
        let played = Match::from_position(*game, *pos);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let found = engine.run(&played, &limits, &AtomicBool::new(false), &mut |_| ());
        let proved = found.proved(game.bounds(pos));
        ensure!(
            proved.lo <= truth && truth <= proved.hi,
            "{place}: the engine says {proved:?}, it is {truth:?}"
        );
        ensure!(!apart || proved.are_exact(), "{place}: the engine has no proof after {nodes} positions");
        let Some(best) = found.moves.first() else { bail!("{place}: the engine has no move") };
        if proved.are_exact() && truth == Margin(1) {
            let mut after = *pos;
            game.play(&mut after, best.mv);
            let kept = !wins(game, &after, &mut KnownWins::default());
            ensure!(kept, "{place}: the engine's {} gives the won game away", game.write_move(best.mv));
        }
        Ok(proved.are_exact())
    }

    fn experts_of(&mut self, game: &Amazons) -> &mut (AmazonsExpert, Racer, Strategist) {
        let clock = || Arc::new(Monotonic::start());
        let make = || {
            let mut engine = Strategist::new(Territory::USUAL, clock());
            engine.memory = MEMORY;
            (AmazonsExpert::new(MEMORY, 1, clock()), Racer::new(game), engine)
        };
        self.experts.entry(game.spec()).or_insert_with(make)
    }
}
