//! `parlor sandbox-supervisor`: the process that Parlor starts for each sandboxed program. It is hidden from the help, and it
//! is handled before everything else because a supervisor must have a single thread.

use crate::error::{self, CommandError};
use std::{env, process::ExitCode};

/// Supervises a program if this process was started for it.
pub fn run() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != parlor_sandbox::SUBCOMMAND {
        return None;
    }
    let supervised = parlor_sandbox::supervise(arguments.collect(), env::vars_os().collect());
    Some(supervised.unwrap_or_else(|bad| error::exit(&CommandError::Input(bad.to_string()))))
}
