//! Reads, compares and writes the trace files: one JSON object per driver, one entry per script, one line per field.

use super::Played;
use serde_json::{Map, Value};
use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// The environment variable that accepts the current behaviour when it is `write`.
const ACCEPT: &str = "PARLOR_GOLDEN";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/traces")
}

/// The drivers that have a file, in order.
pub fn files() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the folder of traces");
    let names = entries.filter_map(|entry| entry.expect("an entry").file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| name.strip_suffix(".json").map(String::from)).collect();
    names.sort();
    names
}

/// The traces in the file of a driver, by script.
pub fn read(driver: &str) -> Map<String, Value> {
    let text = fs::read_to_string(folder().join(format!("{driver}.json"))).expect("a trace file");
    serde_json::from_str(&text).expect("traces are JSON")
}

pub struct Golden {
    driver: String,
    traces: Map<String, Value>,
}

impl Golden {
    pub fn new(driver: &str) -> Golden {
        Golden { driver: driver.to_string(), traces: Map::new() }
    }

    pub fn add(&mut self, script: &str, played: Played) {
        let trace = match played {
            Ok(trace) => Value::Object(trace),
            Err(reason) => serde_json::json!({ "not expressible": reason }),
        };
        let twice = self.traces.insert(script.to_string(), trace);
        assert_eq!(twice, None, "two scripts are called {script}");
    }

    /// Panics with every differing field, or writes the file when the variable says so.
    #[track_caller]
    pub fn compare(self) {
        let file = folder().join(format!("{}.json", self.driver));
        if env::var(ACCEPT).is_ok_and(|value| value == "write") {
            fs::write(&file, text(&self.traces)).expect("write the traces");
            return;
        }
        let expected = fs::read_to_string(&file).unwrap_or_else(|_| "{}".to_string());
        let expected: Map<String, Value> = serde_json::from_str(&expected).expect("traces are JSON");
        let changes = self.changes(&expected);
        assert!(
            changes.is_empty(),
            "{} golden values changed:\n{}\nTo accept them, run\n  \
             {ACCEPT}=write cargo test -p parlor-app --test it traces\n\
             and list the changed entries in the commit message.",
            changes.len(),
            changes.join("\n")
        );
    }

    /// One line for each differing field: driver, script, field, expected and actual value.
    fn changes(&self, expected: &Map<String, Value>) -> Vec<String> {
        let empty = Map::new();
        let mut changes = Vec::new();
        for script in keys(expected, &self.traces) {
            let of = |traces: &Map<String, Value>| traces.get(script).and_then(Value::as_object).cloned();
            let (old, new) = (of(expected), of(&self.traces));
            let (old, new) = (old.as_ref().unwrap_or(&empty), new.as_ref().unwrap_or(&empty));
            for field in keys(old, new) {
                let (old, new) = (old.get(field), new.get(field));
                if old != new {
                    let shown = |value: Option<&Value>| value.map_or("nothing".into(), Value::to_string);
                    let (old, new) = (shown(old), shown(new));
                    changes.push(format!("{}, {script}, {field}: expected {old}, got {new}", self.driver));
                }
            }
        }
        changes
    }
}

/// The keys of both maps, each once.
fn keys<'a>(one: &'a Map<String, Value>, other: &'a Map<String, Value>) -> Vec<&'a String> {
    one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))).collect()
}

/// Pretty JSON with one line per field, so that a diff shows which fields changed.
fn text(traces: &Map<String, Value>) -> String {
    let mut text = String::from("{");
    for (number, (script, trace)) in traces.iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(text, "{comma}\n  {}: {{", Value::from(script.as_str()));
        for (number, (field, value)) in trace.as_object().into_iter().flatten().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\n    {}: {value}", Value::from(field.as_str()));
        }
        text.push_str("\n  }");
    }
    text.push_str("\n}\n");
    text
}
