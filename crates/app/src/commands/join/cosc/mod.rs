//! `parlor join --cosc`: lets one of our players play in the league of COSC 322. The league's server speaks SmartFox; a small
//! bridge converts its messages to lines of JSON with the same keys (docs/join.md). The league is the referee, so its messages
//! are authoritative.

mod squares;

use super::engine_thread::MakeForGame;
use crate::{
    args::{Corner, JoinOptions},
    error::CommandError,
};
use parlor_core::{Answer, Board, Limits, Player, Side, harmless, shortened};
use serde_json::{Value, json};
use squares::{CoscMove, from_move, to_move, to_position};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpStream, ToSocketAddrs},
    sync::atomic::AtomicBool,
    time::Duration,
};

const GAME: &str = "amazons:10,10";
/// In bytes.
const LONGEST_LINE: u64 = 64 << 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

pub fn run(
    options: &JoinOptions,
    corner: Corner,
    make: &MakeForGame,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let name = options.name.as_deref().ok_or_else(|| {
        CommandError::Input("--cosc requires --name, the name of this player in the league".to_string())
    })?;
    let player = make(GAME).map_err(|error| error.for_option("--player"))?;
    let stream = open(&options.url)?;
    writeln!(out, "{name} is connected to {} and waits for a game", options.url)?;
    out.flush()?;
    let lines = BufReader::new(stream.try_clone()?);
    let mut seat = CoscClient { name, corner, player, stream, game: None, verbose: options.verbose, out };
    seat.play(lines)
}

fn open(url: &str) -> Result<TcpStream, CommandError> {
    let host = url.strip_prefix("tcp://").map(|host| host.trim_end_matches('/'));
    let host = host.filter(|host| host.contains(':')).ok_or_else(|| {
        let url = shortened(url, 80);
        CommandError::Input(format!("'{url}': with --cosc, expected an address like tcp://127.0.0.1:5000"))
    })?;
    let unreachable =
        |why: &dyn std::fmt::Display| CommandError::Failed(format!("cannot connect to {host}: {why}"));
    let found = host.to_socket_addrs().map_err(|error| unreachable(&error))?.next();
    let address = found.ok_or_else(|| unreachable(&"unknown host"))?;
    let stream =
        TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).map_err(|error| unreachable(&error))?;
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

struct CoscGame {
    board: Box<dyn Board>,
    side: Side,
}

struct CoscClient<'a> {
    name: &'a str,
    corner: Corner,
    player: Box<dyn Player>,
    stream: TcpStream,
    game: Option<CoscGame>,
    verbose: bool,
    out: &'a mut dyn Write,
}

