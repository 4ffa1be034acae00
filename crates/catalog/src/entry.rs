//! What the catalogue knows of a game, with its types forgotten.

use crate::{
    BadPlayer, Hosted, PlayerSpec, Tools,
    hosted::Host,
    kinds::{Kind, Make, MakeSearch, Means, general},
    shelf,
    solving::{MakeSolver, deepening_solver, general_solver},
    tabling::{MakeTables, tables_by},
};
use parlor_core::{
    BadParams, Evaluated, Indexed, Limits, Notation, Parameter, View, parse_values, split_spec,
};
use parlor_engine::{Drawing, Engine, Level, PlayerAdapter};
use parlor_games::{
    amazons::Amazons,
    connect::{Connect, LargeConnect},
    kalah::{Kalah, LargeKalah},
    oware::{self, Oware},
};
use parlor_solvers::{amazons as amazons_experts, connect, kalah, oware as oware_experts};
use parlor_tables::Filler;
use std::sync::{Arc, OnceLock};

/// A kind of player, for people who choose one.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The word in a player spec.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Its options: name and meaning.
    pub options: &'static [(&'static str, &'static str)],
}

type Build = Box<dyn Fn(&[u32]) -> Result<Arc<dyn Hosted>, BadParams> + Send + Sync>;

/// One game of the catalogue.
pub struct Entry {
    /// The name in a game spec.
    pub name: &'static str,
    /// The name people know it by.
    pub title: &'static str,
    /// What it is about, in a line.
    pub blurb: &'static str,
    /// What its spec may set.
    pub parameters: &'static [Parameter],
    /// What the parameters must keep beside their own ranges; empty where there is nothing.
    pub note: &'static str,
    /// What a move looks like.
    pub move_form: &'static str,
    /// What a position looks like.
    pub position_form: &'static str,
    /// The sides' names.
    pub seats: [&'static str; 2],
    /// The kinds of players there are.
    pub kinds: Vec<KindInfo>,
    /// Whether there are endgame tables of it.
    pub tables: bool,
    build: Build,
}

impl Entry {
    /// A game with the players that every game has.
    fn of<G: Notation + View + Evaluated>() -> Listing<G> {
        let means =
            Means { make_solver: |_, tools| Ok(general_solver(tools)), make_search: None, open: None };
        Listing { kinds: general::<G>(), means, tables: None }
    }

    /// The same game, with a slower representation for the boards that the first one refuses.
    fn with_large_boards<G: Notation + View + Evaluated>(mut self) -> Entry {
        let large = Entry::of::<G>().with_solver(|_, tools| Ok(deepening_solver(tools)));
        let (small, large) = (self.build, Entry::from(large).build);
        self.build = Box::new(move |values| small(values).or_else(|_| large(values)));
        self
    }

    /// The game with the parameters of a spec's second part, such as `6,4`.
    pub fn build(&self, parameters: &str) -> Result<Arc<dyn Hosted>, BadParams> {
        (self.build)(&parse_values(self.name, self.parameters, parameters)?)
    }
}

/// A game about to be entered, its types still known.
struct Listing<G> {
    kinds: Vec<Kind<G>>,
    means: Means<G>,
    tables: Option<MakeTables<G>>,
}

impl<G: Notation + View + Evaluated> Listing<G> {
    /// Adds a player of this game's own.
    fn with_player(mut self, info: KindInfo, make: Make<G>) -> Self {
        self.kinds.push(Kind { info, make });
        self
    }
}

impl<G> Listing<G> {
    /// Replaces the general solver by one that knows the game.
    fn with_solver(self, make_solver: MakeSolver<G>) -> Self {
        Listing { means: Means { make_solver, ..self.means }, ..self }
    }

