//! What a page of an analysis gets while it is open: its parts as they would stand on a page that is loaded anew, each time more
//! is known.

use super::{Sight, graph, mistakes, values};
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

/// A picture of the whole game is not made more often.
const PAUSE: Duration = Duration::from_millis(250);

/// HTML fragments by element id.
#[derive(Serialize)]
struct Parts {
    done: bool,
    html: BTreeMap<&'static str, String>,
}

/// Streams the values of the moves as the analysis finds them.
pub async fn judgements(
    State(service): State<Service>,
    visitor: Visitor,
    Params(asked): Params<AnalysisQuery>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &asked).await?;
    let study = PositionAnalysis::begin(service.analysis(), &line, None, visitor.address)?;
    let place = study.place();
    let events = stream::unfold((study, line), async |(mut study, line)| {
        let next = study.next().await?;
        Some((next.map(|report| judged(&line, &report)), (study, line)))
    });
    Ok(stream_of(&service, with_queue_places(events, place, |place| queued("queue", place))))
}

/// Where the analysis waits: in the part of the page with this id.
fn queued(part: &'static str, place: Option<usize>) -> Event {
    let text = place.map_or(String::new(), |place| format!("Position {place} in the queue."));
    event("parts", &Parts { done: false, html: BTreeMap::from([(part, text)]) })
}

fn judged(line: &AnalysisLine, report: &PositionReport) -> Event {
    let sight = Sight::of(line);
    let badges = values::badges(line, &report.judged);
    let html = BTreeMap::from([
        ("badges", parlor_render::badges(&sight.scene(), &badges).into_string()),
        ("values", values::table(line, Some(report)).into_string()),
    ]);
    event("parts", &Parts { done: report.done, html })
}

/// How the game went, as it is found out.
pub async fn story(
    State(service): State<Service>,
    visitor: Visitor,
    Params(asked): Params<AnalysisQuery>,
) -> Result<Response, Problem> {
    let line = admitted(&service, &visitor, &asked).await?;
    let story = GameReport::begin(service.analysis(), &line, visitor.address)?;
    let place = story.place();
    let events = stream::unfold((story, line), async |(mut story, line)| {
        let told = a_moment(&mut story).await?;
        Some((told.map(|()| picture(&story, &line)), (story, line)))
    });
    Ok(stream_of(&service, with_queue_places(events, place, |place| queued("story-queue", place))))
}

/// As much as is found out in a moment.
async fn a_moment(story: &mut GameReport) -> Option<Result<(), Problem>> {
    let begun = Instant::now();
    loop {
        if let Err(problem) = story.next().await? {
            return Some(Err(problem));
        }
        if story.is_over() || begun.elapsed() >= PAUSE {
            return Some(Ok(()));
        }
    }
}

fn picture(story: &GameReport, line: &AnalysisLine) -> Event {
    let points = story.points();
    let html = BTreeMap::from([
        ("graph", graph::graph(line, &points).into_string()),
        ("mistakes", mistakes::list(line, &points, story.is_over()).into_string()),
    ]);
    event("parts", &Parts { done: story.is_over(), html })
}
