//! `cargo xtask`: the tasks of this repository, one file for each subcommand. They call cargo,
//! Python and other tools, may be slow and may use the network. Nothing here is shipped.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task reports on the terminal")]

mod args;
mod bench;
mod book;
mod browser;
mod check;
mod command;
mod cross_check;
mod dist;
mod fair_time;
mod fuzz;
mod licences;
mod nightly;
mod node;
mod peers;
mod positions;
mod postgres;
mod prove;
mod provision;
mod python;
mod random_games;
mod sanitize;
mod stages;
mod test;
mod tune;
mod workspace;

use args::{Args, Usage};
use command::AlreadyReported;
use std::process::ExitCode;

struct Task {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(Args) -> anyhow::Result<()>,
}

const TASKS: [Task; 12] = [
    Task {
        name: "test",
        usage: "[STAGE…]",
        about: "install what is missing and run all checks, or some: fmt clippy tests browser sanitizer docs licences cross-check check",
        run: test::run,
    },
    Task {
        name: "nightly",
        usage: "[STAGE…]",
        about: "the long checks, or some: dist bench sanitizer fuzz cross-check check-connect check-oware check-amazons recipes",
        run: nightly::run,
    },
    Task {
        name: "cross-check",
        usage: "[--games N] [--amazons N] [--seed S]",
        about: "random games of our rules, replayed by OpenSpiel (default 10000 of each game)",
        run: cross_check::run,
    },
    Task {
        name: "check",
        usage: "[connect [--late 20000] [--early 200]] [oware [--games 1000] [--nodes 1000] [--up-to 9]] [amazons [--endgames 100000] [--separated 10000]] [--seed S]",
        about: "the Connect-N solver against reference values, BitBully and the known first moves; Oware's search, move by move, by its table; Amazons' solver and races against plain negamax",
        run: check::run,
    },
    Task {
        name: "bench",
        usage: "[rules] [connect [--positions N]] [kalah [--quick] [--memory 256M]] [oware [--quick]] [amazons [--quick]] [perfect [--games 200] [--empty 5] [--seconds 600]]",
        about: "speed of the rules beside OpenSpiel's, of the Connect-N solver beside two others, of Kalah's solver and tables, of Oware's tables and engine, of Amazons' judgement and engine, and perfect in won games",
        run: bench::run,
    },
    Task {
        name: "prove",
        usage: "connect [--largest 13 | --rows 3,5 [--keep] | --sizes 7x7,8x6 [--minutes M] [--memory 8G]] | kalah [--largest 48] | awari [--up-to 20] | abapa [--up-to 12] | amazons [--boards 5x6,4x7 [--minutes M] [--memory 8G]]",
        about: "exact values of starts: Connect-N by size, other rows, large boards within limits; Kalah by holes and beans; all positions of Oware by seeds; who wins Amazons by size",
        run: prove::run,
    },
    Task {
        name: "book",
        usage: "connect [--plies 4] [--minutes 60] [--threads 2] [--verify [N]]",
        about: "the opening book of four in a row: built, or gone on with, or checked",
        run: book::run,
    },
    Task {
        name: "tune",
        usage: "amazons [--games 3000] [--nodes 5000] [--rounds 1] [--afresh] [--seed 1] [--threads 2]",
        about: "the weights of Amazons' judgement, fitted to games of the engine against itself",
        run: tune::run,
    },
    Task {
        name: "fuzz",
        usage: "[--seconds 30] [TARGET…]",
        about: "every fuzz target for 30 seconds, or as many as --seconds says",
        run: fuzz::run,
    },
    Task {
        name: "sanitize",
        usage: "[CRATE…]",
        about: "the tests of the crates with unsafe files under AddressSanitizer: tables engine games experts sandbox",
        run: sanitize::run,
    },
    Task {
        name: "postgres",
        usage: "",
        about: "a PostgreSQL server for development, in a temporary folder, until Ctrl-C; prints the URL for PARLOR_POSTGRES or --database",
        run: postgres::run,
    },
    Task {
        name: "dist",
        usage: "",
        about: "release binary, manual, completions, licences and checksums in target/dist",
        run: dist::run,
    },
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let Some(name) = words.next() else {
        list();
        return ExitCode::SUCCESS;
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        list();
        return ExitCode::SUCCESS;
    }
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        let names = TASKS.map(|task| task.name).join(", ");
        eprintln!("unknown task '{name}'; expected one of: {names}");
        return ExitCode::from(2);
    };
    match (task.run)(Args::new(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Usage>() => {
            eprintln!("{error}; usage: cargo xtask {} {}", task.name, task.usage);
            ExitCode::from(2)
        }
        Err(error) if error.is::<AlreadyReported>() => {
            ExitCode::from(error.downcast_ref().map_or(1, |&AlreadyReported(code)| code))
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    println!("Tasks, each run as cargo xtask NAME:");
    for Task { name, usage, about, .. } in TASKS {
        println!("  {name} {usage}\n      {about}");
    }
}
