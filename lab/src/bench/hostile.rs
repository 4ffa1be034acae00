//! `cargo lab bench hostile`: one address attacks a server on loopback while a visitor plays: silent connections,
//! engines with ten minutes per move, a crawler, forged addresses. It is an error if the visitor's responses are
//! delayed or refused.

use super::servers::{build, start};
use crate::workspace::target;
use anyhow::{Result, ensure};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Number of games in the crawled database. Half of them need a room for a spectator, which is more than a server has.
const GAMES: &str = "50000";

struct Bench {
    parlor: PathBuf,
    load: PathBuf,
    folder: PathBuf,
}

pub fn measure(quick: bool) -> Result<()> {
    build()?;
    let bench = Bench {
        parlor: target().join("release/parlor"),
        load: target().join("release/examples/load"),
        folder: target().join("bench-hostile"),
    };
    let _ = fs::remove_dir_all(&bench.folder);
    fs::create_dir_all(&bench.folder)?;
    let seconds = if quick { "10" } else { "30" };
    bench.attack("silent.db", &[], "silent", &["16000", seconds])?;
    // Without the limit per address, this tests the reserve and the order in which connections are closed.
    bench.attack("silent.db", &["--connections-per-address", "65535"], "silent", &["16000", seconds])?;
    bench.attack("greedy.db", &[], "greedy", &["50", if quick { "10" } else { "30" }])?;
    bench.attack("forge.db", &[], "forge", &["5000"])?;
    let database = bench.folder.join("crawl.db");
    ensure!(Command::new(&bench.load).arg("fill").arg(&database).arg(GAMES).status()?.success());
    bench.attack("crawl.db", &[], "crawl", &[GAMES, if quick { "60" } else { "300" }])
}

impl Bench {
    /// Starts a server on a database and runs an attack on it.
    fn attack(&self, database: &str, options: &[&str], attack: &str, numbers: &[&str]) -> Result<()> {
        println!("\nparlor serve {}, load {} {}:", options.join(" "), attack, numbers.join(" "));
        let database = self.folder.join(database).display().to_string();
        let (mut server, address) = start(&self.parlor, &database, options)?;
        let ran = with_all_files(&self.load).args([attack, &address]).args(numbers).status();
        server.kill()?;
        server.wait()?;
        ensure!(ran?.success(), "the attack kept a visitor out");
        Ok(())
    }
}

/// A command whose program may open as many files as the system allows.
fn with_all_files(program: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n $(ulimit -Hn); exec \"$0\" \"$@\""]).arg(program);
    shell
}
