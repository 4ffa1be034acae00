//! Captures the log events of a test's thread.

use std::{
    fmt::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

/// The events logged on this thread until the value is dropped, as lines like `WARN bot failed game=x side=first`.
/// The tasks of a current-thread runtime run on the thread of their test.
pub struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    _guard: DefaultGuard,
}

impl Log {
    pub fn capture() -> Log {
        let lines = Arc::default();
        let guard = tracing::subscriber::set_default(Capturing { lines: Arc::clone(&lines) });
        Log { lines, _guard: guard }
    }

    /// All lines logged so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The lines that contain this text.
    pub fn with(&self, text: &str) -> Vec<String> {
        self.lines().into_iter().filter(|line| line.contains(text)).collect()
    }

    /// The only line that contains this text; panics if there are none or several.
    #[track_caller]
    pub fn only(&self, text: &str) -> String {
        let mut found = self.with(text);
        assert_eq!(found.len(), 1, "lines with '{text}': {:#?}", self.lines());
        found.remove(0)
    }
}

struct Capturing {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Subscriber for Capturing {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("parlor")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let line = format!("{} {}{}", event.metadata().level(), fields.message, fields.others);
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Fields {
    message: String,
    others: String,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.others, " {name}={value:?}"),
        };
    }
}
