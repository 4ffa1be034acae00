//! A foreign program as a player spec names it: `bot:python3 team7.py`, `ugi:./engine --fast`. Text to a command; it starts
//! nothing.
//!
//! The command is split into words as a shell splits plain words: at spaces, with `'…'`, `"…"` and `\` to keep some in a word.
//! Nothing is expanded, and no shell sees it. All that follows the colon is the command: names are given elsewhere.

use crate::Dialect;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub dialect: Dialect,
    /// The executable and its arguments.
    pub command: Vec<String>,
    /// The folder it runs in: relative paths in the command start there.
    pub dir: PathBuf,
}

/// Why a spec names no program: a sentence with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadProgram(pub String);

impl Program {
    /// Whether a player spec speaks of a program at all.
    pub fn is_meant(spec: &str) -> bool {
        taken_apart(spec).is_some()
    }

    /// The program of a player spec, to be run in a folder.
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
        let Some((dialect, rest)) = taken_apart(spec) else {
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

    /// The command as the system takes it. A program with a slash in its path is looked for in the folder, any other where
    /// the system looks for programs.
    pub fn command(&self) -> Command {
        let program = self.command.first().map_or("", String::as_str);
        let dir = std::path::absolute(&self.dir).unwrap_or_else(|_| self.dir.clone());
        let mut command = match program.contains('/') {
            true => Command::new(dir.join(program)),
            false => Command::new(program),
        };
        command.args(self.command.iter().skip(1)).current_dir(dir);
        command
    }
}

fn taken_apart(spec: &str) -> Option<(Dialect, &str)> {
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
    fn commands_are_split_as_a_shell_splits_plain_words() {
        assert_eq!(read("bot:python3 team7.py@home"), words(&["python3", "team7.py@home"]));
        assert_eq!(
            read("bot: a  'b c' \"d \\\" e\" f\\ g '' $H *"),
            words(&["a", "b c", "d \" e", "f g", "", "$H", "*"])
        );
        assert_eq!(read("UGI:./x"), words(&["./x"]));
    }

    #[test]
    fn bad_specs_say_what_would_be_right() {
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
            Program::is_meant("bot:x") && !Program::is_meant("bad") && !Program::is_meant("engine:level=3")
        );
    }

    #[test]
    fn a_path_starts_in_the_folder_of_the_program() {
        let program = |spec| Program::parse(spec, Path::new("/srv/bots")).expect("a spec").command();
        assert_eq!(program("bot:./run").get_program(), "/srv/bots/./run");
        assert_eq!(program("bot:/bin/run").get_program(), "/bin/run");
        assert_eq!(program("bot:python3 x.py").get_program(), "python3");
        assert_eq!(program("bot:python3 x.py").get_current_dir(), Some(Path::new("/srv/bots")));
    }
}
