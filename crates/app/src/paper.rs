//! `parlor completions` and `parlor man`: made from the same description of the command line that parses it.

use crate::{args::Cli, fault::Fault};
use clap::CommandFactory;
use std::{io::Write, path::Path};

pub fn completions(shell: clap_complete::Shell, out: &mut dyn Write) -> Result<(), Fault> {
    // The generator panics where it cannot write, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "parlor", &mut text);
    Ok(out.write_all(&text)?)
}

pub fn man(directory: Option<&Path>, out: &mut dyn Write) -> Result<(), Fault> {
    let command = Cli::command();
    let Some(directory) = directory else {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        return Ok(out.write_all(&text)?);
    };
    std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .map_err(|e| Fault::Failed(format!("the manual cannot be written into {}: {e}", directory.display())))
}
