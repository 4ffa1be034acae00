//! Converts errors of all crates to exit codes: 1 for a failure, 2 for bad usage or bad input. Each
//! error is one sentence on standard error. A closed standard output is no error.

use crate::stdio;
use parlor_catalog::{BadCheckpoint, BadPlayer, BadTable};
use parlor_core::{BadParams, BadPosition, BadRecord, Failure, IllegalMove};
use parlor_league::LeagueError;
use parlor_protocol::BadProgram;
#[cfg(feature = "server")]
use parlor_server::OpenError;
#[cfg(feature = "server")]
use parlor_store::StoreError;
use parlor_tournament::Halt;
use std::{io, process::ExitCode};

#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Bad usage or bad input.
    #[error("{0}")]
    Input(String),
    /// A failure with valid input.
    #[error("{0}")]
    Failed(String),
    /// The reader of the output has closed it.
    #[error("standard output is closed")]
    ClosedPipe,
}

impl CommandError {
    /// Puts the name of an option in front of an input error.
    #[must_use]
    pub fn for_option(self, option: &str) -> CommandError {
        match self {
            CommandError::Input(sentence) => CommandError::Input(format!("{option}: {sentence}")),
            other => other,
        }
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> CommandError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => CommandError::ClosedPipe,
            // One of our own sentences, wrapped as an I/O error.
            io::ErrorKind::Other if error.get_ref().is_some() => CommandError::Failed(error.to_string()),
            _ => CommandError::Failed(format!("I/O error: {error}")),
        }
    }
}

macro_rules! input {
    ($($kind:ty),*) => {$(
        impl From<$kind> for CommandError {
            fn from(error: $kind) -> CommandError {
                CommandError::Input(error.0)
            }
        }
    )*};
}

input!(BadParams, BadPosition, BadProgram, BadRecord, IllegalMove);

impl From<BadPlayer> for CommandError {
    fn from(bad: BadPlayer) -> CommandError {
        match bad {
            BadPlayer::Spec(sentence) => CommandError::Input(sentence),
            BadPlayer::Table(bad) => bad.into(),
        }
    }
}

impl From<BadCheckpoint> for CommandError {
    fn from(bad: BadCheckpoint) -> CommandError {
        CommandError::Failed(format!("--checkpoint: {bad}"))
    }
}

impl From<BadTable> for CommandError {
    fn from(bad: BadTable) -> CommandError {
        match bad {
            BadTable::TooLarge { .. } => CommandError::Input(format!("--memory: {bad}")),
            BadTable::WideMargins(_) => CommandError::Input(format!("--up-to: {bad}")),
            _ => CommandError::Failed(bad.to_string()),
        }
    }
}

impl From<Failure> for CommandError {
    fn from(failure: Failure) -> CommandError {
        CommandError::Failed(match failure {
            Failure::Start(why) => format!("cannot start the player: {why}"),
            other => format!("the player {other}"),
        })
    }
}

#[cfg(feature = "server")]
impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> CommandError {
        CommandError::Failed(error.to_string())
    }
}

#[cfg(feature = "server")]
impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> CommandError {
        match error {
            OpenError::Store(error) => error.into(),
            OpenError::Listen(error) | OpenError::System(error) => error.into(),
        }
    }
}

impl From<Halt> for CommandError {
    fn from(halt: Halt) -> CommandError {
        LeagueError::from(halt).into()
    }
}

impl From<LeagueError> for CommandError {
    fn from(error: LeagueError) -> CommandError {
        match error {
            LeagueError::Input(sentence) | LeagueError::OtherPlan(sentence) => CommandError::Input(sentence),
            LeagueError::Player(bad) => bad.into(),
            #[cfg(feature = "server")]
            LeagueError::Store(error) => error.into(),
            LeagueError::Failed(sentence) => CommandError::Failed(sentence),
        }
    }
}

/// Prints an error and returns its exit code.
pub fn exit(error: &CommandError) -> ExitCode {
    match error {
        CommandError::ClosedPipe => ExitCode::SUCCESS,
        CommandError::Input(sentence) => print_error(sentence, 2),
        CommandError::Failed(sentence) => print_error(sentence, 1),
    }
}

fn print_error(sentence: &str, code: u8) -> ExitCode {
    stdio::remark(&format!("parlor: {sentence}"));
    ExitCode::from(code)
}

/// Prints a usage error as one line that ends with a reference to `--help`. Help and version are no
/// errors.
pub fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        // A closed standard output is no error.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if let Some(name) = missing_command(error) {
        return print_error(
            &format!("this build has no command '{name}'; build it with the cargo feature 'server'"),
            2,
        );
    }
    let text = error.render().to_string();
    let parts = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let parts =
        parts.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    // This hint about values that begin with a hyphen does not help: none of our values may.
    let parts = parts.filter(|line| !(line.starts_with("tip:") && line.contains("use '-- ")));
    let sentence = parts.collect::<Vec<_>>().join("; ").replace(":; ", ": ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    let asked: Vec<String> = std::env::args().skip(1).take(1).filter(|word| is_command(word)).collect();
    let command = asked.first().map_or(String::new(), |name| format!("{name} "));
    print_error(&format!("{sentence}; see 'parlor {command}--help'"), 2)
}

/// The requested command, if only builds with the feature `server` have it.
fn missing_command(error: &clap::Error) -> Option<&str> {
    use clap::error::{ContextKind::InvalidSubcommand, ContextValue};
    let Some(ContextValue::String(name)) = error.get(InvalidSubcommand) else { return None };
    let is_left_out =
        !cfg!(feature = "server") && ["join", "serve", "tournament", "worker"].contains(&name.as_str());
    is_left_out.then_some(name)
}

fn is_command(word: &str) -> bool {
    use clap::CommandFactory;
    crate::args::Cli::command().get_subcommands().any(|command| command.get_name() == word)
}
