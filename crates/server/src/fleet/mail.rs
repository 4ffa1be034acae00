//! Letters out, in the order in which they were given, and letters in. What was missed while the database was away is made up
//! for by reading the logs.

use super::{Answer, Done, Errand, Fleet, Letter, NEWS, Request};
use crate::{problem::Problem, room::Rooms, wire::SideWord};
use parlor_store::{Heard, Store};
use std::time::Duration;
use tokio::sync::mpsc;

/// Messages sent per transaction.
const BATCH: usize = 256;
/// How long it is until the next try where the database does not listen.
const PAUSE: Duration = Duration::from_millis(300);

/// Sends letters until the server ends. Those that cannot be sent are lost: whoever misses one reads the log.
pub(super) async fn send(store: Store, mut letters: mpsc::UnboundedReceiver<(String, Letter)>) {
    let mut batch = Vec::with_capacity(BATCH);
    while letters.recv_many(&mut batch, BATCH).await > 0 {
        let notes: Vec<(String, String)> =
            batch.drain(..).map(|(channel, letter)| (channel, letter.text())).collect();
        if let Err(reason) = store.notify_all(&notes).await {
            tracing::debug!(%reason, messages = notes.len(), "messages to other servers are lost");
        }
    }
}

/// Receives messages until the server stops.
pub(crate) async fn listen(fleet: Fleet, rooms: Rooms) {
    let inbox = Fleet::inbox(fleet.me());
    loop {
        match fleet.0.store.listener(&[NEWS, &inbox]).await {
            Ok(mut listener) => {
                rooms.reread();
                let reason = loop {
                    match listener.next().await {
                        Ok(Heard::Note(note)) => read(&fleet, &rooms, &note.payload),
                        Ok(Heard::Again) => {
                            // Answers may have been missed, too.
                            fleet.waiting().clear();
                            rooms.reread();
                        }
                        Err(reason) => break reason,
                    }
                };
                tracing::warn!(server = fleet.me(), %reason, "not receiving messages of other servers");
            }
            Err(reason) => {
                tracing::debug!(server = fleet.me(), %reason, "not receiving messages of other servers");
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn read(fleet: &Fleet, rooms: &Rooms, text: &str) {
    match Letter::parse(text) {
        Some(Letter::News(news)) if news.from != fleet.me() => rooms.deliver(news),
        Some(Letter::Errand(request)) => {
            tokio::spawn(run(fleet.clone(), rooms.clone(), *request));
        }
        Some(Letter::Done { number, answer }) => fleet.answered(number, answer.map_err(Problem::from)),
        Some(Letter::Left) => fleet.0.left.notify_one(),
        Some(Letter::News(_)) => {}
        // Not the text itself: it may hold what seats are held by.
        None => tracing::debug!(bytes = text.len(), "message of another version ignored"),
    }
}

/// Does an errand for another server, by the same door as everything else.
async fn run(fleet: Fleet, rooms: Rooms, request: Request) {
    let Request { number, from, game, errand } = request;
    let answer: Answer = match errand {
        Errand::Do { key, action, visitor } => {
            let frame = rooms.act_here(&game, &key, &action, visitor).await;
            frame.map(|frame| Done { seq: frame.state.seq, side: None })
        }
        Errand::Sit(guest) => match rooms.sit_here(&game, &guest).await {
            Ok(side) => {
                let side = Some(SideWord::from(side));
                rooms.look(&game, None, None).await.map(|frame| Done { seq: frame.state.seq, side })
            }
            Err(problem) => Err(problem),
        },
        Errand::Watched => {
            rooms.open_unasked(&game).await;
            return;
        }
    };
    if let Err(problem) = &answer
        && problem.is_failure()
        && !matches!(problem, Problem::Elsewhere(_))
    {
        tracing::error!(game, server = from, reason = problem.reason(), "request of another server failed");
    }
    fleet.post(Fleet::inbox(&from), Letter::Done { number, answer: answer.map_err(Into::into) });
}
