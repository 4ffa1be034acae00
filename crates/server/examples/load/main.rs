//! Load tests of a server.
//!
//! `load live ADDRESS PID [GAMES SPECTATORS MOVES_A_SECOND SECONDS [ELSEWHERE]]`: many games with spectators, who
//! watch on another server of the same database if one is named. Prints rates, delays from the POST to every
//! spectator's event, and memory.
//!
//! `load crash PARLOR DATABASE [MOVES KILLS SERVERS]`: starts servers, kills them repeatedly while moves are made,
//! and checks that every acknowledged move is stored exactly once.
//!
//! Attacks of one address while a visitor plays, on loopback (see `hostile.rs`): `load silent ADDRESS [CONNECTIONS
//! SECONDS]`, `load greedy ADDRESS [GAMES MOVES]`, `load fill FILE [GAMES]` and then `load crawl ADDRESS [GAMES
//! SECONDS]`, `load forge ADDRESS [REQUESTS]`.

mod crash;
mod hostile;
mod http;
mod live;

use std::{error::Error, process::ExitCode};

type Ran = Result<(), Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |place: usize, usual: usize| args.get(place).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let ran = match args.first().map(String::as_str) {
        Some("live") if args.len() >= 3 => {
            let plan = live::LoadPlan {
                games: number(3, 1000),
                spectators: number(4, 2000),
                rate: number(5, 500),
                seconds: number(6, 20),
                elsewhere: args.get(7).and_then(|text| text.parse().ok()),
            };
            live::run(&args[1], &args[2], plan).await
        }
        Some("crash") if args.len() >= 3 => {
            crash::run(&args[1], &args[2], number(3, 10_000), number(4, 10), number(5, 1)).await
        }
        Some("silent") if args.len() >= 2 => {
            hostile::silent(&args[1], number(2, 16_000), number(3, 30)).await
        }
        Some("hold") if args.len() >= 2 => hostile::hold(&args[1], number(2, 16_000), number(3, 30)).await,
        Some("greedy") if args.len() >= 2 => hostile::greedy(&args[1], number(2, 50), number(3, 30)).await,
        Some("fill") if args.len() >= 2 => hostile::fill(&args[1], number(2, 60_000)).await,
        Some("crawl") if args.len() >= 2 => hostile::crawl(&args[1], number(2, 60_000), number(3, 300)).await,
        Some("forge") if args.len() >= 2 => hostile::forge(&args[1], number(2, 5_000)).await,
        _ => Err("load live|crash|silent|greedy|fill|crawl|forge …; see the top of main.rs".into()),
    };
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_line(&format!("load: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints a line of results.
fn print_line(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stdout(), "{line}");
}
