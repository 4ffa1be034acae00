//! `cargo xtask check connect|oware|amazons`: are the experts right? Speed is not its business: `bench` measures that.

mod amazons;
pub mod connect;
mod oware;

use crate::{args::Args, command};
use anyhow::Result;

pub fn run(mut args: Args) -> Result<()> {
    let late = args.number("--late")?.unwrap_or(20_000) as usize;
    let early = args.number("--early")?.unwrap_or(200) as usize;
    let seed = args.number("--seed")?.unwrap_or(1);
    let games = args.number("--games")?.unwrap_or(1000);
    let nodes = args.number("--nodes")?.unwrap_or(1000);
    let top = args.number("--up-to")?.map_or(oware::USUAL, |top| top as u32);
    let endgames = args.number("--endgames")?.unwrap_or(100_000);
    let separated = args.number("--separated")?.unwrap_or(10_000);
    let quick = args.flag("--quick");
    let chosen = args.some_of("check", &["connect", "oware", "amazons"])?;
    if cfg!(debug_assertions) && !quick {
        return command::rerun_in_release();
    }
    for what in chosen {
        match what {
            "oware" => oware::check(games, nodes, top, seed)?,
            "amazons" => amazons::check(&amazons::Plan { endgames, separated, seed })?,
            _ if quick => connect::check(&connect::Plan::QUICK)?,
            _ => connect::check(&connect::Plan {
                late,
                early,
                seed,
                of_each_set: usize::MAX,
                first_moves: true,
            })?,
        }
    }
    Ok(())
}
