//! `cargo xtask test`: everything that must hold before a change is taken. The stages run in order, the first failure ends
//! them, and each can run alone.

use crate::{
    args::Args,
    browser, check,
    cross_check::{self, Plan},
    licences, postgres, sanitize,
    workshop::{cargo, run as run_command},
};
use anyhow::{Result, bail};
use std::time::Instant;

struct Stage {
    name: &'static str,
    run: fn() -> Result<()>,
}

const STAGES: [Stage; 10] = [
    Stage { name: "fmt", run: || run_command(cargo().args(["fmt", "--all", "--check"])) },
    Stage {
        name: "clippy",
        run: || run_command(cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])),
    },
    Stage { name: "tests", run: || run_command(cargo().args(["test", "--workspace"])) },
    Stage { name: "postgres", run: postgres::check },
    Stage { name: "browser", run: browser::check },
    Stage { name: "sanitizer", run: sanitize::tables_in_short },
    Stage {
        name: "docs",
        run: || {
            run_command(cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Stage { name: "licences", run: licences::check },
    Stage { name: "cross-check", run: cross_check_in_short },
    Stage { name: "check", run: check_in_short },
];

pub fn run(args: Args) -> Result<()> {
    let chosen = args.some_of("stage", &STAGES.each_ref().map(|stage| stage.name))?;
    let began = Instant::now();
    let mut times = Vec::new();
    for name in chosen {
        let Some(stage) = STAGES.iter().find(|stage| stage.name == name) else { continue };
        eprintln!("== {name}");
        let stage_began = Instant::now();
        if let Err(error) = (stage.run)() {
            bail!("the stage {name} failed: {error:#}\nalone it runs as: cargo xtask test {name}");
        }
        times.push((name, stage_began.elapsed()));
    }
    println!("\n{:<12} {:>8}", "stage", "seconds");
    for (name, time) in times {
        println!("{name:<12} {:>8.1}", time.as_secs_f64());
    }
    println!("{:<12} {:>8.1}", "all", began.elapsed().as_secs_f64());
    Ok(())
}

/// A thousand games of each game: a few seconds in all.
fn cross_check_in_short() -> Result<()> {
    if is_skipped() {
        return Ok(());
    }
    cross_check::check(&Plan { games: 1000, amazons: 1000, seed: 1 })
}

/// What the solver says of positions that cost next to nothing.
fn check_in_short() -> Result<()> {
    if is_skipped() {
        return Ok(());
    }
    check::connect::check(&check::connect::Plan {
        late: 500,
        early: 0,
        seed: 1,
        of_each_set: 50,
        first_moves: false,
    })
}

/// Comparisons with other programs need Python and, once, the network.
fn is_skipped() -> bool {
    let skipped = std::env::var_os("PARLOR_SKIP_CROSS_CHECK").is_some();
    if skipped {
        eprintln!("skipped, because PARLOR_SKIP_CROSS_CHECK is set");
    }
    skipped
}
