//! `parlor engine`: runs one of our players as a UGI engine on standard input and output. The UGI options set options of the
//! player's spec.

use crate::{args::EngineOptions, date, environment, error::CommandError, stdio::Stdout};
use parlor_catalog::{Clock, Monotonic, PlayerSpec, Resources, game};
use parlor_core::{Board, Record, split_spec};
use parlor_protocol::{EngineOption, EngineSetup, OptionRange, OptionValues, Program, serve};
use std::{io, sync::Arc};

/// All UGI options. A player offers those that its kind has.
const OPTIONS: [EngineOption; 4] = [
    EngineOption { name: "Threads", range: OptionRange::Number(1, 1, 256) },
    EngineOption { name: "Memory", range: OptionRange::Number(64, 1, 65_536) },
    EngineOption { name: FULL_LEVEL.0, range: OptionRange::Number(10, 1, 10) },
    EngineOption { name: "Tables", range: OptionRange::Flag(true) },
];
/// The value of `Level` that adds no level to the spec: full strength with tables.
const FULL_LEVEL: (&str, &str) = ("Level", "10");

pub fn run(options: &EngineOptions, out: Stdout) -> Result<(), CommandError> {
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let seed = options.seed.unwrap_or_else(date::fresh_seed);
    let resources =
        Resources { tables: environment::default_tables_dir(), ..Resources::with_clock(seed, clock.clone()) };
    let own = game(&options.game)?;
    // A player that cannot be made is an error of the command line, reported before the manager sends anything.
    let players = environment::players(".".as_ref(), true, !options.no_sandbox, resources)?;
    players
        .make(own.as_ref(), &options.player, seed)
        .map_err(|error| CommandError::from(error).for_option("--player"))?;
    let make_player = |spec: &str, values: &OptionValues| {
        let made = || {
            let spec_with_options = with_options(&options.player, values)?;
            Ok(players.make(game(spec)?.as_ref(), &spec_with_options, seed)?)
        };
        made().map_err(|error: CommandError| error.to_string())
    };
    let options = options_of(&options.player, split_spec(&own.spec())?.0);
    let setup = EngineSetup { options, replay: &replay, make_player: &make_player };
    Ok(serve(setup, &own.spec(), clock, io::stdin().lock(), out)?)
}

/// Makes the board of a record of any game.
pub fn replay(record: &Record) -> Result<Box<dyn Board>, String> {
    let game = game(&record.game).map_err(|bad| bad.to_string())?;
    game.replay(&Record { game: game.spec(), ..record.clone() }).map_err(|bad| bad.to_string())
}

/// The UGI options for a player of this game. None for a program.
fn options_of(player: &str, game: &str) -> Vec<EngineOption> {
    let Ok(spec) = player.parse::<PlayerSpec>() else { return Vec::new() };
    let Ok(entry) = parlor_catalog::find(game) else { return Vec::new() };
    let Some(kind) = entry.kinds.iter().find(|kind| kind.name == spec.kind) else { return Vec::new() };
    OPTIONS.into_iter().filter(|choice| kind.takes(&choice.name.to_ascii_lowercase())).collect()
}

/// Adds the values of UGI options to a player's spec. The spec of a program is unchanged.
fn with_options(player: &str, values: &OptionValues) -> Result<String, CommandError> {
    if Program::is_program_spec(player) {
        return Ok(player.to_string());
    }
    let mut spec: PlayerSpec = player.parse()?;
    for (name, value) in values {
        let option = name.to_ascii_lowercase();
        spec.options.retain(|(key, _)| *key != option);
        let value = match value.as_str() {
            "true" => "yes",
            "false" => "no",
            other => other,
        };
        if (*name, value) != FULL_LEVEL {
            spec.options.push((option, value.to_string()));
        }
    }
    Ok(spec.to_string())
}
