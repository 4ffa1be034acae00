//! The log: one line per event on standard error. `--log` or `PARLOR_LOG` selects the events, `--log-format` the format. The
//! system rotates the log.
//!
//! Many lines contain hostile text, such as names of players and standard error of bots. Characters that could move the cursor,
//! hide text or start a new line are escaped in every format.

use crate::{
    args::{LogFormat, When},
    error::CommandError,
    stdio::{log_stream, wants_colours},
};
use parlor_core::{sanitized_line, shortened};
use serde_json::{Map, Value};
use std::{
    env,
    fmt::{self, Write},
    panic,
};
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
};
use tracing_subscriber::{
    Layer,
    filter::Targets,
    fmt::{
        FmtContext, FormatEvent, FormatFields, MakeWriter,
        format::Writer,
        time::{FormatTime, SystemTime},
    },
    layer::SubscriberExt,
    registry::LookupSpan,
};

/// Environment variable; `--log` takes precedence.
const VARIABLE: &str = "PARLOR_LOG";
/// Prefix of the names of our crates.
const CRATE_PREFIX: &str = "parlor";
/// Maximum length of a field in characters; longer text is cut.
const LONGEST_TEXT: usize = 1000;

/// Selects events, like `info` or `parlor_server=debug,warn`: a level for everything, or for a module and its submodules.
/// Libraries log warnings and errors only, unless they are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    level: Option<LevelFilter>,
    modules: Vec<(String, LevelFilter)>,
}

impl Filter {
    pub fn parse(text: &str) -> Result<Filter, String> {
        let wrong = |part: &str| {
            let part = shortened(part, 60);
            format!("'{part}' is not a level; expected off, error, warn, info, debug, trace, or MODULE=LEVEL")
        };
        let mut filter = Filter { level: None, modules: Vec::new() };
        for part in text.split(',').map(str::trim) {
            let (module, level) = part.split_once('=').map_or((None, part), |(m, l)| (Some(m), l));
            let level: LevelFilter = level.parse().map_err(|_| wrong(part))?;
            // The library accepts numbers as levels; we do not.
            if part.is_empty() || part.ends_with(|c: char| c.is_ascii_digit()) {
                return Err(wrong(part));
            }
            let is_name = |name: &str| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_:".contains(c))
            };
            match module {
                None => filter.level = Some(level),
                Some(module) if is_name(module) => filter.modules.push((module.to_string(), level)),
                Some(_) => return Err(wrong(part)),
            }
        }
        Ok(filter)
    }

    fn targets(&self, usual: LevelFilter) -> Targets {
        let level = self.level.unwrap_or(usual);
        let all = Targets::new().with_default(level.min(LevelFilter::WARN)).with_target(CRATE_PREFIX, level);
        self.modules.iter().fold(all, |all, (module, level)| all.with_target(module, *level))
    }
}

/// Log options of the command line.
pub struct LogOptions<'a> {
    pub filter: Option<&'a Filter>,
    pub format: LogFormat,
    pub colour: When,
    /// Whether the command runs as a service: then starts and stops are logged, and panics are lines of the log.
    pub service: bool,
}

/// Installs the log. Called once at the start of the program.
pub fn init(options: &LogOptions<'_>) -> Result<(), CommandError> {
    let named = env::var(VARIABLE).ok().filter(|text| !text.is_empty());
    let named = named.filter(|_| options.filter.is_none()).map(|text| Filter::parse(&text));
    let named = named.transpose().map_err(|why| CommandError::Input(format!("{VARIABLE}: {why}")))?;
    let usual = if options.service { LevelFilter::INFO } else { LevelFilter::WARN };
    let nothing = Filter { level: None, modules: Vec::new() };
    let targets = options.filter.or(named.as_ref()).unwrap_or(&nothing).targets(usual);
    let colours = wants_colours(options.colour, &log_stream());
    let lines = LineFormat { json: options.format == LogFormat::Json, colours };
    // This is the only call, so no other log can be installed.
    let _ = tracing::subscriber::set_global_default(subscriber(lines, targets, log_stream));
    if options.service {
        log_panics();
    }
    Ok(())
}

fn subscriber<W>(lines: LineFormat, targets: Targets, to: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().event_format(lines).with_writer(to);
    // Write errors are ignored, because there is no place to report them.
    tracing_subscriber::registry().with(layer.log_internal_errors(false).with_filter(targets))
}

/// Logs a panic as one line instead of the several lines of the standard library.
fn log_panics() {
    panic::set_hook(Box::new(|info| {
        let reason = info.payload_as_str().unwrap_or("no message");
        let place = info.location().map(ToString::to_string);
        tracing::error!(reason, place, "panic");
    }));
}

/// Formats an event as one line.
#[derive(Clone, Copy)]
struct LineFormat {
    json: bool,
    colours: bool,
}

impl<S, N> FormatEvent<S, N> for LineFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let mut fields = EventFields::default();
        event.record(&mut fields);
        let level = *event.metadata().level();
        let line = if self.json {
            fields.into_json(time, level, event.metadata().target())
        } else {
            fields.as_text(&time, level, self.colours)
        };
        writeln!(to, "{line}")
    }
}

/// The message and the other fields of an event, escaped.
#[derive(Default)]
struct EventFields {
    message: String,
    others: Map<String, Value>,
}

impl EventFields {
    fn into_json(self, time: String, level: Level, target: &str) -> String {
        let mut line = Map::new();
        line.insert("time".into(), time.into());
        line.insert("level".into(), level.to_string().to_lowercase().into());
        line.insert("target".into(), target.into());
        line.insert("message".into(), self.message.into());
        line.extend(self.others);
        Value::Object(line).to_string()
    }

