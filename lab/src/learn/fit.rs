//! `cargo lab fit`: trains a network by gradient descent (Adam, D. Kingma and J. Ba 2015) on the files of `datagen`, and writes the
//! weights with their provenance. The target of a position is a mean of the outcome of its game and of the winning probability
//! that the search gave it; where the search saw the end of the game, that alone.
//!
//! One game in twenty is left out of the training and measures the loss. The same settings give the same weights on machines
//! with the same arithmetic of floating point.

use super::{Learned, LearnedGame, samples};
use anyhow::{Context, Result, ensure};
use parlor_engine::Random;
use parlor_games::{
    kalah::Kalah,
    network::{LANES, NeuralNetwork, ONE, Row},
    oware::Oware,
};
use std::{fs, path::PathBuf};

/// Positions per step of the descent.
const BATCH: usize = 4096;
/// The linear lane.
const LINEAR: usize = LANES - 1;
/// One game in this many measures the loss.
const HELD_OUT: u64 = 20;
/// Output weights are stored as at most this.
const MOST_OUTPUT: f32 = 127.0;

#[derive(clap::Args)]
pub struct FitArgs {
    /// The game
    #[arg(value_name = "GAME", value_enum)]
    game: LearnedGame,
    /// A file of `cargo lab datagen`; may be repeated
    #[arg(long, value_name = "FILE", required = true)]
    data: Vec<PathBuf>,
    /// The weights, in the form in which a game's folder has them
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Passes over the positions
    #[arg(long, default_value_t = 30)]
    epochs: usize,
    /// Share of the outcome in the target, in hundredths; the rest is that of the search
    #[arg(long, default_value_t = 50)]
    outcome: u32,
    /// Value of the network that stands for odds of e to one
    #[arg(long, default_value_t = 300)]
    unit: u32,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(options: &FitArgs) -> Result<()> {
    crate::ensure_optimised()?;
    match options.game {
        LearnedGame::Kalah => fit::<Kalah>(options),
        LearnedGame::Oware => fit::<Oware>(options),
    }
}

/// A position with its target.
struct Sample {
    /// Its active inputs are `Samples::inputs[first..last]`.
    first: u32,
    last: u32,
    value: f32,
    outcome: f32,
    /// A winning probability.
    target: f32,
}

#[derive(Default)]
struct Samples {
    inputs: Vec<u16>,
    training: Vec<Sample>,
    held_out: Vec<Sample>,
}

impl Samples {
    fn active(&self, sample: &Sample) -> &[u16] {
        &self.inputs[sample.first as usize..sample.last as usize]
    }
}

fn read<G: Learned>(files: &[PathBuf]) -> Result<Samples> {
    let (game, mut samples) = (G::usual()?, Samples::default());
    for file in files {
        samples::read(file, |line| {
            let pos = game.parse_position(&line.position).with_context(|| line.position.clone())?;
            let first = samples.inputs.len() as u32;
            game.active(&pos, &mut |input| samples.inputs.push(input as u16));
            let (last, value, outcome) = (samples.inputs.len() as u32, line.value as f32, line.outcome);
            let sample = Sample { first, last, value, outcome, target: 0.0 };
            let held_out = line.game.is_multiple_of(HELD_OUT);
            if held_out { &mut samples.held_out } else { &mut samples.training }.push(sample);
            Ok(())
        })?;
    }
    ensure!(!samples.training.is_empty() && !samples.held_out.is_empty(), "the files have too few games");
    Ok(samples)
}

fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

fn loss(predicted: f32, target: f32) -> f32 {
    let predicted = predicted.clamp(1e-6, 1.0 - 1e-6);
    -(target * predicted.ln() + (1.0 - target) * (1.0 - predicted).ln())
}

fn is_won_or_lost(sample: &Sample) -> bool {
    sample.value.abs() >= samples::WON as f32
}

/// The value of the search that stands for odds of e to one: where it predicts the outcomes best.
fn unit_of_search(samples: &[Sample]) -> f32 {
    let open: Vec<&Sample> = samples.iter().filter(|sample| !is_won_or_lost(sample)).step_by(7).collect();
    let of = |unit: f32| -> f32 {
        open.iter().map(|sample| loss(probability(sample.value / unit), sample.outcome)).sum()
    };
    let units = (0..60).map(|i| 20.0 * 1.1_f32.powi(i));
    units.min_by(|&one, &other| of(one).total_cmp(&of(other))).unwrap_or(300.0)
}

/// The parameters as real numbers: a row for each input, the bias and the output weights.
struct Parameters(Vec<[f32; LANES]>);

impl Parameters {
    fn zeros(inputs: usize) -> Parameters {
        Parameters(vec![[0.0; LANES]; inputs + 2])
    }

