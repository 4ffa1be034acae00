//! `parlor man`: generates manual pages from the definition of the command line.

use crate::{args::Cli, error::CommandError, stdio::Stdout};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use std::{io, path::Path};

pub fn run(directory: Option<&Path>, out: &mut Stdout) -> Result<(), CommandError> {
    // `parlor help` has no page of its own, so it must not be listed.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(directory) = directory else {
        return Ok(out.write_own(&page(&Man::new(command))?)?);
    };
    std::fs::create_dir_all(directory).and_then(|()| write_pages(&command, directory)).map_err(|e| {
        CommandError::Failed(format!("cannot write the manual pages to {}: {e}", directory.display()))
    })
}

fn write_pages(command: &Command, directory: &Path) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_pages(inner, directory)?;
    }
    let man = Man::new(command.clone());
    std::fs::write(directory.join(man.get_filename()), page(&man)?)
}

/// Renders a page. Examples get the section EXAMPLES.
fn page(man: &Man) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    man.render(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let text = text
        .replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n")
        .replace(".SH EXTRA\nExample:\n", ".SH EXAMPLES\n");
    Ok(text.into_bytes())
}
