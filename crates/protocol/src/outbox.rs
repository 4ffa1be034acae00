//! What we tell a program. A program that does not read makes nobody wait: what its pipe does not take stays here and is
//! tried again while its answer is waited for.

use std::io::{ErrorKind, Write};

/// A program that has left so much unread reads nothing at all.
const UNREAD: usize = 1 << 20;

/// The way to one program. Its pipe must not block.
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

    /// Whether all has been told.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the program reads nothing at all.
    pub fn is_ignored(&self) -> bool {
        self.waiting.len() > UNREAD
    }

    /// Says no more: the program's input ends.
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

    /// Takes so many bytes and then none until somebody reads.
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
