//! Systems for which no cage has been built: the program is started as it is, and everybody who asks is told so.

use super::{Protection, order::Order, status::Diary};
use std::{
    ffi::OsString,
    io,
    path::Path,
    process::{Command, ExitCode},
};

/// The command itself; its status says that nothing protects from it.
pub(super) fn command(_keeper: &Path, order: &Order) -> Command {
    let why = Err("Parlor has a sandbox on Linux only".to_string());
    let mut diary = Diary::open(&order.status());
    for protection in Protection::ALL {
        let _ = diary.as_mut().map(|diary| diary.protection(protection, &why));
    }
    // Without the file nothing is known to be in force, which is just as true.
    let _ = diary.map(|mut diary| diary.ready());
    let mut command = Command::new(&order.command[0]);
    command.args(&order.command[1..]).current_dir(&order.dir);
    command.env("TMPDIR", order.scratch()).env("TEMP", order.scratch()).env("TMP", order.scratch());
    command
}

/// There is no other account that would have to pass.
pub(super) fn let_others_pass(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Nobody orders a keeper here.
pub(super) fn keep(_order: Order, _environment: Vec<(OsString, OsString)>) -> ExitCode {
    ExitCode::from(127)
}
