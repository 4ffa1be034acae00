//! `parlor keeper`: what Parlor starts when a foreign program is to be kept in a sandbox. It is not for people, so the help
//! does not know it; and it comes before everything else, because a keeper must have one thread only.

use crate::fault::{self, Fault};
use parlor_protocol::sandbox;
use std::{env, process::ExitCode};

/// Keeps a program if that is what this process was started for.
pub fn run() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next()? != "keeper" {
        return None;
    }
    let kept = sandbox::keeper(arguments.collect(), env::vars_os().collect());
    Some(kept.unwrap_or_else(|refused| fault::exit(&Fault::Input(refused.to_string()).into())))
}
