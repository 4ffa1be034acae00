//! The state that all requests share: the store, the rooms, the engines, the limits.

use crate::{
    analysis::Analysis,
    bots::{GameAssignment, Lobby, ReservedBot},
    cluster::{self, Cluster},
    connections::ConnectionLimits,
    metrics::{Metrics, SampledValues},
    new_game::{NewGame, PreparedGame},
    problem::Problem,
    proxies::TrustedProxies,
    rate_limits::RateLimits,
    room::{Action, EnginePool, GameTime, LiveGame, MakeBot, RoomDeps, Rooms},
    thread_pool::ThreadPool,
    token::{self, SeatToken},
    tournament_cache::TournamentCache,
};
use parlor_catalog::{BadPlayer, Clock, Monotonic, Resources};
use parlor_store::{Journal, LiveGameRow, Store};
use std::{
    collections::HashSet,
    net::IpAddr,
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::sync::watch;

/// The settings of a server.
///
/// # Examples
///
/// A server that offers one bot, behind a proxy on the same machine:
///
/// ```
/// use parlor_server::{Service, Settings, TrustedProxies};
/// use parlor_store::Store;
///
/// # let folder = parlor_testkit::temp_folder();
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut settings = Settings::new(Store::open(&folder.join("games.db")).await?);
/// settings.bots.push(("Minnie".into(), "minimax:depth=4".into()));
/// settings.public_url = Some("https://games.example.org".into());
/// settings.proxies = TrustedProxies(vec!["127.0.0.1".parse()?]);
/// let service = Service::new(settings);
/// assert_eq!(service.public_url(), Some("https://games.example.org"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Settings {
    pub store: Store,
    /// The bots that this server runs: name and spec.
    pub bots: Vec<(String, String)>,
    /// Creates the players of these bots.
    pub make_bot: MakeBot,
    /// The folder of endgame tables, if there is one.
    pub tables: Option<PathBuf>,
    /// Engines and analyses that think at the same time; one short job more may.
    pub permits: usize,
    /// The longest time that an engine thinks about a move.
    pub think_time: Duration,
    /// Games that may be in memory at the same time.
    pub rooms: usize,
    /// Rate limits per client address.
    pub rate_limits: RateLimits,
    /// The public URL, such as `https://games.example.org`, if the server is behind a proxy. It is accepted as our own origin.
    pub public_url: Option<String>,
    /// The reverse proxies that report the addresses of visitors.
    pub proxies: TrustedProxies,
    pub connections: ConnectionLimits,
    /// The clock of all games.
    pub clock: Arc<dyn Clock>,
}

impl Settings {
    /// The default settings: no bots; those that are added are players of the catalogue.
    pub fn new(store: Store) -> Settings {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Settings {
            store,
            bots: Vec::new(),
            make_bot: Arc::new(|game, spec, seed| {
                let made = spec.parse().and_then(|spec| game.player(&spec, &Resources::seeded(seed)));
                made.map_err(|bad: BadPlayer| bad.to_string())
            }),
            tables: None,
            permits: cores,
            think_time: Duration::from_secs(10),
            rooms: 20_000,
            rate_limits: RateLimits::default(),
            public_url: None,
            proxies: TrustedProxies::default(),
            connections: ConnectionLimits::default(),
            clock: Arc::new(Monotonic::start()),
        }
    }
}

/// Milliseconds after the last move during which a game counts as live.
const LIVE_WINDOW: i64 = 30 * 60 * 1000;
/// Most games in a list of the home page.
pub const LISTED: i64 = 30;
/// Age in milliseconds from which games are opened only on request.
const RECENT: i64 = 24 * 3600 * 1000;
const OVERDUE_INTERVAL: Duration = Duration::from_secs(60);
/// Games opened per query at most.
const MAX_OPENED: i64 = 10_000;

/// Handle to the state shared by all requests.
#[derive(Clone)]
pub struct Service(Arc<ServiceState>);

