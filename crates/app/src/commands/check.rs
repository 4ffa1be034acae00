//! `parlor check BOT --game GAME`: checks whether a program obeys the protocol and the rules, and prints one result per line. It
//! covers every violation by which a bot can lose a game off the board.

use crate::{args::CheckOptions, environment, error::CommandError, interrupt};
use parlor_catalog::{Clock, DynGame, Monotonic, Random, Resources};
use parlor_core::{Cause, Ending, Player, Side, counted};
use parlor_protocol::Bot;
use parlor_session::{Command, EventKind, Micros, Policy, Session};
use parlor_tournament::Referee;
use serde_json::json;
use std::{
    io::Write,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// The result of one check; `wrong` is the reason of a failure.
struct CheckResult {
    what: String,
    wrong: Option<String>,
}

struct BotCheck<'a> {
    bot: Bot,
    clock: Arc<dyn Clock>,
    options: &'a CheckOptions,
    stop: Arc<AtomicBool>,
    seed: u64,
    /// Wall-clock time of each answer.
    times: Vec<Duration>,
    /// Processor time of each answer, if it is measured.
    cpu_times: Vec<Duration>,
}

pub fn run(options: &CheckOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let games = options.game.iter().map(|spec| parlor_catalog::game(spec)).collect::<Result<Vec<_>, _>>();
    let games = games.map_err(|bad| CommandError::Input(format!("--game: {bad}")))?;
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let resources = Resources::with_clock(0, clock.clone());
    let players = environment::players(".".as_ref(), true, !options.no_sandbox, resources)?;
    let program = players.program(&options.bot).ok_or_else(|| {
        let sentence = "expected bot:COMMAND or ugi:COMMAND, like bot:python3 bot.py";
        CommandError::Input(format!("player '{}': {sentence}", options.bot))
    })??;
    let bot = players.bot(&program, &[]);
    let (stop, seed) = (interrupt::stop_flag(), options.seed.unwrap_or(1));
    let mut check = BotCheck { bot, clock, options, stop, seed, times: Vec::new(), cpu_times: Vec::new() };
    if !options.json {
        writeln!(out, "{}", players.remark())?;
    }
    let mut bad = 0;
    for verdict in check.results(&games) {
        bad += u64::from(verdict.wrong.is_some());
        print(&verdict, options.json, out)?;
    }
    if let Some([median, worst]) = median_and_worst(&mut check.times).filter(|_| !options.json) {
        let count = counted(check.times.len() as u64, "answer");
        writeln!(out, "{count}: median {median:.1} ms, maximum {worst:.1} ms")?;
        if let Some([median, worst]) = median_and_worst(&mut check.cpu_times) {
            writeln!(out, "CPU time: median {median:.1} ms, maximum {worst:.1} ms")?;
        }
    }
    if bad == 0 { Ok(()) } else { Err(CommandError::Failed(format!("{} failed", counted(bad, "check")))) }
}

/// In milliseconds; `None` if `times` is empty.
fn median_and_worst(times: &mut [Duration]) -> Option<[f64; 2]> {
    times.sort();
    let last = times.last()?;
    Some([times[times.len() / 2], *last].map(|time| time.as_secs_f64() * 1000.0))
}

fn print(verdict: &CheckResult, as_json: bool, out: &mut dyn Write) -> Result<(), CommandError> {
    let CheckResult { what, wrong } = verdict;
    if as_json {
        writeln!(out, "{}", json!({"what": what, "ok": wrong.is_none(), "why": wrong}))?;
    } else {
        match wrong {
            None => writeln!(out, "ok    {what}")?,
            Some(why) => writeln!(out, "FAIL  {what}: {}", parlor_league::plain(why, 400))?,
        }
    }
    Ok(out.flush()?)
}

