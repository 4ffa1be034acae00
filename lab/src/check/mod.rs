//! `cargo lab check`: checks that the solvers are correct. `cargo lab bench` measures their speed.

mod amazons;
mod connect;
mod oware;

use anyhow::Result;
use clap::ValueEnum;

/// The checks of `cargo lab check`.
#[derive(Clone, Copy, ValueEnum)]
enum Check {
    /// The Connect-N solver against reference sets, BitBully and the known first moves
    Connect,
    /// Oware's search in whole games, compared move by move with its table
    Oware,
    /// Amazons' solver, its best lines and its races against plain negamax
    Amazons,
}

#[derive(clap::Args)]
pub struct CheckArgs {
    /// What to check [default: all]
    #[arg(value_name = "CHECK", value_enum)]
    checks: Vec<Check>,
    /// connect: number of random positions of 16 plies or more
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    late: usize,
    /// connect: number of random positions of 8 to 15 plies
    #[arg(long, value_name = "N", default_value_t = 200)]
    early: usize,
    /// connect: only the positions that `cargo xtask test check` compares, which are solved quickly
    #[arg(long, conflicts_with_all = ["late", "early", "seed"])]
    quick: bool,
    /// oware: number of games for each rule set
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// oware: positions to search for each move
    #[arg(long, value_name = "N", default_value_t = 1000)]
    nodes: u64,
    /// oware: most seeds in the table of correct values
    #[arg(long, value_name = "SEEDS", default_value_t = oware::USUAL)]
    up_to: u32,
    /// amazons: number of random endgames
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    endgames: u64,
    /// amazons: number of random positions with separated sides
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    separated: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

pub fn run(options: &CheckArgs) -> Result<()> {
    if !options.quick {
        crate::ensure_optimised()?;
    }
    let seed = options.seed;
    for check in crate::named_or_all(&options.checks) {
        match check {
            Check::Connect if options.quick => connect::check(&connect::PositionChecks::QUICK)?,
            Check::Connect => connect::check(&connect::PositionChecks {
                late: options.late,
                early: options.early,
                seed,
                of_each_set: usize::MAX,
                first_moves: true,
            })?,
            Check::Oware => oware::check(options.games, options.nodes, options.up_to, seed)?,
            Check::Amazons => amazons::check(&amazons::EndgameChecks {
                endgames: options.endgames,
                separated: options.separated,
                seed,
            })?,
        }
    }
    Ok(())
}
