//! Serves a bot in a game. When it is the bot's turn, the server sends a question in the bot's dialect; the answer
//! takes the same path as a person's move. No state is kept between connections: a bot that reconnects gets the
//! current position.

use super::{
    connection::{BotConnection, Disconnected, Received},
    question::{Question, end_line},
};
use crate::{
    api::events::FrameStream,
    problem::Problem,
    room::{Action, GameFrame},
    service::Service,
    wire::SeatKind,
};
use parlor_core::{Answer, Failure, Side, harmless};
use parlor_protocol::{BotMessage, Dialect, LineError, dialects::simple};
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long an engine may take for its handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time before a failed attempt is repeated.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);
/// How long a bot of the lobby waits for progress of a game without a clock; then it abandons the game.
const ABANDON_AFTER: Duration = Duration::from_secs(600);

/// Why the service of a bot in a game ended.
#[derive(Debug, PartialEq, Eq)]
pub enum BotExit {
    /// The game is over, and the bot was informed.
    GameOver,
    /// The connection was lost for this reason, and the bot may reconnect.
    Disconnected(&'static str),
    ServerStops,
    /// The bot lost the game by this violation of the protocol.
    Violation(LineError),
    /// The bot cannot play this game, for this reason.
    CannotPlay(String),
}

impl From<Disconnected> for BotExit {
    fn from(gone: Disconnected) -> BotExit {
        BotExit::Disconnected(gone.0)
    }
}

/// A seat and the connection to its bot.
pub struct SeatedBot<'a> {
    pub service: &'a Service,
    pub connection: &'a mut BotConnection,
    pub dialect: Dialect,
    /// The id of the game, as in URLs.
    pub id: String,
    /// Hash of the token that holds the seat.
    pub key: String,
    /// Whether the bot came from the lobby; otherwise it connected for this game only.
    pub from_lobby: bool,
}

struct OpenQuestion {
    ply: u64,
    seq: i64,
    /// The time at which the last `try` counts as the answer, or the engine gets `stop`.
    deadline: Instant,
    tried: Option<String>,
    stopped: bool,
}

/// State of a repetition claim that the bot made instead of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    None,
    Made,
    Offered,
}

struct BotGame<'a> {
    seated: SeatedBot<'a>,
    asked: Option<OpenQuestion>,
    /// Sequence number of the event after which the bot answered.
    answered: Option<i64>,
    claim: Claim,
    opponent_announced: bool,
    /// Time of the last frame; `ABANDON_AFTER` counts from here.
    last_frame: Instant,
}

impl SeatedBot<'_> {
    /// Plays until the game ends or the bot disconnects.
    pub async fn play(self) -> BotExit {
        let service = self.service.clone();
        let mut game = BotGame {
            seated: self,
            asked: None,
            answered: None,
            claim: Claim::None,
            opponent_announced: false,
            last_frame: Instant::now(),
        };
        let exit = game.run().await;
        if let BotExit::Violation(trouble) = &exit {
            game.end_game(&Action::failure(&Failure::Garbage(trouble.to_string()))).await;
        }
        if *service.stopping().borrow() && matches!(exit, BotExit::Disconnected(_)) {
            return BotExit::ServerStops;
        }
        game.log_end(&exit).await;
        exit
    }
}

