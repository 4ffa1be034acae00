//! Golden traces: every driver of a game plays one list of scripts, and the result is compared with the files in
//! `tests/data/traces`. A trace has structured values only (moves, endings, clocks, statuses), no sentences and nothing that
//! depends on real time. `PARLOR_GOLDEN=write` accepts the current behaviour; the README beside the files says when.
//!
//! The files together are the proof that there is one referee: see [`table`].

mod console;
mod golden;
#[cfg(unix)]
mod match_command;
mod player;
mod scripts;
mod server;
mod table;
mod tournament;
mod websocket;

use golden::Golden;
use player::Log;
use scripts::{Script, all};
use serde_json::{Map, Value};
use server::SeatKind::{Alone, House, Person, Socket};

/// What one driver does with one script: its trace, or why it cannot play the script.
type Played = Result<Map<String, Value>, String>;

/// Plays all scripts by one driver and compares the traces with the driver's file.
#[track_caller]
fn compare(driver: &str, mut play: impl FnMut(&'static Script) -> Played) {
    let mut golden = Golden::new(driver);
    for script in all() {
        golden.add(script.name, play(script));
    }
    golden.compare();
}

#[test]
fn console_with_two_programs() {
    compare("console-programs", |script| console::play(script, [false, false]));
}

#[test]
fn console_with_two_people() {
    compare("console-people", |script| console::play(script, [true, true]));
}

#[test]
fn console_with_a_person_and_a_program() {
    compare("console-person-program", |script| console::play(script, [true, false]));
}

#[test]
fn console_with_a_program_and_a_person() {
    compare("console-program-person", |script| console::play(script, [false, true]));
}

#[test]
fn tournament() {
    compare("tournament", tournament::play);
}

#[cfg(unix)]
#[test]
fn match_command() {
    compare("match", match_command::play);
}

/// Plays all scripts on one server with seats of these kinds.
#[track_caller]
fn compare_server(driver: &str, kinds: [server::SeatKind; 2]) {
    let server = server::GameServer::start();
    compare(driver, |script| server.play(script, kinds));
}

#[test]
fn room_with_two_people() {
    compare_server("room-people", [Person, Person]);
}

#[test]
fn room_with_one_person() {
    compare_server("room-one-person", [Alone, Alone]);
}

#[test]
fn server_with_two_bots() {
    compare_server("server-bots", [House, House]);
}

#[test]
fn server_with_a_bot_and_a_person() {
    compare_server("server-bot-person", [House, Person]);
}

#[test]
fn server_with_a_person_and_a_bot() {
    compare_server("server-person-bot", [Person, House]);
}

#[test]
fn server_with_two_websocket_bots() {
    compare_server("websocket-bots", [Socket, Socket]);
}

#[test]
fn server_with_a_websocket_bot_and_a_person() {
    compare_server("websocket-bot-person", [Socket, Person]);
}

#[test]
fn server_with_a_person_and_a_websocket_bot() {
    compare_server("websocket-person-bot", [Person, Socket]);
}

#[test]
fn every_trace_file_belongs_to_a_driver() {
    let drivers = [
        "console-people",
        "console-person-program",
        "console-program-person",
        "console-programs",
        "match",
        "room-one-person",
        "room-people",
        "server-bot-person",
        "server-bots",
        "server-person-bot",
        "tournament",
        "websocket-bot-person",
        "websocket-bots",
        "websocket-person-bot",
    ];
    assert_eq!(golden::files(), drivers);
}
