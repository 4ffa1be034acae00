//! The conversation with one running program: what it says, what it is told, what it writes aside, and whether it lives.
//! Where the program is is not its business: tests put a thread at the other end.

use crate::{
    inbox::{Heard, Inbox, read_lines},
    notes::{Notes, read_notes},
};
use parlor_engine::Clock;
use std::{
    io::{self, ErrorKind, Read, Write},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long a program that closed its output may take to end, and its last words to arrive.
const LAST_BREATH: Duration = Duration::from_millis(100);
/// How often something that cannot wake us is looked at.
const LOOK: Duration = Duration::from_millis(1);
/// How long a program may go on working after the end of a game before it is frozen.
const CLEAN_UP: Duration = Duration::from_millis(100);

/// Controls the process of a program.
pub(crate) trait Life: Send {
    /// How it ended, like 'exit code 3', if it has.
    fn ended(&mut self) -> Option<String>;
    /// Kills it and all processes that it started.
    fn kill(&mut self);
    /// Lets it go by itself, then asks it to, then ends it; and all it started in any case. Whether it went by itself.
    fn part(&mut self) -> bool;
    /// Stops it and all processes that it started, until `thaw`.
    fn freeze(&mut self);
    fn thaw(&mut self);
    /// Processor time of it and all it started, from the beginning; none where that is not measured.
    fn cpu_time(&mut self) -> Option<Duration>;
}

pub(crate) struct Running {
    pub input: Box<dyn Write + Send>,
    pub output: Box<dyn Read + Send>,
    pub error: Box<dyn Read + Send>,
    pub life: Box<dyn Life>,
}

/// The connection to a program.
pub(crate) struct Link {
    pub inbox: Arc<Inbox>,
    pub outbox: Outbox,
    pub notes: Arc<Notes>,
    life: Box<dyn Life>,
    frozen: bool,
}

impl Link {
    /// Begins to listen: a thread for what it says and one for what it writes aside.
    pub fn open(mut program: Running, clock: &Arc<dyn Clock>) -> io::Result<Link> {
        let (inbox, notes) = (Arc::new(Inbox::default()), Arc::new(Notes::default()));
        let (said, clock, output) = (inbox.clone(), clock.clone(), program.output);
        let (aside, error) = (notes.clone(), program.error);
        let threads = reader("says", move || read_lines(output, &said, clock.as_ref()))
            .and_then(|()| reader("notes", move || read_notes(error, &aside)));
        if let Err(error) = threads {
            program.life.kill();
            return Err(error);
        }
        Ok(Link { inbox, outbox: Outbox::new(program.input), notes, life: program.life, frozen: false })
    }

    /// The next line, waited for no longer than this. What could not be told before is tried again.
    pub fn hear(&mut self, wait: Duration) -> Heard {
        self.outbox.flush();
        self.inbox.next(if self.outbox.is_empty() { wait } else { wait.min(LOOK) })
    }

    /// The exit reason; `None` while it runs.
    pub fn ended(&mut self) -> Option<String> {
        self.life.ended()
    }

    /// Why a program says no more, as the end of 'crashed: ...'.
    pub fn obituary(&mut self) -> String {
        let begun = Instant::now();
        let mut how = self.life.ended();
        while how.is_none() && begun.elapsed() < LAST_BREATH {
            thread::sleep(LOOK);
            how = self.life.ended();
        }
        self.life.kill();
        let words = self.notes.last_words(LAST_BREATH);
        let how = how.unwrap_or_else(|| "it closed its output".to_string());
        if words.is_empty() { how } else { format!("{how}; stderr: {words}") }
    }

    /// Whether it is stopped until the next message to it.
    pub fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Stops the program until its next message: it uses no processor time meanwhile.
    pub fn freeze(&mut self) {
        if !self.frozen {
            self.life.freeze();
            self.frozen = true;
        }
    }

    pub fn thaw(&mut self) {
        if self.frozen {
            self.frozen = false;
            self.life.thaw();
        }
    }

    /// Processor time of the program since it was started, where that is measured.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        self.life.cpu_time()
    }

    /// Sends the last line of a game, and lets the program work on it until it waits for input or 100 ms have passed. Then it
    /// is frozen. A program whose processor time is not measured goes on.
    pub fn finish(&mut self, line: &str) {
        let before = self.life.cpu_time();
        self.outbox.send(line);
        self.thaw();
        let (begun, mut last) = (Instant::now(), before);
        while last.is_some() && begun.elapsed() < CLEAN_UP {
            thread::sleep(LOOK);
            let now = self.life.cpu_time();
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
        self.life.kill();
        self.outbox.close();
    }

    /// Asks it to exit. Returns whether it did.
    pub fn part(&mut self) -> bool {
        // A look at all its processes while they can be found: those that stay behind when it goes are ended too.
        let _ = self.life.cpu_time();
        self.thaw();
        self.outbox.send("quit");
        self.outbox.close();
        self.life.part()
    }
}

/// A thread that does nothing but read: it ends when the other end is closed.
fn reader(name: &str, read: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_string()).stack_size(128 << 10).spawn(read).map(drop)
}

/// A program that has left this many bytes unread reads nothing at all.
const UNREAD: usize = 1 << 20;

/// What we tell a program. Its pipe must not block. A program that does not read delays no one: what its pipe does not take stays
/// here and is tried again while its answer is waited for.
pub(crate) struct Outbox {
    pipe: Option<Box<dyn Write + Send>>,
    waiting: Vec<u8>,
}

impl Outbox {
    pub fn new(pipe: Box<dyn Write + Send>) -> Outbox {
        Outbox { pipe: Some(pipe), waiting: Vec::new() }
    }

    /// Tells it a line, or as much of it as it takes now.
    pub fn send(&mut self, line: &str) {
        if self.pipe.is_some() && !self.is_ignored() {
            self.waiting.extend_from_slice(line.as_bytes());
            self.waiting.push(b'\n');
        }
        self.flush();
    }

    /// Tries again to tell what is left. A pipe that is broken takes nothing any more: the program has ended or closed its
    /// input, and which of them it was shows when it is asked.
    pub fn flush(&mut self) {
        while let Some(pipe) = &mut self.pipe
            && !self.waiting.is_empty()
        {
            match pipe.write(&self.waiting) {
                Ok(written) if written > 0 => drop(self.waiting.drain(..written)),
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                _ => self.close(),
            }
        }
    }

    /// Whether everything has been written.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the program reads none of its input.
    pub fn is_ignored(&self) -> bool {
        self.waiting.len() > UNREAD
    }

    /// Closes the program's input.
    pub fn close(&mut self) {
        self.pipe = None;
        self.waiting.clear();
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
    fn what_is_not_taken_is_told_later_and_in_order() {
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
    fn a_program_that_never_reads_costs_little() {
        let mut outbox = Outbox::new(Box::new(Narrow::default()));
        for _ in 0..1000 {
            outbox.send(&"x".repeat(10_000));
        }
        assert!(outbox.is_ignored() && outbox.waiting.len() < UNREAD + 20_000);
    }
}
