//! Parser for the commands of a UGI manager. It checks the syntax only, not whether a command is possible now.

use parlor_core::{Clocks, Limits, Side, shortened};
use std::time::Duration;

/// A command from a UGI manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum UgiCommand {
    Hello,
    IsReady,
    Set { name: String, value: String },
    Game(String),
    NewGame,
    Position { start: Option<String>, moves: Vec<String> },
    Go(Go),
    Stop,
    Query(Query),
    Quit,
    Nothing,
}

/// A question about the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    FirstToMove,
    GameOver,
    Result,
}

/// The parameters of `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    left: [Option<Duration>; 2],
    increment: [Duration; 2],
    time: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    /// Search until `stop`; do not answer before.
    pub infinite: bool,
}

impl UgiCommand {
    /// Parses a line; the error is a sentence.
    pub fn parse(line: &str) -> Result<UgiCommand, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        Ok(match word {
            "" => UgiCommand::Nothing,
            "ugi" => UgiCommand::Hello,
            "isready" => UgiCommand::IsReady,
            "setoption" => set(rest)?,
            "game" => UgiCommand::Game(rest.to_string()),
            "uginewgame" => UgiCommand::NewGame,
            "position" => position(rest)?,
            "go" => UgiCommand::Go(go(rest)?),
            "stop" => UgiCommand::Stop,
            "query" => UgiCommand::Query(query(rest)?),
            "quit" => UgiCommand::Quit,
            _ => return Err(format!("unknown command '{}'", shortened(word, 24))),
        })
    }
}

fn set(rest: &str) -> Result<UgiCommand, String> {
    let named = rest.strip_prefix("name ").and_then(|rest| rest.split_once(" value "));
    let (name, value) = named.ok_or("expected 'setoption name NAME value VALUE'")?;
    Ok(UgiCommand::Set { name: name.trim().to_string(), value: value.trim().to_string() })
}

/// Parses `startpos` or `fen TEXT`, where the text may contain spaces, and an optional list of `moves`.
fn position(rest: &str) -> Result<UgiCommand, String> {
    let padded = format!("{rest} ");
    let (start, moves) = padded.split_once(" moves ").unwrap_or((&padded, ""));
    let moves = moves.split_whitespace().map(String::from).collect();
    match start.trim().split_once(char::is_whitespace).unwrap_or((start.trim(), "")) {
        ("startpos", "") => Ok(UgiCommand::Position { start: None, moves }),
        ("fen", text) if !text.trim().is_empty() => {
            Ok(UgiCommand::Position { start: Some(text.trim().to_string()), moves })
        }
        _ => Err("expected 'position startpos [moves ...]' or 'position fen TEXT [moves ...]'".to_string()),
    }
}

fn query(rest: &str) -> Result<Query, String> {
    match rest {
        "p1turn" => Ok(Query::FirstToMove),
        "gameover" => Ok(Query::GameOver),
        "result" => Ok(Query::Result),
        _ => Err("expected 'query p1turn', 'query gameover' or 'query result'".to_string()),
    }
}

fn go(rest: &str) -> Result<Go, String> {
    let mut go = Go::default();
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        if word == "infinite" {
            go.infinite = true;
            continue;
        }
        let number = words.next().and_then(number);
        let number = number.ok_or_else(|| format!("expected a number after '{}'", shortened(word, 24)))?;
        // Limited to a year, so that sums of durations cannot overflow.
        let time = Duration::from_millis(number.min(366 * 86_400_000));
        match word {
            "p1time" => go.left[0] = Some(time),
            "p2time" => go.left[1] = Some(time),
            "p1inc" => go.increment[0] = time,
            "p2inc" => go.increment[1] = time,
            "movetime" => go.time = Some(time),
            "depth" => go.depth = Some(u32::try_from(number).unwrap_or(u32::MAX).max(1)),
            "nodes" => go.nodes = Some(number.max(1)),
            _ => return Err(format!("unknown parameter of 'go': '{}'", shortened(word, 24))),
        }
    }
    Ok(go)
}

/// A number; a negative one, such as an overdrawn clock, counts as zero.
fn number(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| text.parse::<i64>().ok().map(|_| 0))
}

impl Go {
    /// The limits for the side to move.
    pub fn limits(&self, turn: Side) -> Limits {
        let own = self.left[turn.index()];
        let clocks = own
            .map(|own| Clocks { left: self.left.map(|left| left.unwrap_or(own)), increment: self.increment });
        let time = [own, self.time].into_iter().flatten().min();
        // Long enough that only `stop` ends it.
        let endless = self.infinite.then_some(Duration::from_secs(366 * 86_400));
        Limits { time: time.or(endless), depth: self.depth, nodes: self.nodes, clocks, ..Limits::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_positions_that_contain_spaces() {
        let text = |start: &str| Some(start.to_string());
        for (line, start, moves) in [
            ("position startpos", None, vec![]),
            ("position startpos moves", None, vec![]),
            ("position startpos moves 3 6", None, vec!["3", "6"]),
            ("position  fen 4,4/4,4 0/0 s  moves 1", text("4,4/4,4 0/0 s"), vec!["1"]),
        ] {
            let moves = moves.into_iter().map(String::from).collect();
            assert_eq!(UgiCommand::parse(line), Ok(UgiCommand::Position { start, moves }), "{line}");
        }
        for bad in ["position", "position fen", "position fen moves 3", "position here"] {
            assert!(UgiCommand::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn parses_limits_for_the_side_to_move() {
        let millis = Duration::from_millis;
        let Ok(UgiCommand::Go(go)) = UgiCommand::parse("go p1time 1000 p2time -3 p1inc 5 nodes 9") else {
            panic!("a command")
        };
        let limits = go.limits(Side::Second);
        assert_eq!((limits.time, limits.nodes), (Some(Duration::ZERO), Some(9)));
        let clocks = limits.clocks.expect("clocks");
        assert_eq!((clocks.left, clocks.increment), ([millis(1000), millis(0)], [millis(5), millis(0)]));
        let Ok(UgiCommand::Go(go)) = UgiCommand::parse("go movetime 18446744073709551615 depth 99999999999")
        else {
            panic!("a command")
        };
        assert_eq!(go.limits(Side::First).depth, Some(u32::MAX));
        for bad in ["go fast", "go depth", "go depth x", "go movetime 1e3"] {
            assert!(UgiCommand::parse(bad).is_err(), "{bad}");
        }
    }
}
