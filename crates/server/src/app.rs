//! The whole service in one place: which address does what, and what every request goes through first.

use crate::{
    api, pages,
    problem::Problem,
    service::Service,
    visitor::{self, is_own_origin},
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use std::{any::Any, time::Duration};
use tower_http::{
    catch_panic::CatchPanicLayer, compression::CompressionLayer, limit::RequestBodyLimitLayer,
    timeout::TimeoutLayer,
};

/// No body is larger.
const LARGEST_BODY: usize = 64 << 10;
/// Whoever has not sent a whole request by then, or has not got an answer, gets none. Streams begin to answer at once.
const LONGEST_REQUEST: Duration = Duration::from_secs(20);
/// Nothing runs and nothing is loaded but what comes from here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The server as a value: requests in, answers out, no sockets.
pub fn app(service: Service) -> Router {
    Router::new()
        .nest("/api/v1", api::routes().fallback(nothing_here))
        .merge(pages::routes())
        .route("/healthz", get(healthy))
        .route("/metrics", get(metrics))
        .fallback(pages::nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(service.clone(), guard))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(RequestBodyLimitLayer::new(LARGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, LONGEST_REQUEST))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(|_: Box<dyn Any + Send>| Problem::Broken.into_response()))
        .with_state(service)
}

/// What every request goes through: pages of other sites change nothing here, and every answer says what a browser may do with it.
async fn guard(State(service): State<Service>, request: Request, next: Next) -> Response {
    let mut response = if is_own_origin(request.method(), request.headers(), service.public()) {
        next.run(request).await
    } else {
        Problem::ForeignOrigin.into_response()
    };
    service.metrics().requests.add(1);
    if response.status().is_client_error() || response.status().is_server_error() {
        service.metrics().refused.add(1);
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Addresses hold invitations.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        // A picture that is a file of its own says itself what it may do.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

async fn nothing_here() -> Problem {
    Problem::NotFound("address")
}

async fn wrong_method() -> Response {
    let mut response = Problem::BadInput("this address is not asked like that".to_string()).into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// Whether games can be kept: what a watchdog asks.
async fn healthy(State(service): State<Service>) -> Result<&'static str, Problem> {
    service.store().live_games(i64::MAX, 1).await?;
    Ok("ok\n")
}

async fn metrics(State(service): State<Service>) -> Response {
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], service.metrics_page()).into_response()
}

/// The address of the other end, for tests that have no sockets.
pub use visitor::Peer;
