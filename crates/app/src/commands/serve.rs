//! `parlor serve`: the game server with its page, everything in this binary. It prints the address to open and runs until it is
//! told to stop; then it finishes what it is doing.

use crate::{
    args::ServeOptions,
    database,
    fault::Fault,
    folders::{data_dir, usual_dir},
    programs,
};
use parlor_catalog::{Hosted, Monotonic, PlayerSpec, Resources};
use parlor_core::Player;
use parlor_league::ProgramRunner;
use parlor_protocol::Program;
use parlor_server::{ConnectionLimits, Hire, Limits, Network, OpenError, Server, Settings, TrustedProxies};
use parlor_store::Store;
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The memory in MiB of an engine whose level fixes none: several engines may search at once. Levels
/// keep their own, so that they play the same moves here as in the console.
const MEMORY: usize = 16;

pub fn run(options: &ServeOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let files = raise_file_limit();
    let place = database_of(options)?;
    let staff = Staff::new(options, &place)?;
    if let Some(remark) = staff.remark() {
        tracing::info!("{remark}");
    }
    let bots = staff.house_bots().join(",");
    let (mut sizes, mut tables) = ([0; 3], None);
    let server = Server::open(&place, options.listen, |store| {
        let settings = settings(options, store, staff, files);
        sizes = [settings.desks, settings.rooms, settings.connections.total];
        tables.clone_from(&settings.tables);
        settings
    })
    .map_err(|error| match error {
        OpenError::Listen(error) => Fault::Failed(format!(
            "--listen: nobody can be served at {}: {error}; try another port",
            options.listen
        )),
        other => other.into(),
    })?;
    let (address, place, [engines, games, connections]) =
        (server.address(), server.place().to_string(), sizes);
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        server = server.service().name(),
        listen = %address,
        database = place,
        public = options.public,
        engines,
        think_time = ?options.think_time,
        games,
        connections,
        trusted_proxies = list(&options.trusted_proxy),
        rate_limits = !options.no_limits,
        tables = tables.map(|dir| dir.display().to_string()),
        bots,
        sandbox = !options.no_sandbox,
        "server started"
    );
    if options.public.is_some() && options.trusted_proxy.is_empty() {
        tracing::warn!(
            "X-Forwarded-For is ignored, so visitors behind a reverse proxy share one limit; name the proxy with --trusted-proxy"
        );
    }
    // The process that started it may stop reading; visitors are still served.
    let _ = write!(out, "Parlor is open: http://{address}/\nGames are kept in {place}. Ctrl-C closes.\n");
    let _ = out.flush();
    let stopping = |signal| tracing::info!(signal, "server stopping");
    server.run(stopping, || {
        tracing::info!("server stopped");
        let _ = writeln!(out, "Closed; everything is kept.");
    });
    Ok(())
}

/// How the options set a server up.
fn settings(options: &ServeOptions, store: Store, staff: Staff, files: usize) -> Settings {
    let mut settings = Settings::new(store, Arc::new(staff));
    settings.tables = usual_dir().filter(|dir| dir.is_dir());
    settings.public.clone_from(&options.public);
    settings.desks = options.engines.map_or(settings.desks, usize::from);
    settings.think_time = options.think_time;
    settings.proxies = TrustedProxies(options.trusted_proxy.clone());
    settings.connections = ConnectionLimits::for_files(files);
    settings.connections.per_address = options.connections_per_address.into();
    if options.no_limits {
        settings.limits = Limits::none();
        settings.connections.per_address = usize::MAX;
    }
    settings
}

/// Raises the limit of open files as far as the system allows, and returns it: every connection is an open file.
#[cfg(unix)]
fn raise_file_limit() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    // No limit where there is no number.
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize)
}

#[cfg(not(unix))]
fn raise_file_limit() -> usize {
    usize::MAX
}

/// Networks as one field of a log line.
fn list(networks: &[Network]) -> String {
    networks.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The database that was named, or a file among the user's data.
fn database_of(options: &ServeOptions) -> Result<PathBuf, Fault> {
    if let Some(place) = database::named_or_usual(&options.database)? {
        return Ok(place);
    }
    let folder = data_dir().map(|data| data.join("parlor"));
    let folder = folder.ok_or_else(|| {
        Fault::Input("there is no usual folder for games here; give a file with --database".to_string())
    })?;
    fs::create_dir_all(&folder)
        .map_err(|error| Fault::Failed(format!("{} cannot be made: {error}", folder.display())))?;
    Ok(folder.join("games.db"))
}

/// A database file with the files that SQLite writes beside it.
fn database_files(database: &Path) -> Vec<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", "-journal"].map(beside).into()
}

/// The players of the server: those of the catalogue, and the bots that it runs.
struct Staff {
    programs: ProgramRunner,
    bots: Vec<(String, String)>,
    tables: Option<PathBuf>,
}

