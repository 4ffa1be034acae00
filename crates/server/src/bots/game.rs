//! A bot over the network at its seat: it is asked in its dialect when it is its turn, and its answers take the same path as a
//! person's. It keeps nothing: a bot that reconnects finds the game as it is.

use super::{
    line::{Gone, Heard, Line},
    question::{Question, end_line},
};
use crate::{
    api::events::Listening,
    problem::Problem,
    room::{Action, Frame},
    service::Service,
    wire::SeatKind,
};
use parlor_core::{Answer, Failure, Side, harmless};
use parlor_protocol::{Dialect, Said, Trouble, dialects::simple};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long an engine may take to say that it is ready.
const STARTUP: Duration = Duration::from_secs(10);
/// How long to wait before something that could not be done is tried again.
const AGAIN: Duration = Duration::from_millis(200);
/// A bot of the lobby waits so long for a game without a clock to go on; then it is for others again.
const PATIENCE: Duration = Duration::from_secs(600);

/// How a bot's game ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    /// The game is over, and the bot was told.
    Over,
    /// The connection is lost, and the bot may come back: why.
    Gone(&'static str),
    Stopping,
    /// The bot said what no bot may say, and has lost: why.
    Foul(Trouble),
    /// The bot cannot play this game: the reason.
    Useless(String),
}

impl From<Gone> for Fate {
    fn from(gone: Gone) -> Fate {
        Fate::Gone(gone.0)
    }
}

/// A seat and the connection to its bot.
pub struct Seated<'a> {
    pub service: &'a Service,
    pub line: &'a mut Line,
    pub dialect: Dialect,
    /// As in the game's URLs.
    pub id: String,
    /// Hash of the token that holds the seat.
    pub key: String,
    /// Whether the bot came from the lobby, not for this game alone.
    pub from_lobby: bool,
}

struct Asked {
    ply: u64,
    seq: i64,
    /// When the last `try` counts as the answer, or the engine gets `stop`.
    deadline: Instant,
    tried: Option<String>,
    stopped: bool,
}

/// What has become of a claim that was made instead of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    None,
    Made,
    Offered,
}

struct Playing<'a> {
    seated: Seated<'a>,
    asked: Option<Asked>,
    /// Sequence number of the event after which the bot answered.
    answered: Option<i64>,
    claim: Claim,
    told_opponent: bool,
    /// Time of the last frame; `PATIENCE` counts from here.
    latest: Instant,
}

impl Seated<'_> {
    /// Plays until the game ends or the bot goes.
    pub async fn play(self) -> Fate {
        let service = self.service.clone();
        let mut playing = Playing {
            seated: self,
            asked: None,
            answered: None,
            claim: Claim::None,
            told_opponent: false,
            latest: Instant::now(),
        };
        let fate = playing.run().await;
        if let Fate::Foul(trouble) = &fate {
            playing.act(&Action::failure(&Failure::Garbage(trouble.to_string()))).await;
        }
        if *service.stopping().borrow() && matches!(fate, Fate::Gone(_)) {
            return Fate::Stopping;
        }
        playing.log_end(&fate).await;
        fate
    }
}

