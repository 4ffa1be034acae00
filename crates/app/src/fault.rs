//! The one table from errors to exit codes: 1, the thing asked for failed; 2, bad usage or bad
//! input. Each error is one sentence on standard error. A reader that has gone away is no fault.

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

/// Why the program fails; every fault has its exit code.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Bad usage or bad input.
    #[error("{0}")]
    Input(String),
    #[error("{0}")]
    Failed(String),
    /// The reader of the output has closed it.
    #[error("standard output is closed")]
    ClosedPipe,
}

impl Fault {
    /// The same fault in the words of a flag, if it is one of input.
    #[must_use]
    pub fn of(self, flag: &str) -> Fault {
        match self {
            Fault::Input(sentence) => Fault::Input(format!("{flag}: {sentence}")),
            other => other,
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Fault::ClosedPipe,
            // A sentence of our own that came as an error of input or output.
            io::ErrorKind::Other if error.get_ref().is_some() => Fault::Failed(error.to_string()),
            _ => Fault::Failed(format!("I/O error: {error}")),
        }
    }
}

macro_rules! input {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Fault {
            fn from(error: $kind) -> Fault {
                Fault::Input(error.0)
            }
        }
    )*};
}

input!(BadParams, BadPosition, BadProgram, BadRecord, IllegalMove);

impl From<BadPlayer> for Fault {
    fn from(bad: BadPlayer) -> Fault {
        match bad {
            BadPlayer::Spec(sentence) => Fault::Input(sentence),
            BadPlayer::Table(bad) => bad.into(),
        }
    }
}

impl From<BadCheckpoint> for Fault {
    fn from(bad: BadCheckpoint) -> Fault {
        Fault::Failed(format!("--checkpoint: {bad}"))
    }
}

impl From<BadTable> for Fault {
    fn from(bad: BadTable) -> Fault {
        match bad {
            BadTable::TooLarge { .. } => Fault::Input(format!("--memory: {bad}")),
            BadTable::WideMargins(_) => Fault::Input(format!("--up-to: {bad}")),
            _ => Fault::Failed(bad.to_string()),
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Fault {
        Fault::Failed(match failure {
            Failure::Start(why) => format!("cannot start the player: {why}"),
            other => format!("the player {other}"),
        })
    }
}

#[cfg(feature = "server")]
impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Failed(error.to_string())
    }
}

#[cfg(feature = "server")]
impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Fault {
        match error {
            OpenError::Store(error) => error.into(),
            OpenError::Listen(error) | OpenError::System(error) => error.into(),
        }
    }
}

impl From<Halt> for Fault {
    fn from(halt: Halt) -> Fault {
        LeagueError::from(halt).into()
    }
}

impl From<LeagueError> for Fault {
    fn from(error: LeagueError) -> Fault {
        match error {
            LeagueError::Input(sentence) | LeagueError::OtherPlan(sentence) => Fault::Input(sentence),
            LeagueError::Player(bad) => bad.into(),
            #[cfg(feature = "server")]
            LeagueError::Store(error) => error.into(),
            LeagueError::Failed(sentence) => Fault::Failed(sentence),
        }
    }
}

/// Prints a fault and returns its exit code.
pub fn exit(fault: &Fault) -> ExitCode {
    match fault {
        Fault::ClosedPipe => ExitCode::SUCCESS,
        Fault::Input(sentence) => tell(sentence, 2),
        Fault::Failed(sentence) => tell(sentence, 1),
    }
}

fn tell(sentence: &str, code: u8) -> ExitCode {
    stdio::remark(&format!("parlor: {sentence}"));
    ExitCode::from(code)
}

/// A fault in the arguments, as one line that ends with where to read on. Help and version are no
/// faults.
pub fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        // If nobody reads the help, nobody misses it.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if let Some(name) = missing_command(error) {
        return tell(
            &format!("this build has no command '{name}'; build it with the cargo feature 'server'"),
            2,
        );
    }
    let text = error.render().to_string();
    let parts = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let parts =
        parts.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    // Clap's way out for values that begin with a hyphen helps with none of ours.
    let parts = parts.filter(|line| !(line.starts_with("tip:") && line.contains("use '-- ")));
    let sentence = parts.collect::<Vec<_>>().join("; ").replace(":; ", ": ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
    let asked: Vec<String> = std::env::args().skip(1).take(1).filter(|word| is_command(word)).collect();
    let command = asked.first().map_or(String::new(), |name| format!("{name} "));
    tell(&format!("{sentence}; see 'parlor {command}--help'"), 2)
}

/// The command that was asked for and that only builds with the feature `server` have.
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
