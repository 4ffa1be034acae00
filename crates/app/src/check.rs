//! `parlor check BOT --game GAME`: whether a program keeps the protocol and the rules, a verdict a line. It asks for the opposite
//! of everything by which a bot can lose a game without losing it on the board.

use crate::{args::CheckOptions, fault::Fault, players::Hall, start};
use parlor_arena::{Control, FoulKind, Referee};
use parlor_catalog::{Clock, Hosted, Monotonic, Random, Setting};
use parlor_play::{Answer, Audience, Board, Failure, Limits, Player, Side};
use parlor_protocol::Bot;
use serde_json::json;
use std::{
    io::Write,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

/// How much later than its time an answer may come.
const GRACE: Duration = parlor_arena::GRACE;

/// One thing that must hold, and what is wrong with it.
struct Verdict {
    what: String,
    wrong: Option<String>,
}

/// A program under examination.
struct Exam<'a> {
    bot: Bot,
    clock: Arc<dyn Clock>,
    options: &'a CheckOptions,
    stop: Arc<AtomicBool>,
    seed: u64,
    /// How long it thought about each answer.
    times: Vec<Duration>,
    /// The processor time of each answer, where it is measured.
    cpu_times: Vec<Duration>,
}

pub fn run(options: &CheckOptions, out: &mut dyn Write) -> Result<(), Fault> {
    let games = options.game.iter().map(|spec| parlor_catalog::game(spec)).collect::<Result<Vec<_>, _>>();
    let games = games.map_err(|bad| Fault::Input(format!("--game: {bad}")))?;
    let hall = Hall::new(".".as_ref(), true, !options.no_sandbox)?;
    let program = hall.program(&options.bot).ok_or_else(|| {
        let sentence = "a program is checked, like bot:python3 bot.py or ugi:./engine";
        Fault::Input(format!("player '{}': {sentence}", options.bot))
    })??;
    let clock: Arc<dyn Clock> = Arc::new(Monotonic::start());
    let bot = hall.seat(&program, &[], &[], &clock);
    let (stop, seed) = (start::interruptible(), options.seed.unwrap_or(1));
    let mut exam = Exam { bot, clock, options, stop, seed, times: Vec::new(), cpu_times: Vec::new() };
    if !options.json {
        writeln!(out, "{}", hall.remark())?;
    }
    let mut bad = 0;
    for verdict in exam.verdicts(&games) {
        bad += u32::from(verdict.wrong.is_some());
        tell(&verdict, options.json, out)?;
    }
    if let Some([median, worst]) = median_and_worst(&mut exam.times).filter(|_| !options.json) {
        let count = exam.times.len();
        writeln!(out, "{count} answers, {median:.1} ms in the median, {worst:.1} ms at most")?;
        if let Some([median, worst]) = median_and_worst(&mut exam.cpu_times) {
            writeln!(out, "processor time {median:.1} ms in the median, {worst:.1} ms at most")?;
        }
    }
    match bad {
        0 => Ok(()),
        1 => Err(Fault::Failed("1 thing is wrong with the bot".to_string())),
        _ => Err(Fault::Failed(format!("{bad} things are wrong with the bot"))),
    }
}

/// In milliseconds; none where there are no times.
fn median_and_worst(times: &mut [Duration]) -> Option<[f64; 2]> {
    times.sort();
    let last = times.last()?;
    Some([times[times.len() / 2], *last].map(|time| time.as_secs_f64() * 1000.0))
}

fn tell(verdict: &Verdict, as_json: bool, out: &mut dyn Write) -> Result<(), Fault> {
    let Verdict { what, wrong } = verdict;
    if as_json {
        writeln!(out, "{}", json!({"what": what, "ok": wrong.is_none(), "why": wrong}))?;
    } else {
        match wrong {
            None => writeln!(out, "ok     {what}")?,
            Some(why) => writeln!(out, "WRONG  {what}: {}", crate::league::scoreboard::plain(why, 400))?,
        }
    }
    Ok(out.flush()?)
}

