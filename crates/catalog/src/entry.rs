//! What the catalogue knows of a game, with its types forgotten.

use crate::{
    Hosted, PlayerSpec, Resources,
    hosted::{Host, MakeSolver, deepening_solver, general_solver},
    support::GameSupport,
    tabling::{TableSupport, table_below},
};
use parlor_core::{
    BadParams, Evaluated, Limits, Notation, Parameter, Samples, View, parse_values, split_spec,
};
use parlor_engine::{Drawing, Engine, Level, PlayerAdapter};
use parlor_games::{
    amazons::Amazons,
    connect::{Connect, LargeConnect},
    kalah::{Kalah, LargeKalah},
    oware::{Oware, payoff},
};
use parlor_solvers as solvers;
use std::sync::{Arc, OnceLock};

/// A kind of player, for people who choose one.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The word in a player spec.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Pairs of name and meaning.
    pub options: &'static [(&'static str, &'static str)],
}

type Build = Box<dyn Fn(&[u32]) -> Result<Arc<dyn Hosted>, BadParams> + Send + Sync>;

pub struct Entry {
    /// As in a game spec.
    pub name: &'static str,
    /// As shown to people.
    pub title: &'static str,
    /// One line for lists and help.
    pub blurb: &'static str,
    pub parameters: &'static [Parameter],
    /// What the parameters must keep beside their own ranges; empty where there is nothing.
    pub note: &'static str,
    /// Describes the notation of a move.
    pub move_form: &'static str,
    /// Describes the notation of a position.
    pub position_form: &'static str,
    /// Names of the sides, first side first.
    pub seats: [&'static str; 2],
    pub kinds: Vec<KindInfo>,
    /// Whether endgame tables can be built for it.
    pub tables: bool,
    /// The rules for people; see [`Entry::rules`].
    pub(crate) rules_text: &'static str,
    /// The `data/` files of its folder.
    pub samples: Samples,
    build: Build,
}

impl Entry {
    /// An entry with what all games have in common.
    pub fn of<G: Notation + View + Evaluated>() -> Entry {
        Entry::with(GameSupport::<G>::general())
    }

    /// A game with code of its own beside its rules.
    fn with<G: Notation + View + Evaluated>(support: GameSupport<G>) -> Entry {
        let support = Arc::new(support);
        Entry {
            name: G::NAME,
            title: G::TITLE,
            blurb: G::BLURB,
            parameters: G::PARAMETERS,
            note: G::NOTE,
            move_form: G::MOVE_FORM,
            position_form: G::POSITION_FORM,
            seats: G::SEATS,
            kinds: support.players().into_iter().map(|(kind, _)| kind).collect(),
            tables: support.tables.is_some(),
            rules_text: G::RULES_TEXT,
            samples: G::SAMPLES,
            build: Box::new(move |values| {
                Ok(Arc::new(Host { game: G::new(values)?, support: support.clone() }))
            }),
        }
    }

    /// The same game, with a slower representation for the boards that the first one refuses.
    fn with_large_boards<G: Notation + View + Evaluated>(mut self) -> Entry {
        let solver: MakeSolver<G> = |_, resources| Ok(deepening_solver(resources));
        let large = Entry::with(GameSupport { solver, ..GameSupport::<G>::general() });
        let (small, large) = (self.build, large.build);
        self.build = Box::new(move |values| small(values).or_else(|_| large(values)));
        self
    }

    /// The game with the parameters of a spec's second part, such as `6,4`.
    pub fn build(&self, parameters: &str) -> Result<Arc<dyn Hosted>, BadParams> {
        (self.build)(&parse_values(self.name, self.parameters, parameters)?)
    }
}

/// The games, in the order in which a menu shows them.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        vec![
            Entry::with(kalah()).with_large_boards::<LargeKalah>(),
            Entry::with(connect()).with_large_boards::<LargeConnect>(),
            Entry::with(oware()),
            Entry::with(amazons()),
        ]
    })
}

