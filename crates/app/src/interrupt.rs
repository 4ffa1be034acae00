//! Ctrl-C as a stop flag, so that commands can save their state before they end.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Installs a handler for Ctrl-C that sets the returned flag. A second Ctrl-C ends the process at once.
pub fn stop_flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Without a handler, Ctrl-C ends the process at once.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    stop
}
