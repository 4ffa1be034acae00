//! The supervisor for the tests of this crate, which replaces `parlor sandbox-supervisor`.

use std::{env, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(2).collect();
    parlor_sandbox::supervise(arguments, env::vars_os().collect()).unwrap_or(ExitCode::from(2))
}
