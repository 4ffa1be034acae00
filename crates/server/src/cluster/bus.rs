//! The message bus: sends messages in order and dispatches those that arrive. Messages that are lost while the database is
//! unavailable are made up for by reading the logs of the games.

use super::{Answer, Cluster, ClusterMessage, Operation, OwnerRequest, RequestDone, UPDATES_CHANNEL};
use crate::{problem::Problem, room::Rooms, wire::SideWord};
use parlor_store::{ListenerEvent, Store};
use std::time::Duration;
use tokio::sync::mpsc;

/// Most messages sent in one transaction.
const BATCH: usize = 256;
/// Interval between attempts to listen for messages.
const RETRY_INTERVAL: Duration = Duration::from_millis(300);

/// Sends messages until the server stops. Those that cannot be sent are lost: a server that misses one reads the log.
pub(super) async fn send_messages(
    store: Store,
    mut messages: mpsc::UnboundedReceiver<(String, ClusterMessage)>,
) {
    let mut batch = Vec::with_capacity(BATCH);
    while messages.recv_many(&mut batch, BATCH).await > 0 {
        let notifications: Vec<(String, String)> =
            batch.drain(..).map(|(channel, message)| (channel, message.text())).collect();
        if let Err(reason) = store.notify_all(&notifications).await {
            tracing::debug!(%reason, messages = notifications.len(), "messages to other servers are lost");
        }
    }
}

/// Receives messages until the server stops.
pub(crate) async fn receive_messages(cluster: Cluster, rooms: Rooms) {
    let inbox = Cluster::inbox(cluster.name());
    loop {
        match cluster.0.store.listener(&[UPDATES_CHANNEL, &inbox]).await {
            Ok(mut listener) => {
                rooms.reread();
                let reason = loop {
                    match listener.next().await {
                        Ok(ListenerEvent::Notification(notification)) => {
                            dispatch(&cluster, &rooms, &notification.payload);
                        }
                        Ok(ListenerEvent::Reconnected) => {
                            // Answers may have been missed, too.
                            cluster.pending().clear();
                            rooms.reread();
                        }
                        Err(reason) => break reason,
                    }
                };
                tracing::warn!(server = cluster.name(), %reason, "not receiving messages of other servers");
            }
            Err(reason) => {
                tracing::debug!(server = cluster.name(), %reason, "not receiving messages of other servers");
            }
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

fn dispatch(cluster: &Cluster, rooms: &Rooms, text: &str) {
    match ClusterMessage::parse(text) {
        Some(ClusterMessage::Update(update)) if update.from != cluster.name() => rooms.deliver_update(update),
        Some(ClusterMessage::Request(request)) => {
            tokio::spawn(handle_request(cluster.clone(), rooms.clone(), *request));
        }
        Some(ClusterMessage::Response { number, answer }) => {
            cluster.complete(number, answer.map_err(Problem::from));
        }
        Some(ClusterMessage::ServerLeft) => cluster.0.departed.notify_one(),
        Some(ClusterMessage::Update(_)) => {}
        // Not the text itself: it may contain the hashes of seat tokens.
        None => tracing::debug!(bytes = text.len(), "message of another version ignored"),
    }
}

/// Performs an operation for another server, on the same path as the requests of this server's own clients.
async fn handle_request(cluster: Cluster, rooms: Rooms, request: OwnerRequest) {
    let OwnerRequest { number, from, game, operation } = request;
    let answer: Answer = match operation {
        Operation::Act { key, action, visitor } => {
            let frame = rooms.act_here(&game, &key, &action, visitor).await;
            frame.map(|frame| RequestDone { seq: frame.state.seq, side: None })
        }
        Operation::Join(guest) => match rooms.join_here(&game, &guest).await {
            Ok(side) => {
                let side = Some(SideWord::from(side));
                rooms.frame(&game, None, None).await.map(|frame| RequestDone { seq: frame.state.seq, side })
            }
            Err(problem) => Err(problem),
        },
        Operation::Watched => {
            rooms.open_in_background(&game).await;
            return;
        }
    };
    if let Err(problem) = &answer
        && problem.is_failure()
        && !matches!(problem, Problem::Elsewhere(_))
    {
        tracing::error!(game, server = from, reason = problem.reason(), "request of another server failed");
    }
    cluster
        .send(Cluster::inbox(&from), ClusterMessage::Response { number, answer: answer.map_err(Into::into) });
}