impl BotCheck<'_> {
    /// Runs all checks. Stops if the program does not start.
    fn results(&mut self, games: &[Arc<dyn DynGame>]) -> Vec<CheckResult> {
        let mut results = Vec::new();
        for game in games {
            let spec = game.spec();
            let started = self.bot.ready(&spec).err().map(|failure| failure.to_string());
            let lost = started.is_some();
            results.push(CheckResult { what: format!("starts and accepts {spec}"), wrong: started });
            if lost {
                return results;
            }
            for side in Side::BOTH {
                let what = format!("plays {spec} to the end as the {side} player");
                results.push(CheckResult { what, wrong: self.whole_game(game.as_ref(), side).err() });
            }
            let positions = counted(self.options.positions.into(), "random position");
            let what = format!("plays legal moves in time in {positions} of {spec}");
            results.push(CheckResult { what, wrong: self.positions(game.as_ref()).err() });
        }
        // After a failure the program is not running.
        if let Some(went) = self.bot.quit() {
            let what = "handles the end of a game and exits on `quit`".to_string();
            let wrong = "it did not exit within 2 s and was killed".to_string();
            results.push(CheckResult { what, wrong: (!went).then_some(wrong) });
        }
        results
    }

    fn whole_game(&mut self, game: &dyn DynGame, side: Side) -> Result<(), String> {
        let resources = Resources::with_clock(self.seed, self.clock.clone());
        let random = "random".parse().and_then(|spec| game.player(&spec, &resources));
        let mut random = random.map_err(|bad| bad.to_string())?;
        let referee = Referee::new(self.options.time, self.clock.clone());
        let players: [&mut dyn Player; 2] = match side {
            Side::First => [&mut self.bot, random.as_mut()],
            Side::Second => [random.as_mut(), &mut self.bot],
        };
        let played = referee.play(game.board(), players, &self.stop, None);
        match played.violation.filter(|violation| violation.side == side) {
            None => Ok(()),
            Some(violation) => {
                let moves = counted(played.record.moves.len() as u64, "move");
                Err(format!("it {} ({}, after {moves})", violation.reason, violation.kind))
            }
        }
    }

    /// Checks the bot's answers in positions of random games. The clocks of these games do not run, so that each position is
    /// asked with the full time.
    fn positions(&mut self, game: &dyn DynGame) -> Result<(), String> {
        let mut random = Random::new(self.seed);
        let mut asked = 0;
        if game.board().ending().is_some() {
            // A game that is over at the start, like a board without beans.
            return Ok(());
        }
        while asked < self.options.positions {
            let time = [self.options.time; 2];
            let mut session = Session::new(game.board(), time, Policy::engines(), Micros::ZERO);
            let spec = game.spec();
            self.bot.ready(&spec).map_err(|failure| failure.to_string())?;
            self.bot.begin(&spec, session.board().turn());
            while session.ending().is_none() && asked < self.options.positions {
                self.answer(&session)?;
                asked += 1;
                for _ in 0..1 + random.below(3) {
                    let (side, moves) = (session.board().turn(), session.board().moves());
                    let Some(text) = moves.get(random.below(moves.len().max(1))) else { break };
                    let made = session.handle(side, Command::text(text), Micros::ZERO);
                    made.map_err(|refused| refused.to_string())?;
                }
            }
            let abandoned = Ending { cause: Cause::Abandoned, outcome: None };
            self.bot.end(&session.ending().unwrap_or(abandoned));
        }
        Ok(())
    }

    /// Asks the bot for a move and lets the session decide about the answer. The move is not made.
    fn answer(&mut self, session: &Session) -> Result<(), String> {
        let (board, limits) = (session.board(), session.limits(Micros::ZERO));
        let answer = self.bot.choose(board, &limits, &self.stop, &mut |_| ());
        let thought = self.bot.thought().unwrap_or_default();
        self.times.push(thought);
        self.cpu_times.extend(self.bot.cpu_time());
        let decided = session.decide(board.turn(), answer.into(), thought.into());
        match decided.map_err(|refused| refused.to_string())?.kind {
            EventKind::End { violation: Some(violation), .. } => {
                Err(format!("it {} ({}) in {}", violation.reason, violation.kind, board.position()))
            }
            _ => Ok(()),
        }
    }
}
