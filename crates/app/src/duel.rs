//! `parlor match`: two players of ours, pairs of games, and what the result says.

use crate::{args::MatchOptions, fault::Fault, start, table};
use parlor_arena::{Duel, Game, Referee, Tally};
use parlor_catalog::{Monotonic, PlayerSpec};
use parlor_play::Limits;
use serde_json::json;
use std::{
    fs::File,
    io::{self, IsTerminal, Write},
    ops::ControlFlow,
    sync::{Arc, atomic::Ordering},
};

pub fn run(options: &MatchOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let game = parlor_catalog::game(&options.game).map_err(|e| Fault::Input(format!("--game: {e}")))?;
    let spec = |text: &str| -> Result<PlayerSpec, Fault> {
        let spec: PlayerSpec = text.parse()?;
        match spec.kind.as_str() {
            "human" => Err(Fault::Input("player human: a match is between programs".to_string())),
            _ => Ok(spec),
        }
    };
    let players = [spec(&options.one)?, spec(&options.other)?];
    let seed = options.seed.unwrap_or_else(start::fresh_seed);
    let limits = Limits { time: options.time, ..Limits::default() };
    let mut save =
        match &options.save {
            None => None,
            Some(file) => Some(File::create(file).map_err(|e| {
                Fault::Failed(format!("the records cannot be kept in {}: {e}", file.display()))
            })?),
        };
    let stop = start::interruptible();
    let referee = Referee::new(limits, Arc::new(Monotonic::start()));
    let duel = Duel {
        game: game.as_ref(),
        players,
        referee,
        rounds: options.rounds,
        opening: options.opening,
        seed,
        tables: table::usual_dir(),
    };
    let mut trouble = None;
    let tally = duel.run(&stop, &mut |played, tally| {
        let told = each(played, tally, options, save.as_mut(), out);
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(fault) => {
                trouble = Some(fault);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(fault) = trouble {
        return Err(fault);
    }
    summary(&duel, &tally, options, out)?;
    if stop.load(Ordering::Relaxed) {
        let done = tally.games() / 2;
        return Err(Fault::Failed(format!(
            "interrupted after {done} of {} pairs; the same --seed {seed} plays the same games again",
            options.rounds
        )));
    }
    Ok(())
}

fn each(
    game: &Game,
    tally: &Tally,
    options: &MatchOptions,
    save: Option<&mut File>,
    out: &mut dyn Write,
) -> Result<(), Fault> {
    let record = &game.played.record;
    if let Some(file) = save {
        writeln!(file, "{record}")?;
    }
    let result = record.ending.and_then(|ending| ending.outcome).map_or("*".to_string(), |o| o.to_string());
    let cause = record.ending.map_or(String::new(), |ending| ending.cause.to_string());
    if options.json {
        let mut line = json!({
            "round": game.pairing.round + 1, "first": record.tag("First"), "second": record.tag("Second"),
            "result": result, "termination": cause, "moves": record.moves,
            "seconds": game.played.thought.map(|time| time.as_secs_f64()),
        });
        if let Some((side, why)) = &game.played.failure {
            line["failure"] = json!(format!("{side} {why}"));
        }
        writeln!(out, "{line}")?;
        out.flush()?;
    } else if let Some((side, why)) = &game.played.failure {
        let _ = writeln!(io::stderr(), "round {}: the {side} side {why}", game.pairing.round + 1);
    } else if io::stderr().is_terminal() {
        let _ = write!(
            io::stderr(),
            "\r{} games: {} won, {} drawn, {} lost ",
            tally.games(),
            tally.wins,
            tally.draws,
            tally.losses
        );
    }
    Ok(())
}

fn summary(duel: &Duel<'_>, tally: &Tally, options: &MatchOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let names = duel.players.each_ref().map(|spec| spec.name.clone().unwrap_or_else(|| spec.to_string()));
    let elo = tally.elo();
    if options.json {
        let line = json!({
            "game": duel.game.spec(), "players": names, "seed": duel.seed, "games": tally.games(),
            "wins": tally.wins, "draws": tally.draws, "losses": tally.losses, "pairs": tally.pairs,
            "score": tally.score(), "elo": elo.difference, "error": elo.error, "superiority": tally.superiority(),
        });
        return Ok(writeln!(out, "{line}")?);
    }
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr());
    }
    writeln!(out, "{} against {} at {}, seed {}", names[0], names[1], duel.game.spec(), duel.seed)?;
    writeln!(
        out,
        "{} games: {} won, {} drawn, {} lost; score {:.3}",
        tally.games(),
        tally.wins,
        tally.draws,
        tally.losses,
        tally.score()
    )?;
    writeln!(out, "pairs with 0, 1/2, 1, 3/2, 2 points: {}", tally.pairs.map(|n| n.to_string()).join(", "))?;
    writeln!(
        out,
        "Elo {:+.1} +/- {:.1}; likelihood of superiority {:.1}%",
        elo.difference,
        elo.error,
        100.0 * tally.superiority()
    )?;
    Ok(())
}
