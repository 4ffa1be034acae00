//! Tests of `parlor join --cosc` with a fake league server on loopback, which checks all moves on its own board of 121 numbers.

use crate::harness::PARLOR;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    time::Duration,
};

const EMPTY: u8 = 0;
const BLACK: u8 = 1;
const WHITE: u8 = 2;
const ARROW: u8 = 3;

type Square = [usize; 2];

/// The league's board.
struct Board([u8; 121]);

impl Board {
    fn new() -> Board {
        let mut board = Board([EMPTY; 121]);
        for square in [[10, 4], [10, 7], [7, 1], [7, 10]] {
            *board.at(square) = BLACK;
        }
        for square in [[1, 4], [1, 7], [4, 1], [4, 10]] {
            *board.at(square) = WHITE;
        }
        board
    }

    fn at(&mut self, [row, column]: Square) -> &mut u8 {
        assert!((1..=10).contains(&row) && (1..=10).contains(&column), "[{row}, {column}] is off the board");
        &mut self.0[11 * row + column]
    }

    /// The squares that a queen reaches from a square.
    fn reach(&mut self, [row, column]: Square) -> Vec<Square> {
        let mut found = Vec::new();
        for (down, across) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let (mut r, mut c) = (row as i32 + down, column as i32 + across);
            while (1..=10).contains(&r) && (1..=10).contains(&c) {
                let square = [r as usize, c as usize];
                if *self.at(square) != EMPTY {
                    break;
                }
                found.push(square);
                (r, c) = (r + down, c + across);
            }
        }
        found
    }

    fn moves(&mut self, colour: u8) -> Vec<[Square; 3]> {
        let squares = (1..=10).flat_map(|row| (1..=10).map(move |column| [row, column]));
        let queens: Vec<Square> = squares.filter(|&square| *self.at(square) == colour).collect();
        let mut found = Vec::new();
        for from in queens {
            for to in self.reach(from) {
                *self.at(from) = EMPTY;
                let arrows = self.reach(to);
                *self.at(from) = colour;
                found.extend(arrows.into_iter().map(|arrow| [from, to, arrow]));
            }
        }
        found
    }

    fn play(&mut self, colour: u8, [from, to, arrow]: [Square; 3]) {
        *self.at(from) = EMPTY;
        *self.at(to) = colour;
        *self.at(arrow) = ARROW;
    }
}

/// Plays a complete game against our player with `colour`. Returns the number of moves and the loser.
fn referee(stream: &TcpStream, colour: u8, seed: u64) -> (usize, u8) {
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    let say = |message: Value| {
        let mut stream = stream;
        stream.write_all(format!("{message}\n").as_bytes()).expect("a listener");
    };
    let mut board = Board::new();
    let (black, white) = if colour == BLACK { ("Ours", "League") } else { ("League", "Ours") };
    say(json!({"action": "chat", "text": "welcome"}));
    say(
        json!({"action": "game-action-start", "player-black": black, "player-white": white, "game-state": board.0.to_vec()}),
    );
    let (mut turn, mut count, mut chance) = (BLACK, 0, seed);
    loop {
        let moves = board.moves(turn);
        if moves.is_empty() {
            return (count, turn);
        }
        let made = if turn == colour {
            let line = lines.next().expect("an answer").expect("a line");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(message["action"], "game-action-move");
            let square = |key: &str| serde_json::from_value(message[key].clone()).expect("a square");
            let made =
                [square("queen-position-current"), square("queen-position-next"), square("arrow-position")];
            assert!(moves.contains(&made), "{made:?} is illegal after {count} moves");
            made
        } else {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let [from, to, arrow] = moves[(chance >> 33) as usize % moves.len()];
            say(json!({"action": "game-action-move", "queen-position-current": from,
                       "queen-position-next": to, "arrow-position": arrow}));
            [from, to, arrow]
        };
        board.play(turn, made);
        turn = BLACK + WHITE - turn;
        count += 1;
    }
}

#[test]
fn our_player_plays_complete_games_on_the_leagues_board() {
    for (seed, (corner, colour)) in
        (1..).zip([("left", BLACK), ("left", WHITE), ("right", BLACK), ("right", WHITE)])
    {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("tcp://{}", listener.local_addr().expect("an address"));
        let child = Command::new(PARLOR)
            .args(["join", &url, "--cosc", corner, "--name", "Ours", "--player", "random", "--seed", "5"])
            .stdout(Stdio::piped())
            .spawn();
        let child = child.expect("a process");
        let stream = listener.accept().expect("a player").0;
        let (count, stuck) = referee(&stream, colour, seed);
        drop(stream);
        assert!(count >= 8, "{count} moves");
        let output = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{corner} {colour}: {said}");
        let plays =
            if colour == BLACK { "playing Black against League" } else { "playing White against League" };
        let result = if stuck == colour { "lost" } else { "won" };
        assert!(said.contains(plays) && said.contains(result), "{corner}: {said}");
    }
}
