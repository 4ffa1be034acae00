//! The line of moves to analyse, and the ply within it. It comes from a query, or from a game of this server; a live game is shown but
//! not analysed.

use crate::{problem::Problem, service::Service, token};
use parlor_catalog::DynGame;
use parlor_core::{Board, Record, Side, shortened};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use std::{fmt::Write, sync::Arc};

/// Most moves of a line.
const LONGEST: usize = 2000;

/// Query parameters of an analysis.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalysisQuery {
    /// The game's spec, such as `kalah:6,4`.
    pub game: Option<String>,
    /// The start position, if it is not the default one.
    pub start: Option<String>,
    /// The moves, separated by spaces or commas.
    pub moves: Option<String>,
    /// Id of a game on this server, instead of the three above.
    pub id: Option<String>,
    /// The ply of the position; by default the last one.
    pub ply: Option<usize>,
    /// Id of the game on this server that the line departs from.
    pub from: Option<String>,
    /// The path of a move to add: targets separated by dots.
    pub touch: Option<String>,
    /// Time limit for a response in one piece.
    pub wait: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Origin {
    /// The id of the game, as in URLs.
    pub id: String,
    pub names: [String; 2],
    /// How the game ended, as a sentence; `None` while it is live.
    pub ending: Option<String>,
}

/// The position that a visitor analyses, and the moves that lead to it.
pub struct AnalysisLine {
    pub host: Arc<dyn DynGame>,
    /// All moves of the line, also those after `ply`; without an ending.
    pub record: Record,
    /// Number of moves played at the analysed position.
    pub ply: usize,
    /// The position at `ply`.
    pub board: Box<dyn Board>,
    pub movers: Vec<Side>,
    /// The game on this server, if the line is one.
    pub origin: Option<Origin>,
    /// Id of the game on this server that the line departs from.
    pub from: Option<String>,
}

