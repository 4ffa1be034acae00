//! `parlor engine`: a player of ours as an engine of the Universal Game Interface, on standard input and output. What the
//! manager may set are options of the player's spec.

use crate::{args::EngineOptions, fault::Fault, folders, output::Stdout, programs, start};
use parlor_catalog::{Clock, Monotonic, PlayerSpec, Resources, game};
use parlor_core::{Board, Player, Record, split_spec};
use parlor_league::ProgramRunner;
use parlor_protocol::{Choice, Program, Range, Workshop, serve};
use std::{io, sync::Arc};

/// All that a manager may set, where the player takes it.
const CHOICES: [Choice; 4] = [
    Choice { name: "Threads", range: Range::Number(1, 1, 256) },
    Choice { name: "Memory", range: Range::Number(64, 1, 65_536) },
    Choice { name: FULL_LEVEL.0, range: Range::Number(10, 1, 10) },
    Choice { name: "Tables", range: Range::Flag(true) },
];
/// The level that is none: all the player has, tables too.
const FULL_LEVEL: (&str, &str) = ("Level", "10");

pub fn run(options: &EngineOptions, out: Stdout) -> Result<(), Fault> {
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let seed = options.seed.unwrap_or_else(start::fresh_seed);
    let resources = Resources { tables: folders::usual_dir(), ..Resources::with_clock(seed, clock.clone()) };
    let own = game(&options.game)?;
    // A player that cannot be made is a fault of the command line, and is told before a manager waits for it.
    let programs = programs::runner(".".as_ref(), true, !options.no_sandbox)?;
    programs
        .make(own.as_ref(), &options.player, &resources)
        .map_err(|error| Fault::from(error).of("--player"))?;
    let kind = split_spec(&own.spec())?.0.to_string();
    let makes = Makes { spec: options.player.clone(), kind, resources, programs };
    Ok(serve(&makes, &own.spec(), clock, io::stdin().lock(), out)?)
}

/// Makes boards by the catalogue and players by a spec.
struct Makes {
    spec: String,
    /// The game's name.
    kind: String,
    resources: Resources,
    programs: ProgramRunner,
}

impl Makes {
    /// The spec with what was set; none for a program, which has options of its own.
    fn set(&self, chosen: &[(&'static str, String)]) -> Result<String, Fault> {
        if Program::is_meant(&self.spec) {
            return Ok(self.spec.clone());
        }
        let mut spec: PlayerSpec = self.spec.parse()?;
        for (name, value) in chosen {
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
}

impl Workshop for Makes {
    fn replay(&self, record: &Record) -> Result<Box<dyn Board>, String> {
        let game = game(&record.game).map_err(|bad| bad.to_string())?;
        game.replay(&Record { game: game.spec(), ..record.clone() }).map_err(|bad| bad.to_string())
    }

    fn choices(&self) -> Vec<Choice> {
        let Ok(spec) = self.spec.parse::<PlayerSpec>() else { return Vec::new() };
        let Ok(entry) = parlor_catalog::find(&self.kind) else { return Vec::new() };
        let Some(kind) = entry.kinds.iter().find(|kind| kind.name == spec.kind) else { return Vec::new() };
        let takes = |choice: &Choice| {
            let option = choice.name.to_ascii_lowercase();
            kind.options.iter().any(|(name, _)| *name == option)
        };
        CHOICES.into_iter().filter(takes).collect()
    }

    fn player(&self, spec: &str, chosen: &[(&'static str, String)]) -> Result<Box<dyn Player>, String> {
        let made = || {
            let game = game(spec)?;
            Ok(self.programs.make(game.as_ref(), &self.set(chosen)?, &self.resources)?)
        };
        made().map_err(|fault: Fault| fault.to_string())
    }
}
