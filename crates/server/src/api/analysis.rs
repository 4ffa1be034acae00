//! Judgements for programs: of a position, and of a whole game; as events while they are found out, or in one piece.

use super::events::HEARTBEAT;
use crate::{
    analysis::{Asked, Line, Point, Story, Study, Verdict},
    limits::Price,
    problem::{Problem, ProblemBody},
    service::Service,
    visitor::{Params, Visitor},
};
use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderMap, header},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, StreamExt, stream};
use serde::Serialize;
use std::{convert::Infallible, time::Duration};
use tokio::sync::watch;
use utoipa::ToSchema;

/// Nobody waits longer for an answer in one piece, and this long if they do not say.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const USUAL_WAIT: Duration = Duration::from_secs(2);
/// An answer in one piece may be this much later because others are before it in the queue.
const QUEUED: Duration = Duration::from_secs(5);

/// Analyses a position: every legal move with its value, proven or estimated. Sends events (`event: judgement`), the last of
/// which is `done`, and the place in the queue (`event: queue`) while the analysis waits for a free thread. Sends one JSON
/// response with `Accept: application/json` or `wait`.
#[utoipa::path(get, path = "/api/v1/analysis", tag = "analysis",
    params(("game" = Option<String>, Query, description = "game spec, like `kalah:6,4`"),
           ("start" = Option<String>, Query, description = "start position (default: the game's start position)"),
           ("moves" = Option<String>, Query, description = "moves from the start position, separated by spaces or commas"),
           ("id" = Option<String>, Query, description = "id of a finished game of this server, instead of the three parameters above"),
           ("ply" = Option<usize>, Query, description = "position after this many moves (default: the last one)"),
           ("wait" = Option<String>, Query, description = "answer once, after at most this time, such as `2s`; at most 10s")),
    responses((status = 200, content_type = "text/event-stream", body = Verdict), (status = 404, body = ProblemBody),
              (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub async fn position(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    headers: HeaderMap,
    Params(asked): Params<Asked>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &asked).await?;
    let wait = patience(&headers, asked.wait.as_deref())?;
    let study = Study::begin(service.analysis(), &line, wait, visitor.address)?;
    if let Some(wait) = wait {
        return Ok(Json(study.finish(wait + QUEUED).await?).into_response());
    }
    let place = study.place();
    let events = stream::unfold(study, async |mut study| {
        let next = study.next().await?;
        Some((next.map(|verdict| event("judgement", &verdict)), study))
    });
    Ok(stream_of(&service, with_places(events, place, |place| event("queue", &Queued { position: place }))))
}

/// The line that a visitor asks about, if they may.
pub async fn admitted(service: &Service, visitor: &Visitor, asked: &Asked) -> Result<Line, Problem> {
    service.limits().admit(visitor.address, Price::Heavy)?;
    Line::read(service, asked).await
}

/// How long to wait for an answer in one piece; none where events are wanted.
fn patience(headers: &HeaderMap, wait: Option<&str>) -> Result<Option<Duration>, Problem> {
    let json = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json");
    let Some(text) = wait else { return Ok(json.then_some(USUAL_WAIT)) };
    let time = parlor_catalog::duration(text);
    let fits = time.filter(|time| *time <= LONGEST_WAIT);
    let wrong = || Problem::BadInput("wait: expected a time like 500ms or 2s, at most 10s".to_string());
    fits.map(Some).ok_or_else(wrong)
}

/// Analyses a whole game: the value of every position and the cost of every move (`event: ply`), from the end to the start,
/// first with a short search; then the worst moves again with a longer one. `event: queue` is the place in the queue while
/// the analysis waits for a free thread; `event: done` is the last event.
#[utoipa::path(get, path = "/api/v1/analysis/game", tag = "analysis",
    params(("game" = Option<String>, Query, description = "game spec, like `kalah:6,4`"),
           ("start" = Option<String>, Query, description = "start position (default: the game's start position)"),
           ("moves" = Option<String>, Query, description = "moves from the start position, separated by spaces or commas"),
           ("id" = Option<String>, Query, description = "id of a finished game of this server, instead of the three parameters above")),
    responses((status = 200, content_type = "text/event-stream", body = Point), (status = 404, body = ProblemBody),
              (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub async fn game(
    Shared(service): Shared<Service>,
    visitor: Visitor,
    Params(asked): Params<Asked>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &asked).await?;
    let story = Story::begin(service.analysis(), &line, visitor.address)?;
    let place = story.place();
    let batches = stream::unfold(story, async |mut story| {
        let next = story.next().await?;
        let mut events: Vec<Result<Event, Problem>> = match next {
            Ok(points) => points.iter().map(|point| Ok(event("ply", point))).collect(),
            Err(problem) => vec![Err(problem)],
        };
        if story.is_over() {
            events.push(Ok(Event::default().event("done").data("{}")));
        }
        Some((stream::iter(events), story))
    });
    let events = batches.flatten();
    Ok(stream_of(&service, with_places(events, place, |place| event("queue", &Queued { position: place }))))
}

/// A place in the queue.
#[derive(Serialize, ToSchema)]
pub struct Queued {
    /// 1 for the analysis that starts next; none once it has started.
    position: Option<usize>,
}

/// Events, and between them the place in the queue each time it changes.
pub fn with_places(
    events: impl Stream<Item = Result<Event, Problem>> + Send + 'static,
    place: watch::Receiver<Option<usize>>,
    write: fn(Option<usize>) -> Event,
) -> impl Stream<Item = Result<Event, Problem>> + Send + 'static {
    stream::unfold((Box::pin(events), place, write), async |(mut events, mut place, write)| {
        let told = tokio::select! {
            biased;
            next = events.next() => next?,
            Ok(()) = place.changed() => Ok(write(*place.borrow_and_update())),
        };
        Some((told, (events, place, write)))
    })
}

pub fn event(name: &str, value: &impl Serialize) -> Event {
    Event::default().event(name).data(serde_json::to_string(value).unwrap_or_default())
}

/// Events until the server ends; what goes wrong on the way is told as the last of them.
pub fn stream_of(
    service: &Service,
    events: impl Stream<Item = Result<Event, Problem>> + Send + 'static,
) -> Response {
    let mut stopping = service.stopping();
    let ends = async move { drop(stopping.wait_for(|stopping| *stopping).await) };
    let told = events.map(|next| {
        let refused = |problem: Problem| {
            let (status, kind, _) = problem.sort();
            event(
                "problem",
                &serde_json::json!({"type": kind, "status": status.as_u16(), "detail": problem.sentence()}),
            )
        };
        Ok::<Event, Infallible>(next.unwrap_or_else(refused))
    });
    Sse::new(told.take_until(ends)).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()
}