struct ServiceState {
    store: Store,
    rooms: Rooms,
    tournaments: TournamentCache,
    pool: ThreadPool,
    engines: EnginePool,
    analysis: Analysis,
    lobby: Lobby,
    cluster: Option<Cluster>,
    journal: Journal,
    metrics: Arc<Metrics>,
    rate_limits: RateLimits,
    public_url: Option<String>,
    proxies: TrustedProxies,
    connections: ConnectionLimits,
    tables: Option<PathBuf>,
    time: GameTime,
    stopping: watch::Sender<bool>,
}

/// The current wall-clock time in milliseconds since 1970.
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

impl Service {
    /// Sets up a server. Must be called inside a runtime.
    pub fn new(settings: Settings) -> Service {
        let Settings {
            store,
            bots,
            make_bot,
            tables,
            permits,
            think_time,
            rooms,
            rate_limits,
            public_url,
            proxies,
            connections,
            clock,
        } = settings;
        let time = GameTime::new(clock, now());
        let metrics = Arc::new(Metrics::default());
        let (journal, _) = Journal::start(store.clone());
        let pool = ThreadPool::new(permits);
        let engines =
            EnginePool::new(pool.clone(), bots, make_bot, tables.clone(), metrics.clone(), think_time);
        let cluster = Cluster::of(&store);
        let deps = RoomDeps {
            store: store.clone(),
            cluster: cluster.clone(),
            journal: journal.clone(),
            engines: engines.clone(),
            metrics: metrics.clone(),
            time: time.clone(),
        };
        let rooms = Rooms::new(deps, rooms);
        if let Some(cluster) = &cluster {
            tokio::spawn(cluster::receive_messages(cluster.clone(), rooms.clone()));
            tokio::spawn(cluster::send_heartbeats(cluster.clone(), rooms.clone()));
        }
        let analysis = Analysis::new(tables.clone(), metrics.clone(), &store, pool.clone());
        Service(Arc::new(ServiceState {
            rooms,
            tournaments: TournamentCache::new(store.clone()),
            store,
            pool,
            engines,
            analysis,
            lobby: Lobby::default(),
            cluster,
            journal,
            metrics,
            rate_limits,
            public_url,
            proxies,
            connections,
            tables,
            time,
            stopping: watch::Sender::new(false),
        }))
    }

    pub fn rooms(&self) -> &Rooms {
        &self.0.rooms
    }

    pub fn tournaments(&self) -> &TournamentCache {
        &self.0.tournaments
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub fn engines(&self) -> &EnginePool {
        &self.0.engines
    }

    pub fn analysis(&self) -> &Analysis {
        &self.0.analysis
    }

    pub fn lobby(&self) -> &Lobby {
        &self.0.lobby
    }

    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.0.metrics
    }

    pub fn rate_limits(&self) -> &RateLimits {
        &self.0.rate_limits
    }

    /// The public URL, if it is configured.
    pub fn public_url(&self) -> Option<&str> {
        self.0.public_url.as_deref()
    }

    /// The reverse proxies that report the addresses of visitors.
    pub fn proxies(&self) -> &TrustedProxies {
        &self.0.proxies
    }

    pub fn connection_limits(&self) -> ConnectionLimits {
        self.0.connections
    }

    /// Folder of the endgame tables.
    pub fn tables(&self) -> Option<&PathBuf> {
        self.0.tables.as_ref()
    }

    pub fn time(&self) -> &GameTime {
        &self.0.time
    }

    /// The name of this server in its cluster; `None` if the database is not shared.
    pub fn name(&self) -> Option<&str> {
        self.0.cluster.as_ref().map(Cluster::name)
    }

    /// All metrics in the Prometheus text format.
    pub fn metrics_page(&self) -> String {
        self.0.metrics.page(SampledValues {
            rooms: self.0.rooms.len(),
            commits: self.0.journal.commits(),
            failed_writes: self.0.store.failed_writes(),
            queued: self.0.pool.queued(),
        })
    }

