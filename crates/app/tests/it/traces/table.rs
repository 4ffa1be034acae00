//! The table of drivers: for the same script, drivers with the same kinds of players must give the same record, the same ending
//! and the same remaining times. It compares the trace files, which the other tests compare with what the drivers do. So a
//! changed rule of the session fails those tests, and a driver that decides by itself fails this one.

use super::golden;
use super::scripts::all;
use serde_json::{Map, Value};

/// Drivers whose games have the same policy and the same kinds of players: people or programs.
const GROUPS: [&[&str]; 5] = [
    &["console-people", "room-people"],
    &["console-people", "room-one-person"],
    &["console-person-program", "server-person-bot", "websocket-person-bot"],
    &["console-program-person", "server-bot-person", "websocket-bot-person"],
    &["console-programs", "tournament", "server-bots", "websocket-bots", "match"],
];
/// What must be equal, where both drivers show it: `match` does not show the remaining times.
const FIELDS: [&str; 3] = ["moves", "ending", "remaining"];

/// Permitted differences, with their reasons.
fn is_excused(script: &str, drivers: [&str; 2]) -> bool {
    let with = |prefix: &str| drivers.iter().any(|driver| driver.starts_with(prefix));
    // A bot over the network may come back: its lost connection is not a crash, and it loses on time.
    let lost_connection = script == "crash on a clock" && with("websocket");
    // Foreign programs have no word for an agreement: they agree to a claim if the position has occurred before.
    let foreign = with("websocket") || with("match");
    let cannot_answer = foreign
        && ["claim at the second occurrence, declined", "claim with right at the start, accepted"]
            .contains(&script);
    // At one keyboard the last move is taken back, between two people at two screens the own decision.
    let one_keyboard = script.starts_with("takeback") && drivers == ["console-people", "room-people"];
    // The server starts its bots for each move, so that the first player has moved by then.
    let started_later = script == "second does not start" && with("server");
    lost_connection || cannot_answer || one_keyboard || started_later
}

fn differences(script: &str, drivers: [&str; 2], traces: [&Map<String, Value>; 2]) -> Vec<String> {
    let field = |trace: &Map<String, Value>, name: &str| trace.get(name).cloned().unwrap_or(Value::Null);
    let differs = |name: &&str| {
        let shown = traces.iter().all(|trace| trace.contains_key(*name));
        shown && field(traces[0], name) != field(traces[1], name)
    };
    let shown = |name: &str| {
        let [one, other] = traces.map(|trace| field(trace, name));
        format!("{script}, {name}: {} has {one}, {} has {other}", drivers[0], drivers[1])
    };
    FIELDS.into_iter().filter(differs).map(shown).collect()
}

#[test]
fn drivers_of_the_same_players_give_the_same_game() {
    let mut found = Vec::new();
    let mut compared = 0;
    for group in GROUPS {
        let files: Vec<Map<String, Value>> = group.iter().map(|driver| golden::read(driver)).collect();
        for script in all() {
            let playable = |file: &usize| {
                let trace = files[*file].get(script.name).and_then(Value::as_object);
                trace.is_some_and(|trace| !trace.contains_key("not expressible"))
            };
            let able: Vec<usize> = (0..group.len()).filter(playable).collect();
            let Some((&first, others)) = able.split_first() else { continue };
            for &other in others {
                let drivers = [group[first], group[other]];
                if !is_excused(script.name, drivers) {
                    let of = |file: usize| files[file][script.name].as_object().expect("a trace");
                    found.extend(differences(script.name, drivers, [of(first), of(other)]));
                    compared += 1;
                }
            }
        }
    }
    assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
    assert!(compared > 300, "only {compared} games were compared");
}
