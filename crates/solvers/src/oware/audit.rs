//! Audit of Oware's search: whole games are checked move by move with an endgame table. Once the table covers the position, no
//! move may give a proved value away, and the game must end with no less.
//!
//! It probes the table through the public rules alone and shares no code with the part of the search that it checks.

use super::OwareSearcher;
use parlor_core::{Game, Indexed, Limits, Margin, Match, Notation, Oracle};
use parlor_engine::{Clock, Random, Searcher};
use parlor_games::oware::{Oware, Pit, RuleSet};
use parlor_tables::EndgameTable;
use std::sync::{Arc, atomic::AtomicBool};

/// A game is stopped after this many plies; none comes near.
const MOST_PLIES: usize = 2000;

pub struct Audit {
    pub rules: RuleSet,
    /// The table that proves values; the search uses it too.
    pub table: Arc<EndgameTable<Oware>>,
    /// Node limit per move.
    pub nodes: u64,
    pub clock: Arc<dyn Clock>,
}

/// The result of an audit.
#[derive(Clone, Debug, Default)]
pub struct Account {
    pub games: u64,
    /// Games that reached the seed count of the table.
    pub endings: u64,
    /// Moves compared with the table.
    pub moves: u64,
    /// A sentence for each wrong move.
    pub faults: Vec<String>,
}

/// Plays the games with these numbers: the search on either side against random moves, a weaker search and itself.
pub fn audit(plan: &Audit, games: std::ops::Range<u64>) -> Account {
    let mut account = Account::default();
    for seed in games {
        play(plan, seed, &mut account);
    }
    account
}

fn play(plan: &Audit, seed: u64, account: &mut Account) {
    let game = Oware::by(plan.rules);
    let (mut random, mut played) = (Random::new(seed), Match::new(game.clone()));
    let expert = || {
        let mut expert = OwareSearcher::new(plan.rules, plan.clock.clone(), None);
        expert.endings = Some(plan.table.clone());
        expert
    };
    let (mut searcher, mut weaker) = (expert(), expert());
    let judged = (seed % 2) as usize;
    // The proved value of the audited side, and the ply after which it was proved.
    let mut proved: Option<(Margin, usize)> = None;
    let opening = random.below(10);
    while played.ending().is_none() && played.occurrences() < 2 && played.moves().len() < MOST_PLIES {
        let mine = game.turn(played.position()).index() == judged;
        if let Some(bounds) = just_entered(plan, &played) {
            let now = if mine { bounds.lo } else { -bounds.hi };
            if proved.is_none_or(|(before, _)| now > before) {
                proved = Some((now, played.moves().len()));
            }
        }
        let mv = if played.moves().len() < opening || !mine && seed.is_multiple_of(3) {
            game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new())
        } else if mine || seed % 3 == 1 {
            answer(&mut searcher, &played, plan.nodes)
        } else {
            answer(&mut weaker, &played, plan.nodes / 10)
        };
        let Some(mv) = mv else { break };
        if mine && played.moves().len() >= opening {
            account.moves += u64::from(check_move(plan, &played, mv, &mut account.faults));
        }
        played.make(mv);
    }
    account.games += 1;
    if let Some((least, since)) = proved {
        account.endings += 1;
        check_end(&played, judged, least, since, &mut account.faults);
    }
}

fn answer(expert: &mut OwareSearcher, played: &Match<Oware>, nodes: u64) -> Option<Pit> {
    expert.forget();
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let found = expert.run(played, &limits, &AtomicBool::new(false), &mut |_| ());
    found.moves.first().map(|best| best.mv)
}

/// The bounds by the table of a position whose layer has just been entered.
fn just_entered(plan: &Audit, played: &Match<Oware>) -> Option<parlor_core::Bounds> {
    let (game, positions) = (played.game().to_the_last_seed(), played.positions());
    let pos = positions.last()?;
    let before = positions.len().checked_sub(2).map(|at| game.layer(&positions[at]));
    let fresh = before.is_none_or(|layer| layer > game.layer(pos));
    plan.table.probe(&game, pos).filter(|_| fresh)
}

/// Whether the table covers this move; a move that gives a proved value away is recorded as a fault.
fn check_move(plan: &Audit, played: &Match<Oware>, mv: Pit, faults: &mut Vec<String>) -> bool {
    let Some(bounds) = just_entered(plan, played) else { return false };
    let game = played.game().to_the_last_seed();
    let mut next = *played.position();
    game.play(&mut next, mv);
    let kept = plan.table.probe(&game, &next).map(|after| -after.hi);
    if kept.is_none_or(|kept| kept < bounds.lo) {
        let place = game.write_position(played.position());
        faults.push(format!("{place}: {} keeps {kept:?} of {:?}", game.write_move(mv), bounds.lo));
    }
    true
}

/// Checks the end. A game that stops at 25 seeds is won or lost; its margin is not checked.
fn check_end(played: &Match<Oware>, judged: usize, least: Margin, since: usize, faults: &mut Vec<String>) {
    let (game, pos) = (played.game(), played.position());
    let paid = game.result(pos).or_else(|| game.repetition_payoff(pos)).unwrap_or_default();
    let had = if game.turn(pos).index() == judged { paid } else { -paid };
    let stopped = *game != game.to_the_last_seed() && pos.scores().iter().any(|&score| score > 24);
    let enough = if stopped { had.0.signum() >= least.0.signum() } else { had >= least };
    if !enough {
        let moves: Vec<String> = played.moves().iter().map(|&mv| game.write_move(mv)).collect();
        let moves = moves.concat();
        faults.push(format!("{had:?} at the end, {least:?} was proved after {since} plies of {moves}"));
    }
}
