//! A hostile program for the tests of the sandbox. Each run makes one attack and prints the result: `done`, or
//! `refused` with the reason. Outside a sandbox it is harmless, except for the attacks that use up memory or fork.
//! An argument `-` is replaced by a line of standard input, because the sandbox grants files that are named in the
//! command.

mod hostile;

use parlor_sandbox::Sandbox;
use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{self, BufRead, Write},
    net::{TcpStream, UdpSocket},
    path::Path,
    process::{Command, ExitCode, Stdio, abort},
    thread,
    time::Duration,
};

type Attempt = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        env::args().skip(1).map(|word| if word == "-" { line() } else { word }).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match attempt(&words) {
        Ok(()) => say("done"),
        Err(why) => say(&format!("refused: {why}")),
    }
    ExitCode::from(if words == ["echo"] { 7 } else { 0 })
}

fn line() -> String {
    let mut line = String::new();
    let _ = io::stdin().lock().read_line(&mut line);
    line.trim_end().to_string()
}

fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
    let _ = io::stdout().flush();
}

fn attempt(words: &[&str]) -> Attempt {
    match words {
        ["tcp", address] => drop(TcpStream::connect(address)?),
        ["udp"] => drop(UdpSocket::bind("127.0.0.1:0")?),
        ["unix", path] => drop(std::os::unix::net::UnixStream::connect(path)?),
        ["read", path] => drop(fs::read(path)?),
        ["list", path] => drop(fs::read_dir(path)?.count()),
        ["write", path] => fs::write(path, "I was here")?,
        ["remove", path] => fs::remove_file(path)?,
        ["fill", path, megabytes] => fill(path, megabytes.parse()?)?,
        ["eat", megabytes] => eat(megabytes.parse()?),
        ["fork", mark] => fork(mark),
        ["daemon", mark] => daemon(mark)?,
        ["sleep", _] => thread::sleep(Duration::from_secs(60)),
        ["detach", mark] => detach(mark)?,
        ["echo"] => echo()?,
        ["abort"] => abort(),
        ["environment"] => env::vars().for_each(|(name, value)| say(&format!("{name}={value}"))),
        ["processes"] => say(&processes()?.to_string()),
        ["host", supervisor, mark] => host(supervisor, mark)?,
        ["stat", path] => fs::metadata(path).map(|_| ())?,
        ["spin", count, mark] => spin(count.parse()?, mark)?,
        ["burn", mark] => burn(mark)?,
        ["burn-apart", mark] => {
            hostile::leave_session();
            burn(mark)?;
        }
        ["continue-parent", _] => hostile::continue_forever(std::os::unix::process::parent_id()),
        ["resist", mark] => resist(mark)?,
        _ => hostile::attempt(words)?,
    }
    Ok(())
}

/// Writes megabytes to one file, or to several files that are each within the limit.
fn fill(path: &str, megabytes: usize) -> Attempt {
    let mut file = File::create(path)?;
    for _ in 0..megabytes {
        file.write_all(&[7; 1 << 20])?;
    }
    Ok(())
}

fn eat(megabytes: usize) {
    let mut eaten = Vec::new();
    for number in 0..megabytes {
        // Pages of zeros would not be allocated.
        eaten.push(vec![number as u8 | 1; 1 << 20]);
        thread::sleep(Duration::from_micros(100));
    }
    say(&format!("ate {} MiB", eaten.len()));
}

/// Starts copies of this program, which do the same, until the system refuses.
fn fork(mark: &str) {
    loop {
        if let Ok(me) = env::current_exe() {
            let _ = Command::new(me).args(["fork", mark]).stdin(Stdio::null()).spawn();
        }
    }
}

fn start(attack: &str, mark: &str) -> io::Result<std::process::Child> {
    let mut command = Command::new(env::current_exe()?);
    command.args([attack, mark]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

/// Starts a grandchild in its own session and exits.
fn daemon(mark: &str) -> Attempt {
    start("detach", mark)?.wait()?;
    Ok(())
}

fn detach(mark: &str) -> Attempt {
    hostile::leave_session();
    start("sleep", mark)?;
    Ok(())
}

/// Starts processes that compute endlessly, every other one in its own session, and waits.
fn spin(count: usize, mark: &str) -> Attempt {
    for number in 0..count {
        start(if number % 2 == 0 { "burn" } else { "burn-apart" }, mark)?;
    }
    say("spinning");
    hold();
    Ok(())
}

/// Waits longer than any test.
fn hold() {
    thread::sleep(Duration::from_secs(30));
}

fn burn(mark: &str) -> Attempt {
    while !mark.is_empty() {
        std::hint::spin_loop();
    }
    Ok(())
}

/// Starts a copy; both send SIGCONT to each other all the time.
fn resist(mark: &str) -> Attempt {
    let other = start("continue-parent", mark)?;
    say("spinning");
    hostile::continue_forever(other.id());
}

fn echo() -> Attempt {
    for line in io::stdin().lock().lines() {
        say(&line?.to_uppercase());
    }
    Ok(())
}

fn processes() -> io::Result<usize> {
    let names = fs::read_dir("/proc")?.flatten().map(|entry| entry.file_name());
    Ok(names.filter(|name| name.to_string_lossy().parse::<u32>().is_ok()).count())
}

/// Acts as Parlor: starts a sleeping program in a sandbox and waits.
fn host(supervisor: &str, mark: &str) -> Attempt {
    let me = env::current_exe()?.to_string_lossy().into_owned();
    let command = [me, "sleep".to_string(), mark.to_string()];
    let (mut command, sandboxed) = Sandbox::new(supervisor).command(&command, Path::new("/"))?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    while sandboxed.protections().is_none() {
        if child.try_wait()?.is_some() {
            return Err("the supervisor has ended".into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    say("running");
    child.wait()?;
    Ok(())
}