impl CoscClient<'_> {
    /// Plays until the league closes the connection.
    fn play(&mut self, mut lines: impl BufRead) -> Result<(), CommandError> {
        loop {
            let mut line = Vec::new();
            lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return self.print("the league closed the connection");
            }
            let message = serde_json::from_slice(&line).map_err(|error| {
                CommandError::Failed(format!(
                    "the league sent an invalid message (expected JSON of at most 64 KiB): {error}"
                ))
            })?;
            self.handle(&message)?;
        }
    }

    fn handle(&mut self, message: &Value) -> Result<(), CommandError> {
        match message["action"].as_str() {
            Some("game-action-start") => self.begin(message)?,
            Some("game-action-move") => self.play_opponent_move(message)?,
            // Chat, logins and other messages are ignored.
            _ => return Ok(()),
        }
        self.answer()
    }

    fn begin(&mut self, message: &Value) -> Result<(), CommandError> {
        let player = |key: &str| message[key].as_str().unwrap_or_default();
        let (black, white) = (player("player-black"), player("player-white"));
        // In the league, Black moves first.
        let side = match (black == self.name, white == self.name) {
            (true, _) => Side::First,
            (_, true) => Side::Second,
            _ => return self.print("watching a game of other players"),
        };
        let other = harmless(if side == Side::First { white } else { black }, 40);
        let game = parlor_catalog::game(GAME)?;
        let board = match message.get("game-state") {
            None => game.board(),
            Some(state) => {
                let state: Option<Vec<i64>> =
                    state.as_array().and_then(|numbers| numbers.iter().map(Value::as_i64).collect());
                let position = state.and_then(|state| to_position(self.corner, &state));
                let position = position.ok_or_else(|| {
                    CommandError::Failed(
                        "the league sent an invalid game-state (expected 121 numbers from 0 to 3)"
                            .to_string(),
                    )
                })?;
                game.board_at(&position)?
            }
        };
        self.player.ready(GAME)?;
        self.player.begin(GAME, side);
        self.game = Some(CoscGame { board, side });
        self.print(&format!(
            "playing {} against {other}",
            if side == Side::First { "Black" } else { "White" }
        ))
    }

    /// Plays the opponent's move on our board.
    fn play_opponent_move(&mut self, message: &Value) -> Result<(), CommandError> {
        let Some(game) = &mut self.game else { return Ok(()) };
        if game.board.turn() == game.side {
            // The league sends each move to both players, so this one is our own.
            return Ok(());
        }
        let square = |key: &str| {
            let numbers = message[key].as_array()?;
            let [row, column] = numbers.as_slice() else { return None };
            let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
            Some([number(row)?, number(column)?])
        };
        let squares = ["queen-position-current", "queen-position-next", "arrow-position"].map(square);
        let [Some(from), Some(to), Some(arrow)] = squares else {
            return Err(CommandError::Failed("the league sent a move without three squares".to_string()));
        };
        let made = to_move(self.corner, CoscMove([from, to, arrow])).and_then(|text| {
            let text = game.board.check(&text)?;
            game.board.play(&text).map(|()| text)
        });
        let made = made.map_err(|bad| {
            CommandError::Failed(format!("the opponent's move {from:?} {to:?} {arrow:?} is illegal: {bad}"))
        })?;
        self.print_move("their", &made)
    }

    /// Makes and sends our move if it is our turn. Prints the result after the end of the game.
    fn answer(&mut self) -> Result<(), CommandError> {
        let Some(game) = &mut self.game else { return Ok(()) };
        if game.board.ending().is_none() && game.board.turn() == game.side {
            // The player's spec or --time limits the search.
            let chosen = self.player.choose(
                game.board.as_ref(),
                &Limits::default(),
                &AtomicBool::new(false),
                &mut |_| (),
            )?;
            let Answer::Move(text) = chosen else { return self.print("resigned") };
            let text = game.board.check(&text)?;
            game.board.play(&text)?;
            let Some(CoscMove([from, to, arrow])) = from_move(self.corner, &text) else {
                return Err(CommandError::Failed(format!(
                    "'{text}' cannot be written in the league's notation"
                )));
            };
            let message = json!({
                "action": "game-action-move",
                "queen-position-current": from,
                "queen-position-next": to,
                "arrow-position": arrow,
            });
            self.stream.write_all(format!("{message}\n").as_bytes())?;
            self.print_move("our", &text)?;
        }
        self.over()
    }

    fn over(&mut self) -> Result<(), CommandError> {
        let ended = self.game.as_ref().and_then(|game| Some((game.board.ending()?, game.side)));
        let Some((ending, side)) = ended else { return Ok(()) };
        self.game = None;
        self.player.end(&ending);
        let won = ending.outcome.and_then(|outcome| outcome.winner) == Some(side);
        self.print(if won { "won" } else { "lost" })
    }

    fn print_move(&mut self, whose: &str, text: &str) -> Result<(), CommandError> {
        if self.verbose { self.print(&format!("{whose} move: {text}")) } else { Ok(()) }
    }

    fn print(&mut self, sentence: &str) -> Result<(), CommandError> {
        writeln!(self.out, "{sentence}")?;
        Ok(self.out.flush()?)
    }
}
