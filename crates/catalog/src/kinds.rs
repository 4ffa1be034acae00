//! The general players: every game has them.

use crate::{BadPlayer, KindInfo, PlayerSpec, Setting, Tools, shelf::Open, solving::MakeSolver};
use parlor_core::{Evaluated, Evaluator, Limits, Notation, Player};
use parlor_engine::{
    Bad, Beam, Clock, Engine, Level, Minimax, Perfect, PlayerAdapter, Random, Search, Think, Uniform,
};
use std::{path::PathBuf, sync::Arc, time::Duration};

type Made = Result<Box<dyn Player>, BadPlayer>;
/// Makes a player of a game.
pub(crate) type Make<G> = fn(&G, &PlayerSpec, &Setting, &Means<G>) -> Made;

/// What a search is made with.
pub(crate) struct Outfit {
    pub clock: Arc<dyn Clock>,
    pub threads: usize,
    /// The memory of its tree or transposition table in bytes; none: the search's own default.
    pub memory: Option<usize>,
    /// The folder of all endgame tables, for a search that is to look into them.
    pub tables: Option<PathBuf>,
}

/// Makes the deep search of a game.
pub(crate) type MakeSearch<G> = fn(&G, &Outfit) -> Result<Box<dyn Think<G>>, BadPlayer>;

/// What a game has to offer to its players: its solver, its own search and whoever opens its endgame tables, if it has any.
pub(crate) struct Means<G> {
    pub make_solver: MakeSolver<G>,
    pub make_search: Option<MakeSearch<G>>,
    pub open: Option<Open<G>>,
}

impl<G> Clone for Means<G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Means<G> {}

impl<G: Notation + Evaluated> Means<G> {
    /// The best search that there is.
    pub(crate) fn search(&self, game: &G, outfit: &Outfit) -> Result<Box<dyn Think<G>>, BadPlayer> {
        match self.make_search {
            Some(make) => make(game, outfit),
            None => self.general_search(G::STRONG, game, outfit),
        }
    }

    /// The search that every game has. A damaged table is an error and never believed.
    fn general_search<E: Evaluator<G> + 'static>(
        &self,
        evaluator: E,
        game: &G,
        outfit: &Outfit,
    ) -> Result<Box<dyn Think<G>>, BadPlayer> {
        let mut search = Search::new(evaluator, outfit.clock.clone());
        search.threads = outfit.threads;
        search.memory = outfit.memory.unwrap_or(search.memory);
        if let (Some(open), Some(dir)) = (self.open, &outfit.tables) {
            search.oracle = open(game, dir).map_err(BadPlayer::Table)?;
        }
        Ok(Box::new(search))
    }
}

/// A kind of player of one game, and how one is made.
pub(crate) struct Kind<G> {
    pub info: KindInfo,
    pub make: Make<G>,
}

/// Bad, random, minimax, beam, engine and perfect.
pub(crate) fn general<G: Notation + Evaluated>() -> Vec<Kind<G>> {
    vec![bad(), uniform(), minimax(), beam(), engine(), perfect()]
}

fn bad<G: Notation>() -> Kind<G> {
    Kind {
        info: KindInfo { name: "bad", about: "always the first legal move", options: &[] },
        make: |game, _, _, _| Ok(Box::new(PlayerAdapter::new(game.clone(), Bad))),
    }
}

fn uniform<G: Notation>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "random",
            about: "any legal move",
            options: &[("seed", "a number that fixes its choices")],
        },
        make: |game, spec, setting, _| {
            let seed = spec.number("seed", 0, u64::MAX)?;
            let random = seed.map_or_else(|| setting.random(), Random::new);
            Ok(Box::new(PlayerAdapter::new(game.clone(), Uniform(random))))
        },
    }
}

fn minimax<G: Notation + Evaluated>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "minimax",
            about: "looks ahead, judging simply; alone it thinks for 5s a move",
            options: &[
                ("depth", "moves to look ahead, 1 to 400"),
                ("time", "how long to think, like 500ms or 5s"),
            ],
        },
        make: |game, spec, setting, _| {
            let depth = spec.number("depth", 1, 400)?.map(|depth| depth as u32);
            let time = spec.time("time")?.or((depth.is_none()).then_some(Duration::from_secs(5)));
            let chooser = Minimax { evaluator: G::CLASSIC, depth, time, clock: setting.clock.clone() };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    }
}

fn beam<G: Notation + Evaluated>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "beam",
            about: "looks ahead along the best-looking moves only",
            options: &[
                ("width", "moves kept at each position, 1 to 1000000, default 100"),
                ("depth", "moves to look ahead, 1 to 400, default 2"),
                ("time", "how long to think, like 500ms, default 30s"),
            ],
        },
        make: |game, spec, setting, _| {
            let chooser = Beam {
                evaluator: G::CLASSIC,
                width: spec.number("width", 1, 1_000_000)?.unwrap_or(100) as usize,
                depth: spec.number("depth", 1, 400)?.unwrap_or(2) as u32,
                time: Some(spec.time("time")?.unwrap_or(Duration::from_secs(30))),
                clock: setting.clock.clone(),
            };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    }
}