    fn as_text(&self, time: &str, level: Level, colours: bool) -> String {
        let mut line = if colours {
            format!("\x1b[2m{time}\x1b[0m \x1b[{}m{level:>5}\x1b[0m {}", colour(level), self.message)
        } else {
            format!("{time} {level:>5} {}", self.message)
        };
        for (name, value) in &self.others {
            let text = value.as_str().map_or_else(|| value.to_string(), quoted);
            // Writing to a string does not fail.
            let _ = write!(line, " {name}={text}");
        }
        line
    }

    fn put(&mut self, field: &Field, value: Value) {
        self.others.insert(field.name().to_string(), value);
    }

    fn put_text(&mut self, field: &Field, text: &str) {
        let text = escaped(text);
        match field.name() {
            "message" => self.message = text,
            _ => self.put(field, text.into()),
        }
    }
}

impl Visit for EventFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put_text(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put_text(field, &format!("{value:?}"));
    }
}

fn colour(level: Level) -> u8 {
    match level {
        Level::ERROR => 31,
        Level::WARN => 33,
        Level::INFO => 32,
        _ => 34,
    }
}

/// Escapes invisible characters and line ends.
fn escaped(text: &str) -> String {
    sanitized_line(&shortened(text, LONGEST_TEXT)).into_owned()
}

/// A value in the text format, in quotation marks if it is not one word.
fn quoted(text: &str) -> String {
    let is_word = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '"' || c == '=');
    if is_word { text.to_string() } else { format!("\"{}\"", text.replace('"', "\\\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::is_unseen;
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    #[derive(Clone, Default)]
    struct Captured(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is written of some events, without the time.
    fn lines(lines: LineFormat, filter: &str, events: impl FnOnce()) -> Vec<String> {
        let captured = Captured::default();
        let to = captured.clone();
        let targets = Filter::parse(filter).expect("a filter").targets(LevelFilter::OFF);
        tracing::subscriber::with_default(subscriber(lines, targets, move || to.clone()), events);
        let text = String::from_utf8(captured.0.lock().expect("no panic").clone()).expect("text");
        text.lines().map(ToString::to_string).collect()
    }

    const TEXT: LineFormat = LineFormat { json: false, colours: false };

    #[test]
    fn fields_follow_the_message() {
        let all = lines(TEXT, "info", || {
            tracing::warn!(game = "x1", ply = 3, reason = "two words", none = None::<&str>, "bot failed");
        });
        assert_eq!(all.len(), 1, "{all:?}");
        let (time, rest) = all[0].split_once(' ').expect("a time");
        assert!(time.ends_with('Z') && time.contains('T'), "{time}");
        assert_eq!(rest, " WARN bot failed game=x1 ply=3 reason=\"two words\"");
    }

    #[test]
    fn hostile_text_starts_no_line_and_sends_no_escape_sequence() {
        let hostile = "a\n2026 ERROR forged\u{1b}[2J\u{202e}\"\u{9b}";
        for format in [TEXT, LineFormat { json: true, colours: false }] {
            let all = lines(format, "info", || tracing::info!(name = hostile, "{hostile}"));
            assert_eq!(all.len(), 1, "{all:?}");
            assert!(!all[0].contains(is_unseen), "{all:?}");
        }
    }

    #[test]
    fn json_has_one_object_per_line() {
        let json = LineFormat { json: true, colours: false };
        let all = lines(json, "info", || tracing::info!(game = "x1", ply = 3, "bot failed"));
        let object: Value = serde_json::from_str(&all[0]).expect("JSON");
        assert_eq!(object["level"], "info");
        assert_eq!(object["message"], "bot failed");
        assert_eq!(object["target"], "parlor::log::tests");
        assert_eq!((&object["game"], &object["ply"]), (&"x1".into(), &3.into()));
    }

    #[test]
    fn colours_are_around_time_and_level_only() {
        let all = lines(LineFormat { json: false, colours: true }, "info", || tracing::error!(a = 1, "b"));
        assert!(all[0].ends_with("\u{1b}[31mERROR\u{1b}[0m b a=1"), "{all:?}");
    }

    #[test]
    fn a_long_text_is_cut() {
        let all = lines(TEXT, "info", || tracing::info!("{}", "x".repeat(5000)));
        assert!(all[0].chars().count() < LONGEST_TEXT + 60 && all[0].ends_with('…'), "{all:?}");
    }

    #[test]
    fn filters_choose_by_module_and_level() {
        let events = || {
            tracing::info!(target: "parlor_server::app", "server");
            tracing::debug!(target: "parlor_server::app", "details");
            tracing::info!(target: "sqlx::query", "statement");
            tracing::warn!(target: "sqlx::query", "slow");
        };
        let count = |filter| lines(TEXT, filter, events).len();
        assert_eq!(count("off"), 0);
        assert_eq!(count("info"), 2, "libraries warn only");
        assert_eq!(count("debug"), 3);
        assert_eq!(count("parlor_server=debug,warn"), 3);
        assert_eq!(count("sqlx=info,error"), 2);
    }

    #[test]
    fn the_error_of_a_bad_filter_states_what_is_accepted() {
        for bad in ["", "loud", "parlor_server=loud", "=info", "info,", "a b=info", "3", "a=2"] {
            let why = Filter::parse(bad).expect_err(bad);
            assert!(why.contains("expected off, error, warn, info, debug, trace"), "{why}");
        }
    }
}