impl Staff {
    fn new(options: &ServeOptions, database: &Path) -> Result<Staff, Fault> {
        let programs = programs::runner(&env::current_dir()?, true, !options.no_sandbox)?;
        let programs = programs.hiding(database_files(database));
        for (i, (name, spec)) in options.bot.iter().enumerate() {
            let flag = |fault: Fault| fault.of(&format!("--bot {name}"));
            if options.bot[..i].iter().any(|(other, _)| other == name) {
                return Err(Fault::Input(format!("--bot: the name {name} is given twice")));
            }
            match programs.program(spec) {
                Some(program) => drop(program.map_err(Fault::from).map_err(flag)?),
                None => drop(spec.parse::<PlayerSpec>().map_err(Fault::from).map_err(flag)?),
            }
        }
        Ok(Staff { programs, bots: options.bot.clone(), tables: usual_dir().filter(|dir| dir.is_dir()) })
    }

    /// The foreign programs: none of them may read another's files.
    fn programs(&self) -> Vec<Program> {
        self.bots.iter().filter_map(|(_, spec)| self.programs.program(spec)?.ok()).collect()
    }

    fn remark(&self) -> Option<String> {
        (!self.programs().is_empty()).then(|| self.programs.remark())
    }
}

impl Hire for Staff {
    fn player(
        &self,
        game: &dyn Hosted,
        spec: &str,
        house: bool,
        seed: u64,
    ) -> Result<Box<dyn Player>, String> {
        let resources = Resources {
            tables: self.tables.clone(),
            ..Resources::with_clock(seed, Arc::new(Monotonic::start()))
        };
        if house {
            let bot = self.bots.iter().find(|(name, _)| name == spec);
            let (_, spec) = bot.ok_or_else(|| "this server does not run that bot any more".to_string())?;
            return match self.programs.program(spec) {
                Some(program) => {
                    let program = program.map_err(|bad| bad.to_string())?;
                    Ok(Box::new(self.programs.seat(&program, &self.programs(), &[], &resources.clock)))
                }
                None => self.programs.make(game, spec, &resources).map_err(|fault| fault.to_string()),
            };
        }
        let mut spec: PlayerSpec = spec.parse().map_err(|bad: parlor_catalog::BadPlayer| bad.to_string())?;
        spec.set_default_memory(MEMORY);
        game.player(&spec, &resources).map_err(|bad| bad.to_string())
    }

    fn house_bots(&self) -> Vec<String> {
        self.bots.iter().map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_catalog::{entries, game};
    use parlor_core::{Answer, Board, Limits as MoveLimits};
    use std::{sync::atomic::AtomicBool, time::Duration};

    fn staff() -> Staff {
        let programs = programs::runner(".".as_ref(), true, false).expect("no sandbox is needed");
        Staff { programs, bots: Vec::new(), tables: None }
    }

    /// The player's move, and the nodes of its search: memory shows in them before it changes a move.
    fn answer(
        player: Result<Box<dyn Player>, String>,
        board: &dyn Board,
        limits: &MoveLimits,
    ) -> (String, u64) {
        let (mut player, mut nodes) = (player.expect("a player"), 0);
        let mut count = |report: &parlor_core::Report| nodes = report.nodes;
        match player.choose(board, limits, &AtomicBool::new(false), &mut count) {
            Ok(Answer::Move(text)) => (text, nodes),
            other => panic!("{other:?}"),
        }
    }

    /// The answers of a level in the console and on the server, whose limit is ten seconds a move.
    fn answers(game: &dyn Hosted, spec: &str, board: &dyn Board, seed: u64) -> [(String, u64); 2] {
        let console = game.player(&spec.parse().expect("a spec"), &Resources::seeded(seed));
        let console = answer(console.map_err(|bad| bad.to_string()), board, &MoveLimits::default());
        let limits = MoveLimits { time: Some(Duration::from_secs(10)), ..MoveLimits::default() };
        [console, answer(staff().player(game, spec, false, seed), board, &limits)]
    }

    #[test]
    fn a_level_plays_the_same_moves_on_the_server_as_in_the_console() {
        for entry in entries() {
            let game = entry.build("").expect("the default parameters are legal");
            let mut board = game.board();
            for (ply, level) in [9, 1, 3, 5, 7].into_iter().enumerate() {
                let spec = format!("engine:level={level}");
                let [console, server] = answers(game.as_ref(), &spec, board.as_ref(), ply as u64);
                assert_eq!(console, server, "{} level {level} at ply {ply}", entry.name);
                board.play(&console.0).expect("a legal move");
            }
        }
    }

    #[test]
    fn level_9_plays_amazons_on_the_server_as_in_the_console() {
        let game = game("amazons").expect("a game");
        let mut board = game.board();
        board.play("d1-d7/g7").expect("a legal move");
        let [console, server] = answers(game.as_ref(), "engine:level=9", board.as_ref(), 1);
        assert_eq!(console, server);
    }
}
