//! Amazons as players search it: tries in two stages, queen and arrow, judged by territory, with races decided at sight.
//!
//! A limit of depth is no concern of tries; who sets one is answered by the search that every game has.

use super::race::Racer;
use parlor_engine::{Branch, Clock, Found, Judged, Mcts, Outlook, Search, Think};
use parlor_games::amazons::{Amazons, Shot, Stage, Step, Steps, Territory};
use parlor_play::{Bounds, Limits, Margin, Match, Notation, Oracle, Report, Value, finished, is_finished};
use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool};

/// What the judgement of e to one is.
const UNIT: f32 = Territory::ODDS as f32;
/// Turns that are tried to fill a region before its bounds must do.
const FILLING: u64 = 200;

/// Deep search of Amazons.
pub struct Strategist {
    /// Threads, at least 1.
    pub threads: usize,
    /// What its tree may take, in bytes.
    pub memory: usize,
    territory: Territory,
    clock: Arc<dyn Clock>,
    tries: Option<(Amazons, Mcts<Steps, Territory>)>,
    plain: Search<Amazons, Territory>,
}

/// Tells who wins where the queens are separated.
struct Races(Mutex<Racer>);

impl Oracle<Steps> for Races {
    fn probe(&self, _: &Steps, stage: &Stage) -> Option<Bounds> {
        if stage.shooter.is_some() {
            return None;
        }
        let mut racer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        racer.race(&stage.pos, FILLING).map(Bounds::exactly)
    }
}

impl Strategist {
    /// A search with one thread and 128 MiB.
    pub fn new(territory: Territory, clock: Arc<dyn Clock>) -> Strategist {
        let plain = Search::new(territory, clock.clone());
        Strategist { threads: 1, memory: 128 << 20, territory, clock, tries: None, plain }
    }

    /// The tries of this game, with what they have found out before if it was of the same game.
    fn tries(&mut self, game: &Amazons) -> &mut Mcts<Steps, Territory> {
        if self.tries.as_ref().is_none_or(|(of, _)| of != game) {
            self.tries = None;
        }
        let (territory, clock) = (self.territory, &self.clock);
        let (_, tries) = self.tries.get_or_insert_with(|| {
            let mut tries = Mcts::new(territory, UNIT, clock.clone());
            tries.oracle = Some(Arc::new(Races(Mutex::new(Racer::new(game)))));
            (*game, tries)
        });
        (tries.threads, tries.memory) = (self.threads, self.memory);
        tries
    }
}

impl Think<Amazons> for Strategist {
    fn run(
        &mut self,
        played: &Match<Amazons>,
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Report),
    ) -> Found<Shot> {
        if limits.depth.is_some() {
            return self.plain.run(played, limits, stop, report);
        }
        let game = *played.game();
        let stage = Stage::before(played.position());
        let tries = self.tries(&game);
        let mut tell = |outlook: &Outlook<Step>| report(&told(&game, outlook));
        let outlook = tries.run(&Steps(game), &stage, limits, stop, &mut tell);
        let moves = judged(&outlook.moves);
        let whole = moves.first().is_none_or(|best| is_finished(best.value));
        Found { depth: depth(&moves), moves, nodes: outlook.nodes, whole }
    }

    fn forget(&mut self) {
        self.tries = None;
        self.plain.forget();
    }

    fn widen(&mut self, width: Value) {
        self.plain.widen(width);
    }
}

/// Both stages of the best turns, the best first.
fn judged(branches: &[Branch<Step>]) -> Vec<Judged<Shot>> {
    let mut moves: Vec<(u32, Judged<Shot>)> = Vec::new();
    for go in branches {
        for shoot in &go.then {
            let Some(mv) = Steps::joined(go.mv, shoot.mv) else { continue };
            let line = [mv].into_iter().chain(shots(&shoot.line)).collect();
            moves.push((shoot.visits, Judged { mv, value: value(shoot), line }));
        }
    }
    // The queen that was tried most goes first, and of its arrows the one that was tried most: that is the best. The others
    // follow as good as they look, and none looks better than the best.
    if let Some((best, others)) = moves.split_first_mut() {
        others.iter_mut().for_each(|(_, other)| other.value = other.value.min(best.1.value));
        others.sort_by_key(|(visits, other)| (-other.value, u32::MAX - visits));
    }
    moves.into_iter().map(|(_, judged)| judged).collect()
}

/// The turns of a line of stages; a last stage alone is left out.
fn shots(line: &[Step]) -> Vec<Shot> {
    line.chunks_exact(2).map_while(|stages| Steps::joined(stages[0], stages[1])).collect()
}

/// A chance as the logarithm of the odds; certain ones as finished games, quicker wins first as far as the line tells.
fn value(branch: &Branch<Step>) -> Value {
    let plies = shots(&branch.line).len() as u32 + 1;
    match branch.certain {
        Some(true) => finished(Margin(1), plies),
        Some(false) => finished(Margin(-1), plies),
        None => {
            let chance = branch.chance.clamp(1e-6, 1.0 - 1e-6);
            (UNIT * (chance / (1.0 - chance)).ln()) as Value
        }
    }
}

fn depth(moves: &[Judged<Shot>]) -> u32 {
    moves.first().map_or(0, |best| best.line.len() as u32)
}

fn told(game: &Amazons, outlook: &Outlook<Step>) -> Report {
    let moves = judged(&outlook.moves);
    let best = moves.first();
    let value = best.map_or(0, |best| best.value);
    let line = best.map_or_else(Vec::new, |best| best.line.iter().map(|&mv| game.write_move(mv)).collect());
    let margin = Margin(if value > 0 { 1 } else { -1 });
    let proved = is_finished(value).then(|| Bounds::exactly(margin));
    Report { depth: depth(&moves), nodes: outlook.nodes, value, line, proved, by_hash: false }
}
