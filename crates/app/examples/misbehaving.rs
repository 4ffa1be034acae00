//! A bot for tests that misbehaves in the way that its first argument names: `misbehaving [--ugi] HOW [FILE]`. It makes the
//! handshake correctly and misbehaves at the first question of a game. It writes its process id and those of its children to the
//! file.
//!
//! Some ways to behave are legal: `thief` keeps 60 processes busy from its first question on, `small-thief` six, and `busy` uses
//! a quarter of its time as processor time.

use parlor_core::Board;
use std::{
    env,
    fs::{self, OpenOptions},
    io::{self, BufRead, Write},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

fn main() -> io::Result<()> {
    let mut words: Vec<String> = env::args().skip(1).collect();
    let ugi = words.first().is_some_and(|word| word == "--ugi");
    words.drain(..usize::from(ugi));
    let mut words = words.into_iter();
    let mut bot =
        Misbehaving { ugi, how: words.next().unwrap_or_default(), file: words.next(), has_children: false };
    if !bot.how.starts_with("spin") {
        bot.note(process::id())?;
    }
    match bot.how.as_str() {
        "silent" => stall(),
        "spin" | "spin-alone" => spin(bot.how == "spin-alone"),
        // Answers the practice question without reading it.
        "deaf" => {
            bot.say("1\n")?;
            stall();
        }
        _ if ugi => bot.engine(),
        _ => bot.simple(),
    }
}

struct Misbehaving {
    ugi: bool,
    how: String,
    file: Option<String>,
    has_children: bool,
}

/// Maximum run time of a thief's process, in case that no referee kills it.
const LONGEST_SPIN: Duration = Duration::from_secs(600);

/// Keeps a processor busy; alone, out of the reach of signals to the bot's process group.
fn spin(alone: bool) -> ! {
    #[cfg(unix)]
    if alone {
        let _ = rustix::process::setsid();
    }
    let _ = io::copy(&mut io::stdin(), &mut io::sink());
    work(LONGEST_SPIN);
    process::exit(i32::from(alone))
}

/// Computes until it has used `time` of a processor; where that is not measured, for `time` by the clock.
fn compute(time: Duration) {
    let used = || {
        let text = fs::read_to_string("/proc/self/schedstat").ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    };
    let Some(before) = used() else { return work(time) };
    while used().is_some_and(|now| now.saturating_sub(before) < time) {
        work(Duration::from_micros(200));
    }
}

/// Is busy for `time` by the clock.
fn work(time: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn stall() -> ! {
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

impl Misbehaving {
    fn note(&self, number: u32) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        writeln!(OpenOptions::new().create(true).append(true).open(file)?, "{number}")
    }

    fn say(&self, text: &str) -> io::Result<()> {
        self.say_bytes(text.as_bytes())
    }

    fn say_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Starts the processes of a thief, once.
    fn steal(&mut self) -> io::Result<()> {
        let count = match self.how.as_str() {
            "thief" => 60,
            "small-thief" => 6,
            _ => return Ok(()),
        };
        if std::mem::replace(&mut self.has_children, true) {
            return Ok(());
        }
        let mut waiting = Vec::new();
        for number in 0..count {
            let how = if number % 5 == 0 { "spin-alone" } else { "spin" };
            let mut command = Command::new(env::current_exe()?);
            let mut child = command.arg(how).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
            self.note(child.id())?;
            waiting.push(child.stdin.take());
        }
        // They begin when their input ends: all together, so that the last one is started as quickly as the first.
        drop(waiting);
        Ok(())
    }

    fn simple(&mut self) -> io::Result<()> {
        let mut practised = false;
        for line in io::stdin().lock().lines() {
            let line = line?;
            let fields: Vec<&str> = line.split('\t').collect();
            let first = fields.get(3).and_then(|moves| moves.split(' ').next()).unwrap_or_default();
            match fields[0] {
                "quit" => break,
                "turn" if practised => {
                    let millis = fields.get(5).and_then(|time| time.parse().ok()).unwrap_or(0);
                    self.answer(first, Duration::from_millis(millis))?;
                }
                "turn" => {
                    self.steal()?;
                    practised = true;
                    self.say(&format!("{first}\n"))?;
                }
                _ => (),
            }
        }
        Ok(())
    }

    fn engine(&mut self) -> io::Result<()> {
        let mut board: Option<Box<dyn Board>> = None;
        for line in io::stdin().lock().lines() {
            let line = line?;
            match line.split_once(' ').unwrap_or((&line, "")) {
                ("ugi", _) => self.say("id name misbehaving\nugiok\n")?,
                ("isready", _) => self.say("readyok\n")?,
                ("game", spec) => board = parlor_catalog::game(spec).ok().map(|game| game.board()),
                ("position", rest) => board = board.take().map(|board| set(board, rest)),
                ("go", limits) => {
                    self.steal()?;
                    let millis = limits.strip_prefix("movetime ").and_then(|time| time.parse().ok());
                    let moves = board.as_ref().map_or(Vec::new(), |board| board.moves());
                    let time = Duration::from_millis(millis.unwrap_or(0));
                    self.answer(moves.first().map_or("", String::as_str), time)?;
                }
                ("quit", _) => break,
                _ => (),
            }
        }
        Ok(())
    }

    /// A move, as the dialect writes it.
    fn moves(&self, text: &str) -> io::Result<()> {
        self.say(&format!("{}{text}\n", if self.ugi { "bestmove " } else { "" }))
    }

    fn answer(&self, legal: &str, time: Duration) -> io::Result<()> {
        match self.how.as_str() {
            "busy" => {
                compute(time / 4);
                self.moves(legal)
            }
            "illegal" => self.moves("zz"),
            "stall" => stall(),
            "exit" => {
                let _ = writeln!(io::stderr(), "I leave\nin anger");
                process::exit(3)
            }
            "abort" => process::abort(),
            "close" => close(),
            "flood" => loop {
                self.say(&(if self.ugi { "whatever\n" } else { "try 1\n" }).repeat(1000))?;
            },
            "nonewline" => {
                self.say(if self.ugi { "bestmove 1" } else { "1" })?;
                stall()
            }
            "latin1" => self.say_bytes(b"z\xfcg\n"),
            "longline" => self.moves(&"x".repeat(70 << 10)),
            "slowtry" => {
                self.say(&format!("try zz\ntry {legal}\n"))?;
                stall()
            }
            "children" => {
                self.child()?;
                self.moves(legal)
            }
            "chatty" => {
                for _ in 0..(10 << 20) / 32 {
                    let _ = io::stderr().write_all(b"thirty-two bytes of nothing new\n");
                }
                self.moves(legal)
            }
            _ => self.moves(legal),
        }
    }

    /// Starts a child that ignores SIGTERM.
    fn child(&self) -> io::Result<()> {
        let script = "trap '' TERM; while :; do sleep 60; done";
        let child = Command::new("sh").args(["-c", script]).stdin(Stdio::null()).spawn()?;
        self.note(child.id())
    }
}

/// Closes the output and keeps running.
fn close() -> io::Result<()> {
    use std::os::unix::process::CommandExt;
    Err(Command::new("sh").args(["-c", "exec 1>&-; sleep 60"]).exec())
}

/// The board with the moves of a position from the start.
fn set(mut board: Box<dyn Board>, position: &str) -> Box<dyn Board> {
    while board.undo().is_some() {}
    for text in position.split_once(" moves ").map_or("", |(_, moves)| moves).split_whitespace() {
        let _ = board.play(text);
    }
    board
}
