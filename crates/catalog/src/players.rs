//! Player specs, `KIND[:key=value,…][@NAME]` such as `minimax:depth=4@Anna`, and the kinds of players that every game has.
//! Parsing checks the form only; the options are checked when the player is made.

use crate::{PlayerKind, Resources, support::MakePlayer};
use parlor_core::{Evaluated, Limits, Notation, duration};
use parlor_engine::{Bad, Beam, Engine, Level, Minimax, Perfect, PlayerAdapter, Random, Uniform};
use parlor_tables::BadTable;
use std::{fmt, str::FromStr, time::Duration};

/// Why a player cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPlayer {
    /// The spec names no player: a sentence that states what is expected.
    #[error("{0}")]
    Spec(String),
    /// The endgame table that the player would use is damaged.
    #[error(transparent)]
    Table(#[from] BadTable),
}

/// A parsed player spec.
///
/// # Examples
///
/// ```
/// use parlor_catalog::PlayerSpec;
///
/// let spec: PlayerSpec = "minimax:depth=4@Anna".parse()?;
/// assert_eq!((spec.kind.as_str(), spec.name.as_deref()), ("minimax", Some("Anna")));
/// assert_eq!(spec.number("depth", 1, 100)?, Some(4));
/// assert_eq!(spec.to_string(), "minimax:depth=4@Anna");
/// # Ok::<(), parlor_catalog::BadPlayer>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    pub kind: String,
    /// Options in the order of the spec.
    pub options: Vec<(String, String)>,
    /// The name to display, if the spec has one.
    pub name: Option<String>,
}

impl FromStr for PlayerSpec {
    type Err = BadPlayer;

    fn from_str(text: &str) -> Result<PlayerSpec, BadPlayer> {
        let (spec, name) = match text.split_once('@') {
            Some((spec, name)) => (spec, Some(name.trim())),
            None => (text, None),
        };
        if name.is_some_and(|name| name.is_empty() || name.chars().any(char::is_control)) {
            return Err(BadPlayer::Spec(format!(
                "player '{text}': expected a name after @, like human@Anna"
            )));
        }
        let (kind, options) = spec.split_once(':').unwrap_or((spec, ""));
        let mut parsed = Vec::new();
        for part in options.split(',').filter(|_| !options.trim().is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(BadPlayer::Spec(format!(
                    "player '{text}': '{part}' is not an option; expected KEY=VALUE, like depth=4"
                )));
            };
            parsed.push((key.trim().to_ascii_lowercase(), value.trim().to_string()));
        }
        if kind.trim().is_empty() {
            return Err(BadPlayer::Spec(format!(
                "player '{text}': expected a kind of player first, like minimax:depth=4"
            )));
        }
        Ok(PlayerSpec {
            kind: kind.trim().to_ascii_lowercase(),
            options: parsed,
            name: name.map(String::from),
        })
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        for (i, (key, value)) in self.options.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        match &self.name {
            Some(name) => write!(f, "@{name}"),
            None => Ok(()),
        }
    }
}

impl PlayerSpec {
    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The value of a numeric option from `least` to `most`; `None` if it is not set.
    pub fn number(&self, name: &str, least: u64, most: u64) -> Result<Option<u64>, BadPlayer> {
        let Some(text) = self.option(name) else { return Ok(None) };
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        let value = text.parse().ok().filter(|value| digits && (least..=most).contains(value));
        let wrong = || {
            BadPlayer::Spec(format!(
                "player {}: {name} '{text}' is not a number from {least} to {most}",
                self.kind
            ))
        };
        value.ok_or_else(wrong).map(Some)
    }

    /// The value of an option that is one of these words; `None` if it is not set.
    pub fn choice(
        &self,
        name: &str,
        words: &'static [&'static str],
    ) -> Result<Option<&'static str>, BadPlayer> {
        let Some(text) = self.option(name) else { return Ok(None) };
        let found = words.iter().copied().find(|word| *word == text);
        let wrong = || {
            BadPlayer::Spec(format!(
                "player {}: {name} '{text}' is not one of {}",
                self.kind,
                words.join(", ")
            ))
        };
        found.ok_or_else(wrong).map(Some)
    }

    /// The value of a duration option; `None` if it is not set.
    pub fn time(&self, name: &str) -> Result<Option<Duration>, BadPlayer> {
        let Some(text) = self.option(name) else { return Ok(None) };
        let wrong = || {
            BadPlayer::Spec(format!(
                "player {}: {name} '{text}' is not a time; expected one like 500ms, 5s or 2m",
                self.kind
            ))
        };
        duration(text).ok_or_else(wrong).map(Some)
    }
}

