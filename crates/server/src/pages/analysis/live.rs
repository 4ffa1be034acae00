//! Live updates of an analysis page. Each time the result improves, the changed parts are sent, rendered as on a
//! new page.

use super::{BoardScene, graph, mistakes, values};
use crate::{
    analysis::{AnalysisLine, AnalysisQuery, GameReport, PositionAnalysis, PositionReport},
    api::analysis::{admitted, event, stream_of, with_queue_places},
    problem::Problem,
    service::Service,
    visitor::{Params, Visitor},
};
use axum::{
    extract::State,
    response::{Response, sse::Event},
};
use futures_util::stream;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Least time between two graphs of the whole game.
const BATCH_TIME: Duration = Duration::from_millis(250);

/// HTML fragments by element id.
#[derive(Serialize)]
struct Parts {
    done: bool,
    html: BTreeMap<&'static str, String>,
}

/// Streams the values of the moves as the analysis finds them.
pub async fn position(
    State(service): State<Service>,
    visitor: Visitor,
    Params(query): Params<AnalysisQuery>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &query).await?;
    let analysis = PositionAnalysis::begin(service.analysis(), &line, None, visitor.address)?;
    let place = analysis.place();
    let events = stream::unfold((analysis, line), async |(mut analysis, line)| {
        let next = analysis.next().await?;
        Some((next.map(|report| values_event(&line, &report)), (analysis, line)))
    });
    Ok(stream_of(&service, with_queue_places(events, place, |place| queued("queue", place))))
}

/// The event that shows the place in the queue in the element with this id.
fn queued(part: &'static str, place: Option<usize>) -> Event {
    let text = place.map_or(String::new(), |place| format!("Position {place} in the queue."));
    event("parts", &Parts { done: false, html: BTreeMap::from([(part, text)]) })
}

fn values_event(line: &AnalysisLine, report: &PositionReport) -> Event {
    let scene = BoardScene::of(line);
    let badges = values::badges(line, &report.judged);
    let html = BTreeMap::from([
        ("badges", parlor_render::badges(&scene.scene(), &badges).into_string()),
        ("values", values::table(line, Some(report)).into_string()),
    ]);
    event("parts", &Parts { done: report.done, html })
}

/// Streams the graph and the mistakes of a whole game as the analysis finds them.
pub async fn game(
    State(service): State<Service>,
    visitor: Visitor,
    Params(query): Params<AnalysisQuery>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &query).await?;
    let report = GameReport::begin(service.analysis(), &line, visitor.address)?;
    let place = report.place();
    let events = stream::unfold((report, line), async |(mut report, line)| {
        let result = next_batch(&mut report).await?;
        Some((result.map(|()| graph_event(&report, &line)), (report, line)))
    });
    Ok(stream_of(&service, with_queue_places(events, place, |place| queued("story-queue", place))))
}

/// Analyses positions for [`BATCH_TIME`], so that the page is not redrawn for each of them.
async fn next_batch(report: &mut GameReport) -> Option<Result<(), Problem>> {
    let begun = Instant::now();
    loop {
        if let Err(problem) = report.next().await? {
            return Some(Err(problem));
        }
        if report.is_over() || begun.elapsed() >= BATCH_TIME {
            return Some(Ok(()));
        }
    }
}

fn graph_event(report: &GameReport, line: &AnalysisLine) -> Event {
    let points = report.points();
    let html = BTreeMap::from([
        ("graph", graph::graph(line, &points).into_string()),
        ("mistakes", mistakes::list(line, &points, report.is_over()).into_string()),
    ]);
    event("parts", &Parts { done: report.is_over(), html })
}
