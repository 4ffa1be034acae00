//! Part of `cargo lab bench arena`: measures the processor time of games in one process, without files and without
//! programs.

use super::yes_no;
use anyhow::{Context, Result, ensure};
use parlor_catalog::{Monotonic, Resources, game};
use parlor_core::{Answer, Board, Failure, Limits, Player, Report};
use parlor_session::TimeControl;
use parlor_tournament::Referee;
use std::{
    fs,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

/// Number of games of `random` against `random`.
const GAMES: u64 = 2_000;
/// Number of long games, in which the first plies are compared with the last.
const LONG_GAMES: u32 = 100;
/// A game that is longer than 300 plies with the moves of [`Steps`].
const LONG: &str = "kalah:16,255";
const PLIES: usize = 300;
const PART: usize = 50;

pub fn measure() -> Result<()> {
    random_games("kalah:6,4")?;
    long_game()
}

fn referee() -> Referee {
    Referee::new(TimeControl::Unlimited, Arc::new(Monotonic::start()))
}

fn random_games(spec: &str) -> Result<()> {
    let (game, referee, stop) = (game(spec)?, referee(), AtomicBool::new(false));
    let random = "random".parse()?;
    let (mut plies, begun) = (0, processor_time()?);
    for seed in 0..GAMES {
        let mut players = [
            game.player(&random, &Resources::seeded(2 * seed))?,
            game.player(&random, &Resources::seeded(2 * seed + 1))?,
        ];
        let [first, second] = &mut players;
        let played = referee.play(game.board(), [first.as_mut(), second.as_mut()], &stop, None);
        plies += played.record.moves.len() as u32;
    }
    let spent = processor_time()?.saturating_sub(begun);
    println!(
        "{GAMES} games of random against random at {spec} in one thread: {:.1} µs of processor time a game, {:.2} µs a ply",
        spent.as_secs_f64() * 1e6 / GAMES as f64,
        spent.as_secs_f64() * 1e6 / f64::from(plies)
    );
    Ok(())
}

/// Compares the overhead of the referee at the start of a long game with that at its end. The minimum over all
/// games counts for each ply, which excludes the influence of other processes.
fn long_game() -> Result<()> {
    let (hosted, referee, stop) = (game(LONG)?, referee(), AtomicBool::new(false));
    let mut per_ply = vec![Duration::MAX; PLIES];
    for number in 0..LONG_GAMES {
        let mut players = [Steps::new(number), Steps::new(number)];
        let [first, second] = &mut players;
        referee.play(hosted.board(), [first, second], &stop, None);
        let mut asked: Vec<(usize, Instant, Instant)> = Vec::new();
        players.iter().for_each(|player| asked.extend(&player.asked));
        asked.sort_by_key(|turn| turn.0);
        ensure!(asked.len() > PLIES, "{LONG}: a game of only {} plies", asked.len());
        for (ply, turns) in asked.windows(2).take(PLIES).enumerate() {
            per_ply[ply] = per_ply[ply].min(turns[1].1 - turns[0].2);
        }
    }
    let micros = |part: &[Duration]| part.iter().sum::<Duration>().as_secs_f64() * 1e6 / part.len() as f64;
    let (first, last) = (micros(&per_ply[..PART]), micros(&per_ply[PLIES - PART..]));
    println!(
        "the referee's part of {PLIES} plies of {LONG}: {first:.2} µs a ply in the first {PART}, {last:.2} µs in the last {PART}, ratio {:.2} (at most 1.2: {})",
        last / first,
        yes_no(last <= 1.2 * first)
    );
    Ok(())
}

/// A player that chooses a legal move by the number of the game and the ply, and stops after enough plies.
struct Steps {
    number: u32,
    /// For each turn: the ply, the time of the question and the time of the answer.
    asked: Vec<(usize, Instant, Instant)>,
}

impl Steps {
    fn new(number: u32) -> Steps {
        Steps { number, asked: Vec::with_capacity(PLIES + 2) }
    }
}

impl Player for Steps {
    fn choose(
        &mut self,
        board: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        let asked = Instant::now();
        let (ply, mut moves) = (board.ply(), board.moves());
        let chosen = (self.number as usize * 7 + ply * 5) % moves.len().max(1);
        let answer = if ply > PLIES || moves.is_empty() {
            Answer::Resign
        } else {
            Answer::Move(moves.swap_remove(chosen))
        };
        self.asked.push((ply, asked, Instant::now()));
        Ok(answer)
    }
}

/// Processor time of this thread.
fn processor_time() -> Result<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").context("processor time needs Linux")?;
    let nanos = text.split_whitespace().next().context("an empty schedstat")?.parse()?;
    Ok(Duration::from_nanos(nanos))
}
