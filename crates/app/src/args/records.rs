//! Options of the commands that show records: `show` and `render`.

use super::{AnyGame, StartOptions};
use clap::Args;
use std::path::PathBuf;

fn count(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number, like 3".to_string())
}

#[derive(Args, Debug)]
pub struct ShowOptions {
    /// Record file, or - for standard input
    pub file: PathBuf,
    /// Show only the Nth game in the file, counted from 1
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub number: Option<usize>,
    /// Show only the position after N moves
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub ply: Option<usize>,
    /// Print JSON, one object per position
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct RenderOptions {
    /// Game, e.g. kalah:6,4
    #[arg(value_parser = AnyGame, hide_possible_values = true, required_unless_present = "file", conflicts_with = "file")]
    pub game: Option<String>,
    #[command(flatten)]
    pub start: StartOptions,
    /// Draw the game in this record file, or - for standard input
    #[arg(long, alias = "game", value_name = "FILE", conflicts_with_all = ["position", "moves"])]
    pub file: Option<PathBuf>,
    /// Draw only the Nth game in the file, counted from 1
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, conflicts_with = "game")]
    pub number: Option<usize>,
    /// Draw only the position after N moves
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, conflicts_with = "game")]
    pub ply: Option<usize>,
    /// Write the SVG to this file [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the board from the second player's side
    #[arg(long)]
    pub turned: bool,
}
