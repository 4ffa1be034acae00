//! Waiting for a condition with a time limit. Tests wait for conditions, never for a fixed time.

use std::{
    thread,
    time::{Duration, Instant},
};

/// Time limit of every wait, long enough for a slow and busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

const POLL: Duration = Duration::from_millis(2);

/// Waits until the condition holds; panics with `what` after [`PATIENCE`].
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        thread::sleep(POLL);
    }
}

#[cfg(feature = "database")]
/// Repeats a query until it returns a value; panics with `what` after [`PATIENCE`].
pub async fn eventually_async<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        tokio::time::sleep(POLL).await;
    }
}

#[cfg(feature = "database")]
/// Waits for a future; panics with `what` after [`PATIENCE`].
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let result = tokio::time::timeout(PATIENCE, future).await;
    result.unwrap_or_else(|_| panic!("not within {PATIENCE:?}: {what}"))
}
