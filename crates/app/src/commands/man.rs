//! `parlor man`: generates manual pages, and the command reference of the documentation site, from the definition of the command
//! line.

use crate::{args::Cli, error::CommandError, stdio::Stdout};
use clap::{Arg, Command, CommandFactory};
use clap_mangen::Man;
use std::{fmt::Write, fs, io, path::Path};

pub fn run(directory: Option<&Path>, markdown: bool, out: &mut Stdout) -> Result<(), CommandError> {
    // `parlor help` has no page of its own, so it must not be listed.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(directory) = directory else {
        return Ok(out.write_own(&page(&Man::new(command))?)?);
    };
    let write = if markdown { write_markdown } else { write_page };
    fs::create_dir_all(directory)
        .and_then(|()| for_each(&command, &mut |command| write(command, directory)))
        .map_err(|e| {
            CommandError::Failed(format!("cannot write the manual pages to {}: {e}", directory.display()))
        })
}

/// The command and all its subcommands that are listed.
fn for_each(command: &Command, each: &mut impl FnMut(&Command) -> io::Result<()>) -> io::Result<()> {
    listed(command).try_for_each(|inner| for_each(inner, each))?;
    each(command)
}

fn listed(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set())
}

fn write_page(command: &Command, directory: &Path) -> io::Result<()> {
    let man = Man::new(command.clone());
    fs::write(directory.join(man.get_filename()), page(&man)?)
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

fn write_markdown(command: &Command, directory: &Path) -> io::Result<()> {
    let text = markdown(command).map_err(io::Error::other)?;
    fs::write(directory.join(file_name(command)), text)
}

/// The name of a command's page: `parlor-table-build.md`.
fn file_name(command: &Command) -> String {
    format!("{}.md", full_name(command).replace(' ', "-"))
}

fn full_name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

/// The help of a command as Markdown, with definition lists.
fn markdown(command: &Command) -> Result<String, std::fmt::Error> {
    let mut text = format!("# {}\n", full_name(command));
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        write!(text, "\n{}\n", escaped(&about.to_string()))?;
    }
    write!(text, "\n```text\n{}\n```\n", command.clone().render_usage())?;
    let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if let Some((_, examples)) = examples.split_once(":\n") {
        let (lines, note) = examples.split_once("\n\n").unwrap_or((examples, ""));
        let lines: Vec<&str> = lines.lines().map(str::trim).collect();
        write!(text, "\n## Examples\n\n```sh\n{}\n```\n", lines.join("\n"))?;
        if !note.is_empty() {
            write!(text, "\n{}\n", escaped(note))?;
        }
    }
    let is_root = !full_name(command).contains(' ');
    if listed(command).next().is_some() {
        text += "\n## Commands\n\n| command | |\n| --- | --- |\n";
        for inner in listed(command) {
            let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
            let about = escaped(&about).replace('|', "\\|");
            writeln!(text, "| [{}]({}) | {about} |", full_name(inner), file_name(inner))?;
        }
    }
    let arguments = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    let own = |arg: &&Arg| is_root || !arg.is_global_set();
    define(&mut text, "Arguments", arguments().filter(|arg| arg.is_positional()))?;
    define(&mut text, "Options", arguments().filter(|arg| !arg.is_positional()).filter(own))?;
    if !is_root {
        text += "\nThe [options of all commands](parlor.md#options) apply as well.\n";
    }
    Ok(text)
}

fn define<'a>(
    text: &mut String,
    title: &str,
    mut arguments: impl Iterator<Item = &'a Arg>,
) -> std::fmt::Result {
    let Some(first) = arguments.next() else { return Ok(()) };
    write!(text, "\n## {title}\n")?;
    for arg in std::iter::once(first).chain(arguments) {
        let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        write!(text, "\n{short}`{arg}`\n: {}", escaped(&help).replace('\n', "\n  "))?;
        let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !default.is_empty() && !arg.is_hide_default_value_set() && arg.get_action().takes_values() {
            write!(text, " [default: {}]", default.join(" "))?;
        }
        let values = arg.get_possible_values();
        if !values.is_empty() && !arg.is_hide_possible_values_set() && arg.get_action().takes_values() {
            let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
            write!(text, " [possible values: {}]", names.join(", "))?;
        }
        text.push('\n');
    }
    Ok(())
}

/// Help as Markdown: what is in backquotes stays, everything else means itself.
fn escaped(help: &str) -> String {
    let escape = |part: &str| part.replace('<', "\\<").replace('*', "\\*").replace('_', "\\_");
    let parts = help.split('`').enumerate();
    let parts = parts.map(|(i, part)| if i % 2 == 0 { escape(part) } else { part.to_string() });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_markdown_page_with_all_its_options() {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let mut pages = Vec::new();
        let each = &mut |command: &Command| {
            let page = markdown(command).map_err(io::Error::other)?;
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_global_set()) {
                assert!(page.contains(&format!("`{arg}`")), "{arg} is missing in {page}");
            }
            pages.push(file_name(command));
            Ok(())
        };
        for_each(&command, each).expect("pages");
        for page in ["parlor.md", "parlor-play.md", "parlor-table-build.md"] {
            assert!(pages.iter().any(|name| name == page), "{page} is missing in {pages:?}");
        }
    }

    #[test]
    fn signs_of_markdown_are_escaped_outside_backquotes() {
        assert_eq!(escaped("<A> `<B>` first_name"), "\\<A> `<B>` first\\_name");
    }
}
