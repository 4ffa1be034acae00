//! Requests of Parlor to the init process of a sandbox, through two named pipes in the sandbox folder. A request is
//! a line such as `freeze 7`; its answer is the number and the program's processor time in nanoseconds, `7 250000`.
//! Each side opens both pipes for reading and writing, so opening never blocks, and it is no error if the other
//! side is missing.

use super::reason;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{CWD, FileType, Mode, OFlags, mknodat, open},
};
use std::{
    fs::File,
    io::{self, ErrorKind, Read, Write},
    path::Path,
    time::{Duration, Instant},
};

/// Time limit for an answer. It is long, because a machine under load is slow.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval between checks, during the wait for an answer, that the program still runs.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A request to the init process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Freeze,
    Thaw,
    CpuTime,
}

impl Request {
    fn word(self) -> &'static str {
        match self {
            Request::Freeze => "freeze",
            Request::Thaw => "thaw",
            Request::CpuTime => "cpu",
        }
    }

    fn parse(word: &str) -> Option<Request> {
        [Request::Freeze, Request::Thaw, Request::CpuTime].into_iter().find(|request| request.word() == word)
    }
}

fn open_pipe(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}

/// Waits until a pipe is readable, for this time at most.
fn wait_readable(pipe: &File, time: Duration) {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    let _ = poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&time));
}

/// The pipes as Parlor opens them: it writes requests and reads answers.
#[derive(Debug)]
pub(crate) struct Control {
    requests: File,
    replies: File,
    number: u64,
}

impl Control {
    /// Creates both named pipes and opens them.
    pub fn create(folder: &Path) -> io::Result<Control> {
        for name in ["control", "reply"] {
            mknodat(CWD, folder.join(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        let (requests, replies) = (open_pipe(&folder.join("control"))?, open_pipe(&folder.join("reply"))?);
        Ok(Control { requests, replies, number: 0 })
    }

    /// Sends a request and waits for the answer, unless the program ends.
    pub fn ask(&mut self, request: Request, has_ended: impl Fn() -> bool) -> io::Result<Duration> {
        self.number += 1;
        self.requests.write_all(format!("{} {}\n", request.word(), self.number).as_bytes())?;
        let asked = Instant::now();
        loop {
            wait_readable(&self.replies, CHECK_INTERVAL);
            if let Some(time) = self.answer() {
                return Ok(time);
            }
            if has_ended() {
                return Err(io::Error::new(ErrorKind::NotConnected, "the program has exited"));
            }
            if asked.elapsed() > ANSWER_TIMEOUT {
                return Err(io::Error::new(ErrorKind::TimedOut, "the sandbox does not answer"));
            }
        }
    }

    /// Reads the answer to the last request and discards answers to earlier ones. An answer is shorter than
    /// `PIPE_BUF`, so it is written atomically, and a read never ends within a line.
    fn answer(&mut self) -> Option<Duration> {
        let mut bytes = [0; 512];
        let count = self.replies.read(&mut bytes).unwrap_or(0);
        let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
        let mut answers = text.lines().filter_map(|line| line.split_once(' '));
        let (_, time) = answers.find(|(number, _)| number.parse() == Ok(self.number))?;
        time.parse().ok().map(Duration::from_nanos)
    }
}

/// The pipes as the init process opens them: it reads requests and writes answers.
#[derive(Debug)]
pub(super) struct Requests {
    pub pipe: File,
    replies: File,
}

impl Requests {
    pub fn open(folder: &Path) -> Result<Requests, super::Why> {
        let open = |name: &str| open_pipe(&folder.join(name)).map_err(reason);
        Ok(Requests { pipe: open("control")?, replies: open("reply")? })
    }

    /// Reads the pending requests with their numbers. Parlor waits for each answer, so usually there is only one.
    pub fn take(&mut self) -> Vec<(Request, u64)> {
        let mut bytes = [0; 512];
        let count = self.pipe.read(&mut bytes).unwrap_or(0);
        let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.filter_map(|(word, number)| Some((Request::parse(word)?, number.parse().ok()?))).collect()
    }

    pub fn answer(&mut self, number: u64, time: Duration) {
        // The pipe is full only if Parlor does not read any more because it has died.
        let _ = self.replies.write_all(format!("{number} {}\n", time.as_nanos()).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_testkit::temp_folder;

    #[test]
    fn answers_to_earlier_requests_are_discarded() {
        let folder = temp_folder();
        let mut control = Control::create(&folder).expect("pipes");
        let mut requests = Requests::open(&folder).expect("pipes");
        requests.answer(1, Duration::from_nanos(11));
        requests.answer(0, Duration::from_nanos(10));
        assert_eq!(control.ask(Request::Freeze, || false).expect("an answer"), Duration::from_nanos(11));
        assert_eq!(requests.take(), [(Request::Freeze, 1)]);
    }

    #[test]
    fn a_request_to_an_ended_program_fails_at_once() {
        let folder = temp_folder();
        let mut control = Control::create(&folder).expect("pipes");
        let error = control.ask(Request::CpuTime, || true).expect_err("no answer");
        assert_eq!(error.kind(), ErrorKind::NotConnected);
    }
}