fn kalah() -> GameSupport<Kalah> {
    GameSupport {
        solver: |game, resources| {
            let kept = table_below(game, resources.tables.as_deref())?;
            let memory = resources.solver_memory();
            let general = general_solver(&Resources { memory: Some(memory / 4), ..resources.clone() });
            let (threads, clock) = (resources.threads, resources.clock.clone());
            Ok(Box::new(solvers::kalah::Expert::new(memory, threads, clock, kept, general)))
        },
        tables: Some(TableSupport::filled_by(solvers::kalah::Fill::default())),
        ..GameSupport::general()
    }
}

fn connect() -> GameSupport<Connect> {
    GameSupport {
        solver: |_, resources| {
            let (memory, clock) = (resources.solver_memory(), resources.clock.clone());
            Ok(Box::new(solvers::connect::Expert::new(memory, resources.threads, clock)))
        },
        ..GameSupport::general()
    }
}

fn oware() -> GameSupport<Oware> {
    GameSupport {
        solver: |game, resources| {
            let kept = table_below(game, resources.tables.as_deref())?;
            let (memory, clock) = (resources.solver_memory(), resources.clock.clone());
            let solver = solvers::oware::Solver::new(game.rules(), memory, resources.threads, clock, kept);
            Ok(Box::new(solver))
        },
        search: Some(|game, resources| {
            let kept = table_below(game, resources.tables.as_deref())?;
            let mut search = solvers::oware::Expert::new(game.rules(), resources.clock.clone(), kept);
            search.threads = resources.threads;
            search.memory = resources.memory.unwrap_or(search.memory);
            Ok(Box::new(search))
        }),
        tables: Some(TableSupport::filled_by(solvers::oware::Fill)),
        own_players: vec![(
            KindInfo {
                name: "payoff",
                about: "classic bot: weighs each move's gain against the best reply",
                options: &[],
            },
            |game, _, resources, _| {
                let chooser = Drawing { choose: payoff, random: resources.random() };
                Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
            },
        )],
    }
}

fn amazons() -> GameSupport<Amazons> {
    GameSupport {
        solver: |_, resources| {
            let (memory, clock) = (resources.solver_memory(), resources.clock.clone());
            Ok(Box::new(solvers::amazons::Expert::new(memory, resources.threads, clock)))
        },
        search: Some(|_, resources| {
            let mut search = solvers::amazons::Strategist::new(Amazons::STRONG, resources.clock.clone());
            search.threads = resources.threads;
            search.memory = resources.memory.unwrap_or(search.memory);
            Ok(Box::new(search))
        }),
        own_players: vec![(
            KindInfo {
                name: "selective",
                about: "alpha-beta over the most promising moves, with the engine's evaluation (default: 1s per move)",
                options: &[("time", "time per move, e.g. 500ms or 5s")],
            },
            |game, spec, resources, _| {
                let search = solvers::amazons::Selective::new(Amazons::STRONG, resources.clock.clone());
                let limits = Limits { time: spec.time("time")?, ..Limits::default() };
                let (search, level, seed) = (Box::new(search), Level::FULL, resources.seed);
                Ok(Box::new(PlayerAdapter::new(*game, Engine { search, level, limits, seed })))
            },
        )],
        ..GameSupport::general()
    }
}

pub fn find(name: &str) -> Result<&'static Entry, BadParams> {
    let known = || entries().iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let entry = entries().iter().find(|entry| entry.name.eq_ignore_ascii_case(name));
    entry.ok_or_else(|| BadParams(format!("there is no game '{name}'; the games are {}", known())))
}

/// The game of a spec such as `kalah:6,4`, `kalah(6,4)` or `oware`.
///
/// ```
/// let game = parlor_catalog::game("kalah(6,4)").unwrap();
/// assert_eq!(game.spec(), "kalah:6,4");
/// ```
pub fn game(spec: &str) -> Result<Arc<dyn Hosted>, BadParams> {
    let (name, parameters) = split_spec(spec)?;
    find(name)?.build(parameters)
}

impl KindInfo {
    /// Whether a player spec may set this option.
    pub fn takes(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| *name == option)
    }

    /// The spec of this kind without options.
    pub fn plain(&self) -> PlayerSpec {
        PlayerSpec { kind: self.name.to_string(), options: Vec::new(), name: None }
    }
}
