//! Parses a player spec that names an external program, such as `bot:python3 team7.py` or `ugi:./engine --fast`.
//!
//! Everything after the colon is the command. It is split into words like a shell command: at spaces, with quotes `'…'`, `"…"`
//! and `\`. Nothing is expanded, and no shell runs.

use crate::Dialect;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// An external program and the protocol that it speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub dialect: Dialect,
    /// The executable and its arguments.
    pub command: Vec<String>,
    /// Working directory. A relative path of the executable starts there.
    pub dir: PathBuf,
}

/// Why a player spec names no program: a sentence that states what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadProgram(pub String);

impl Program {
    /// Whether a player spec has the prefix of a program, `bot:` or `ugi:`.
    pub fn is_program_spec(spec: &str) -> bool {
        split_spec(spec).is_some()
    }

    /// Parses a player spec. The program will run in `dir`.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_protocol::{Dialect, Program};
    /// use std::path::Path;
    ///
    /// let program = Program::parse("bot:python3 'my bot.py'", Path::new("."))?;
    /// assert_eq!((program.dialect, program.command), (Dialect::Simple, vec!["python3".into(), "my bot.py".into()]));
    /// assert!(Program::parse("minimax", Path::new(".")).is_err());
    /// # Ok::<(), parlor_protocol::BadProgram>(())
    /// ```
    pub fn parse(spec: &str, dir: &Path) -> Result<Program, BadProgram> {
        let Some((dialect, rest)) = split_spec(spec) else {
            return Err(BadProgram(format!(
                "player '{spec}': expected bot:COMMAND or ugi:COMMAND, like bot:python3 team7.py"
            )));
        };
        let command = shlex::split(rest)
            .ok_or_else(|| BadProgram(format!("player '{spec}': the command has an unclosed quote")))?;
        if command.first().is_none_or(String::is_empty) || rest.contains('\0') {
            return Err(BadProgram(format!(
                "player '{spec}': expected a command after {dialect}:, like {dialect}:python3 team7.py"
            )));
        }
        Ok(Program { dialect, command, dir: dir.to_path_buf() })
    }

    /// The command to start. An executable with a slash in its path is relative to the folder, any other is searched in `PATH`.
    pub fn command(&self) -> Command {
        let program = self.command.first().map_or("", String::as_str);
        let dir = std::path::absolute(&self.dir).unwrap_or_else(|_| self.dir.clone());
        let mut command =
            if program.contains('/') { Command::new(dir.join(program)) } else { Command::new(program) };
        command.args(self.command.iter().skip(1)).current_dir(dir);
        command
    }
}

fn split_spec(spec: &str) -> Option<(Dialect, &str)> {
    let (kind, rest) = spec.split_once(':')?;
    Some((Dialect::named(kind.trim())?, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spec: &str) -> Vec<String> {
        Program::parse(spec, Path::new("/srv")).expect(spec).command
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn splits_commands_like_a_shell() {
        assert_eq!(read("bot:python3 team7.py@home"), words(&["python3", "team7.py@home"]));
        assert_eq!(
            read("bot: a  'b c' \"d \\\" e\" f\\ g '' $H *"),
            words(&["a", "b c", "d \" e", "f g", "", "$H", "*"])
        );
        assert_eq!(read("UGI:./x"), words(&["./x"]));
    }

    #[test]
    fn errors_state_what_is_expected() {
        for (spec, part) in [
            ("engine:level=3", "expected bot:COMMAND or ugi:COMMAND"),
            ("bot:", "expected a command after bot:"),
            ("bot:''", "expected a command"),
            ("ugi:./run 'x", "the command has an unclosed quote"),
            ("ugi:./run \\", "the command has an unclosed quote"),
        ] {
            let error = Program::parse(spec, Path::new(".")).expect_err(spec).to_string();
            assert!(error.contains(part), "{spec}: {error}");
        }
        assert!(
            Program::is_program_spec("bot:x")
                && !Program::is_program_spec("bad")
                && !Program::is_program_spec("engine:level=3")
        );
    }

    #[test]
    fn relative_paths_start_in_the_folder_of_the_program() {
        let program = |spec| Program::parse(spec, Path::new("/srv/bots")).expect("a spec").command();
        assert_eq!(program("bot:./run").get_program(), "/srv/bots/./run");
        assert_eq!(program("bot:/bin/run").get_program(), "/bin/run");
        assert_eq!(program("bot:python3 x.py").get_program(), "python3");
        assert_eq!(program("bot:python3 x.py").get_current_dir(), Some(Path::new("/srv/bots")));
    }
}