    /// Replaces the general search, where it judges as well as it can, by one that knows the game.
    fn with_search(self, make_search: MakeSearch<G>) -> Self {
        Listing { means: Means { make_search: Some(make_search), ..self.means }, ..self }
    }
}

impl<G: Indexed + Notation> Listing<G> {
    /// Adds endgame tables whose layers this filler computes.
    fn with_tables(self, filler: impl Filler<G> + Clone + Send + 'static) -> Self {
        let means = Means { open: Some(shelf::oracle::<G>), ..self.means };
        Listing { tables: Some(tables_by(filler)), means, ..self }
    }
}

impl<G: Notation + View + Evaluated> From<Listing<G>> for Entry {
    fn from(listing: Listing<G>) -> Entry {
        let kinds = Arc::new(listing.kinds);
        Entry {
            name: G::NAME,
            title: G::TITLE,
            blurb: G::BLURB,
            parameters: G::PARAMETERS,
            note: G::NOTE,
            move_form: G::MOVE_FORM,
            position_form: G::POSITION_FORM,
            seats: G::SEATS,
            kinds: kinds.iter().map(|kind| kind.info).collect(),
            tables: listing.tables.is_some(),
            build: Box::new(move |values| {
                let game = G::new(values)?;
                let (kinds, tables) = (kinds.clone(), listing.tables.clone());
                Ok(Arc::new(Host { game, kinds, means: listing.means, tables }))
            }),
        }
    }
}

/// The games, in the order in which a menu shows them.
pub fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        vec![
            Entry::from(Entry::of::<Kalah>()
                .with_tables(kalah::Fill::default())
                .with_solver(|game, tools| {
                    let kept = shelf::table_below(game, tools.tables.as_deref())?;
                    let general = general_solver(&Tools { memory: tools.memory / 4, ..tools.clone() });
                    let (memory, clock) = (tools.memory, tools.clock.clone());
                    Ok(Box::new(kalah::Expert::new(memory, tools.threads, clock, kept, general)))
                }))
                .with_large_boards::<LargeKalah>(),
            Entry::from(Entry::of::<Connect>()
                .with_solver(|_, tools| {
                    Ok(Box::new(connect::Expert::new(tools.memory, tools.threads, tools.clock.clone())))
                }))
                .with_large_boards::<LargeConnect>(),
            Entry::of::<Oware>()
                .with_tables(oware_experts::Fill)
                .with_solver(|game, tools| {
                    let kept = shelf::table_below(game, tools.tables.as_deref())?;
                    let Tools { memory, threads, clock, .. } = tools.clone();
                    Ok(Box::new(oware_experts::Solver::new(game.rules(), memory, threads, clock, kept)))
                })
                .with_search(|game, outfit| {
                    let kept =
                        shelf::table_below(game, outfit.tables.as_deref()).map_err(BadPlayer::Table)?;
                    let mut search = oware_experts::Expert::new(game.rules(), outfit.clock.clone(), kept);
                    search.threads = outfit.threads;
                    search.memory = outfit.memory.unwrap_or(search.memory);
                    Ok(Box::new(search))
                })
                .with_player(
                    KindInfo {
                        name: "payoff",
                        about: "weighs each move's gain against the best reply",
                        options: &[],
                    },
                    |game, _, setting, _| {
                        let chooser = Drawing { choose: oware::payoff, random: setting.random() };
                        Ok(Box::new(PlayerAdapter::new(game.clone(), chooser)))
                    },
                )
                .into(),
            Entry::of::<Amazons>()
                .with_solver(|_, tools| {
                    let clock = tools.clock.clone();
                    Ok(Box::new(amazons_experts::Expert::new(tools.memory, tools.threads, clock)))
                })
                .with_search(|_, outfit| {
                    let mut search = amazons_experts::Strategist::new(Amazons::STRONG, outfit.clock.clone());
                    search.threads = outfit.threads;
                    search.memory = outfit.memory.unwrap_or(search.memory);
                    Ok(Box::new(search))
                })
                .with_player(
                    KindInfo {
                        name: "selective",
                        about: "alpha-beta along the best-looking moves, judging as the engine does; alone it thinks for 1s a move",
                        options: &[("time", "how long to think, like 500ms or 5s")],
                    },
                    |game, spec, setting, _| {
                        let search = amazons_experts::Selective::new(Amazons::STRONG, setting.clock.clone());
                        let limits = Limits { time: spec.time("time")?, ..Limits::default() };
                        let (search, level, seed) = (Box::new(search), Level::FULL, setting.seed);
                        Ok(Box::new(PlayerAdapter::new(*game, Engine { search, level, limits, seed })))
                    },
                )
                .into(),
        ]
    })
}

/// The entry of this name.
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
    /// Whether a player spec may set this.
    pub fn takes(&self, option: &str) -> bool {
        self.options.iter().any(|(name, _)| *name == option)
    }

    /// A spec of this kind without options.
    pub fn plain(&self) -> PlayerSpec {
        PlayerSpec { kind: self.name.to_string(), options: Vec::new(), name: None }
    }
}