fn non_empty(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

impl AnalysisLine {
    /// Reads the line of a query and checks every move.
    pub async fn read(service: &Service, query: &AnalysisQuery) -> Result<AnalysisLine, Problem> {
        if let Some(id) = non_empty(query.id.as_ref()) {
            let frame = service.rooms().frame(id, None, None).await?;
            let state = &frame.state;
            let origin = Origin {
                id: id.to_string(),
                names: [0, 1].map(|side: usize| state.seats[side].name.clone()),
                ending: state.ending.as_ref().map(|ending| ending.sentence.clone()),
            };
            let (start, moves) = (state.start.clone(), state.moves.clone());
            return AnalysisLine::of(&state.game, start.as_deref(), &moves, query.ply, Some(origin));
        }
        let spec = non_empty(query.game.as_ref())
            .ok_or_else(|| Problem::BadInput("game: expected a game, like kalah:6,4".to_string()))?;
        let host = parlor_catalog::game(spec).map_err(|bad| Problem::BadInput(bad.0))?;
        let moves = host.split(non_empty(query.moves.as_ref()).unwrap_or_default());
        let from = non_empty(query.from.as_ref()).filter(|id| token::is_game_id(id)).map(String::from);
        let line = AnalysisLine::of(&host.spec(), non_empty(query.start.as_ref()), &moves, query.ply, None)?;
        Ok(AnalysisLine { from, ..line })
    }

    /// Builds a line from its parts.
    pub fn of(
        spec: &str,
        start: Option<&str>,
        moves: &[String],
        ply: Option<usize>,
        origin: Option<Origin>,
    ) -> Result<AnalysisLine, Problem> {
        let bad = |why: String| Problem::BadInput(why);
        let host = parlor_catalog::game(spec).map_err(|error| bad(error.0))?;
        let at_start = || match start {
            None => Ok(host.board()),
            Some(text) => host.board_at(text).map_err(|error| bad(format!("start: {error}"))),
        };
        if moves.len() > LONGEST {
            return Err(bad(format!("moves: expected at most {LONGEST} moves, not {}", moves.len())));
        }
        let ply = ply.unwrap_or(moves.len());
        if ply > moves.len() {
            return Err(bad(format!("ply: expected 0 to {}, the number of moves, not {ply}", moves.len())));
        }
        let (mut whole, mut board) = (at_start()?, at_start()?);
        for (i, text) in moves.iter().enumerate() {
            let illegal = |error| bad(format!("moves: move {} '{}': {error}", i + 1, shortened(text, 24)));
            whole.play(text).map_err(illegal)?;
            if i < ply {
                board.play(text).map_err(|error| bad(error.0))?;
            }
        }
        let record = Record { ending: None, tags: Vec::new(), ..whole.record() };
        Ok(AnalysisLine { host, record, ply, board, movers: whole.movers(), origin, from: None })
    }

    /// Refuses a game in progress, so that the analysis cannot help a player.
    pub fn refuse_live_game(&self) -> Result<(), Problem> {
        if self.is_running() {
            let why = "the game is still in progress; it can be analysed when it is over";
            return Err(Problem::Refused(why.to_string()));
        }
        Ok(())
    }

    /// Whether the line is a live game of this server.
    pub fn is_running(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.ending.is_none())
    }

    /// The record of the first `ply` moves.
    pub fn record_at(&self, ply: usize) -> Record {
        let moves = self.record.moves[..ply.min(self.record.moves.len())].to_vec();
        Record { moves, ..self.record.clone() }
    }

    pub fn len(&self) -> usize {
        self.record.moves.len()
    }

    pub fn names(&self) -> [String; 2] {
        match &self.origin {
            Some(origin) => origin.names.clone(),
            None => self.board.info().seats.map(String::from),
        }
    }

    /// The query string of the same line at another ply.
    pub fn query(&self, ply: usize) -> String {
        match &self.origin {
            Some(origin) => format!("id={}&ply={ply}", origin.id),
            None => self.query_of(&self.record.moves, ply, self.from.as_deref()),
        }
    }

    /// The query string with this move at the current ply. If it is the next move of the line, the line stays as it is.
    pub fn query_with_move(&self, mv: &str) -> String {
        if self.record.moves.get(self.ply).is_some_and(|next| next == mv) {
            return self.query(self.ply + 1);
        }
        self.query_with_moves(&[mv.to_string()])
    }

    /// The query string with these moves from the current ply on.
    pub fn query_with_moves(&self, next: &[String]) -> String {
        let mut moves = self.record_at(self.ply).moves;
        moves.extend_from_slice(next);
        let from = self.origin.as_ref().map(|origin| origin.id.as_str()).or(self.from.as_deref());
        self.query_of(&moves, moves.len(), from)
    }

    fn query_of(&self, moves: &[String], ply: usize, from: Option<&str>) -> String {
        let mut query = format!("game={}", escaped(&self.record.game));
        if let Some(start) = &self.record.start {
            let _ = write!(query, "&start={}", escaped(start));
        }
        if !moves.is_empty() {
            let _ = write!(query, "&moves={}", escaped(&moves.join(",")));
        }
        if ply < moves.len() {
            let _ = write!(query, "&ply={ply}");
        }
        if let Some(from) = from {
            let _ = write!(query, "&from={from}");
        }
        query
    }

    /// The move with this path of targets, separated by dots.
    pub fn move_of_path(&self, touch: &str) -> Result<String, Problem> {
        let path: Option<Vec<u16>> = touch.split('.').map(|target| target.parse().ok()).collect();
        let found = path.and_then(|path| self.board.paths().iter().position(|known| *known == path));
        let mv = found.and_then(|i| self.board.moves().into_iter().nth(i));
        mv.ok_or_else(|| Problem::Illegal("these cells are not a legal move".to_string()))
    }
}

/// Percent-encodes a text for a query string.
pub fn escaped(text: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'_')
        .remove(b'.')
        .remove(b'~')
        .remove(b':')
        .remove(b',')
        .remove(b'/');
    utf8_percent_encode(text, RESERVED).to_string().replace("%20", "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(spec: &str, moves: &[&str], ply: Option<usize>) -> Result<AnalysisLine, Problem> {
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        AnalysisLine::of(spec, None, &moves, ply, None)
    }

    #[test]
    fn a_query_continues_or_branches_the_line() {
        let line = line("connect", &["4", "4", "3"], Some(1)).expect("a line");
        assert_eq!(line.query(2), "game=connect:7,6,4&moves=4,4,3&ply=2");
        assert_eq!(line.query_with_move("4"), line.query(2), "the move that was made");
        assert_eq!(line.query_with_move("5"), "game=connect:7,6,4&moves=4,5");
        assert_eq!(line.move_of_path("4").as_deref(), Ok("5"));
        assert!(
            line.move_of_path("9").is_err()
                && line.move_of_path("4.4").is_err()
                && line.move_of_path("x").is_err()
        );
    }

    #[test]
    fn an_invalid_line_is_refused_with_the_reason() {
        let sentence =
            |line: Result<AnalysisLine, Problem>| line.map(|_| ()).expect_err("refused").sentence();
        assert!(sentence(line("connect", &["4", "9"], None)).starts_with("Moves: move 2 '9': "));
        assert_eq!(
            sentence(line("connect", &["4"], Some(2))),
            "Ply: expected 0 to 1, the number of moves, not 2."
        );
    }

    #[test]
    fn any_text_is_percent_encoded() {
        assert_eq!(escaped("a b&c=é"), "a+b%26c%3D%C3%A9");
    }
}
