//! The rules of a session, with boards of real games and a time that the tests set.

mod clocks;
mod decisions;

use parlor_core::{Game, Match, Notation, Side};
use parlor_games::{connect::Connect, oware::Oware};
use parlor_session::{Command, Event, Micros, Policy, Refused, Session, TimeControl};

const FIRST: Side = Side::First;
const SECOND: Side = Side::Second;

/// Seconds as microseconds.
fn s(seconds: u64) -> Micros {
    Micros(seconds * 1_000_000)
}

fn time(text: &str) -> TimeControl {
    text.parse().expect("a time control")
}

/// A small game of Connect-N with this time control.
fn connect(control: &str, policy: Policy) -> Session {
    connect_timed([control; 2], policy)
}

/// The same with a time control for each side.
fn connect_timed(controls: [&str; 2], policy: Policy) -> Session {
    let board = Match::new(Connect::new(&[4, 4, 3]).expect("a size"));
    Session::new(Box::new(board), controls.map(time), policy, s(0))
}

/// Oware from a position.
fn oware(position: &str, policy: Policy) -> Session {
    let game = Oware::new(&[0]).expect("a rule set");
    let start = game.parse_position(position).expect("a position");
    Session::new(Box::new(Match::from_position(game, start)), [time("free"); 2], policy, s(0))
}

fn people() -> Policy {
    Policy::people([false; 2])
}

/// Makes a move for the side to move.
fn play(session: &mut Session, text: &str, now: Micros) -> Event {
    let side = session.board().turn();
    session.handle(side, Command::text(text), now).expect("a legal move")
}

/// The ending as its cause and result.
fn ending(session: &Session) -> String {
    let Some(ending) = session.ending() else { return "none".to_string() };
    let outcome = ending.outcome.map_or("*".to_string(), |outcome| outcome.to_string());
    format!("{} {outcome}", ending.cause)
}

fn refusal(session: &Session, by: Side, command: Command) -> Refused {
    session.decide(by, command, s(0)).expect_err("refused")
}
