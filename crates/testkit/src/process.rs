//! Child processes of tests, killed when their test ends.

use crate::wait::eventually;
use std::{
    env, fs,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
};

/// A running process whose standard output can be read line by line. Dropping the value kills the process.
pub struct Process {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a command with its standard output as a pipe. The caller configures the other streams.
    #[track_caller]
    pub fn start(command: &mut Command) -> Process {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("start the process");
        let out = BufReader::new(child.stdout.take().expect("its standard output"));
        Process { child, out }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the next line that contains this text and returns it.
    #[track_caller]
    pub fn line_with(&mut self, text: &str) -> String {
        let mut heard = String::new();
        loop {
            let mut line = String::new();
            if self.out.read_line(&mut line).expect("a line") == 0 {
                let mut error = String::new();
                let _ = self.child.stderr.take().map(|mut from| from.read_to_string(&mut error));
                panic!("it ended before '{text}': {heard}{error}");
            }
            if line.contains(text) {
                return line;
            }
            heard.push_str(&line);
        }
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_some()
    }

    /// Kills the process with SIGKILL.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    #[track_caller]
    pub fn signal(&self, signal: &str) {
        send_signal(self.child.id(), signal);
    }

    /// Waits until the process ends and returns its exit code, or -1 after a signal.
    #[track_caller]
    pub fn wait(&mut self) -> i32 {
        let mut code = None;
        eventually("the process ends", || {
            code = self.child.try_wait().expect("its state");
            code.is_some()
        });
        code.and_then(|status| status.code()).unwrap_or(-1)
    }

    /// Reads the rest of the standard output. Returns the text and the exit code.
    #[track_caller]
    pub fn rest(mut self) -> (String, i32) {
        let mut text = String::new();
        self.out.read_to_string(&mut text).expect("a text");
        let code = self.wait();
        (text, code)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Sends a signal, such as `INT`, to a process. It uses the shell's built-in `kill`, because small systems have no
/// such program.
#[track_caller]
pub fn send_signal(process: u32, signal: &str) {
    let sent =
        Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", signal, &process.to_string()]).status();
    assert!(sent.expect("a shell").success(), "no process {process}");
}

/// Whether a process runs. A process that has ended but is not yet reaped (a zombie) does not.
pub fn is_running(process: u32) -> bool {
    let state = if cfg!(target_os = "linux") {
        // The state follows the name, which is in brackets and may contain any character.
        let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        text.rsplit_once(')').map_or(String::new(), |(_, rest)| rest.trim().to_string())
    } else {
        let output = Command::new("ps").args(["-o", "stat=", "-p", &process.to_string()]).output();
        String::from_utf8_lossy(&output.expect("ps").stdout).trim().to_string()
    };
    !state.is_empty() && !state.starts_with('Z')
}

/// Runs a command to its end. Returns the exit code (-1 after a signal), standard output and standard error.
///
/// # Examples
///
/// ```
/// use parlor_testkit::run;
/// use std::process::Command;
///
/// let (code, out, _) = run(Command::new("sh").args(["-c", "echo hello; exit 3"]));
/// assert_eq!((code, out.as_str()), (3, "hello\n"));
/// ```
#[track_caller]
pub fn run(command: &mut Command) -> (i32, String, String) {
    let output = command.stdin(Stdio::null()).output().expect("start the command");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The path of a built example of the crate under test. Cargo builds the examples with the tests of a crate, but
/// not with `--test NAME`.
#[track_caller]
pub fn built_example(name: &str) -> PathBuf {
    let test = env::current_exe().expect("this test program");
    let build = test.ancestors().nth(2).expect("the build folder");
    let example = build.join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} is missing; `cargo build --examples` makes it", example.display());
    example
}