    fn random(inputs: usize, random: &mut Random) -> Parameters {
        let mut parameters = Parameters::zeros(inputs);
        let mut draw = || (random.bits() >> 40) as f32 / (1 << 24) as f32 * 2.0 - 1.0;
        for row in &mut parameters.0[..inputs] {
            row[..LINEAR].fill_with(|| 0.15 * draw());
        }
        parameters.0[inputs][..LINEAR].fill(0.25);
        parameters.0[inputs + 1][..LINEAR].fill_with(draw);
        parameters
    }

    /// The hidden lanes of a position.
    fn lanes(&self, active: &[u16]) -> [f32; LANES] {
        let mut lanes = self.0[self.0.len() - 2];
        for &input in active {
            let row = &self.0[usize::from(input)];
            lanes.iter_mut().zip(row).for_each(|(lane, weight)| *lane += weight);
        }
        lanes
    }

    /// The logarithm of the odds.
    fn odds(&self, lanes: &[f32; LANES]) -> f32 {
        let output = &self.0[self.0.len() - 1];
        let squares = lanes[..LINEAR].iter().map(|lane| lane.clamp(0.0, 1.0).powi(2));
        lanes[LINEAR] + squares.zip(output).map(|(square, weight)| square * weight).sum::<f32>()
    }

    /// Adds the gradient of the loss of one position.
    fn add_gradient(&self, active: &[u16], target: f32, gradient: &mut Parameters) {
        let lanes = self.lanes(active);
        let error = probability(self.odds(&lanes)) - target;
        let last = self.0.len() - 1;
        let mut slope = [0.0; LANES];
        for (i, &lane) in lanes[..LINEAR].iter().enumerate() {
            let clamped = lane.clamp(0.0, 1.0);
            gradient.0[last][i] += error * clamped * clamped;
            if clamped == lane {
                slope[i] = 2.0 * error * clamped * self.0[last][i];
            }
        }
        slope[LINEAR] = error;
        for &input in active {
            let row = &mut gradient.0[usize::from(input)];
            row.iter_mut().zip(&slope).for_each(|(sum, slope)| *sum += slope);
        }
        gradient.0[last - 1].iter_mut().zip(&slope).for_each(|(sum, slope)| *sum += slope);
    }

    fn mean_loss(&self, samples: &Samples) -> f32 {
        let of = |sample: &Sample| {
            loss(probability(self.odds(&self.lanes(samples.active(sample)))), sample.target)
        };
        samples.held_out.iter().map(of).sum::<f32>() / samples.held_out.len() as f32
    }

