//! Analysis for programs: of a position or a whole game, as a stream of events or in one response.

use super::events::KEEP_ALIVE;
use crate::{
    analysis::{AnalysisLine, AnalysisQuery, GameReport, PlyReport, PositionAnalysis, PositionReport},
    problem::{Problem, ProblemBody},
    rate_limits::RequestClass,
    service::Service,
    visitor::{Params, Visitor},
};
use axum::{
    Json,
    extract::State,
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

/// Longest and default time limit of an analysis in one response.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const USUAL_WAIT: Duration = Duration::from_secs(2);
/// Additional time that such an analysis may wait in the queue.
const QUEUE_TIME: Duration = Duration::from_secs(5);

/// Analyses a position: the value of every legal move, proven or estimated. The results are sent as events (`event:
/// judgement`) while they improve; the last one has `done`. `event: queue` reports the place in the queue while the
/// analysis waits for a free processor. With `Accept: application/json` or `wait`, the result is one response.
#[utoipa::path(get, path = "/api/v1/analysis", tag = "analysis",
    params(("game" = Option<String>, Query, description = "game spec, like `kalah:6,4`"),
           ("start" = Option<String>, Query, description = "start position (default: the game's start position)"),
           ("moves" = Option<String>, Query, description = "moves from the start position, separated by spaces or commas"),
           ("id" = Option<String>, Query, description = "id of a finished game of this server, instead of the three parameters above"),
           ("ply" = Option<usize>, Query, description = "position after this many moves (default: the last one)"),
           ("wait" = Option<String>, Query, description = "answer once, after at most this time, such as `2s`; at most 10s")),
    responses((status = 200, content_type = "text/event-stream", body = PositionReport), (status = 404, body = ProblemBody),
              (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub async fn position(
    State(service): State<Service>,
    visitor: Visitor,
    headers: HeaderMap,
    Params(query): Params<AnalysisQuery>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &query).await?;
    let wait = wait_time(&headers, query.wait.as_deref())?;
    let analysis = PositionAnalysis::begin(service.analysis(), &line, wait, visitor.address)?;
    if let Some(wait) = wait {
        return Ok(Json(analysis.finish(wait + QUEUE_TIME).await?).into_response());
    }
    let place = analysis.place();
    let events = stream::unfold(analysis, async |mut analysis| {
        let next = analysis.next().await?;
        Some((next.map(|report| event("judgement", &report)), analysis))
    });
    Ok(stream_of(
        &service,
        with_queue_places(events, place, |place| event("queue", &QueuePlace { position: place })),
    ))
}

/// Checks the rate limit and reads the line of a query.
pub async fn admitted(
    service: &Service,
    visitor: &Visitor,
    query: &AnalysisQuery,
) -> Result<AnalysisLine, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Heavy)?;
    AnalysisLine::read(service, query).await
}

/// Time limit of an analysis in one response; `None` if the client wants events.
fn wait_time(headers: &HeaderMap, wait: Option<&str>) -> Result<Option<Duration>, Problem> {
    let json = headers.get(header::ACCEPT).is_some_and(|accept| accept == "application/json");
    let Some(text) = wait else { return Ok(json.then_some(USUAL_WAIT)) };
    let time = parlor_catalog::duration(text);
    let fits = time.filter(|time| *time <= LONGEST_WAIT);
    let wrong = || Problem::BadInput("wait: expected a time like 500ms or 2s, at most 10s".to_string());
    fits.map(Some).ok_or_else(wrong)
}

/// Analyses a whole game: the value of every position and the loss of each move (`event: ply`), from the end to the
/// start. The moves with the largest losses are then searched again. `event: queue` reports the place in the queue
/// while the analysis waits for a free processor; `event: done` is the last event.
#[utoipa::path(get, path = "/api/v1/analysis/game", tag = "analysis",
    params(("game" = Option<String>, Query, description = "game spec, like `kalah:6,4`"),
           ("start" = Option<String>, Query, description = "start position (default: the game's start position)"),
           ("moves" = Option<String>, Query, description = "moves from the start position, separated by spaces or commas"),
           ("id" = Option<String>, Query, description = "id of a finished game of this server, instead of the three parameters above")),
    responses((status = 200, content_type = "text/event-stream", body = PlyReport), (status = 404, body = ProblemBody),
              (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
pub async fn game(
    State(service): State<Service>,
    visitor: Visitor,
    Params(query): Params<AnalysisQuery>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &query).await?;
    let report = GameReport::begin(service.analysis(), &line, visitor.address)?;
    let place = report.place();
    let batches = stream::unfold(report, async |mut report| {
        let next = report.next().await?;
        let mut events: Vec<Result<Event, Problem>> = match next {
            Ok(points) => points.iter().map(|point| Ok(event("ply", point))).collect(),
            Err(problem) => vec![Err(problem)],
        };
        if report.is_over() {
            events.push(Ok(Event::default().event("done").data("{}")));
        }
        Some((stream::iter(events), report))
    });
    let events = batches.flatten();
    Ok(stream_of(
        &service,
        with_queue_places(events, place, |place| event("queue", &QueuePlace { position: place })),
    ))
}

/// The place of an analysis in the queue.
#[derive(Serialize, ToSchema)]
pub struct QueuePlace {
    /// 1 for the analysis that starts next; null once it has started.
    position: Option<usize>,
}

/// Adds an event to a stream each time the place in the queue changes.
pub fn with_queue_places(
    events: impl Stream<Item = Result<Event, Problem>> + Send + 'static,
    place: watch::Receiver<Option<usize>>,
    write: fn(Option<usize>) -> Event,
) -> impl Stream<Item = Result<Event, Problem>> + Send + 'static {
    stream::unfold((Box::pin(events), place, write), async |(mut events, mut place, write)| {
        let next = tokio::select! {
            biased;
            next = events.next() => next?,
            Ok(()) = place.changed() => Ok(write(*place.borrow_and_update())),
        };
        Some((next, (events, place, write)))
    })
}

pub fn event(name: &str, value: &impl Serialize) -> Event {
    Event::default().event(name).data(serde_json::to_string(value).unwrap_or_default())
}

/// Streams events until the server stops. The stream ends after a problem.
pub fn stream_of(
    service: &Service,
    events: impl Stream<Item = Result<Event, Problem>> + Send + 'static,
) -> Response {
    let mut stopping = service.stopping();
    let ends = async move { drop(stopping.wait_for(|stopping| *stopping).await) };
    let events = events.map(|next| {
        let refused = |problem: Problem| {
            let (status, kind, _) = problem.status_and_type();
            event(
                "problem",
                &serde_json::json!({"type": kind, "status": status.as_u16(), "detail": problem.sentence()}),
            )
        };
        Ok::<Event, Infallible>(next.unwrap_or_else(refused))
    });
    Sse::new(events.take_until(ends)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}
