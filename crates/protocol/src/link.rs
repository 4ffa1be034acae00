//! Connection to one running program: its output lines, its input, its standard error and its process. It works over any
//! reader and writer, so tests put a thread at the other end.

use crate::{
    inbox::{Inbox, Received, read_lines},
    stderr::{StderrBuffer, read_stderr},
};
use parlor_engine::Clock;
use std::{
    io::{self, ErrorKind, Read, Write},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long a program that closed its output may take to exit, and the end of its standard error to arrive.
const EXIT_GRACE: Duration = Duration::from_millis(100);
/// Interval between polls of what sends no notification: the process and a full pipe.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// How long a program may run after the end of a game before it is frozen.
const END_TIMEOUT: Duration = Duration::from_millis(100);

/// Controls the process of a program.
pub(crate) trait ProcessControl: Send {
    /// How the process ended, like 'exit code 3'; `None` while it runs.
    fn exit_status(&mut self) -> Option<String>;
    /// Kills it and all processes that it started.
    fn kill(&mut self);
    /// Waits for the process to exit, then sends SIGTERM, then SIGKILL. Kills all processes that it started in any case.
    /// Returns whether it exited by itself.
    fn quit(&mut self) -> bool;
    /// Suspends the process and all processes that it started until `thaw`.
    fn freeze(&mut self);
    fn thaw(&mut self);
    /// Total processor time of the process and all processes that it started, if it is measured.
    fn cpu_time(&mut self) -> Option<Duration>;
}

/// A started program: its pipes and its process.
pub(crate) struct RunningProgram {
    pub input: Box<dyn Write + Send>,
    pub output: Box<dyn Read + Send>,
    pub error: Box<dyn Read + Send>,
    pub process: Box<dyn ProcessControl>,
}

/// The connection to a program.
pub(crate) struct Link {
    pub inbox: Arc<Inbox>,
    pub outbox: Outbox,
    pub stderr: Arc<StderrBuffer>,
    process: Box<dyn ProcessControl>,
    frozen: bool,
}

impl Link {
    /// Starts the two threads that read the program's output and its standard error.
    pub fn open(mut program: RunningProgram, clock: &Arc<dyn Clock>) -> io::Result<Link> {
        let (inbox, stderr) = (Arc::new(Inbox::default()), Arc::new(StderrBuffer::default()));
        let (lines, clock, output) = (inbox.clone(), clock.clone(), program.output);
        let (buffer, error) = (stderr.clone(), program.error);
        let threads = reader("stdout", move || read_lines(output, &lines, clock.as_ref()))
            .and_then(|()| reader("stderr", move || read_stderr(error, &buffer)));
        if let Err(error) = threads {
            program.process.kill();
            return Err(error);
        }
        Ok(Link {
            inbox,
            outbox: Outbox::new(program.input),
            stderr,
            process: program.process,
            frozen: false,
        })
    }

    /// The next line; waits for it at most `wait`. Writes what the pipe did not take before.
    pub fn receive(&mut self, wait: Duration) -> Received {
        self.outbox.flush();
        self.inbox.next(if self.outbox.is_empty() { wait } else { wait.min(POLL_INTERVAL) })
    }

    /// The exit reason; `None` while it runs.
    pub fn exit_status(&mut self) -> Option<String> {
        self.process.exit_status()
    }

    /// Kills a program that closed its output or exited. Returns how it ended and the tail of its standard error.
    pub fn failure_reason(&mut self) -> String {
        let begun = Instant::now();
        let mut how = self.process.exit_status();
        while how.is_none() && begun.elapsed() < EXIT_GRACE {
            thread::sleep(POLL_INTERVAL);
            how = self.process.exit_status();
        }
        self.process.kill();
        let stderr = self.stderr.tail(EXIT_GRACE);
        let how = how.unwrap_or_else(|| "it closed its output".to_string());
        if stderr.is_empty() { how } else { format!("{how}; stderr: {stderr}") }
    }

    /// Whether the program is suspended until its next message.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Suspends the program until its next message, so that it uses no processor time.
    pub fn freeze(&mut self) {
        if !self.frozen {
            self.process.freeze();
            self.frozen = true;
        }
    }

    pub fn thaw(&mut self) {
        if self.frozen {
            self.frozen = false;
            self.process.thaw();
        }
    }

    /// Processor time of the program since its start, if it is measured.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        self.process.cpu_time()
    }

    /// Sends the last line of a game and lets the program handle it until it uses no more processor time, at most 100 ms. Then
    /// the program is frozen. It is not frozen if its processor time is not measured.
    pub fn finish(&mut self, line: &str) {
        let before = self.process.cpu_time();
        self.outbox.send(line);
        self.thaw();
        let (begun, mut last) = (Instant::now(), before);
        while last.is_some() && begun.elapsed() < END_TIMEOUT {
            thread::sleep(POLL_INTERVAL);
            let now = self.process.cpu_time();
            if now > before && now == last {
                break;
            }
            last = now;
        }
        if last.is_some() {
            self.freeze();
        }
    }

    pub fn kill(&mut self) {
        self.process.kill();
        self.outbox.close();
    }

    /// Asks the program to exit. Returns whether it exited by itself.
    pub fn quit(&mut self) -> bool {
        // Finds all its processes while their parent runs, so that those it leaves behind can be killed too.
        let _ = self.process.cpu_time();
        self.thaw();
        self.outbox.send("quit");
        self.outbox.close();
        self.process.quit()
    }
}