    /// Rounded to integers.
    fn quantized(&self, unit: f32) -> NeuralNetwork {
        let last = self.0.len() - 1;
        let most = self.0[last][..LINEAR].iter().fold(1e-6_f32, |most, weight| most.max(weight.abs()));
        let round = |row: &[f32; LANES]| -> Row {
            std::array::from_fn(|i| (row[i] * if i == LINEAR { unit } else { f32::from(ONE) }).round() as i16)
        };
        let rows = self.0[..last - 1].iter().map(round).collect();
        let output = std::array::from_fn(|i| (self.0[last][i] * MOST_OUTPUT / most).round() as i16);
        // The value of a lane of 1 with an output weight of 1, and the 32 bits by which the product is shifted.
        let one = f64::from(ONE).powi(2);
        let scale = f64::from(most / MOST_OUTPUT * unit) / one * 2.0_f64.powi(32);
        NeuralNetwork::new(rows, round(&self.0[last - 1]), output, scale.round() as i32)
    }
}

/// The state of the optimiser.
struct Adam {
    mean: Parameters,
    square: Parameters,
    step: i32,
}

impl Adam {
    fn descend(&mut self, parameters: &mut Parameters, gradient: &Parameters, count: usize, rate: f32) {
        self.step += 1;
        let correction = (1.0 - 0.999_f32.powi(self.step)).sqrt() / (1.0 - 0.9_f32.powi(self.step));
        for (i, row) in parameters.0.iter_mut().enumerate() {
            for (lane, weight) in row.iter_mut().enumerate() {
                let slope = gradient.0[i][lane] / count as f32;
                let (mean, square) = (&mut self.mean.0[i][lane], &mut self.square.0[i][lane]);
                *mean = 0.9 * *mean + 0.1 * slope;
                *square = 0.999 * *square + 0.001 * slope * slope;
                *weight -= rate * correction * *mean / (square.sqrt() + 1e-8);
            }
        }
    }
}

fn fit<G: Learned>(options: &FitArgs) -> Result<()> {
    let mut samples = read::<G>(&options.data)?;
    let unit = unit_of_search(&samples.training);
    let share = options.outcome as f32 / 100.0;
    let mut reference = 0.0;
    let Samples { training, held_out, .. } = &mut samples;
    for sample in training.iter_mut().chain(held_out.iter_mut()) {
        let searched = if is_won_or_lost(sample) {
            f32::from(u8::from(sample.value > 0.0))
        } else {
            probability(sample.value / unit)
        };
        let share = if is_won_or_lost(sample) { 0.0 } else { share };
        sample.target = share * sample.outcome + (1.0 - share) * searched;
    }
    for sample in held_out.iter() {
        reference += loss(sample.target, sample.target) / held_out.len() as f32;
    }
    println!(
        "{} positions, {} held out; the search means odds of e to one by {unit:.0}; loss of a perfect fit {reference:.5}",
        samples.training.len(),
        samples.held_out.len()
    );
    let mut random = Random::new(options.seed);
    let mut parameters = Parameters::random(G::COUNT, &mut random);
    let zeros = || Parameters::zeros(G::COUNT);
    let mut adam = Adam { mean: zeros(), square: zeros(), step: 0 };
    let mut order: Vec<u32> = (0..samples.training.len() as u32).collect();
    let mut held_out_loss = f32::INFINITY;
    for epoch in 0..options.epochs {
        (1..order.len()).rev().for_each(|i| order.swap(i, random.below(i + 1)));
        let progress = epoch as f32 / options.epochs as f32;
        let rate = 0.004 * (0.5 * (1.0 + (std::f32::consts::PI * progress).cos())).max(0.01);
        for batch in order.chunks(BATCH) {
            let mut gradient = zeros();
            for &i in batch {
                let sample = &samples.training[i as usize];
                parameters.add_gradient(samples.active(sample), sample.target, &mut gradient);
            }
            adam.descend(&mut parameters, &gradient, batch.len(), rate);
        }
        held_out_loss = parameters.mean_loss(&samples);
        println!("epoch {:>3}: loss {held_out_loss:.5}", epoch + 1);
    }
    let network = parameters.quantized(options.unit as f32);
    let FitArgs { epochs, outcome, unit, seed, .. } = options;
    let mut provenance = vec![(
        "command",
        format!(
            "cargo lab fit {} --epochs {epochs} --outcome {outcome} --unit {unit} --seed {seed}",
            G::NAME
        ),
    )];
    for file in &options.data {
        let text = fs::read_to_string(file)?;
        let command = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_string();
        provenance.push(("data", command));
    }
    provenance.push(("positions", (samples.training.len() + samples.held_out.len()).to_string()));
    provenance.push(("loss", format!("{held_out_loss:.5}")));
    fs::write(&options.out, network.to_bytes(&provenance))
        .with_context(|| format!("cannot write {}", options.out.display()))
}
