//! Solvers of other projects, each in its own process. It reads one position per line and answers with the value,
//! the nodes and the seconds of its solver.

use crate::{
    command::{self, cargo},
    python::BITBULLY,
    workspace,
};
use anyhow::{Context, Result};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The result of a solve.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solved {
    pub value: i32,
    pub nodes: u64,
    pub seconds: f64,
}

/// A running program of another project.
pub struct Peer {
    pub name: &'static str,
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    pub fn bitbully() -> Result<Peer> {
        Peer::start("BitBully", BITBULLY.script("solve_bitbully.py")?)
    }

    /// Builds and starts connect-four-ai, whose wrapper is not part of the workspace.
    pub fn connect_four_ai() -> Result<Peer> {
        let folder = workspace::root().join("lab/peers/connect-four-ai");
        let target = workspace::target().join("peers");
        let mut build = cargo();
        build.args(["build", "--release", "--quiet", "--target-dir"]).arg(&target).current_dir(&folder);
        command::run(&mut build)?;
        Peer::start("connect-four-ai", Command::new(target.join("release/peer-connect-four-ai")))
    }

    fn start(name: &'static str, mut command: Command) -> Result<Peer> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{name} cannot be started"))?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no pipe")?);
        Ok(Peer { name, child, questions, answers })
    }

    /// Solves the position after these columns. `clear` empties the table first, untimed.
    pub fn solve(&mut self, moves: &str, clear: bool) -> Result<Solved> {
        let questions = self.questions.as_mut().context("no pipe")?;
        let moves = if moves.is_empty() { "-" } else { moves };
        writeln!(questions, "{} {moves}", if clear { "clear" } else { "keep" })?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let mut next = || words.next().with_context(|| format!("{} gave no answer to {moves}", self.name));
        Ok(Solved { value: next()?.parse()?, nodes: next()?.parse()?, seconds: next()?.parse()? })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.questions.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
