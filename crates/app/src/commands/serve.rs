//! `parlor serve`: runs the game server with its web page until SIGTERM or Ctrl-C, then shuts down gracefully.

use crate::{
    args::ServeOptions,
    database,
    environment::{self, data_dir, default_tables_dir},
    error::CommandError,
};
use parlor_catalog::Resources;
use parlor_league::Players;
use parlor_server::{ConnectionLimits, Network, OpenError, RateLimits, Server, Settings, TrustedProxies};
use parlor_store::Store;
use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

pub fn run(options: &ServeOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let files = raise_file_limit();
    let place = database_of(options)?;
    let players = players(options, &place)?;
    if players.has_programs() {
        tracing::info!("{}", players.remark());
    }
    let bots = options.bot.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",");
    let (mut sizes, mut tables) = ([0; 3], None);
    let server = Server::open(&place, options.listen, |store| {
        let settings = settings(options, store, players, files);
        sizes = [settings.permits, settings.rooms, settings.connections.total];
        tables.clone_from(&settings.tables);
        settings
    })
    .map_err(|error| match error {
        OpenError::Listen(error) => CommandError::Failed(format!(
            "--listen: cannot listen on {}: {error}; choose another address or port",
            options.listen
        )),
        other => other.into(),
    })?;
    let (address, place, [engines, games, connections]) =
        (server.address(), server.database().to_string(), sizes);
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
            "X-Forwarded-For is ignored, so all clients behind a reverse proxy share one rate limit; set --trusted-proxy"
        );
    }
    // A closed standard output must not stop the server.
    let _ = write!(
        out,
        "Parlor is running at http://{address}/\nGames are saved in {place}. Press Ctrl-C to stop.\n"
    );
    let _ = out.flush();
    let stopping = |signal| tracing::info!(signal, "server stopping");
    server.run(stopping, || {
        tracing::info!("server stopped");
        let _ = writeln!(out, "Server stopped; all games are saved.");
    });
    Ok(())
}

fn settings(options: &ServeOptions, store: Store, players: Players, files: usize) -> Settings {
    let mut settings = Settings::new(store);
    settings.tables.clone_from(&players.resources.tables);
    settings.bots.clone_from(&options.bot);
    settings.make_bot =
        Arc::new(move |game, spec, seed| players.make(game, spec, seed).map_err(|bad| bad.to_string()));
    settings.public_url.clone_from(&options.public);
    settings.permits = options.engines.map_or(settings.permits, usize::from);
    settings.think_time = options.think_time;
    settings.proxies = TrustedProxies(options.trusted_proxy.clone());
    settings.connections = ConnectionLimits::for_files(files);
    settings.connections.per_address = options.connections_per_address.into();
    if options.no_limits {
        settings.rate_limits = RateLimits::none();
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
    // `None` means no limit.
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize)
}

#[cfg(not(unix))]
fn raise_file_limit() -> usize {
    usize::MAX
}

/// The networks as one text for the log.
fn list(networks: &[Network]) -> String {
    networks.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The database of the options or the environment; by default a file in the user's data folder.
fn database_of(options: &ServeOptions) -> Result<PathBuf, CommandError> {
    if let Some(place) = database::named_or_usual(&options.database)? {
        return Ok(place);
    }
    let folder = data_dir().map(|data| data.join("parlor"));
    let folder = folder.ok_or_else(|| {
        CommandError::Input("no user data folder found; specify a file with --database".to_string())
    })?;
    fs::create_dir_all(&folder).map_err(|error| {
        CommandError::Failed(format!("cannot create the folder {}: {error}", folder.display()))
    })?;
    Ok(folder.join("games.db"))
}

/// A database file and the files that SQLite writes beside it. Programs must not read them.
fn database_files(database: &Path) -> Vec<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    ["", "-wal", "-shm", "-journal"].map(beside).into()
}

fn players(options: &ServeOptions, database: &Path) -> Result<Players, CommandError> {
    let resources =
        Resources { tables: default_tables_dir().filter(|dir| dir.is_dir()), ..Resources::seeded(0) };
    let players = environment::players(&env::current_dir()?, true, !options.no_sandbox, resources)?;
    let mut players = players.hiding(database_files(database));
    for (i, (name, spec)) in options.bot.iter().enumerate() {
        if options.bot[..i].iter().any(|(other, _)| other == name) {
            return Err(CommandError::Input(format!("--bot: duplicate name {name}")));
        }
        players.add(spec).map_err(|bad| CommandError::from(bad).for_option(&format!("--bot {name}")))?;
    }
    Ok(players)
}
