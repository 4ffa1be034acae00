//! The options that name a database.

use clap::Args;
use std::path::PathBuf;

/// Where games and tournaments are kept. Three ways, so that a password need not be in the process list.
#[derive(Args, Debug)]
#[group(id = "place", multiple = false)]
pub struct DatabaseOptions {
    /// The database: a file (SQLite), or an address like postgres://user@host/name, without a password, for other users see the
    /// command line [default: serve and worker: $PARLOR_DATABASE; serve: parlor/games.db among the user's data; tournament: games.db in
    /// its folder]
    #[arg(long, value_name = "FILE|URL")]
    pub database: Option<PathBuf>,
    /// Read the database's address, which may have a password, from the first line of this file
    #[arg(long, value_name = "FILE")]
    pub database_file: Option<PathBuf>,
}
