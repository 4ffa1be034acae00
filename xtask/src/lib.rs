//! `cargo xtask`: the tasks of this repository, one file for each subcommand. They call cargo,
//! Python and other tools, may be slow and may use the network. Nothing here is shipped.
//!
//! The public modules are for `cargo lab`: starting other programs, the folders of the repository,
//! packages from PyPI, a PostgreSQL server.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a task reports on the terminal")]
#![allow(missing_docs, reason = "a library for one other package of this repository")]

pub mod args;
mod browser;
pub mod command;
mod dist;
mod fair_time;
mod fuzz;
mod licences;
mod nightly;
mod node;
pub mod postgres;
pub mod provision;
pub mod python;
mod sanitize;
pub mod stages;
mod test;
pub mod workspace;

use args::{Args, Usage};
use command::AlreadyReported;
use std::process::ExitCode;

struct Task {
    name: &'static str,
    usage: &'static str,
    about: &'static str,
    run: fn(Args) -> anyhow::Result<()>,
}

const TASKS: [Task; 6] = [
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
        name: "fuzz",
        usage: "[--seconds 30] [TARGET…]",
        about: "every fuzz target for 30 seconds, or as many as --seconds says",
        run: fuzz::run,
    },
    Task {
        name: "sanitize",
        usage: "[CRATE…]",
        about: "the tests of the crates with unsafe files under AddressSanitizer: tables engine games solvers sandbox",
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

/// Runs the task that the command line names.
pub fn main() -> ExitCode {
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
