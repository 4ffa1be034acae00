//! `parlor sprt`: prints the statistics of a match from its numbers of wins, draws and losses.

use crate::{args::SprtOptions, error::CommandError};
use parlor_core::counted;
use parlor_tournament::{Sprt, Tally};
use serde_json::json;
use std::io::Write;

pub fn run(options: &SprtOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let tally = Tally::of_games(options.wins, options.draws, options.losses);
    let test = Sprt { elo0: options.elo0, elo1: options.elo1, alpha: options.alpha, beta: options.beta };
    let (elo, ratio, [lower, upper]) = (tally.elo(), test.ratio(&tally), test.limits());
    if options.json {
        let line = json!({
            "wins": tally.wins, "losses": tally.losses, "draws": tally.draws, "score": tally.score(),
            "elo": elo.difference, "error": elo.error, "superiority": tally.superiority(),
            "llr": ratio, "lower": lower, "upper": upper, "verdict": test.verdict(&tally).to_string(),
        });
        return Ok(writeln!(out, "{line}")?);
    }
    if tally.games() == 0 {
        return Ok(writeln!(out, "no games, no statistics")?);
    }
    writeln!(out, "score {:.4} over {}", tally.score(), counted(tally.games(), "game"))?;
    writeln!(out, "Elo {:+.1} +/- {:.1} (95%)", elo.difference, elo.error)?;
    writeln!(out, "likelihood of superiority {:.1}%", 100.0 * tally.superiority())?;
    let conclusion = test.conclusion(test.verdict(&tally));
    writeln!(out, "SPRT: {conclusion}; LLR {ratio:.2}, bounds {lower:.2} to {upper:.2}")?;
    Ok(())
}
