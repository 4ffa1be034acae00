//! `parlor sprt`: the statistics of a match alone.

use crate::{args::SprtOptions, fault::Fault};
use parlor_tournament::{Sprt, Tally, Verdict};
use serde_json::json;
use std::io::Write;

pub fn run(options: &SprtOptions, out: &mut dyn Write) -> Result<(), Fault> {
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
        return Ok(writeln!(out, "no games were played, so nothing is known")?);
    }
    writeln!(out, "score {:.4} of {} games", tally.score(), tally.games())?;
    writeln!(out, "Elo {:+.1} +/- {:.1} (95%)", elo.difference, elo.error)?;
    writeln!(out, "likelihood of superiority {:.1}%", 100.0 * tally.superiority())?;
    let (elo0, elo1) = (options.elo0, options.elo1);
    let meaning = match test.verdict(&tally) {
        Verdict::Taken => format!("taken: rather {elo1} than {elo0} Elo"),
        Verdict::Refused => format!("refused: rather {elo0} than {elo1} Elo"),
        Verdict::Open => "open: more games are needed".to_string(),
    };
    writeln!(out, "LLR {ratio:.2} between {lower:.2} and {upper:.2}; {meaning}")?;
    Ok(())
}
