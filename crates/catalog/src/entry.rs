//! The list of games: one [`Entry`] per game, with its name, parameters and constructor, independent of the game's type.

use crate::{
    DynGame, PlayerSpec, Resources,
    dyn_game::{MakeSolver, TypedGame, deepening_solver, general_solver},
    support::GameSupport,
    tables::{TableSupport, table_below},
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

/// Name and help of a kind of player.
#[derive(Clone, Copy, Debug)]
pub struct PlayerKind {
    /// The word in a player spec.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Pairs of name and meaning.
    pub options: &'static [(&'static str, &'static str)],
}

type Build = Box<dyn Fn(&[u32]) -> Result<Arc<dyn DynGame>, BadParams> + Send + Sync>;

/// A game of the catalogue.
pub struct Entry {
    /// The name in a game spec, such as `kalah`.
    pub name: &'static str,
    /// The name on screens, such as `Kalah`.
    pub title: &'static str,
    /// One line for lists and help.
    pub blurb: &'static str,
    pub parameters: &'static [Parameter],
    /// Constraints between the parameters, in words; may be empty.
    pub note: &'static str,
    /// Describes the notation of a move.
    pub move_form: &'static str,
    /// Describes the notation of a position.
    pub position_form: &'static str,
    /// Names of the sides, first side first.
    pub seats: [&'static str; 2],
    pub kinds: Vec<PlayerKind>,
    /// Whether endgame tables can be built for it.
    pub tables: bool,
    /// The rules for people; see [`Entry::rules`].
    pub(crate) rules_text: &'static str,
    /// The `data/` files of its folder.
    pub samples: Samples,
    build: Build,
}

impl Entry {
    /// An entry with the general solver, search and players.
    pub fn of<G: Notation + View + Evaluated>() -> Entry {
        Entry::with(GameSupport::<G>::general())
    }

    /// An entry with a solver, search, tables or players of the game's own.
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
                Ok(Arc::new(TypedGame { game: G::new(values)?, support: support.clone() }))
            }),
        }
    }

    /// Adds a second, slower game type for the board sizes that the first one refuses.
    fn with_large_boards<G: Notation + View + Evaluated>(mut self) -> Entry {
        let solver: MakeSolver<G> = |_, resources| Ok(deepening_solver(resources));
        let large = Entry::with(GameSupport { solver, ..GameSupport::<G>::general() });
        let (small, large) = (self.build, large.build);
        self.build = Box::new(move |values| small(values).or_else(|_| large(values)));
        self
    }

    /// Makes the game with the parameters of a spec, such as `6,4`.
    pub fn build(&self, parameters: &str) -> Result<Arc<dyn DynGame>, BadParams> {
        (self.build)(&parse_values(self.name, self.parameters, parameters)?)
    }
}

/// The games, in the order in which a menu shows them.
///
/// # Examples
///
/// ```
/// use parlor_catalog::entries;
///
/// for entry in entries() {
///     let game = entry.build("").expect("every game has a usual size");
///     assert!(game.spec().starts_with(entry.name));
/// }
/// ```
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
            Ok(Box::new(solvers::kalah::KalahExpert::new(memory, threads, clock, kept, general)))
        },
        search: Some(|game, resources| {
            let kept = table_below(game, resources.tables.as_deref())?;
            let mut search = solvers::kalah::KalahSearcher::new(resources.clock.clone(), kept);
            search.threads = resources.threads;
            search.memory = resources.memory.unwrap_or(search.memory);
            Ok(Box::new(search))
        }),
        tables: Some(TableSupport::filled_by(solvers::kalah::KalahFiller::default())),
        ..GameSupport::general()
    }
}

fn connect() -> GameSupport<Connect> {
    GameSupport {
        solver: |_, resources| {
            let (memory, clock) = (resources.solver_memory(), resources.clock.clone());
            let solver = solvers::connect::ConnectExpert::new(memory, resources.threads, clock);
            Ok(Box::new(if resources.book { solver } else { solver.without_book() }))
        },
        ..GameSupport::general()
    }
}

fn oware() -> GameSupport<Oware> {
    GameSupport {
        solver: |game, resources| {
            let kept = table_below(game, resources.tables.as_deref())?;
            let (memory, clock) = (resources.solver_memory(), resources.clock.clone());
            let solver =
                solvers::oware::OwareSolver::new(game.rules(), memory, resources.threads, clock, kept);
            Ok(Box::new(solver))
        },
        search: Some(|game, resources| {
            let kept = table_below(game, resources.tables.as_deref())?;
            let mut search = solvers::oware::OwareSearcher::new(game.rules(), resources.clock.clone(), kept);
            search.threads = resources.threads;
            search.memory = resources.memory.unwrap_or(search.memory);
            Ok(Box::new(search))
        }),
        tables: Some(TableSupport::filled_by(solvers::oware::OwareFiller)),
        own_players: vec![(
            PlayerKind {
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
            Ok(Box::new(solvers::amazons::AmazonsExpert::new(memory, resources.threads, clock)))
        },
        search: Some(|_, resources| {
            let mut search = solvers::amazons::Strategist::new(Amazons::STRONG, resources.clock.clone());
            search.threads = resources.threads;
            search.memory = resources.memory.unwrap_or(search.memory);
            Ok(Box::new(search))
        }),
        own_players: vec![(
            PlayerKind {
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

/// The entry of a game name; upper and lower case are equal.
///
/// # Examples
///
/// ```
/// let entry = parlor_catalog::find("Oware")?;
/// assert_eq!((entry.title, entry.seats), ("Oware", ["Player 1", "Player 2"]));
/// assert!(parlor_catalog::find("chess").is_err());
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub fn find(name: &str) -> Result<&'static Entry, BadParams> {
    let known = || entries().iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let entry = entries().iter().find(|entry| entry.name.eq_ignore_ascii_case(name));
    entry.ok_or_else(|| BadParams(format!("there is no game '{name}'; the games are {}", known())))
}

/// The game of a spec such as `kalah:6,4`, `kalah(6,4)` or `oware`.
///
/// # Examples
///
/// ```
/// let game = parlor_catalog::game("kalah(6,4)").unwrap();
/// assert_eq!(game.spec(), "kalah:6,4");
/// ```
pub fn game(spec: &str) -> Result<Arc<dyn DynGame>, BadParams> {
    let (name, parameters) = split_spec(spec)?;
    find(name)?.build(parameters)
}

impl PlayerKind {
    /// Whether a player spec may set this option.
    pub fn takes(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| *name == option)
    }

    /// The spec of this kind without options.
    pub fn plain(&self) -> PlayerSpec {
        PlayerSpec { kind: self.name.to_string(), options: Vec::new(), name: None }
    }
}
