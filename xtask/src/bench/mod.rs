//! `cargo xtask bench rules|connect|kalah|oware|amazons|perfect|arena|server|servers|hostile|workers`: how fast things are, measured in one run and printed with the targets or beside peers. Nothing fails by
//! being slow: a benchmark says figures, and a plain yes or no beside each target. Only a wrong count, an illegal answer,
//! a won game that was not won, or a visitor whom an attack keeps out is an error.

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

use crate::{args::Args, command};
use anyhow::Result;

pub fn run(mut args: Args) -> Result<()> {
    let most = args.number("--positions")?;
    // How the benchmark calls itself for a process of its own: only the seconds are wanted.
    if let Some(threads) = args.number("--alone")? {
        println!("{}", empty::ours(threads as usize)?.seconds);
        return Ok(());
    }
    let games = args.number("--games")?.unwrap_or(200) as usize;
    let empty = args.number("--empty")?.unwrap_or(5) as usize;
    let seconds = args.number("--seconds")?.unwrap_or(600);
    let quick = args.flag("--quick");
    let trial = args.flag("--trial");
    let size = if quick { kalah::Size::QUICK } else { kalah::Size::WHOLE };
    let mib = args.mib("--memory")?.unwrap_or(256);
    let chosen = args.some_of(
        "benchmark",
        &[
            "rules", "connect", "kalah", "oware", "amazons", "perfect", "arena", "server", "servers",
            "hostile", "workers",
        ],
    )?;
    if cfg!(debug_assertions) {
        return command::rerun_in_release();
    }
    for what in chosen {
        match what {
            // A short run is for a look; the empty board belongs to the whole one.
            "connect" => connect::measure(most.unwrap_or(1000) as usize, most.is_none())?,
            "kalah" => kalah::measure(&size, mib)?,
            "oware" => oware::measure(quick)?,
            "amazons" => amazons::measure(quick)?,
            "arena" => arena::measure(quick)?,
            "server" => server::measure(quick)?,
            "servers" => servers::measure(quick)?,
            "hostile" => hostile::measure(quick)?,
            "workers" => workers::measure(quick, trial)?,
            "perfect" => perfect::measure(games, empty, seconds)?,
            _ => rules()?,
        }
    }
    Ok(())
}

fn rules() -> Result<()> {
    rollouts::measure(None)?;
    counting::measure(None)?;
    answers::measure()
}

/// What the rounds of a measurement took, each.
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

/// The answer to a target.
fn yes_no(met: bool) -> &'static str {
    if met { "yes" } else { "NO" }
}

/// A number with its thousands apart.
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
    fn rounds_have_a_best_and_a_middle() {
        let rounds = Rounds(vec![3.0, 1.0, 9.0]);
        assert_eq!((rounds.best(), rounds.median()), (1.0, 3.0));
        assert_eq!(Rounds::default().median(), f64::INFINITY);
    }

    #[test]
    fn thousands_stand_apart() {
        let written = [0, 999, 1000, 4_307_152].map(grouped);
        assert_eq!(written, ["0", "999", "1,000", "4,307,152"]);
    }
}
