//! The metrics of a server, in the text format of Prometheus.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

/// The value of a counter or gauge.
#[derive(Debug, Default)]
pub struct Count(AtomicI64);

impl Count {
    pub fn add(&self, more: i64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    fn sub(&self, fewer: i64) {
        self.0.fetch_sub(fewer, Ordering::Relaxed);
    }

    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters that are updated as events happen.
#[derive(Debug, Default)]
pub struct Metrics {
    pub requests: Count,
    /// Requests refused, for any reason.
    pub refused: Count,
    /// Requests that failed by the server's fault, or took too long.
    pub errors: Count,
    pub moves: Count,
    pub games: Count,
    pub watchers: Count,
    pub bots: Count,
    pub thinking: Count,
    pub analysing: Count,
    pub connections: Count,
    /// Connections that were refused or closed because there were too many or the client was too slow.
    pub dropped: Count,
}

/// Increments a gauge until it is dropped, also when a task panics.
pub struct GaugeGuard {
    metrics: Arc<Metrics>,
    of: fn(&Metrics) -> &Count,
}

impl GaugeGuard {
    pub fn new(metrics: &Arc<Metrics>, of: fn(&Metrics) -> &Count) -> GaugeGuard {
        of(metrics).add(1);
        GaugeGuard { metrics: metrics.clone(), of }
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        (self.of)(&self.metrics).sub(1);
    }
}

/// Values read from other components when the page is requested.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampledValues {
    pub rooms: usize,
    pub commits: u64,
    pub failed_writes: u64,
    /// Engine moves and analyses waiting for a thread.
    pub queued: usize,
}

impl Metrics {
    /// All metrics in the Prometheus text format.
    pub fn page(&self, sampled: SampledValues) -> String {
        let mut page = String::new();
        let mut line = |name: &str, kind: &str, help: &str, value: i64| {
            let _ = write!(
                page,
                "# HELP parlor_{name} {help}\n# TYPE parlor_{name} {kind}\nparlor_{name} {value}\n"
            );
        };
        line("requests_total", "counter", "Requests answered.", self.requests.get());
        line("refused_total", "counter", "Requests refused.", self.refused.get());
        line("errors_total", "counter", "Requests that failed with a server error.", self.errors.get());
        line("moves_total", "counter", "Moves made.", self.moves.get());
        line("games_total", "counter", "Games started.", self.games.get());
        line("commits_total", "counter", "Transactions written.", sampled.commits as i64);
        line("failed_writes_total", "counter", "Writes that failed.", sampled.failed_writes as i64);
        line("dropped_total", "counter", "Connections closed or refused by the server.", self.dropped.get());
        line("rooms", "gauge", "Games in memory.", sampled.rooms as i64);
        line("watchers", "gauge", "Open event streams.", self.watchers.get());
        line("bots", "gauge", "Bots connected.", self.bots.get());
        line("connections", "gauge", "Open connections.", self.connections.get());
        line("thinking", "gauge", "Engines thinking.", self.thinking.get());
        line("queued", "gauge", "Engine moves and analyses waiting for a thread.", sampled.queued as i64);
        line("analysing", "gauge", "Positions being analysed.", self.analysing.get());
        page
    }
}
