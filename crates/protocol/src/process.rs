//! Runs a program as a child process in its own process group, so that all processes that it starts can be killed with it.
//! However the program ends, its process group gets SIGKILL and the child is reaped.

use crate::{
    Program,
    link::{ProcessControl, RunningProgram},
};
use parlor_sandbox::{ExitReason, ProcessTree, Sandbox, Sandboxed};
use std::{
    io,
    process::{Child, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long a program may take to exit after `quit`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a program may take to exit after SIGTERM.
const TERMINATE_TIMEOUT: Duration = Duration::from_millis(200);
/// How long the system may take to end a killed process.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Starts a program with pipes for its standard streams, in a sandbox if there is one.
pub(crate) fn start(program: &Program, sandbox: Option<&Sandbox>) -> io::Result<RunningProgram> {
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
    let mut process = Process { tree: ProcessTree::of(&child), child, status: None, sandboxed };
    let (Some(input), Some(output), Some(error)) = pipes else {
        process.kill();
        return Err(io::Error::other("cannot open its pipes"));
    };
    if let Err(error) = set_nonblocking(&input) {
        process.kill();
        return Err(error);
    }
    Ok(RunningProgram {
        input: Box::new(input),
        output: Box::new(output),
        error: Box::new(error),
        process: Box::new(process),
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

impl ProcessControl for Process {
    fn exit_status(&mut self) -> Option<String> {
        if self.status.is_none() && has_ended(&mut self.child) {
            self.reap();
        }
        let exit_reason = self.sandboxed.as_ref().and_then(Sandboxed::exit_reason);
        self.status.map(|status| {
            exit_reason.map_or_else(|| describe_status(status), |exit_reason| describe_exit(&exit_reason))
        })
    }

    fn kill(&mut self) {
        if self.status.is_none() {
            self.reap();
        }
    }

    fn quit(&mut self) -> bool {
        let by_itself = self.status.is_some() || self.exits_within(QUIT_TIMEOUT);
        if !by_itself {
            terminate_group(&self.child);
            self.exits_within(TERMINATE_TIMEOUT);
        }
        self.kill();
        by_itself
    }

    fn freeze(&mut self) {
        match &self.sandboxed {
            // An error means that the program has ended, which the next turn finds out.
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
    fn exits_within(&mut self, time: Duration) -> bool {
        let begun = Instant::now();
        while !has_ended(&mut self.child) {
            if begun.elapsed() >= time {
                return false;
            }
            thread::sleep(POLL_INTERVAL);
        }
        true
    }

    /// Kills the process group, then waits a limited time to reap the child. The order matters: until the child is reaped the
    /// system cannot give its process id to another process.
    fn reap(&mut self) {
        if self.sandboxed.is_some() {
            // The supervisor ends every process in the sandbox before it exits.
            terminate_group(&self.child);
            self.exits_within(KILL_TIMEOUT);
        } else {
            self.tree.kill();
        }
        kill_group(&mut self.child);
        let begun = Instant::now();
        while begun.elapsed() < KILL_TIMEOUT {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(POLL_INTERVAL),
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

/// Describes how a program in a sandbox ended.
fn describe_exit(exit_reason: &ExitReason) -> String {
    match exit_reason {
        ExitReason::Exited(code) => format!("exit code {code}"),
        ExitReason::Signal(signal) => describe_signal(*signal),
        ExitReason::NotStarted(why) => why.clone(),
        other => other.to_string(),
    }
}

fn describe_status(status: ExitStatus) -> String {
    match (status.code(), signal_of(status)) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => describe_signal(signal),
        (None, None) => "it exited".to_string(),
    }
}

fn describe_signal(signal: i32) -> String {
    match NAMES.iter().find(|(number, _)| *number == signal) {
        Some((_, name)) => format!("signal {signal} ({name})"),
        None => format!("signal {signal}"),
    }
}

/// Signals that end programs and have the same number on all supported systems.
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
    //! Process groups and signals of Unix.

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::{
        io,
        os::{fd::AsFd, unix::process::CommandExt, unix::process::ExitStatusExt},
        process::{Child, Command, ExitStatus},
    };

    pub fn own_group(command: &mut Command) {
        command.process_group(0);
    }

    pub fn set_nonblocking(pipe: &impl AsFd) -> io::Result<()> {
        Ok(rustix::io::ioctl_fionbio(pipe, true)?)
    }

    /// Whether the child has ended. Does not reap it, so that its process id stays reserved.
    pub fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
    }

    pub fn terminate_group(child: &Child) {
        // An error means that the group has no process any more.
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
    //! Systems without process groups and signals: only the child itself is killed, and a program that does not read blocks us.

    use std::{
        io,
        process::{Child, Command, ExitStatus},
    };

    pub fn own_group(_command: &mut Command) {}

    pub fn set_nonblocking<T>(_pipe: &T) -> io::Result<()> {
        Ok(())
    }

    pub fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub fn terminate_group(_child: &Child) {}

    pub fn kill_group(child: &mut Child) {
        let _ = child.kill();
    }

    pub fn signal_of(_status: ExitStatus) -> Option<i32> {
        None
    }
}

use system::{has_ended, kill_group, own_group, set_nonblocking, signal_of, terminate_group};
