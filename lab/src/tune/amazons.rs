//! Fits the weights of Amazons' evaluation to self-play games. The target of a position is the mean of the game's
//! result and the value of the search. The same settings give the same weights on every machine, except for the
//! last digits.

use parlor_core::{BadParams, Game, Limits};
use parlor_engine::{Mcts, Monotonic, MoveStats, Random};
use parlor_games::amazons::{
    Amazons, FEATURES, HalfTurn, HalfTurnPosition, HalfTurns, PHASES, Territory, Weights, features,
};
use std::sync::{Arc, atomic::AtomicBool};

/// Parameters of a tuning run.
#[derive(Clone, Copy, Debug)]
pub struct TuningRun {
    pub games: u64,
    /// Positions evaluated per move.
    pub nodes: u64,
    pub seed: u64,
    pub threads: u64,
    /// Number of rounds. Each starts with the weights of the previous one.
    pub rounds: u64,
    /// Whether to start with arbitrary weights instead of the program's.
    pub afresh: bool,
}

/// Arbitrary weights: squares count, and most of all those that only one side can reach.
const ARBITRARY: Weights = [
    [4000, 0, 0, 3000, 200, 6000, 100, 3000],
    [5000, 1000, 300, 3000, 200, 5000, 100, 3000],
    [5000, 1000, 400, 2500, 150, 4000, 150, 3000],
    [4000, 1000, 500, 2000, 150, 3000, 150, 3000],
    [3000, 500, 600, 1500, 100, 2000, 150, 3000],
];

/// A position as features per phase, and the target winning probability.
struct Sample {
    weighed: [f64; FEATURES * PHASES],
    chance: f64,
}

/// Plays games and fits the weights in each round. Prints how well the weights predict the games before and after
/// each fit.
pub fn tune(plan: TuningRun) -> Result<(), BadParams> {
    let mut weights = if plan.afresh { ARBITRARY } else { Territory::USUAL.weights };
    for round in 0..plan.rounds {
        let samples = played(TuningRun { seed: plan.seed + round, ..plan }, Territory { weights })?;
        let before = as_numbers(&weights);
        let loss_before = loss(&samples, &before);
        let after = fitted(&samples, before);
        let (count, loss_after) = (samples.len(), loss(&samples, &after));
        println!("{count} positions; loss {loss_before:.5} before, {loss_after:.5} with the new weights:");
        weights = as_weights(&after);
        for phase in &weights {
            println!("            {phase:?},");
        }
    }
    Ok(())
}

