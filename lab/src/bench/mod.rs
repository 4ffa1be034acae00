//! `cargo lab bench`: measures speed in one run and compares it with targets or other programs. A slow result is
//! not an error: each target has a plain yes or no. A wrong count, an illegal answer, a won game that is not won,
//! or an attack that affects a visitor is an error.

mod amazons;
mod answers;
mod arena;
mod connect;
mod counting;
mod duel;
mod empty;
mod hostile;
mod kalah;
mod oware;
mod perfect;
mod probes;
mod referee;
mod rollouts;
mod server;
mod servers;
mod workers;

use anyhow::Result;
use clap::ValueEnum;

/// The benchmarks of `cargo lab bench`.
#[derive(Clone, Copy, ValueEnum)]
enum Benchmark {
    /// The rules of all games, compared with OpenSpiel
    Rules,
    /// The Connect-N solver, compared with BitBully and connect-four-ai
    Connect,
    /// Kalah's solver, the filler of its tables, and probes of them
    Kalah,
    /// Oware's tables, its engine, and games against the classic players
    Oware,
    /// Amazons' evaluation and search, and a ladder of matches with Elo
    Amazons,
    /// The player `perfect` in won games of Connect-N on 7x6; a game not won is an error
    Perfect,
    /// Games per second in tournaments, and the overhead of the referee
    Arena,
    /// A server with 1,000 live games and 2,000 spectators, and a server that is killed
    Server,
    /// Two servers on one PostgreSQL
    Servers,
    /// A server under attack by one address while another visitor plays
    Hostile,
    /// Games per second from a shared queue with 1, 2 and 4 workers
    Workers,
}

#[derive(clap::Args)]
pub struct BenchmarkArgs {
    /// What to measure, in this order [default: all]
    #[arg(value_name = "BENCHMARK", value_enum)]
    benchmarks: Vec<Benchmark>,
    /// kalah, oware, amazons, arena, server, servers, hostile, workers: a smaller run
    #[arg(long)]
    quick: bool,
    /// connect: number of positions to solve per set, without the empty board [default: 1000
    /// and the empty board]
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// kalah: the memory for tables, such as 8G or 512M
    #[arg(long, value_parser = crate::mebibytes, default_value = "256M")]
    memory: usize,
    /// perfect: number of games
    #[arg(long, value_name = "N", default_value_t = 200)]
    games: usize,
    /// perfect: every Nth game starts from the empty board
    #[arg(long, value_name = "N", default_value_t = 5)]
    empty: usize,
    /// perfect: time limit per move in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    seconds: u64,
    /// workers: kill workers at random during 1,000 games and compare the result with that of one process
    #[arg(long)]
    trial: bool,
    /// Solve the empty board with this number of threads and print the seconds; `connect` uses it to start a
    /// process
    #[arg(long, hide = true, value_name = "THREADS")]
    alone: Option<usize>,
}

pub fn run(options: &BenchmarkArgs) -> Result<()> {
    crate::ensure_optimised()?;
    if let Some(threads) = options.alone {
        println!("{}", empty::ours(threads)?.seconds);
        return Ok(());
    }
    for benchmark in crate::named_or_all(&options.benchmarks) {
        measure(benchmark, options)?;
    }
    Ok(())
}

fn measure(benchmark: Benchmark, options: &BenchmarkArgs) -> Result<()> {
    let quick = options.quick;
    match benchmark {
        Benchmark::Rules => rules(),
        // A shorter run is a quick check without the empty board.
        Benchmark::Connect => {
            connect::measure(options.positions.unwrap_or(1000), options.positions.is_none())
        }
        Benchmark::Kalah => {
            let size = if quick { kalah::Size::QUICK } else { kalah::Size::WHOLE };
            kalah::measure(&size, options.memory)
        }
        Benchmark::Oware => oware::measure(quick),
        Benchmark::Amazons => amazons::measure(quick),
        Benchmark::Perfect => perfect::measure(options.games, options.empty, options.seconds),
        Benchmark::Arena => arena::measure(quick),
        Benchmark::Server => server::measure(quick),
        Benchmark::Servers => servers::measure(quick),
        Benchmark::Hostile => hostile::measure(quick),
        Benchmark::Workers => workers::measure(quick, options.trial),
    }
}

fn rules() -> Result<()> {
    rollouts::measure(None)?;
    counting::measure(None)?;
    answers::measure()
}

/// The time of each round of a measurement.
#[derive(Default)]
struct Rounds(Vec<f64>);

impl Rounds {
    fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::INFINITY)
    }
}

fn yes_no(met: bool) -> &'static str {
    if met { "yes" } else { "NO" }
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let group = |(i, digit): (usize, char)| {
        let comma = i > 0 && (digits.len() - i).is_multiple_of(3);
        [comma.then_some(','), Some(digit)].into_iter().flatten()
    };
    digits.chars().enumerate().flat_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_have_a_best_and_a_median() {
        let rounds = Rounds(vec![3.0, 1.0, 9.0]);
        assert_eq!((rounds.best(), rounds.median()), (1.0, 3.0));
        assert_eq!(Rounds::default().median(), f64::INFINITY);
    }

    #[test]
    fn thousands_are_separated() {
        let written = [0, 999, 1000, 4_307_152].map(grouped);
        assert_eq!(written, ["0", "999", "1,000", "4,307,152"]);
    }
}
