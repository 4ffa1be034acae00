//! `ugi:`, the manager's side of the Universal Game Interface: writes positions and limits, parses `info` and `bestmove`. Input
//! is hostile: unknown words are ignored, and every number is checked against its range.

use super::BotMessage;
use crate::LONGEST_LINE;
use parlor_core::{Answer, Board, Bounds, Limits, Margin, Report};
use std::{str::SplitWhitespace, time::Duration};

/// The time limit sent to an engine if the game has none. Without one, an engine would never answer.
const DEFAULT_TIME: Duration = Duration::from_secs(5);
/// Longer principal variations are cut to this number of moves.
const MAX_PV: usize = 200;
/// The largest margin.
const LARGEST: i16 = i16::MAX;

/// The `position` command for a board: start and moves, or only the current position if that line would be too long.
pub fn position(board: &dyn Board) -> String {
    position_line(board.start().as_deref(), &board.move_list(), || board.position())
}

/// [`position`] from text: the start if it is not the usual one, the moves, the current position.
pub fn position_line(start: Option<&str>, moves: &str, now: impl FnOnce() -> String) -> String {
    let start = start.map_or("startpos".to_string(), |text| format!("fen {text}"));
    let line = if moves.is_empty() {
        format!("position {start}")
    } else {
        format!("position {start} moves {moves}")
    };
    if line.len() <= LONGEST_LINE { line } else { format!("position fen {}", now()) }
}

/// The command that starts a search.
///
/// # Examples
///
/// ```
/// use parlor_core::Limits;
/// use parlor_protocol::dialects::ugi;
/// use std::time::Duration;
///
/// let limits = Limits { time: Some(Duration::from_secs(1)), depth: Some(6), ..Limits::default() };
/// assert_eq!(ugi::go(&limits), "go movetime 1000 depth 6");
/// ```
pub fn go(limits: &Limits) -> String {
    let mut words = vec!["go".to_string()];
    let mut say = |name: &str, value: u128| words.push(format!("{name} {value}"));
    match (limits.clocks, limits.time) {
        (Some(clocks), _) => {
            say("p1time", clocks.left[0].as_millis());
            say("p2time", clocks.left[1].as_millis());
            say("p1inc", clocks.increment[0].as_millis());
            say("p2inc", clocks.increment[1].as_millis());
        }
        (None, Some(time)) => say("movetime", time.as_millis()),
        (None, None) if limits.depth.is_none() && limits.nodes.is_none() => {
            say("movetime", DEFAULT_TIME.as_millis());
        }
        (None, None) => (),
    }
    if let Some(depth) = limits.depth {
        say("depth", depth.into());
    }
    if let Some(nodes) = limits.nodes {
        say("nodes", nodes.into());
    }
    words.join(" ")
}

/// Parses a line that an engine writes during a search.
pub fn read(line: &str) -> BotMessage {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("bestmove") => BotMessage::Answer(match words.next() {
            None | Some("(none)" | "0000" | "none") => Answer::NoMove,
            Some("resign") => Answer::Resign,
            Some("claim") => Answer::Claim,
            Some(text) => Answer::Move(text.to_string()),
        }),
        Some("info") => info(words).map_or(BotMessage::Unknown, BotMessage::Report),
        _ => BotMessage::Unknown,
    }
}

/// Parses the words after `info`; `None` if it contains nothing that we know.
fn info(mut words: SplitWhitespace<'_>) -> Option<Report> {
    let mut report = Report::default();
    let mut known = false;
    while let Some(word) = words.next() {
        match word {
            "depth" => report.depth = words.next()?.parse().ok()?,
            "nodes" => report.nodes = words.next()?.parse().ok()?,
            "score" => score(&mut words, &mut report)?,
            "pv" => {
                let clean = words.by_ref().filter(|text| !text.chars().any(char::is_control));
                report.line = clean.take(MAX_PV).map(String::from).collect();
            }
            "string" => break,
            _ => continue,
        }
        known = true;
    }
    known.then_some(report)
}