/// The kinds of players that every game has: bad, random, minimax, beam, engine and perfect.
pub(crate) fn general_players<G: Notation + Evaluated>() -> Vec<(PlayerKind, MakePlayer<G>)> {
    vec![bad(), uniform(), minimax(), beam(), engine(), perfect()]
}

fn bad<G: Notation>() -> (PlayerKind, MakePlayer<G>) {
    (PlayerKind { name: "bad", about: "plays the first legal move", options: &[] }, |game, _, _, _| {
        Ok(Box::new(PlayerAdapter::new(game.clone(), Bad)))
    })
}

fn uniform<G: Notation>() -> (PlayerKind, MakePlayer<G>) {
    (
        PlayerKind {
            name: "random",
            about: "plays a random legal move",
            options: &[("seed", "seed of its random choices")],
        },
        |game, spec, resources, _| {
            let seed = spec.number("seed", 0, u64::MAX)?;
            let random = seed.map_or_else(|| resources.random(), Random::new);
            Ok(Box::new(PlayerAdapter::new(game.clone(), Uniform(random))))
        },
    )
}

fn minimax<G: Notation + Evaluated>() -> (PlayerKind, MakePlayer<G>) {
    (
        PlayerKind {
            name: "minimax",
            about: "minimax search with a simple evaluation (default: 5s per move)",
            options: &[
                ("depth", "search depth in moves, 1 to 400"),
                ("time", "time per move, e.g. 500ms or 5s"),
            ],
        },
        |game, spec, resources, _| {
            let depth = spec.number("depth", 1, 400)?.map(|depth| depth as u32);
            let time = spec.time("time")?.or((depth.is_none()).then_some(Duration::from_secs(5)));
            let chooser = Minimax { evaluator: G::CLASSIC, depth, time, clock: resources.clock.clone() };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    )
}

fn beam<G: Notation + Evaluated>() -> (PlayerKind, MakePlayer<G>) {
    (
        PlayerKind {
            name: "beam",
            about: "beam search: minimax over the most promising moves only",
            options: &[
                ("width", "moves searched per position, 1 to 1000000, default 100"),
                ("depth", "search depth in moves, 1 to 400, default 2"),
                ("time", "time per move, e.g. 500ms, default 30s"),
            ],
        },
        |game, spec, resources, _| {
            let chooser = Beam {
                evaluator: G::CLASSIC,
                width: spec.number("width", 1, 1_000_000)?.unwrap_or(100) as usize,
                depth: spec.number("depth", 1, 400)?.unwrap_or(2) as u32,
                time: Some(spec.time("time")?.unwrap_or(Duration::from_secs(30))),
                clock: resources.clock.clone(),
            };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    )
}

fn engine<G: Notation + Evaluated>() -> (PlayerKind, MakePlayer<G>) {
    (
        PlayerKind {
            name: "engine",
            about: "deep search (default: level 5)",
            options: &[
                ("level", "1 (beginner) to 10 (full strength); levels 1 to 9 play the same on every machine"),
                ("time", "time per move, e.g. 500ms or 5s"),
                ("depth", "search depth in moves, 1 to 200"),
                ("nodes", "number of positions to search"),
                ("threads", "number of threads, 1 to 256"),
                (
                    "memory",
                    "memory for the search tree or transposition table in MiB, 1 to 65536; may change the moves of levels 1 to 9",
                ),
                ("eval", "evaluation: strong (default from level 4) or classic (as in minimax)"),
                ("tables", "use endgame tables: yes (default, except at a level) or no"),
            ],
        },
        |game, spec, resources, support| {
            let (level, limits, resources) = strength(spec, resources)?;
            let usual = if level.is_beginner() { "classic" } else { "strong" };
            let search = match spec.choice("eval", &["strong", "classic"])?.unwrap_or(usual) {
                "classic" => support.general_search(G::CLASSIC, game, &resources),
                _ => support.search(game, &resources),
            };
            let search = search.map_err(BadPlayer::Table)?;
            let chooser = Engine { search, level, limits, seed: resources.seed };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    )
}

/// The options of an engine's spec that determine its strength.
struct Strength {
    level: Level,
    limits: Limits,
    threads: Option<usize>,
    has_level: bool,
}

impl Strength {
    fn of(spec: &PlayerSpec) -> Result<Strength, BadPlayer> {
        let level = spec.number("level", 1, 10)?.map(|level| Level::new(level as u8));
        let limits = Limits {
            time: spec.time("time")?,
            depth: spec.number("depth", 1, 200)?.map(|depth| depth as u32),
            nodes: spec.number("nodes", 1, u64::MAX)?,
            ..Limits::default()
        };
        let threads = spec.number("threads", 1, 256)?.map(|threads| threads as usize);
        // With a limit but no level, the engine plays at full strength within the limit.
        let is_limited = limits != Limits::default() || threads.is_some();
        let default = if is_limited { Level::FULL } else { Level::USUAL };
        Ok(Strength { level: level.unwrap_or(default), limits, threads, has_level: level.is_some() })
    }
}

/// The level, limits and resources of an engine's spec.
fn strength(spec: &PlayerSpec, given: &Resources) -> Result<(Level, Limits, Resources), BadPlayer> {
    let Strength { level, limits, threads, has_level } = Strength::of(spec)?;
    // A level plays the same on every machine, so it must not depend on the tables of a machine.
    let default = if level == Level::FULL && !has_level { "yes" } else { "no" };
    let asks = spec.choice("tables", &["yes", "no"])?.unwrap_or(default) == "yes";
    let mut resources = given.clone();
    resources.tables = resources.tables.filter(|_| asks);
    resources.threads = threads.unwrap_or(given.threads);
    let memory = spec.number("memory", 1, 1 << 16)?.map(|mib| (mib as usize) << 20);
    resources.memory = memory.or(level.memory()).or(given.memory);
    Ok((level, limits, resources))
}

fn perfect<G: Notation + Evaluated>() -> (PlayerKind, MakePlayer<G>) {
    (
        PlayerKind {
            name: "perfect",
            about: "exact solver where it finishes in time, otherwise the engine",
            options: &[("time", "time per move, default 5s"), ("threads", "number of threads, 1 to 256")],
        },
        |game, spec, resources, support| {
            let threads = spec.number("threads", 1, 256)?.map(|threads| threads as usize);
            let threads = threads.unwrap_or(resources.threads);
            // The default memory, because the proofs it finds in time must not depend on the caller.
            let own = Resources { threads, memory: None, ..resources.clone() };
            let search = support.search(game, &own).map_err(BadPlayer::Table)?;
            let chooser = Perfect {
                solver: (support.solver)(game, &own).map_err(BadPlayer::Table)?,
                search,
                time: spec.time("time")?.unwrap_or(Duration::from_secs(5)),
                clock: own.clock,
            };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_options_are_case_insensitive_and_names_are_kept() {
        let spec: PlayerSpec = "Minimax:Depth=4@Anna".parse().expect("a spec");
        assert_eq!(spec.to_string(), "minimax:depth=4@Anna");
    }

    #[test]
    fn specs_are_written_as_they_were_read() {
        for text in
            ["human", "minimax:depth=4", "beam:width=100,depth=2,time=30s", "human@Anna Maria", "bad@x:y"]
        {
            assert_eq!(text.parse::<PlayerSpec>().map(|spec| spec.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn errors_state_what_is_expected() {
        for (text, part) in [
            ("", "expected a kind of player first"),
            (":depth=3", "expected a kind of player first"),
            ("minimax:4", "'4' is not an option; expected KEY=VALUE, like depth=4"),
            ("minimax:depth=4,", "'' is not an option; expected KEY=VALUE, like depth=4"),
            ("human@", "expected a name after @"),
        ] {
            let error = text.parse::<PlayerSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    /// The memory in MiB of an engine's search, if the caller's resources have `given` MiB.
    fn memory(spec: &str, given: Option<usize>) -> Option<usize> {
        let resources = Resources { memory: given.map(|mib| mib << 20), ..Resources::seeded(1) };
        let (_, _, own) = strength(&spec.parse().expect("a spec"), &resources).expect("an engine");
        own.memory.map(|bytes| bytes >> 20)
    }

    #[test]
    fn a_level_keeps_its_own_memory() {
        assert_eq!(memory("engine", Some(16)), memory("engine", None));
        for level in 1..=9 {
            for more in ["", ",time=1s", ",nodes=100", ",threads=2", ",memory=3"] {
                let spec = format!("engine:level={level}{more}");
                let own = memory(&spec, None);
                assert!(own.is_some(), "{spec}");
                assert_eq!(memory(&spec, Some(own.map_or(16, |mib| mib + 1))), own, "{spec}");
            }
        }
    }

    #[test]
    fn an_engine_without_a_level_gets_the_memory_of_its_resources() {
        for spec in
            ["engine:level=10", "engine:nodes=100", "engine:time=1s", "engine:threads=2", "engine:depth=4"]
        {
            assert_eq!((memory(spec, Some(16)), memory(spec, None)), (Some(16), None), "{spec}");
            assert_eq!(memory(&format!("{spec},memory=3"), Some(16)), Some(3), "{spec}");
        }
    }
}