fn engine<G: Notation + Evaluated>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "engine",
            about: "the deep search; alone it plays at level 5",
            options: &[
                ("level", "1 (a beginner) to 10 (all it has), the same on every machine"),
                ("time", "how long to think, like 500ms or 5s"),
                ("depth", "moves to look ahead, 1 to 200"),
                ("nodes", "positions to look at"),
                ("threads", "processors to use, 1 to 256"),
                (
                    "memory",
                    "MiB for its search tree or transposition table, 1 to 65536; levels 1 to 9 have their own and may play other moves with it",
                ),
                ("eval", "how it judges: strong, usual from level 4 on, or classic, as minimax does"),
                (
                    "tables",
                    "yes, it looks into endgame tables that are there, as it usually does unless it plays at a level; or no",
                ),
            ],
        },
        make: |game, spec, setting, means| {
            let (level, limits, outfit) = strength(spec, setting)?;
            let usual = if level.is_beginner() { "classic" } else { "strong" };
            let search = match spec.choice("eval", &["strong", "classic"])?.unwrap_or(usual) {
                "classic" => means.general_search(G::CLASSIC, game, &outfit)?,
                _ => means.search(game, &outfit)?,
            };
            let chooser = Engine { search, level, limits, seed: setting.seed };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    }
}

/// The strength of an engine: its level, its own limits, its threads, and whether a limit was given.
struct Strength {
    level: Level,
    limits: Limits,
    threads: Option<usize>,
    /// Whether the spec names a level.
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
        // Without a level, a limit asks for full strength within it.
        let is_limited = limits != Limits::default() || threads.is_some();
        let default = if is_limited { Level::FULL } else { Level::USUAL };
        Ok(Strength { level: level.unwrap_or(default), limits, threads, has_level: level.is_some() })
    }
}

/// What an engine's spec says beside how it judges.
fn strength(spec: &PlayerSpec, setting: &Setting) -> Result<(Level, Limits, Outfit), BadPlayer> {
    let Strength { level, limits, threads, has_level } = Strength::of(spec)?;
    // A level is the same on every machine, whatever tables there are.
    let default = if level == Level::FULL && !has_level { "yes" } else { "no" };
    let asks = spec.choice("tables", &["yes", "no"])?.unwrap_or(default) == "yes";
    let tables = setting.tables.clone().filter(|_| asks);
    let memory = spec.number("memory", 1, 1 << 16)?.map(|mib| (mib as usize) << 20);
    let memory = memory.or(level.memory());
    let outfit = Outfit { clock: setting.clock.clone(), threads: threads.unwrap_or(1), memory, tables };
    Ok((level, limits, outfit))
}

impl PlayerSpec {
    /// Sets the memory of an engine in MiB where neither `memory=` nor a level fixes it. Players of
    /// other kinds stay as they are.
    ///
    /// ```
    /// let mut spec: parlor_catalog::PlayerSpec = "engine:time=1s".parse().unwrap();
    /// spec.set_default_memory(16);
    /// assert_eq!(spec.to_string(), "engine:time=1s,memory=16");
    /// ```
    pub fn set_default_memory(&mut self, mib: usize) {
        // A spec that names no engine is refused where the player is made.
        let has_memory = self.options.iter().any(|(name, _)| name == "memory");
        let by_level = Strength::of(self).ok().and_then(|strength| strength.level.memory());
        if self.kind == "engine" && !has_memory && by_level.is_none() {
            self.options.push(("memory".to_string(), mib.to_string()));
        }
    }
}

fn perfect<G: Notation + Evaluated>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "perfect",
            about: "exact where the solver is done in time, the engine otherwise",
            options: &[("time", "how long to think, default 5s"), ("threads", "processors to use, 1 to 256")],
        },
        make: |game, spec, setting, means| {
            let threads = spec.number("threads", 1, 256)?.unwrap_or(1) as usize;
            let clock = setting.clock.clone();
            let tables = setting.tables.clone();
            let search = means.search(
                game,
                &Outfit { clock: clock.clone(), threads, memory: None, tables: tables.clone() },
            )?;
            let tools = Tools { memory: 64 << 20, threads, clock: clock.clone(), tables };
            let chooser = Perfect {
                solver: (means.make_solver)(game, &tools).map_err(BadPlayer::Table)?,
                search,
                time: spec.time("time")?.unwrap_or(Duration::from_secs(5)),
                clock,
            };
            Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
        },
    }
}