    /// Becomes true when the server stops; streams and sockets end then.
    pub fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }

    pub fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Leaves the cluster, waits for pending writes and closes the database: the last step of a shutdown.
    pub async fn finish(&self) {
        if let Some(cluster) = &self.0.cluster {
            cluster.leave().await;
        }
        self.store().clone().close().await;
    }

    /// Opens the games whose clocks run, so that players lose on time although no client comes: once those that are left from an
    /// earlier run, then every minute the correspondence games that are overdue.
    pub async fn watch_clocks(&self) {
        self.open_timed_games().await;
        let mut failed = HashSet::new();
        loop {
            self.open_overdue_games(&mut failed).await;
            tokio::time::sleep(OVERDUE_INTERVAL).await;
        }
    }

    /// Opens overdue games, except those that failed before: each failure is logged once.
    async fn open_overdue_games(&self, failed: &mut HashSet<String>) {
        match self.store().overdue_games(self.time().millis(), MAX_OPENED).await {
            Ok(games) => {
                for game in games.into_iter().map(|game| game.id) {
                    if !failed.contains(&game) && !self.rooms().open_in_background(&game).await {
                        failed.insert(game);
                    }
                }
            }
            // The store logs an outage by itself.
            Err(parlor_store::StoreError::Unavailable(_)) => {}
            Err(reason) => tracing::error!(%reason, "cannot list overdue correspondence games"),
        }
    }

    async fn open_timed_games(&self) {
        // In a cluster, the heartbeat task takes them over.
        if self.0.cluster.is_some() {
            return;
        }
        let lately = now() - RECENT;
        let games = match self.store().live_games(lately, MAX_OPENED).await {
            Ok(games) => games,
            Err(reason) => {
                tracing::error!(%reason, "cannot list games with a running clock");
                return;
            }
        };
        for game in games.into_iter().filter(|game| game.clock.is_some()) {
            self.rooms().open_in_background(&game.id).await;
        }
    }

    /// Public games that are being played, latest first.
    pub async fn listed_live_games(&self) -> Result<Vec<LiveGameRow>, Problem> {
        let live = self.store().live_games(now() - LIVE_WINDOW, 4 * LISTED).await?;
        Ok(live.into_iter().filter(|row| row.listed).take(LISTED as usize).collect())
    }

    /// Creates a game: stores it, opens its room and assigns waiting bots. `maker` is the token of the client.
    pub async fn create(
        &self,
        new: &NewGame,
        maker: &SeatToken,
        visitor: IpAddr,
    ) -> Result<PreparedGame, Problem> {
        if !self.rooms().make_space() {
            return Err(Problem::Busy("too many games are open"));
        }
        let id = token::new_game_id().ok_or_else(Problem::no_random)?;
        let made = new.row(&id, maker, &self.engines().bots(), self.time().millis())?;
        // A reserved bot waits again if the request fails.
        let game = parlor_core::split_spec(&made.row.game).map_err(|bad| Problem::BadInput(bad.0))?.0;
        let bots = made.bots.iter().map(|(name, _)| self.lobby().reserve(name, game));
        let bots: Vec<ReservedBot> = bots.collect::<Result<_, _>>()?;
        // Nothing is stored that cannot be restored.
        LiveGame::restore(made.row.clone(), &[], self.time().now()).map_err(Problem::BadInput)?;
        self.store().create_game(&made.row, &[]).await?;
        self.rooms().open(made.row.clone(), &[], Some(visitor)).await?;
        self.metrics().games.add(1);
        for (bot, (_, token)) in bots.into_iter().zip(&made.bots) {
            if let Err(assignment) = bot.assign(GameAssignment { id: id.clone(), token: token.clone() }) {
                self.rooms().act(&id, &assignment.token.hash(&id), &Action::Abandon, None).await?;
                return Err(Problem::Refused(
                    "this bot has just disconnected; choose another bot".to_string(),
                ));
            }
        }
        Ok(made)
    }
}
