//! `cargo xtask tune amazons`: the weights of a judgement, fitted anew. It prints them; putting them into the program, and
//! showing by games that they are better, is for whoever asked.

mod amazons;

use crate::{args::Args, command};
use anyhow::Result;

pub fn run(mut args: Args) -> Result<()> {
    let games = args.number("--games")?.unwrap_or(3000);
    let nodes = args.number("--nodes")?.unwrap_or(5000);
    let seed = args.number("--seed")?.unwrap_or(1);
    let threads = args.number("--threads")?.unwrap_or(2).max(1);
    let rounds = args.number("--rounds")?.unwrap_or(1);
    let afresh = args.flag("--afresh");
    args.some_of("tune", &["amazons"])?;
    if cfg!(debug_assertions) {
        return command::rerun_in_release();
    }
    amazons::tune(amazons::Plan { games, nodes, seed, threads, rounds, afresh })?;
    Ok(())
}