/// Parses the words after `score`.
fn score(words: &mut SplitWhitespace<'_>, report: &mut Report) -> Option<()> {
    let (unit, number) = (words.next()?, words.next()?.parse::<i32>().ok()?);
    report.value = number;
    if unit != "margin" {
        return Some(());
    }
    let margin = Margin(i16::try_from(number).ok().filter(|margin| *margin >= -LARGEST)?);
    // Peeked, because this word is optional.
    let bound = words.clone().next().unwrap_or_default();
    report.proved = match bound {
        "exact" => Some(Bounds::exactly(margin)),
        "lowerbound" => Some(Bounds { lo: margin, hi: Margin(LARGEST) }),
        "upperbound" => Some(Bounds { lo: Margin(-LARGEST), hi: margin }),
        _ => return Some(()),
    };
    words.next();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parlor_core::{Clocks, Match, Notation};
    use parlor_games::kalah::Kalah;

    #[test]
    fn writes_positions_as_start_and_moves() {
        let game = Kalah::sized(2, 4).expect("a game");
        let mut played = Match::new(game.clone());
        assert_eq!(position(&played), "position startpos");
        played.play("1").expect("legal");
        played.play("2").expect("legal");
        assert_eq!(position(&played), "position startpos moves 1 2");
        let start = game.parse_position("4,3/4,4 1/0 s").expect("a position");
        let mut played = Match::from_position(game, start);
        played.play("1").expect("legal");
        assert_eq!(position(&played), "position fen 4,3/4,4 1/0 s moves 1");
    }

    #[test]
    fn replaces_moves_that_do_not_fit_a_line_by_the_position() {
        let words = "position startpos moves ".len();
        let moves = "1".repeat(LONGEST_LINE - words);
        let line = position_line(None, &moves, || panic!("the moves fit"));
        assert_eq!(line.len(), LONGEST_LINE);
        let line = position_line(None, &format!("{moves}1"), || "1/1 3/4 s".to_string());
        assert_eq!(line, "position fen 1/1 3/4 s");
    }

    #[test]
    fn writes_limits_as_clocks_time_depth_and_nodes() {
        let millis = Duration::from_millis;
        assert_eq!(go(&Limits::default()), "go movetime 5000");
        assert_eq!(go(&Limits { time: Some(millis(70)), ..Limits::default() }), "go movetime 70");
        let few = Limits { depth: Some(6), nodes: Some(900), ..Limits::default() };
        assert_eq!(go(&few), "go depth 6 nodes 900");
        let clocks = Clocks { left: [millis(1000), millis(900)], increment: [millis(5), millis(6)] };
        let limits = Limits { time: Some(millis(1000)), clocks: Some(clocks), ..Limits::default() };
        assert_eq!(go(&limits), "go p1time 1000 p2time 900 p1inc 5 p2inc 6");
    }

    #[test]
    fn parses_bestmove_as_the_answer() {
        assert_eq!(read("bestmove 3"), BotMessage::Answer(Answer::Move("3".into())));
        assert_eq!(read("bestmove d1-d7/g7 ponder x"), BotMessage::Answer(Answer::Move("d1-d7/g7".into())));
        assert_eq!(read("bestmove resign"), BotMessage::Answer(Answer::Resign));
        for none in ["bestmove (none)", "bestmove 0000", "bestmove"] {
            assert_eq!(read(none), BotMessage::Answer(Answer::NoMove), "{none}");
        }
        assert_eq!(read("3"), BotMessage::Unknown);
    }

    #[test]
    fn parses_info_as_a_report() {
        let BotMessage::Report(report) =
            read("info depth 9 nodes 1234 nps 5 time 7 score margin -3 exact pv 3 6 2")
        else {
            panic!("a report")
        };
        assert_eq!((report.depth, report.nodes, report.value), (9, 1234, -3));
        assert_eq!(report.proved, Some(Bounds::exactly(Margin(-3))));
        assert_eq!(report.line, ["3", "6", "2"]);
        let BotMessage::Report(report) = read("info score margin 4 lowerbound depth 2") else {
            panic!("a report")
        };
        assert_eq!((report.proved.map(|bounds| bounds.lo), report.depth), (Some(Margin(4)), 2));
        let BotMessage::Report(report) = read("info score cp 31 depth 2") else { panic!("a report") };
        assert_eq!((report.proved, report.value), (None, 31));
        for odd in
            ["info string depth 3", "info", "info depth x", "info score margin -32768 exact", "info score"]
        {
            assert_eq!(read(odd), BotMessage::Unknown, "{odd}");
        }
    }
}