impl Exam<'_> {
    /// All verdicts; after one that leaves nothing to examine no more.
    fn verdicts(&mut self, games: &[Arc<dyn Hosted>]) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for game in games {
            let spec = game.spec();
            let started = self.bot.ready(&spec).err().map(|failure| failure.to_string());
            let lost = started.is_some();
            verdicts.push(Verdict { what: format!("it starts, for {spec}"), wrong: started });
            if lost {
                return verdicts;
            }
            for side in Side::BOTH {
                let what = format!("it plays {spec} to the end with the {side} side");
                verdicts.push(Verdict { what, wrong: self.whole_game(game.as_ref(), side).err() });
            }
            let what =
                format!("it keeps rules and time in {} random positions of {spec}", self.options.positions);
            verdicts.push(Verdict { what, wrong: self.positions(game.as_ref()).err() });
        }
        // One that has failed was ended then and is not running any more.
        if let Some(went) = self.bot.quit() {
            let what = "it bears the end of a game and goes when told to quit".to_string();
            let wrong = "it did not go within two seconds and had to be ended".to_string();
            verdicts.push(Verdict { what, wrong: (!went).then_some(wrong) });
        }
        verdicts
    }

    fn whole_game(&mut self, game: &dyn Hosted, side: Side) -> Result<(), String> {
        let setting = Setting { seed: self.seed, clock: self.clock.clone(), tables: None };
        let random = "random".parse().and_then(|spec| game.player(&spec, &setting));
        let mut random = random.map_err(|bad| bad.to_string())?;
        let referee = Referee::new(Control::Move(self.options.time), self.clock.clone());
        let players: [&mut dyn Player; 2] = match side {
            Side::First => [&mut self.bot, random.as_mut()],
            Side::Second => [random.as_mut(), &mut self.bot],
        };
        let played = referee.play(game.board(), players, &self.stop, None);
        match played.foul.filter(|foul| foul.side == side) {
            None => Ok(()),
            Some(foul) => {
                Err(format!("it {} ({}, after {} moves)", foul.why, foul.kind, played.record.moves.len()))
            }
        }
    }

    /// Positions from random games, and the bot's answer to each.
    fn positions(&mut self, game: &dyn Hosted) -> Result<(), String> {
        let mut random = Random::new(self.seed);
        let mut asked = 0;
        while asked < self.options.positions {
            let mut board = game.board();
            let spec = game.spec();
            self.bot.ready(&spec).map_err(|failure| failure.to_string())?;
            self.bot.begin(&spec, board.turn());
            while board.ending().is_none() && asked < self.options.positions {
                self.answer(board.as_ref())?;
                asked += 1;
                for _ in 0..1 + random.below(3) {
                    let moves = board.moves();
                    let Some(text) = moves.get(random.below(moves.len().max(1))) else { break };
                    board.play(text, Audience::NOBODY).map_err(|illegal| illegal.0)?;
                }
            }
            let left = parlor_play::Ending { cause: parlor_play::Cause::Abandoned, outcome: None };
            self.bot.end(&board.ending().unwrap_or(left));
        }
        Ok(())
    }

    fn answer(&mut self, board: &dyn Board) -> Result<(), String> {
        let limits = Limits { time: Some(self.options.time), ..Limits::default() };
        let wrong = |kind: FoulKind, why: &str| format!("it {why} ({kind}) in {}", board.position());
        let answer = self.bot.choose(&board.record(), &limits, &self.stop, &mut |_| ());
        let thought = self.bot.thought().unwrap_or_default();
        self.times.push(thought);
        self.cpu_times.extend(self.bot.cpu_time());
        let answer = answer.map_err(|failure| wrong((&failure).into(), &failure.to_string()))?;
        if thought > self.options.time + GRACE {
            return Err(wrong(FoulKind::Timeout, &Failure::Timeout(thought).to_string()));
        }
        match answer {
            Answer::Move(text) => match board.check(&text) {
                Ok(_) => Ok(()),
                Err(why) => Err(wrong(FoulKind::Illegal, &format!("answered '{text}': {why}"))),
            },
            Answer::Resign => Ok(()),
            other => Err(wrong(FoulKind::Illegal, &format!("answered {other:?} where there are moves"))),
        }
    }
}
