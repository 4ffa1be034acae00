//! A program as a process of its own, in a process group of its own, so that all it starts can be ended with it. Nobody is
//! left behind: whatever way the program goes, its group gets the last signal and the process is waited for.

use crate::{
    Program,
    link::{Life, Running},
};
use parlor_sandbox::{ExitReason, ProcessTree, Sandbox, Sandboxed};
use std::{
    io,
    process::{Child, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long a program may take to go by itself when it was told `quit`.
const TO_QUIT: Duration = Duration::from_secs(2);
/// How long it may take when it was asked by a signal.
const TO_TERMINATE: Duration = Duration::from_millis(200);
/// How long the system may take to end it.
const TO_DIE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(1);

/// Starts a program, with pipes for all it reads and writes; in a sandbox if there is one.
pub(crate) fn start(program: &Program, sandbox: Option<&Sandbox>) -> io::Result<Running> {
    let (mut command, sandboxed) = match sandbox {
        None => (program.command(), None),
        Some(sandbox) => {
            let (command, sandboxed) = sandbox.command(&program.command, &program.dir)?;
            (command, Some(sandboxed))
        }
    };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let mut child = command.spawn()?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let mut life = Process { tree: ProcessTree::of(&child), child, status: None, sandboxed };
    let (Some(input), Some(output), Some(error)) = pipes else {
        life.kill();
        return Err(io::Error::other("cannot open its pipes"));
    };
    if let Err(error) = never_block(&input) {
        life.kill();
        return Err(error);
    }
    Ok(Running {
        input: Box::new(input),
        output: Box::new(output),
        error: Box::new(error),
        life: Box::new(life),
    })
}

struct Process {
    child: Child,
    /// Exit status, once the process was reaped.
    status: Option<ExitStatus>,
    /// All processes of a program without a sandbox.
    tree: ProcessTree,
    /// The sandbox of the program: its supervisor reports how the program ended.
    sandboxed: Option<Sandboxed>,
}

impl Life for Process {
    fn ended(&mut self) -> Option<String> {
        if self.status.is_none() && has_ended(&mut self.child) {
            self.bury();
        }
        let exit_reason = self.sandboxed.as_ref().and_then(Sandboxed::exit_reason);
        self.status.map(|status| {
            exit_reason.map_or_else(|| told(status), |exit_reason| told_of_sandbox(&exit_reason))
        })
    }

    fn kill(&mut self) {
        if self.status.is_none() {
            self.bury();
        }
    }

    fn part(&mut self) -> bool {
        let by_itself = self.status.is_some() || self.goes_within(TO_QUIT);
        if !by_itself {
            ask_group_to_end(&self.child);
            self.goes_within(TO_TERMINATE);
        }
        self.kill();
        by_itself
    }

    fn freeze(&mut self) {
        match &self.sandboxed {
            // A program that cannot be asked has ended, which the next question finds out.
            Some(sandboxed) => drop(sandboxed.freeze()),
            None => self.tree.stop(),
        }
    }

    fn thaw(&mut self) {
        match &self.sandboxed {
            Some(sandboxed) => drop(sandboxed.thaw()),
            None => self.tree.resume(),
        }
    }

    fn cpu_time(&mut self) -> Option<Duration> {
        match &self.sandboxed {
            Some(sandboxed) => sandboxed.cpu_time(),
            None => self.tree.cpu_time(),
        }
    }
}

impl Process {
    fn goes_within(&mut self, time: Duration) -> bool {
        let begun = Instant::now();
        while !has_ended(&mut self.child) {
            if begun.elapsed() >= time {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    /// Ends the group while the process, dead or alive, still holds its number: no stranger can have it yet. Then the
    /// process is waited for, though not for ever.
    fn bury(&mut self) {
        if self.sandboxed.is_some() {
            // The supervisor ends every process in the sandbox before it exits.
            ask_group_to_end(&self.child);
            self.goes_within(TO_DIE);
        } else {
            self.tree.kill();
        }
        kill_group(&mut self.child);
        let begun = Instant::now();
        while begun.elapsed() < TO_DIE {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(LOOK),
                Ok(status) => return self.status = status,
                Err(_) => return,
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// How a program in a sandbox ended, for people.
fn told_of_sandbox(exit_reason: &ExitReason) -> String {
    match exit_reason {
        ExitReason::Exited(code) => format!("exit code {code}"),
        ExitReason::Signal(signal) => told_signal(*signal),
        ExitReason::NotStarted(why) => why.clone(),
        other => other.to_string(),
    }
}

/// Describes an exit status.
fn told(status: ExitStatus) -> String {
    match (status.code(), signal_of(status)) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => told_signal(signal),
        (None, None) => "it exited".to_string(),
    }
}

fn told_signal(signal: i32) -> String {
    match NAMES.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

/// The signals that end programs, where their numbers are the same on all systems we know.
const NAMES: [(i32, &str); 10] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (6, "SIGABRT"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (15, "SIGTERM"),
];

#[cfg(unix)]
mod system {
    //! What only Unix knows.

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::{
        io,
        os::{fd::AsFd, unix::process::CommandExt, unix::process::ExitStatusExt},
        process::{Child, Command, ExitStatus},
    };

    pub fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    pub fn never_block(pipe: &impl AsFd) -> io::Result<()> {
        Ok(rustix::io::ioctl_fionbio(pipe, true)?)
    }

    /// Looks without waiting for it, so that its number stays its own.
    pub fn has_ended(child: &mut Child) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(child)), look), Ok(None))
    }

    pub fn ask_group_to_end(child: &Child) {
        // There may be nobody left to ask.
        let _ = kill_process_group(Pid::from_child(child), Signal::TERM);
    }

    pub fn kill_group(child: &mut Child) {
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }

    pub fn signal_of(status: ExitStatus) -> Option<i32> {
        status.signal()
    }
}

#[cfg(not(unix))]
mod system {
    //! Where there are no groups and no signals, a program is ended alone, and one that does not read is waited for.

    use std::{
        io,
        process::{Child, Command, ExitStatus},
    };

    pub fn own_group(_command: &mut Command) {}

    pub fn never_block<T>(_pipe: &T) -> io::Result<()> {
        Ok(())
    }

    pub fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub fn ask_group_to_end(_child: &Child) {}

    pub fn kill_group(child: &mut Child) {
        let _ = child.kill();
    }

    pub fn signal_of(_status: ExitStatus) -> Option<i32> {
        None
    }
}

use system::{ask_group_to_end, has_ended, kill_group, never_block, own_group, signal_of};
