//! Attempts to circumvent the memory limit. The sandbox refuses or counts each of them.

use crate::harness::{intrude_in, mark, sandbox, settings};
use parlor_sandbox::{ExitReason, Protection, ResourceLimits, Sandbox};

fn small() -> Sandbox {
    let limits = ResourceLimits { memory: 64 << 20, processes: 8, ..ResourceLimits::default() };
    Sandbox { limits, ..sandbox() }
}

#[test]
fn shared_memory_that_no_process_maps_is_refused() {
    for setting in settings() {
        for attack in ["shared-memory", "zero-device"] {
            let tried = intrude_in(&small(), setting, &[attack, "200"], "");
            assert!(!tried.under(Protection::Calls) || tried.refused(), "{setting}: {attack}: {tried:?}");
        }
    }
}

#[test]
fn page_tables_count_as_memory() {
    for setting in settings() {
        let tried = intrude_in(&small(), setting, &["page-tables", "200"], "");
        if tried.under(Protection::Watch) {
            assert!(matches!(tried.exit_reason, ExitReason::Memory(_)), "{setting}: {tried:?}");
        }
    }
}

#[test]
fn socket_buffers_count_as_memory() {
    for setting in settings() {
        let tried = intrude_in(&small(), setting, &["sockets", "4", &mark()], "");
        if tried.under(Protection::Watch) {
            assert!(matches!(tried.exit_reason, ExitReason::Memory(_)), "{setting}: {tried:?}");
        }
    }
}
