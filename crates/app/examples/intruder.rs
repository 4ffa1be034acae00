//! A program that tries what a bot must not do, one deed a run, and says how it went: `done`, or `refused` and why. The
//! tests of the sandbox run it inside; outside it is harmless unless asked to eat memory or to fork.

use parlor_protocol::sandbox::Cage;
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

type Deed = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match attempt(&words) {
        Ok(()) => say("done"),
        Err(why) => say(&format!("refused: {why}")),
    }
    ExitCode::from(if words == ["echo"] { 7 } else { 0 })
}

fn say(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
    let _ = io::stdout().flush();
}

fn attempt(words: &[&str]) -> Deed {
    match words {
        ["tcp", address] => drop(TcpStream::connect(address)?),
        ["udp"] => drop(UdpSocket::bind("127.0.0.1:0")?),
        ["unix", path] => unix(path)?,
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
        ["host", keeper, mark] => host(keeper, mark)?,
        _ => return Err("this deed is unknown".into()),
    }
    Ok(())
}

#[cfg(unix)]
fn unix(path: &str) -> Deed {
    drop(std::os::unix::net::UnixStream::connect(path)?);
    Ok(())
}

#[cfg(not(unix))]
fn unix(_: &str) -> Deed {
    Err("there are no such sockets here".into())
}

/// In one file, or in several that would each be allowed.
fn fill(path: &str, megabytes: usize) -> Deed {
    let mut file = File::create(path)?;
    for _ in 0..megabytes {
        file.write_all(&[7; 1 << 20])?;
    }
    Ok(())
}

fn eat(megabytes: usize) {
    let mut eaten = Vec::new();
    for number in 0..megabytes {
        // Not zeros: those cost nothing.
        eaten.push(vec![number as u8 | 1; 1 << 20]);
        thread::sleep(Duration::from_micros(100));
    }
    say(&format!("ate {} MiB", eaten.len()));
}

/// As many copies as the system gives, each of which does the same.
fn fork(mark: &str) {
    loop {
        if let Ok(me) = env::current_exe() {
            let _ = Command::new(me).args(["fork", mark]).stdin(Stdio::null()).spawn();
        }
    }
}

fn start(deed: &str, mark: &str) -> io::Result<std::process::Child> {
    let mut command = Command::new(env::current_exe()?);
    command.args([deed, mark]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

/// Leaves a grandchild with a session of its own behind.
fn daemon(mark: &str) -> Deed {
    start("detach", mark)?.wait()?;
    Ok(())
}

fn detach(mark: &str) -> Deed {
    #[cfg(target_os = "linux")]
    rustix::process::setsid()?;
    start("sleep", mark)?;
    Ok(())
}

fn echo() -> Deed {
    for line in io::stdin().lock().lines() {
        say(&line?.to_uppercase());
    }
    Ok(())
}

fn processes() -> io::Result<usize> {
    let names = fs::read_dir("/proc")?.flatten().map(|entry| entry.file_name());
    Ok(names.filter(|name| name.to_string_lossy().parse::<u32>().is_ok()).count())
}

/// What Parlor does: starts a sleeper in a cage and stays.
fn host(keeper: &str, mark: &str) -> Deed {
    let me = env::current_exe()?.to_string_lossy().into_owned();
    let command = [me, "sleep".to_string(), mark.to_string()];
    let (mut command, enclosed) = Cage::new(keeper).enclose(&command, Path::new("/"))?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    while enclosed.in_force().is_none() {
        if child.try_wait()?.is_some() {
            return Err("the keeper has left".into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    say("kept");
    child.wait()?;
    Ok(())
}
