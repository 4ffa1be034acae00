//! The program under test: `parlor` with arguments, `parlor serve` with a client, and the bots built as examples.

use parlor_testkit::{Client, Process, built_example};
use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

pub const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");

/// The command with these arguments, no input, and no endgame tables.
pub fn parlor(arguments: &[&str]) -> Command {
    let mut command = Command::new(PARLOR);
    command
        .args(arguments)
        .env_remove("PARLOR_TABLES")
        .env_remove("PARLOR_LOG")
        .env_remove("PARLOR_DATABASE")
        .stdin(Stdio::null());
    command
}

/// Runs it to its end: exit code, standard output, standard error.
#[track_caller]
pub fn run(arguments: &[&str]) -> (i32, String, String) {
    parlor_testkit::run(&mut parlor(arguments))
}

/// Path of the bot that misbehaves on request.
pub fn misbehaving() -> PathBuf {
    built_example("misbehaving")
}

/// A running `parlor serve` without limits.
pub struct Server {
    pub process: Process,
    pub client: Client,
}

impl Server {
    /// Starts it on a free port.
    #[track_caller]
    pub fn start(database: &str) -> Server {
        Server::at(database, "127.0.0.1:0")
    }

    /// Starts it at this address, for instance to restart another one there.
    #[track_caller]
    pub fn at(database: &str, listen: &str) -> Server {
        let arguments = ["serve", "--no-limits", "--log", "warn", "--listen", listen, "--database", database];
        Server::with(&mut parlor(&arguments))
    }

    /// Starts it from the test's own command.
    #[track_caller]
    pub fn with(command: &mut Command) -> Server {
        let mut process = Process::start(command);
        let line = process.line_with("http://");
        let address = line.trim().rsplit("http://").next().expect("an address").trim_end_matches('/');
        Server { client: Client::new(address), process }
    }
}
