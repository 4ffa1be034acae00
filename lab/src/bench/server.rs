//! `cargo lab bench server`: measures a server on loopback with many live games and spectators, and a server that
//! is killed while clients move. Prints the targets with the results.

use super::servers::{build, serve};
use crate::workspace::target;
use anyhow::{Result, ensure};
use std::{fs, process::Command};

pub fn measure(quick: bool) -> Result<()> {
    build()?;
    let parlor = target().join("release/parlor");
    let load = target().join("release/examples/load");
    let dir = target().join("bench-server");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir)?;
    let (mut server, address) = serve(&parlor, &dir.join("live.db").display().to_string())?;
    let seconds = if quick { "5" } else { "30" };
    let ran = Command::new(&load)
        .args(["live", &address, &server.id().to_string(), "1000", "2000", "500", seconds])
        .status();
    server.kill()?;
    server.wait()?;
    ensure!(ran?.success(), "the load failed");
    println!();
    let moves = if quick { "2000" } else { "10000" };
    let crash = Command::new(&load)
        .arg("crash")
        .arg(&parlor)
        .arg(dir.join("games.db"))
        .args([moves, "10"])
        .status()?;
    ensure!(crash.success(), "the server that was killed lost something");
    Ok(())
}