/// Plays all games, divided among threads.
fn played(plan: TuningRun, territory: Territory) -> Result<Vec<Sample>, BadParams> {
    // Mostly the usual board, and some smaller ones, so that the weights generalise.
    let sizes = [(10, 10), (10, 10), (8, 8), (10, 10), (6, 6)];
    let games: Vec<Amazons> =
        sizes.iter().map(|&(columns, rows)| Amazons::sized(columns, rows)).collect::<Result<_, _>>()?;
    let samples = std::thread::scope(|scope| {
        let share = |thread| {
            let games = &games;
            let numbers = (0..plan.games).filter(move |number| number % plan.threads == thread);
            scope.spawn(move || {
                let of = |number: u64| games[number as usize % games.len()];
                numbers.flat_map(|number| play(&of(number), plan, territory, number)).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..plan.threads).map(share).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    Ok(samples)
}

/// Plays one game from a random opening.
fn play(game: &Amazons, plan: TuningRun, territory: Territory, number: u64) -> Vec<Sample> {
    let mut random = Random::new(plan.seed.wrapping_mul(1_000_003) + number);
    let mut mcts = Mcts::new(territory, 1000.0, Arc::new(Monotonic::start()));
    let limits = Limits { nodes: Some(plan.nodes), ..Limits::default() };
    let (mut pos, mut seen, stop) = (game.start(), Vec::new(), AtomicBool::new(false));
    for _ in 0..random.below(8) {
        if let Some(mv) = game.pick(&pos, &mut |n| random.below(n), &mut Vec::new()) {
            game.play(&mut pos, mv);
        }
    }
    while game.result(&pos).is_none() {
        let found = mcts.run(&HalfTurns(*game), &HalfTurnPosition::before(&pos), &limits, &stop, &mut |_| ());
        let Some((mv, chance)) = best(&found.moves) else { break };
        seen.push((pos, chance));
        game.play(&mut pos, mv);
    }
    let loser = pos.turn;
    let sample = |(pos, chance): (parlor_games::amazons::Position, f64)| {
        let won = if pos.turn == loser { 0.0 } else { 1.0 };
        Sample { weighed: weighed(game, &pos), chance: (won + chance) / 2.0 }
    };
    seen.into_iter().map(sample).collect()
}

fn best(found: &[MoveStats<HalfTurn>]) -> Option<(parlor_games::amazons::Shot, f64)> {
    let go = found.first()?;
    let shoot = go.next_stage.first()?;
    Some((HalfTurns::joined(go.mv, shoot.mv)?, f64::from(shoot.win_probability)))
}

/// The features of a position, interpolated between the two nearest phases.
fn weighed(game: &Amazons, pos: &parlor_games::amazons::Position) -> [f64; FEATURES * PHASES] {
    let (seen, phase) = features(game, pos);
    let at = f64::from(phase).clamp(0.0, 63.999) / 64.0 * (PHASES as f64 - 1.0);
    let (low, part) = (at.floor() as usize, at.fract());
    let mut weighed = [0.0; FEATURES * PHASES];
    for (i, &feature) in seen.iter().enumerate() {
        weighed[low * FEATURES + i] = f64::from(feature) * (1.0 - part) / 64.0;
        weighed[(low + 1) * FEATURES + i] = f64::from(feature) * part / 64.0;
    }
    weighed
}

/// The winning probability that weights predict.
fn chance(sample: &Sample, weights: &[f64]) -> f64 {
    let sum: f64 = sample.weighed.iter().zip(weights).map(|(seen, weight)| seen * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

fn loss(samples: &[Sample], weights: &[f64]) -> f64 {
    let one = |sample: &Sample| {
        let said = chance(sample, weights).clamp(1e-9, 1.0 - 1e-9);
        -(sample.chance * said.ln() + (1.0 - sample.chance) * (1.0 - said).ln())
    };
    samples.iter().map(one).sum::<f64>() / samples.len() as f64
}

/// Minimises the loss by gradient descent with the Adam optimiser.
fn fitted(samples: &[Sample], begin: Vec<f64>) -> Vec<f64> {
    let (mut weights, len) = (begin, FEATURES * PHASES);
    let (mut mean, mut square) = (vec![0.0; len], vec![0.0; len]);
    for round in 1..=400_i32 {
        let mut slope = vec![0.0; len];
        for sample in samples {
            let off = chance(sample, &weights) - sample.chance;
            slope.iter_mut().zip(&sample.weighed).for_each(|(slope, seen)| *slope += off * seen);
        }
        let pace = 0.3 / (1.0 + f64::from(round) / 100.0);
        for i in 0..len {
            // A small L2 penalty limits weights that affect no game.
            let slope = slope[i] / samples.len() as f64 + 1e-7 * weights[i];
            mean[i] = 0.9 * mean[i] + 0.1 * slope;
            square[i] = 0.99 * square[i] + 0.01 * slope * slope;
            let (mean, square) =
                (mean[i] / (1.0 - 0.9_f64.powi(round)), square[i] / (1.0 - 0.99_f64.powi(round)));
            weights[i] -= pace * mean / (square.sqrt() + 1e-12);
        }
    }
    weights
}

/// The weights as one list, scaled so that 1 is a log-odds of 1.
fn as_numbers(weights: &Weights) -> Vec<f64> {
    weights.iter().flatten().map(|&weight| f64::from(weight) / 1000.0).collect()
}

fn as_weights(numbers: &[f64]) -> Weights {
    let mut weights = Territory::USUAL.weights;
    for (phase, numbers) in weights.iter_mut().zip(numbers.chunks(FEATURES)) {
        for (weight, number) in phase.iter_mut().zip(numbers) {
            *weight = (number * 1000.0).round() as i32;
        }
    }
    weights
}