impl BotGame<'_> {
    async fn run(&mut self) -> BotExit {
        let mut greeted = false;
        loop {
            let frames = FrameStream::open(self.seated.service, &self.seated.id, None).await;
            let result = match frames {
                Ok(mut frames) => self.listen(&mut frames, &mut greeted).await,
                Err(Problem::NotFound(_)) => Err(BotExit::CannotPlay("the game does not exist".to_string())),
                Err(_) => Ok(()),
            };
            if let Err(exit) = result {
                return exit;
            }
            if *self.seated.service.stopping().borrow() {
                return BotExit::ServerStops;
            }
            // The room ended. The next one is restored from the store, and the bot is asked again.
            (self.answered, self.claim) = (None, Claim::None);
            sleep(RETRY_INTERVAL).await;
        }
    }

    /// Plays until the room closes.
    async fn listen(&mut self, frames: &mut FrameStream, greeted: &mut bool) -> Result<(), BotExit> {
        let Some(mut frame) = frames.frame().await else { return Ok(()) };
        if !std::mem::replace(greeted, true) {
            self.handshake(&frame).await?;
        }
        self.on_frame(&frame).await?;
        loop {
            let deadline = self.asked.as_ref().filter(|asked| !asked.stopped).map(|asked| asked.deadline);
            let abandon_at = self.last_frame + ABANDON_AFTER;
            tokio::select! {
                next = frames.frame() => {
                    let Some(next) = next else { return Ok(()) };
                    frame = next;
                    self.last_frame = Instant::now();
                    self.on_frame(&frame).await?;
                }
                received = self.seated.connection.receive() => match received {
                    Received::Line(text) => self.on_line(&text).await?,
                    Received::Trouble(trouble) => return Err(BotExit::Violation(trouble)),
                    Received::Disconnected(gone) => return Err(gone.into()),
                },
                () = sleep_until(deadline.unwrap_or(abandon_at)), if deadline.is_some() => self.on_deadline().await?,
                () = sleep_until(abandon_at), if self.should_abandon(&frame) => self.abandon().await,
            }
            if self.answered.is_none() && self.asked.is_none() {
                let now =
                    self.seated.service.rooms().frame(&self.seated.id, Some(&self.seated.key), None).await;
                frame = now.unwrap_or(frame);
                self.on_frame(&frame).await?;
            }
        }
    }

    /// Whether a bot of the lobby should abandon a game that makes no progress.
    fn should_abandon(&self, frame: &Arc<GameFrame>) -> bool {
        self.seated.from_lobby && frame.state.clocks.is_none_or(|clocks| clocks.running.is_none())
    }

    async fn abandon(&mut self) {
        self.last_frame = Instant::now();
        self.end_game(&Action::Abandon).await;
    }

    fn side(&self, frame: &GameFrame) -> Side {
        let viewer = frame.viewer(Some(&self.seated.key));
        if viewer.has(Side::First) { Side::First } else { Side::Second }
    }

    /// Performs the protocol's handshake for the game.
    async fn handshake(&mut self, frame: &GameFrame) -> Result<(), BotExit> {
        let game = &frame.state.game;
        if self.seated.dialect == Dialect::Simple {
            let new = simple::new(game, self.side(frame));
            return Ok(self.seated.connection.send_line(&new).await?);
        }
        let late = || Err(BotExit::CannotPlay("no 'ugiok' and 'readyok' within 10 s".to_string()));
        let greeted = timeout(HANDSHAKE_TIMEOUT, engine_handshake(self.seated.connection, game))
            .await
            .unwrap_or_else(|_| late());
        if let Err(BotExit::CannotPlay(reason)) = &greeted {
            self.end_game(&Action::failure(&Failure::Start(reason.clone()))).await;
        }
        greeted
    }

    /// Handles a new state: asks the bot, cancels the open question, or reports the end.
    async fn on_frame(&mut self, frame: &GameFrame) -> Result<(), BotExit> {
        self.announce_opponent(frame).await?;
        if let Some(ending) = &frame.state.ending {
            self.cancel_question().await?;
            self.seated.connection.send_line(&end_line(ending, self.side(frame))).await?;
            return Err(BotExit::GameOver);
        }
        let seq = frame.state.seq;
        self.track_claim(frame);
        if self.asked.as_ref().is_some_and(|asked| asked.seq == seq) {
            return Ok(());
        }
        self.cancel_question().await?;
        let turn = frame.is_asked(frame.viewer(Some(&self.seated.key)));
        if turn && self.answered != Some(seq) && is_full(frame) {
            self.ask(frame).await?;
        } else if !turn || !is_full(frame) {
            // The bot has nothing to answer in this state.
            self.answered = Some(seq);
        }
        Ok(())
    }

    async fn announce_opponent(&mut self, frame: &GameFrame) -> Result<(), BotExit> {
        if is_full(frame) && !self.opponent_announced {
            self.opponent_announced = true;
            let opponent = &frame.state.seats[self.side(frame).other().index()].name;
            self.seated.connection.send_line(&format!("against\t{}", harmless(opponent, 40))).await?;
        }
        Ok(())
    }

    /// A claim that the other side declines leaves the bot to move.
    fn track_claim(&mut self, frame: &GameFrame) {
        match (self.claim, frame.state.offer) {
            (Claim::Made, Some(_)) => self.claim = Claim::Offered,
            (Claim::Offered, None) => (self.claim, self.answered) = (Claim::None, None),
            _ => {}
        }
    }

    async fn ask(&mut self, frame: &GameFrame) -> Result<(), BotExit> {
        let now = self.seated.service.time().now();
        let Question { lines, time } = match Question::of(frame, self.seated.dialect, now) {
            Ok(question) => question,
            Err(reason) => {
                tracing::error!(game = self.seated.id, reason, "game does not replay");
                return Err(BotExit::CannotPlay("internal server error".to_string()));
            }
        };
        self.seated.connection.set_asked(true);
        for line in lines {
            self.seated.connection.send_line(&line).await?;
        }
        self.asked = Some(OpenQuestion {
            ply: frame.state.ply as u64,
            seq: frame.state.seq,
            deadline: Instant::now() + time,
            tried: None,
            stopped: false,
        });
        Ok(())
    }

    /// Cancels the open question because the game went on. The bot's answer will still arrive and is ignored.
    async fn cancel_question(&mut self) -> Result<(), BotExit> {
        if self.asked.take().is_some() {
            let connection = &mut self.seated.connection;
            connection.set_asked(false);
            connection.cancelled_answers = connection.cancelled_answers.saturating_add(1);
            if self.seated.dialect == Dialect::Ugi {
                connection.send_line("stop").await?;
            }
        }
        Ok(())
    }

    /// Handles the end of the thinking time: the last `try` counts, and an engine gets `stop`.
    async fn on_deadline(&mut self) -> Result<(), BotExit> {
        let Some(asked) = &mut self.asked else { return Ok(()) };
        asked.stopped = true;
        if self.seated.dialect == Dialect::Ugi {
            return Ok(self.seated.connection.send_line("stop").await?);
        }
        if let Some(tried) = asked.tried.take() {
            self.answer(Answer::Move(tried)).await;
        }
        Ok(())
    }

    async fn on_line(&mut self, text: &str) -> Result<(), BotExit> {
        let cancelled = &mut self.seated.connection.cancelled_answers;
        match (self.seated.dialect.read(text), &mut self.asked) {
            (BotMessage::Answer(_), asked) if *cancelled > 0 => {
                *cancelled -= 1;
                // A `try` before it belonged to the same question.
                if let Some(asked) = asked {
                    asked.tried = None;
                }
            }
            (BotMessage::Answer(answer), Some(_)) => self.answer(answer).await,
            (BotMessage::Try(tried), Some(asked)) => {
                asked.tried = Some(tried);
                if asked.stopped {
                    self.on_deadline().await?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Sends an answer to the room. If the room cannot store it, or the opponent declines a claim, the bot is asked again.
    async fn answer(&mut self, answer: Answer) {
        let Some(asked) = self.asked.take() else { return };
        self.seated.connection.set_asked(false);
        self.answered = Some(asked.seq);
        let claims = answer == Answer::Claim;
        self.claim = if claims { Claim::Made } else { Claim::None };
        let action = Action::answer(asked.ply, asked.seq, answer);
        match self.seated.service.rooms().act(&self.seated.id, &self.seated.key, &action, None).await {
            Err(Problem::Refused(_)) if claims => self.answered = None,
            Err(problem) if problem.is_failure() => {
                let reason = problem.reason();
                tracing::warn!(game = self.seated.id, reason, "answer of a bot not saved; asking again");
                sleep(RETRY_INTERVAL).await;
                self.answered = None;
            }
            // The answer was handled, or the game continued meanwhile.
            _ => {}
        }
    }

    /// Sends an action that ends the game to the room. Only failures of the server are logged: a refusal means that
    /// the game is already over.
    async fn end_game(&mut self, action: &Action) {
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
    async fn log_end(&mut self, exit: &BotExit) {
        let reason = match exit {
            BotExit::GameOver | BotExit::ServerStops => return,
            BotExit::Disconnected(why) => (*why).to_string(),
            BotExit::Violation(trouble) => trouble.to_string(),
            BotExit::CannotPlay(why) => why.clone(),
        };
        let id = &self.seated.id;
        let bot = match self.seated.service.rooms().frame(id, None, None).await {
            Ok(frame) => frame.state.seats[self.side(&frame).index()].name.clone(),
            Err(_) => String::new(),
        };
        match exit {
            // The bot closed the connection and may reconnect.
            BotExit::Disconnected(_) => tracing::info!(game = id, bot, reason, "bot disconnected"),
            _ => tracing::warn!(game = id, bot, reason, "bot disconnected by the server"),
        }
    }
}

fn is_full(frame: &GameFrame) -> bool {
    frame.state.seats.iter().all(|seat| seat.kind != SeatKind::Open)
}

/// Performs the UGI handshake. An engine that ignores `game` is assumed to play the game.
async fn engine_handshake(connection: &mut BotConnection, game: &str) -> Result<(), BotExit> {
    connection.set_asked(true);
    if !connection.handshake_done {
        connection.send_line("ugi").await?;
        wait_for(connection, "ugiok").await?;
        connection.handshake_done = true;
    }
    for line in [&format!("game {game}"), "uginewgame", "isready"] {
        connection.send_line(line).await?;
    }
    wait_for(connection, "readyok").await?;
    // Cancelled questions were answered before `readyok`.
    connection.cancelled_answers = 0;
    connection.set_asked(false);
    Ok(())
}

async fn wait_for(connection: &mut BotConnection, wanted: &str) -> Result<(), BotExit> {
    loop {
        match connection.receive().await {
            Received::Line(text) if text.trim() == wanted => return Ok(()),
            Received::Line(text) => {
                if let Some(why) = text.trim().strip_prefix("gameno") {
                    return Err(BotExit::CannotPlay(format!(
                        "it does not support this game: {}",
                        harmless(why.trim(), 80)
                    )));
                }
            }
            Received::Trouble(trouble) => return Err(BotExit::Violation(trouble)),
            Received::Disconnected(gone) => return Err(gone.into()),
        }
    }
}
