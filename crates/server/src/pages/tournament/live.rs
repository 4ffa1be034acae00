//! Live updates of a tournament's page: the parts that changed, as they are on a newly loaded page. The stream ends with the
//! tournament.

use super::{games, parts};
use crate::{
    api::events::KEEP_ALIVE,
    metrics::GaugeGuard,
    problem::Problem,
    rate_limits::RequestClass,
    service::Service,
    tournament_cache::{CachedTournament, TournamentUpdates},
    visitor::{Params, Visitor},
};
use axum::{
    extract::{Path, State},
    response::{
        Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{Stream, stream};
use parlor_league::GameFilter;
use serde::Serialize;
use std::{collections::BTreeMap, convert::Infallible};
use tokio::sync::watch;

/// An update as the page's script reads it.
#[derive(Serialize)]
struct Changed<'a> {
    /// Whether this is the last update.
    over: bool,
    /// HTML fragments by element id.
    html: BTreeMap<&'static str, &'a str>,
}

/// State of one client's stream of updates.
struct TournamentStream {
    watching: TournamentUpdates,
    stopping: watch::Receiver<bool>,
    wish: GameFilter,
    /// The fragments that the client has.
    sent: BTreeMap<&'static str, String>,
    over: bool,
    _held: GaugeGuard,
}

/// Streams updates of the page.
pub async fn changes(
    State(service): State<Service>,
    visitor: Visitor,
    Path(name): Path<String>,
    Params(wish): Params<GameFilter>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>> + Send>, Problem> {
    service.rate_limits().admit(visitor.address, RequestClass::Read)?;
    let watching = service.tournaments().watch(&name).await?;
    let stream = TournamentStream {
        watching,
        stopping: service.stopping(),
        wish,
        sent: BTreeMap::new(),
        over: false,
        _held: GaugeGuard::new(service.metrics(), |metrics| &metrics.watchers),
    };
    let events = stream::unfold(stream, async |mut stream| Some((Ok(stream.next().await?), stream)));
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

impl TournamentStream {
    /// The next event; `None` when the tournament or the server ends.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if self.over {
                return None;
            }
            tokio::select! {
                changed = self.watching.changed() => changed.ok()?,
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
            }
            let shown = self.watching.borrow_and_update().clone();
            if let Some(event) = shown.and_then(|shown| self.write(&shown)) {
                return Some(event);
            }
        }
    }

    /// The event for the parts that changed; `None` if none did.
    fn write(&mut self, shown: &CachedTournament) -> Option<Event> {
        self.over = shown.is_over();
        let list = games::table(shown, &self.wish).into_string();
        let all = parts(shown).iter().map(|(id, html)| (*id, html)).chain([("t-games", &list)]);
        let new: BTreeMap<&'static str, &String> =
            all.filter(|(id, html)| self.sent.get(id) != Some(html)).collect();
        if new.is_empty() && !self.over {
            return None;
        }
        let html = new.iter().map(|(id, html)| (*id, html.as_str())).collect();
        let data = serde_json::to_string(&Changed { over: self.over, html }).unwrap_or_default();
        self.sent.extend(new.into_iter().map(|(id, html)| (id, html.clone())));
        Some(Event::default().event("parts").data(data))
    }
}
