//! `parlor completions`: completions of a shell, made from the same description of the command line that parses it.

use crate::{args::Cli, error::CommandError, stdio::Stdout};
use clap::CommandFactory;

pub fn run(shell: clap_complete::Shell, out: &mut Stdout) -> Result<(), CommandError> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parlor", &mut text);
    Ok(out.write_own(&text)?)
}
