//! `parlor completions`: generates shell completions from the definition of the command line.

use crate::{args::Cli, error::CommandError, stdio::Stdout};
use clap::CommandFactory;

pub fn run(shell: clap_complete::Shell, out: &mut Stdout) -> Result<(), CommandError> {
    // The generator panics on write errors, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parlor", &mut text);
    Ok(out.write_own(&text)?)
}