/// Starts a thread that only reads. It ends when the other end of the pipe is closed.
fn reader(name: &str, read: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_string()).stack_size(128 << 10).spawn(read).map(drop)
}

/// With more unsent bytes than this, the program counts as not reading its input.
const MAX_UNSENT_BYTES: usize = 1 << 20;

/// Buffer in front of the program's input. The pipe must be non-blocking: what it does not take stays in the buffer and is
/// written while we wait for the answer, so a program that does not read delays no thread of ours.
pub(crate) struct Outbox {
    pipe: Option<Box<dyn Write + Send>>,
    unsent: Vec<u8>,
}

impl Outbox {
    pub fn new(pipe: Box<dyn Write + Send>) -> Outbox {
        Outbox { pipe: Some(pipe), unsent: Vec::new() }
    }

    /// Queues a line and writes as much as the pipe takes now.
    pub fn send(&mut self, line: &str) {
        if self.pipe.is_some() && !self.is_ignored() {
            self.unsent.extend_from_slice(line.as_bytes());
            self.unsent.push(b'\n');
        }
        self.flush();
    }

    /// Writes as much of the buffer as the pipe takes now. A broken pipe is closed without an error: the next turn finds out
    /// whether the program exited or closed its input.
    pub fn flush(&mut self) {
        while let Some(pipe) = &mut self.pipe
            && !self.unsent.is_empty()
        {
            match pipe.write(&self.unsent) {
                Ok(written) if written > 0 => drop(self.unsent.drain(..written)),
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                _ => self.close(),
            }
        }
    }

    /// Whether everything has been written.
    pub fn is_empty(&self) -> bool {
        self.unsent.is_empty()
    }

    /// Whether the program reads none of its input.
    pub fn is_ignored(&self) -> bool {
        self.unsent.len() > MAX_UNSENT_BYTES
    }

    /// Closes the program's input.
    pub fn close(&mut self) {
        self.pipe = None;
        self.unsent.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    /// Takes six bytes and then none until the test reads them.
    #[derive(Clone, Default)]
    struct Narrow(Arc<Mutex<Vec<u8>>>);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut held = self.0.lock().expect("no panic");
            match (6 - held.len()).min(bytes.len()) {
                0 => Err(ErrorKind::WouldBlock.into()),
                some => {
                    held.extend_from_slice(&bytes[..some]);
                    Ok(some)
                }
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn sends_what_the_pipe_did_not_take_later_and_in_order() {
        let pipe = Narrow::default();
        let mut outbox = Outbox::new(Box::new(pipe.clone()));
        outbox.send("abcd");
        outbox.send("efg");
        assert_eq!(std::mem::take(&mut *pipe.0.lock().expect("no panic")), b"abcd\ne");
        assert!(!outbox.is_empty());
        outbox.flush();
        assert_eq!(*pipe.0.lock().expect("no panic"), b"fg\n");
        assert!(outbox.is_empty());
    }

    #[test]
    fn buffers_a_bounded_number_of_bytes_for_a_program_that_never_reads() {
        let mut outbox = Outbox::new(Box::new(Narrow::default()));
        for _ in 0..1000 {
            outbox.send(&"x".repeat(10_000));
        }
        assert!(outbox.is_ignored() && outbox.unsent.len() < MAX_UNSENT_BYTES + 20_000);
    }
}
