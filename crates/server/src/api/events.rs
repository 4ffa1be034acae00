//! Live games as server-sent events, one per frame. A slow client skips frames and receives the latest one; it does
//! not delay other clients.

use crate::{
    metrics::GaugeGuard,
    problem::{Problem, ProblemBody},
    rate_limits::RequestClass,
    room::{Frames, GameFrame},
    service::Service,
    visitor::Visitor,
};
use axum::{
    extract::{Path, State},
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, stream};
use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};
use tokio::sync::{broadcast::error::RecvError, watch};

/// Interval of keep-alive comments, so that proxies do not close idle streams.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Frames for one client, until the server stops.
pub struct FrameStream {
    next: Option<Arc<GameFrame>>,
    /// `None` for a game that is over.
    frames: Option<Frames>,
    stopping: watch::Receiver<bool>,
    _held: GaugeGuard,
}

impl FrameStream {
    /// Subscribes to a game: the current frame, then each new one.
    pub async fn open(service: &Service, id: &str, visitor: Option<IpAddr>) -> Result<FrameStream, Problem> {
        let (frame, frames) = service.rooms().watch(id, visitor).await?;
        let held = GaugeGuard::new(service.metrics(), |metrics| &metrics.watchers);
        Ok(FrameStream { next: Some(frame), frames, stopping: service.stopping(), _held: held })
    }

    /// Checks the rate limit and subscribes a visitor. Also returns the hash of their token for the game.
    pub async fn admitted(
        service: &Service,
        visitor: &Visitor,
        id: &str,
    ) -> Result<(FrameStream, Option<String>), Problem> {
        service.rate_limits().admit(visitor.address, RequestClass::Read)?;
        Ok((FrameStream::open(service, id, Some(visitor.address)).await?, visitor.key(id)))
    }

    /// The next frame; `None` when the room or the server stops, after which clients reconnect.
    pub async fn frame(&mut self) -> Option<Arc<GameFrame>> {
        if let Some(frame) = self.next.take() {
            return Some(frame);
        }
        loop {
            let frame = tokio::select! {
                frame = next(&mut self.frames) => frame,
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            };
            match frame {
                Ok(frame) => return Some(frame),
                // Each frame has the full state, so missed ones do not matter.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

/// The next frame. Never completes for a game that is over.
async fn next(frames: &mut Option<Frames>) -> Result<Arc<GameFrame>, RecvError> {
    match frames {
        Some(frames) => frames.recv().await,
        None => std::future::pending().await,
    }
}

/// Server-sent events, one or more per frame.
pub fn stream_of(
    stream: FrameStream,
    write: impl Fn(&GameFrame) -> Vec<Event> + Send + 'static,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + Send> {
    let batches = stream::unfold((stream, write), async |(mut stream, write)| {
        let frame = stream.frame().await?;
        let events = write(&frame);
        Some((events, (stream, write)))
    });
    let events =
        futures_util::StreamExt::flat_map(batches, |events| stream::iter(events.into_iter().map(Ok)));
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

/// Streams the state of a game after each change (`event: state`), and your legal moves when it is your turn
/// (`event: paths`).
#[utoipa::path(get, path = "/api/v1/games/{id}/events", tag = "games", params(("id" = String, Path)),
    responses((status = 200, content_type = "text/event-stream", body = crate::wire::GameState), (status = 404, body = ProblemBody)))]
pub async fn states(
    State(service): State<Service>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + Send>, Problem> {
    let (stream, key) = FrameStream::admitted(&service, &visitor, &id).await?;
    Ok(stream_of(stream, move |frame| {
        let state = Event::default().event("state").id(frame.state.seq.to_string()).data(&*frame.json());
        let asked = frame.is_asked(frame.viewer(key.as_deref()));
        let paths = frame.tree.as_ref().filter(|_| asked).and_then(|tree| serde_json::to_string(tree).ok());
        let paths = paths.map(|json| Event::default().event("paths").data(json));
        std::iter::once(state).chain(paths).collect()
    }))
}