impl Playing<'_> {
    async fn run(&mut self) -> Fate {
        let mut greeted = false;
        loop {
            let listening = Listening::to(self.seated.service, &self.seated.id, None).await;
            let gone_on = match listening {
                Ok(mut listening) => self.listen(&mut listening, &mut greeted).await,
                Err(Problem::NotFound(_)) => Err(Fate::Useless("the game does not exist".to_string())),
                Err(_) => Ok(()),
            };
            if let Err(fate) = gone_on {
                return fate;
            }
            if *self.seated.service.stopping().borrow() {
                return Fate::Stopping;
            }
            // The room ended; the next one begins with what is kept, and the bot is asked again.
            (self.answered, self.claim) = (None, Claim::None);
            sleep(AGAIN).await;
        }
    }

    /// Plays until the room closes.
    async fn listen(&mut self, listening: &mut Listening, greeted: &mut bool) -> Result<(), Fate> {
        let Some(mut frame) = listening.frame().await else { return Ok(()) };
        if !std::mem::replace(greeted, true) {
            self.greet(&frame).await?;
        }
        self.see(&frame).await?;
        loop {
            let deadline = self.asked.as_ref().filter(|asked| !asked.stopped).map(|asked| asked.deadline);
            let patience = self.latest + PATIENCE;
            tokio::select! {
                next = listening.frame() => {
                    let Some(next) = next else { return Ok(()) };
                    frame = next;
                    self.latest = Instant::now();
                    self.see(&frame).await?;
                }
                heard = self.seated.line.hear() => match heard {
                    Heard::Line(text) => self.heard(&text).await?,
                    Heard::Trouble(trouble) => return Err(Fate::Foul(trouble)),
                    Heard::Gone(gone) => return Err(gone.into()),
                },
                () = sleep_until(deadline.unwrap_or(patience)), if deadline.is_some() => self.press().await?,
                () = sleep_until(patience), if self.tires(&frame) => self.abandon().await,
            }
            if self.answered.is_none() && self.asked.is_none() {
                let now =
                    self.seated.service.rooms().look(&self.seated.id, Some(&self.seated.key), None).await;
                frame = now.unwrap_or(frame);
                self.see(&frame).await?;
            }
        }
    }

    /// Whether a bot of the lobby should abandon a game that makes no progress.
    fn tires(&self, frame: &Arc<Frame>) -> bool {
        self.seated.from_lobby && frame.state.clocks.is_none_or(|clocks| clocks.running.is_none())
    }

    async fn abandon(&mut self) {
        self.latest = Instant::now();
        self.act(&Action::Abandon).await;
    }

    fn side(&self, frame: &Frame) -> Side {
        let viewer = frame.viewer(Some(&self.seated.key));
        if viewer.has(Side::First) { Side::First } else { Side::Second }
    }

    /// Performs the protocol's handshake for the game.
    async fn greet(&mut self, frame: &Frame) -> Result<(), Fate> {
        let game = &frame.state.game;
        if self.seated.dialect == Dialect::Simple {
            let new = simple::new(game, self.side(frame));
            return Ok(self.seated.line.say(&new).await?);
        }
        let late = || Err(Fate::Useless("no 'ugiok' and 'readyok' within 10 s".to_string()));
        let greeted = timeout(STARTUP, greet_engine(self.seated.line, game)).await.unwrap_or_else(|_| late());
        if let Err(Fate::Useless(reason)) = &greeted {
            self.act(&Action::failure(&Failure::Start(reason.clone()))).await;
        }
        greeted
    }

    /// The game as it stands now: the bot is asked, not asked any more, or told the end.
    async fn see(&mut self, frame: &Frame) -> Result<(), Fate> {
        self.tell_opponent(frame).await?;
        if let Some(ending) = &frame.state.ending {
            self.withdraw().await?;
            self.seated.line.say(&end_line(ending, self.side(frame))).await?;
            return Err(Fate::Over);
        }
        let seq = frame.state.seq;
        self.follow_claim(frame);
        if self.asked.as_ref().is_some_and(|asked| asked.seq == seq) {
            return Ok(());
        }
        self.withdraw().await?;
        let turn = frame.is_asked(frame.viewer(Some(&self.seated.key)));
        if turn && self.answered != Some(seq) && is_full(frame) {
            self.ask(frame).await?;
        } else if !turn || !is_full(frame) {
            // Nothing is to be answered here, so nothing is missing.
            self.answered = Some(seq);
        }
        Ok(())
    }

    async fn tell_opponent(&mut self, frame: &Frame) -> Result<(), Fate> {
        if is_full(frame) && !self.told_opponent {
            self.told_opponent = true;
            let opponent = &frame.state.seats[self.side(frame).other().index()].name;
            self.seated.line.say(&format!("against\t{}", harmless(opponent, 40))).await?;
        }
        Ok(())
    }

    /// A claim that the other side declines leaves the bot to move.
    fn follow_claim(&mut self, frame: &Frame) {
        match (self.claim, frame.state.offer) {
            (Claim::Made, Some(_)) => self.claim = Claim::Offered,
            (Claim::Offered, None) => (self.claim, self.answered) = (Claim::None, None),
            _ => {}
        }
    }

    async fn ask(&mut self, frame: &Frame) -> Result<(), Fate> {
        let now = self.seated.service.time().now();
        let Question { lines, time } = match Question::of(frame, self.seated.dialect, now) {
            Ok(question) => question,
            Err(reason) => {
                tracing::error!(game = self.seated.id, reason, "game does not replay");
                return Err(Fate::Useless("internal server error".to_string()));
            }
        };
        self.seated.line.turn(true);
        for line in lines {
            self.seated.line.say(&line).await?;
        }
        self.asked = Some(Asked {
            ply: frame.state.ply as u64,
            seq: frame.state.seq,
            deadline: Instant::now() + time,
            tried: None,
            stopped: false,
        });
        Ok(())
    }

    /// The game went on without the answer: it is not wanted any more, but it will come.
    async fn withdraw(&mut self) -> Result<(), Fate> {
        if self.asked.take().is_some() {
            let line = &mut self.seated.line;
            line.turn(false);
            line.owed = line.owed.saturating_add(1);
            if self.seated.dialect == Dialect::Ugi {
                line.say("stop").await?;
            }
        }
        Ok(())
    }

    /// Time is nearly up: the last try counts, and an engine is to say what it has.
    async fn press(&mut self) -> Result<(), Fate> {
        let Some(asked) = &mut self.asked else { return Ok(()) };
        asked.stopped = true;
        if self.seated.dialect == Dialect::Ugi {
            return Ok(self.seated.line.say("stop").await?);
        }
        if let Some(tried) = asked.tried.take() {
            self.answer(Answer::Move(tried)).await;
        }
        Ok(())
    }

    async fn heard(&mut self, text: &str) -> Result<(), Fate> {
        let owed = &mut self.seated.line.owed;
        match (self.seated.dialect.read(text), &mut self.asked) {
            (Said::Answer(_), asked) if *owed > 0 => {
                *owed -= 1;
                // What was tried before it belonged to the same question.
                if let Some(asked) = asked {
                    asked.tried = None;
                }
            }
            (Said::Answer(answer), Some(_)) => self.answer(answer).await,
            (Said::Try(tried), Some(asked)) => {
                asked.tried = Some(tried);
                if asked.stopped {
                    self.press().await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Sends an answer to the room. Where the room cannot take it, or the opponent declines a claim, the bot is asked again.
    async fn answer(&mut self, answer: Answer) {
        let Some(asked) = self.asked.take() else { return };
        self.seated.line.turn(false);
        self.answered = Some(asked.seq);
        let claims = answer == Answer::Claim;
        self.claim = if claims { Claim::Made } else { Claim::None };
        let action = Action::answer(asked.ply, asked.seq, answer);
        match self.seated.service.rooms().act(&self.seated.id, &self.seated.key, &action, None).await {
            Err(Problem::Refused(_)) if claims => self.answered = None,
            Err(problem) if problem.is_failure() => {
                let reason = problem.reason();
                tracing::warn!(game = self.seated.id, reason, "answer of a bot not saved; asking again");
                sleep(AGAIN).await;
                self.answered = None;
            }
            // Done, or the game went on without it.
            _ => {}
        }
    }

    /// Ends the bot's game, unless it is over by now.
    async fn act(&mut self, action: &Action) {
        let done = self.seated.service.rooms().act(&self.seated.id, &self.seated.key, action, None).await;
        if let Err(problem) = done
            && problem.is_failure()
        {
            tracing::error!(
                game = self.seated.id,
                reason = problem.reason(),
                "end of a bot's game not saved"
            );
        }
    }

    /// Logs why the connection of a bot ended before its game did.
    async fn log_end(&mut self, fate: &Fate) {
        let reason = match fate {
            Fate::Over | Fate::Stopping => return,
            Fate::Gone(why) => (*why).to_string(),
            Fate::Foul(trouble) => trouble.to_string(),
            Fate::Useless(why) => why.clone(),
        };
        let id = &self.seated.id;
        let bot = match self.seated.service.rooms().look(id, None, None).await {
            Ok(frame) => frame.state.seats[self.side(&frame).index()].name.clone(),
            Err(_) => String::new(),
        };
        match fate {
            // It closed the connection by itself, and may come back.
            Fate::Gone(_) => tracing::info!(game = id, bot, reason, "bot disconnected"),
            _ => tracing::warn!(game = id, bot, reason, "bot disconnected by the server"),
        }
    }
}

fn is_full(frame: &Frame) -> bool {
    frame.state.seats.iter().all(|seat| seat.kind != SeatKind::Open)
}

/// The handshake of an engine; one that does not know the word `game` is believed to play it.
async fn greet_engine(line: &mut Line, game: &str) -> Result<(), Fate> {
    line.turn(true);
    if !line.greeted {
        line.say("ugi").await?;
        until(line, "ugiok").await?;
        line.greeted = true;
    }
    for told in [&format!("game {game}"), "uginewgame", "isready"] {
        line.say(told).await?;
    }
    until(line, "readyok").await?;
    // What was withdrawn has been answered before that.
    line.owed = 0;
    line.turn(false);
    Ok(())
}

async fn until(line: &mut Line, wanted: &str) -> Result<(), Fate> {
    loop {
        match line.hear().await {
            Heard::Line(text) if text.trim() == wanted => return Ok(()),
            Heard::Line(text) => {
                if let Some(why) = text.trim().strip_prefix("gameno") {
                    return Err(Fate::Useless(format!(
                        "it does not support this game: {}",
                        harmless(why.trim(), 80)
                    )));
                }
            }
            Heard::Trouble(trouble) => return Err(Fate::Foul(trouble)),
            Heard::Gone(gone) => return Err(gone.into()),
        }
    }
}
