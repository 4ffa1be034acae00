//! `cargo xtask`: the chores of this repository, one file a subcommand. They call cargo, Python and other tools; the
//! program itself never does. Everything here may be slow and may use the network, and nothing here is shipped.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to whoever started it")]

mod args;
mod bench;
mod book;
mod browser;
mod check;
mod cross_check;
mod dist;
mod fuzz;
mod licences;
mod peers;
mod positions;
mod postgres;
mod prove;
mod python;
mod random_games;
mod sanitize;
mod test;
mod tune;
mod workshop;

use args::{Args, Usage};
use std::process::ExitCode;
use workshop::Told;

struct Chore {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(Args) -> anyhow::Result<()>,
}

const CHORES: [Chore; 11] = [
    Chore {
        name: "test",
        usage: "[STAGE…]",
        about: "all checks, or only some: fmt clippy tests postgres browser sanitizer docs licences cross-check check",
        run: test::run,
    },
    Chore {
        name: "cross-check",
        usage: "[--games N] [--amazons N] [--seed S]",
        about: "random games of our rules, replayed by OpenSpiel (default 10000 of each game)",
        run: cross_check::run,
    },
    Chore {
        name: "check",
        usage: "[connect [--late 20000] [--early 200]] [oware [--games 1000] [--nodes 1000] [--up-to 9]] [amazons [--endgames 100000] [--separated 10000]] [--seed S]",
        about: "the Connect-N solver against reference values, BitBully and the known first moves; Oware's search, move by move, by its table; Amazons' solver and races against plain negamax",
        run: check::run,
    },
    Chore {
        name: "bench",
        usage: "[rules] [connect [--positions N]] [kalah [--quick] [--memory 256M]] [oware [--quick]] [amazons [--quick]] [perfect [--games 200] [--empty 5] [--seconds 600]]",
        about: "speed of the rules beside OpenSpiel's, of the Connect-N solver beside two others, of Kalah's solver and tables, of Oware's tables and engine, of Amazons' judgement and engine, and perfect in won games",
        run: bench::run,
    },
    Chore {
        name: "prove",
        usage: "connect [--largest 13 | --rows 3,5 [--keep] | --sizes 7x7,8x6 [--minutes M] [--memory 8G]] | kalah [--largest 48] | awari [--up-to 20] | abapa [--up-to 12] | amazons [--boards 5x6,4x7 [--minutes M] [--memory 8G]]",
        about: "exact values of starts: Connect-N by size, other rows, large boards within limits; Kalah by holes and beans; all positions of Oware by seeds; who wins Amazons by size",
        run: prove::run,
    },
    Chore {
        name: "book",
        usage: "connect [--plies 4] [--minutes 60] [--threads 2] [--verify [N]]",
        about: "the opening book of four in a row: built, or gone on with, or checked",
        run: book::run,
    },
    Chore {
        name: "tune",
        usage: "amazons [--games 3000] [--nodes 5000] [--rounds 1] [--afresh] [--seed 1] [--threads 2]",
        about: "the weights of Amazons' judgement, fitted to games of the engine against itself",
        run: tune::run,
    },
    Chore {
        name: "fuzz",
        usage: "[--seconds 30] [TARGET…]",
        about: "every fuzz target for a while",
        run: fuzz::run,
    },
    Chore {
        name: "sanitize",
        usage: "[CRATE…]",
        about: "the tests of crates with unsafe files under the address sanitizer: tables engine games experts",
        run: sanitize::run,
    },
    Chore {
        name: "postgres",
        usage: "",
        about: "a PostgreSQL to develop with, in a temporary folder, until Ctrl-C: its address goes into PARLOR_POSTGRES or --database",
        run: postgres::run,
    },
    Chore {
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
    let Some(chore) = CHORES.iter().find(|chore| chore.name == name) else {
        let names = CHORES.map(|chore| chore.name).join(", ");
        eprintln!("there is no chore '{name}'; the chores are {names}");
        return ExitCode::from(2);
    };
    match (chore.run)(Args::new(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Usage>() => {
            eprintln!("{error}; usage: cargo xtask {} {}", chore.name, chore.usage);
            ExitCode::from(2)
        }
        Err(error) if error.is::<Told>() => {
            ExitCode::from(error.downcast_ref().map_or(1, |&Told(code)| code))
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn list() {
    println!("The chores, each as cargo xtask NAME:");
    for Chore { name, usage, about, .. } in CHORES {
        println!("  {name} {usage}\n      {about}");
    }
}
